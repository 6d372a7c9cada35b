package store

import (
	"context"
	"time"
)

// deletedAtOnce bounds one deleting transaction, so that visitors' writes get
// their turn in between.
const deletedAtOnce = 500

// DeleteSessionsBefore removes runs that started before t, with their messages
// and letters, and returns how many.
func (s *Store) DeleteSessionsBefore(ctx context.Context, t time.Time) (int64, error) {
	var total int64
	for ctx.Err() == nil {
		var n int64
		err := s.inTx(ctx, durable, "delete old sessions", func(tx *Tx) (err error) {
			const old = "(SELECT id FROM sessions WHERE started_at < $1 ORDER BY started_at, id LIMIT $2)"
			for _, text := range []string{
				"DELETE FROM outbox WHERE session_id IN " + old,
				"DELETE FROM deliveries WHERE subject IN " + old,
				"DELETE FROM messages WHERE session_id IN " + old,
			} {
				if _, err := tx.exec(text, millis(t), deletedAtOnce); err != nil {
					return err
				}
			}
			n, err = tx.exec("DELETE FROM sessions WHERE id IN "+old, millis(t), deletedAtOnce)
			return err
		})
		total += n
		if err != nil || n < deletedAtOnce {
			return total, err
		}
	}
	return total, ctx.Err()
}

// DeleteKeptAnswersBefore removes the answers kept for idempotency keys that
// were first used before t.
func (s *Store) DeleteKeptAnswersBefore(ctx context.Context, t time.Time) error {
	return s.inTx(ctx, durable, "delete kept answers", func(tx *Tx) error {
		_, err := tx.exec("DELETE FROM idempotency WHERE created_at < $1", millis(t))
		return err
	})
}
