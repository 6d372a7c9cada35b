package llm

import (
	"net/netip"
	"sync"
	"time"

	"simora/server/sim"
)

// Budget bounds what the model may cost. Days are in UTC. Each process counts
// for itself, and from zero after a start.
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

// ledger keeps the budget's books. Tokens are booked before a request at the
// most that it may cost, and corrected after it, so that requests in flight
// cannot overspend together.
type ledger struct {
	budget Budget
	now    func() time.Time

	mu     sync.Mutex
	day    string
	calls  int
	tokens int
	full   bool           // the last request was refused for the day
	runs   map[runKey]int // no longer than CallsPerDay, emptied every day
	from   map[string]int // by network, likewise
}

func newLedger(b Budget, now func() time.Time) *ledger {
	return &ledger{budget: b, now: now, runs: map[runKey]int{}, from: map[string]int{}}
}

// entry is one request on the books.
type entry struct {
	ledger *ledger
	day    string
	run    runKey
	from   string
	tokens int
}

// book reserves one call of at most so many tokens, or says which budget is
// used up.
func (l *ledger) book(run runKey, address string, tokens int) (*entry, reason) {
	from := network(address)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.turnPage()
	switch {
	case l.runs[run] >= l.budget.CallsPerSession:
		return nil, overSession
	case from != "" && l.from[from] >= l.budget.CallsPerAddress:
		return nil, overAddress
	case l.calls >= l.budget.CallsPerDay, l.tokens+tokens > l.budget.TokensPerDay:
		l.full = true
		return nil, overDay
	}
	l.full = false
	l.runs[run]++
	l.from[from]++
	l.calls++
	l.tokens += tokens
	return &entry{ledger: l, day: l.day, run: run, from: from, tokens: tokens}, ""
}

// settle replaces the reservation by what was used.
func (e *entry) settle(tokens int) {
	l := e.ledger
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.day == e.day {
		l.tokens += max(tokens, 0) - e.tokens
	}
}

// cancel takes a request off the books that was never sent.
func (e *entry) cancel() {
	e.settle(0)
	l := e.ledger
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.day == e.day {
		l.calls--
		l.runs[e.run]--
		l.from[e.from]--
	}
}

// turnPage begins a new day. The caller holds the lock.
func (l *ledger) turnPage() {
	if today := l.now().UTC().Format(time.DateOnly); today != l.day {
		l.day, l.calls, l.tokens, l.full = today, 0, 0, false
		clear(l.runs)
		clear(l.from)
	}
}

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
	l.mu.Lock()
	defer l.mu.Unlock()
	l.turnPage()
	s := sim.ModelStatus{Available: !l.full && l.calls < l.budget.CallsPerDay, CallsToday: l.calls, CallLimit: l.budget.CallsPerDay, TokensToday: l.tokens, TokenLimit: l.budget.TokensPerDay}
	if !s.Available {
		s.Reason = string(overDay)
	}
	return s
}
