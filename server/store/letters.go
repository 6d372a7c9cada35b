package store

import (
	"context"
	"fmt"
)

// HasLetter reports whether the outbox has a row for a letter, sent or not.
func (s *Store) HasLetter(ctx context.Context, id string) (bool, error) {
	var n int
	if err := s.row(ctx, "SELECT count(*) FROM outbox WHERE id = $1", id).Scan(&n); err != nil {
		return false, unavailable(fmt.Errorf("read outbox: %w", err))
	}
	return n > 0, nil
}
