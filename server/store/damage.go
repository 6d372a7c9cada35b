package store

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// sound reads the embedded database through once: damage is told at the start,
// and not served.
func (s *Store) sound(ctx context.Context) error {
	var verdict string
	if err := s.write.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&verdict); err != nil {
		return s.damaged(fmt.Errorf("check database: %w", err))
	}
	if verdict != "ok" {
		return s.damage(errors.New(verdict))
	}
	return nil
}

// damaged says of an error that means it that the file is damaged.
func (s *Store) damaged(err error) error {
	var lite *sqlite.Error
	if errors.As(err, &lite) {
		switch lite.Code() & 0xff {
		case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
			return s.damage(err)
		}
	}
	return err
}

func (s *Store) damage(found error) error {
	return fmt.Errorf("%s is damaged; move it away with its -wal, and bring back a backup with \"simora backup restore\" (docs/operations.md, Backup): %w", filepath.Join(s.dir, sqliteFile), found)
}
