package store

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// microNow is PostgreSQL's clock at the start of the statement. A statement
// that waited for another one's row goes by a clock a little too early, which
// never allows more.
const microNow = "(extract(epoch FROM statement_timestamp()) * 1000000)::bigint"

// Shared reports whether other processes may be at work on the same data.
func (s *Store) Shared() bool { return s.postgres }

// TakeCall takes one call from a budget that all instances share: one call per
// every, and burst at once (the generic cell rate algorithm). A wait above zero
// says that the budget has no room until then. PostgreSQL only.
//
// It is one guarded statement and not throttled's reading and swapping, which
// takes two and gives up when too many callers share a key.
func (s *Store) TakeCall(ctx context.Context, budget string, every time.Duration, burst int) (wait time.Duration, err error) {
	id, err := s.keys.Index("limit", budget)
	if err != nil {
		return 0, err
	}
	step := max(every.Microseconds(), 1)
	tolerance := step * int64(burst)
	err = s.single(ctx, "count call", func(tx *Tx) error {
		n, err := tx.exec(`INSERT INTO limits (id, arrival) VALUES ($1, `+microNow+` + $2)
			ON CONFLICT (id) DO UPDATE SET arrival = greatest(limits.arrival, `+microNow+`) + $2
			WHERE greatest(limits.arrival, `+microNow+`) + $2 - $3 <= `+microNow, id, step, tolerance)
		if err != nil || n > 0 {
			return err
		}
		var micros int64
		err = tx.row("SELECT arrival + $2 - $3 - "+microNow+" FROM limits WHERE id = $1", id, step, tolerance).Scan(&micros)
		wait = max(time.Duration(micros)*time.Microsecond, time.Microsecond)
		if errors.Is(err, sql.ErrNoRows) { // it was spent and cleared a moment ago
			return nil
		}
		return err
	})
	return wait, err
}

// ClearLimits removes the budgets that are full again: no row says the same.
func (s *Store) ClearLimits(ctx context.Context) error {
	if !s.postgres {
		return nil
	}
	return s.single(ctx, "clear limits", func(tx *Tx) error {
		_, err := tx.exec("DELETE FROM limits WHERE arrival < " + microNow)
		return err
	})
}
