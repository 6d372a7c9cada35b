package store

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
	"sort"
	"strconv"
	"strings"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// migrationLock is PostgreSQL's advisory lock number for migrations.
const migrationLock = 7_319_001

type migration struct {
	version int
	name    string
	text    string
}

func migrations(files fs.FS) ([]migration, error) {
	names, err := fs.Glob(files, "migrations/*.sql")
	if err != nil {
		return nil, err
	}
	var all []migration
	for _, name := range names {
		base := strings.TrimPrefix(name, "migrations/")
		number, _, _ := strings.Cut(base, "_")
		version, err := strconv.Atoi(number)
		if err != nil {
			return nil, fmt.Errorf("migration %s: its name must start with a number", base)
		}
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		all = append(all, migration{version, base, string(text)})
	}
	sort.Slice(all, func(i, j int) bool { return all[i].version < all[j].version })
	return all, nil
}

func (s *Store) migrate(ctx context.Context) error {
	all, err := migrations(migrationFiles)
	if err != nil {
		return err
	}
	return s.apply(ctx, all)
}

// apply brings the schema to the newest of all in one transaction, the version
// rows included, while no other process can do the same.
func (s *Store) apply(ctx context.Context, all []migration) error {
	tx, err := s.write.BeginTx(ctx, nil) // SQLite: immediate, so it waits for the file's lock
	if err != nil {
		return unavailable(err)
	}
	defer func() { _ = tx.Rollback() }()
	if s.postgres {
		if _, err := tx.ExecContext(ctx, "SET LOCAL statement_timeout = 0"); err != nil {
			return unavailable(err)
		}
		if _, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock($1)", migrationLock); err != nil {
			return unavailable(err)
		}
	}
	if _, err := tx.ExecContext(ctx, "CREATE TABLE IF NOT EXISTS schema_versions (version INTEGER PRIMARY KEY, name TEXT NOT NULL)"); err != nil {
		return unavailable(err)
	}
	var current sql.NullInt64
	if err := tx.QueryRowContext(ctx, "SELECT max(version) FROM schema_versions").Scan(&current); err != nil {
		return unavailable(err)
	}
	newest := all[len(all)-1].version
	s.schema = newest
	if int(current.Int64) > newest {
		return fmt.Errorf("the database has schema version %d, this simora knows up to %d: it was written by a newer simora, run that one (or restore a backup)", current.Int64, newest)
	}
	for _, m := range all {
		if m.version <= int(current.Int64) {
			continue
		}
		if s.postgres {
			m.text = strings.ReplaceAll(m.text, "--postgres ", "") // what only PostgreSQL understands
		}
		if _, err := tx.ExecContext(ctx, m.text); err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
		if _, err := tx.ExecContext(ctx, "INSERT INTO schema_versions (version, name) VALUES ($1, $2)", m.version, m.name); err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
	}
	return tx.Commit()
}
