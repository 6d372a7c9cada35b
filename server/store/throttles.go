package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// Patience is how many tries in a row are free, and how the wait grows after
// them: First, then twice as long each time, up to Longest.
type Patience struct {
	Free           int
	First, Longest time.Duration
}

// Try counts a try at once, so that many at the same time get no more than many
// in turn. It returns how long to wait when this one may not be made; Succeeded
// forgets what was counted.
func (s *Store) Try(ctx context.Context, index []byte, p Patience, now time.Time) (wait time.Duration, err error) {
	doublings := 0
	for d := p.First; d < p.Longest; d *= 2 {
		doublings++
	}
	err = s.inTx(ctx, soft, "count try", func(tx *Tx) error {
		wait = 0
		var failures, free int64
		err := tx.row(`INSERT INTO throttles (account_index, failures, free_at, updated_at) VALUES ($1, 1, 0, $2)
			ON CONFLICT (account_index) DO UPDATE SET failures = throttles.failures + 1, updated_at = $2,
				free_at = CASE WHEN throttles.failures + 1 < $3 THEN 0 WHEN throttles.failures + 1 >= $4 THEN $5
					ELSE $2 + (CAST($6 AS BIGINT) << (throttles.failures + 1 - $3)) END
			WHERE throttles.free_at <= $2 OR throttles.free_at > $5 RETURNING failures`, // no wait is longer: the clock was wrong
			index, millis(now), p.Free, p.Free+doublings, millis(now.Add(p.Longest)), p.First.Milliseconds()).Scan(&failures)
		if !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		if err := tx.row("SELECT free_at FROM throttles WHERE account_index = $1", index).Scan(&free); err != nil {
			return err
		}
		wait = fromMillis(free).Sub(now)
		return nil
	})
	return wait, err
}

// Succeeded forgets the tries.
func (s *Store) Succeeded(ctx context.Context, index []byte) error {
	return s.inTx(ctx, soft, "forget tries", func(tx *Tx) error {
		_, err := tx.exec("DELETE FROM throttles WHERE account_index = $1", index)
		return err
	})
}

// DeleteTriesBefore forgets tries and unused sign-in codes from before t.
func (s *Store) DeleteTriesBefore(ctx context.Context, t time.Time) error {
	return s.inTx(ctx, durable, "delete old tries", func(tx *Tx) error {
		for _, text := range []string{"DELETE FROM throttles WHERE updated_at < $1", "DELETE FROM sign_in_codes WHERE created_at < $1"} {
			if _, err := tx.exec(text, millis(t)); err != nil {
				return fmt.Errorf("%s: %w", text, err)
			}
		}
		return nil
	})
}
