package llm

import (
	"context"
	"log/slog"
	"net/netip"
	"sync/atomic"
	"time"

	"simora/server/sim"
	"simora/server/store"
)

// Budget bounds what the model may cost, over all instances. Days are in UTC.
type Budget struct {
	CallsPerSession int
	CallsPerAddress int // a day; an IPv6 address counts as its network of 64 bits
	CallsPerDay     int
	TokensPerDay    int
}

// DefaultBudget is used where nothing is configured.
var DefaultBudget = Budget{CallsPerSession: 60, CallsPerAddress: 300, CallsPerDay: 5000, TokensPerDay: 5_000_000}

// runKey tells runs apart without naming a visitor.
type runKey [32]byte

// ledger keeps the budget's books, which lie in the database: all instances
// share them, and a restart does not empty them. Tokens are booked before a
// request at the most that it may cost, and corrected after it, so that
// requests in flight cannot overspend together.
type ledger struct {
	budget Budget
	now    func() time.Time
	books  *store.Store
	log    *slog.Logger

	full atomic.Value // the day (a string) on which the last request of this process was refused for the day
}

// bookTime is how long a look into the books may take.
const bookTime = 5 * time.Second

// entry is one request on the books.
type entry struct {
	ledger *ledger
	call   store.ModelCall
}

// book reserves one call of at most so many tokens, or says which budget is
// used up.
func (l *ledger) book(ctx context.Context, run runKey, address string, tokens int) (*entry, reason) {
	call := store.ModelCall{
		Day: l.today(), Run: string(run[:]), Network: network(address), Tokens: tokens,
		CallsPerRun: l.budget.CallsPerSession, CallsPerNetwork: l.budget.CallsPerAddress, CallsPerDay: l.budget.CallsPerDay, TokensPerDay: l.budget.TokensPerDay,
	}
	over, err := l.books.BookModelCall(ctx, call)
	switch {
	case err != nil:
		l.log.ErrorContext(ctx, "model budget", "error", err)
		return nil, noBooks
	case over == store.OverRun:
		return nil, overSession
	case over == store.OverNetwork:
		return nil, overAddress
	case over == store.OverDay:
		l.full.Store(call.Day)
		return nil, overDay
	}
	l.full.Store("")
	return &entry{ledger: l, call: call}, ""
}

// settle replaces the reservation by what was used.
func (e *entry) settle(tokens int) {
	e.correct(func(ctx context.Context) error {
		return e.ledger.books.SettleModelCall(ctx, e.call, max(tokens, 0))
	})
}

// cancel takes a request off the books that was never sent.
func (e *entry) cancel() {
	e.correct(func(ctx context.Context) error { return e.ledger.books.CancelModelCall(ctx, e.call) })
}

// correct outlives the request. When it fails the reservation stays, which errs
// on the safe side.
func (e *entry) correct(change func(context.Context) error) {
	ctx, cancel := context.WithTimeout(context.Background(), bookTime)
	defer cancel()
	if err := change(ctx); err != nil {
		e.ledger.log.ErrorContext(ctx, "model budget", "error", err)
	}
}

func (l *ledger) today() string { return l.now().UTC().Format(time.DateOnly) }

// network is what one visitor can hardly change: the address, or of an IPv6
// address the first 64 bits; empty: unknown.
func network(address string) string {
	ip, err := netip.ParseAddr(address)
	if err != nil {
		return ""
	}
	if ip = ip.Unmap(); ip.Is4() {
		return ip.String()
	}
	prefix, _ := ip.Prefix(64) // an IPv6 address has 64 bits
	return prefix.String()
}

func (l *ledger) status() sim.ModelStatus {
	ctx, cancel := context.WithTimeout(context.Background(), bookTime)
	defer cancel()
	today := l.today()
	calls, tokens, err := l.books.ModelUse(ctx, today)
	s := sim.ModelStatus{Available: l.full.Load() != today && calls < l.budget.CallsPerDay, CallsToday: calls, CallLimit: l.budget.CallsPerDay, TokensToday: tokens, TokenLimit: l.budget.TokensPerDay}
	if !s.Available {
		s.Reason = string(overDay)
	}
	if err != nil {
		s.Available, s.Reason = false, string(noBooks)
	}
	return s
}
