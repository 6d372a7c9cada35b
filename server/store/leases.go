package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// Lease lets one process at a time do a piece of work.
type Lease struct {
	Name   string
	Holder string // who holds it: unique to a process
	Term   time.Duration

	fence int64
}

// ErrLeaseLost is work whose lease has gone to somebody else.
var ErrLeaseLost = errors.New("another process has taken this work over")

// Clock is the database's time: the same for all processes, however wrong the
// clocks of their machines are.
func (s *Store) Clock(ctx context.Context) (time.Time, error) {
	var now int64
	if err := s.row(ctx, s.clockText()).Scan(&now); err != nil {
		return time.Time{}, unavailable(fmt.Errorf("read the database's clock: %w", err))
	}
	return fromMillis(now), nil
}

func (s *Store) clockText() string {
	if s.postgres {
		return "SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)"
	}
	return "SELECT CAST(unixepoch('subsec') * 1000 AS INTEGER)"
}

// TakeLease takes or prolongs a lease. held is false while somebody else has
// it. What its holder deletes prolongs it, too.
func (s *Store) TakeLease(ctx context.Context, name, holder string, term time.Duration) (l Lease, held bool, err error) {
	l = Lease{Name: name, Holder: holder, Term: term}
	err = s.inTx(ctx, durable, "take lease "+name, func(tx *Tx) error {
		var now int64
		if err := tx.row(s.clockText()).Scan(&now); err != nil {
			return err
		}
		err := tx.row(`INSERT INTO leases (name, holder, until, fence) VALUES ($1, $2, $3, 1)
			ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until, fence = leases.fence + 1
			WHERE leases.until <= $4 OR leases.holder = excluded.holder RETURNING fence`, name, holder, now+term.Milliseconds(), now).Scan(&l.fence)
		held = err == nil
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		return err
	})
	return l, held, err
}

// ReturnLease lets the next one begin at once.
func (s *Store) ReturnLease(ctx context.Context, l Lease) error {
	return s.inTx(ctx, durable, "return lease "+l.Name, func(tx *Tx) error {
		_, err := tx.exec("UPDATE leases SET until = 0 WHERE name = $1 AND holder = $2 AND fence = $3", l.Name, l.Holder, l.fence)
		return err
	})
}

// keep prolongs a lease in the transaction that does its work, or is
// ErrLeaseLost.
func (t *Tx) keep(l Lease) error {
	var now int64
	if err := t.row(t.s.clockText()).Scan(&now); err != nil {
		return err
	}
	n, err := t.exec("UPDATE leases SET until = $4 WHERE name = $1 AND holder = $2 AND fence = $3", l.Name, l.Holder, l.fence, now+l.Term.Milliseconds())
	if err == nil && n == 0 {
		return ErrLeaseLost
	}
	return err
}
