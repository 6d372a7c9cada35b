package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
)

// ErrNotEmbedded is returned for what only the embedded database does.
var ErrNotEmbedded = errors.New("the data is in PostgreSQL, which has tools of its own for this: see \"Backup\" in docs/operations.md")

// Snapshot writes a whole and consistent copy of the embedded database to path,
// while others read and write. Errors: ErrNotEmbedded.
func (s *Store) Snapshot(ctx context.Context, path string) (err error) {
	if s.postgres {
		return ErrNotEmbedded
	}
	// A connection of its own: it reads one state of the database, and the
	// writer goes on.
	db, err := sql.Open("sqlite", "file:"+escapePath(filepath.Join(s.dir, sqliteFile))+"?_pragma=busy_timeout(10000)")
	if err != nil {
		return fmt.Errorf("copy database: %w", err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if _, err := db.ExecContext(ctx, "VACUUM INTO $1", path); err != nil {
		return fmt.Errorf("copy database: %w", err)
	}
	return nil
}

// Contents says what is in a copy, so that two can be compared.
type Contents struct {
	Schema int                      `json:"schema"`
	Tables map[string]TableContents `json:"tables"`
}

// TableContents is one table of a copy.
type TableContents struct {
	Rows   int    `json:"rows"`
	SHA256 string `json:"sha256"` // over every value of every row, in the table's order
}

// Inspect reads a copy of the embedded database through: SQLite's own check,
// then every row.
func Inspect(ctx context.Context, path string) (c Contents, err error) {
	db, err := sql.Open("sqlite", "file:"+escapePath(path)+"?mode=ro&immutable=1")
	if err != nil {
		return c, fmt.Errorf("inspect database: %w", err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	var verdict string
	if err := db.QueryRowContext(ctx, "PRAGMA integrity_check(1)").Scan(&verdict); err != nil {
		return c, fmt.Errorf("inspect database: %w", err)
	}
	if verdict != "ok" {
		return c, fmt.Errorf("the database is damaged: %s", verdict)
	}
	if err := db.QueryRowContext(ctx, "SELECT max(version) FROM schema_versions").Scan(&c.Schema); err != nil {
		return c, fmt.Errorf("inspect database: %w", err)
	}
	names, err := tableNames(ctx, db)
	if err != nil {
		return c, err
	}
	c.Tables = map[string]TableContents{}
	for _, name := range names {
		if c.Tables[name], err = inspectTable(ctx, db, name); err != nil {
			return c, fmt.Errorf("inspect table %s: %w", name, err)
		}
	}
	return c, nil
}

func tableNames(ctx context.Context, db *sql.DB) (names []string, err error) {
	rows, err := db.QueryContext(ctx, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")
	if err != nil {
		return nil, fmt.Errorf("list tables: %w", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, fmt.Errorf("list tables: %w", err)
		}
		names = append(names, name)
	}
	return names, rows.Err()
}

func inspectTable(ctx context.Context, db *sql.DB, name string) (t TableContents, err error) {
	rows, err := db.QueryContext(ctx, `SELECT * FROM "`+name+`"`) //nolint:gosec // a name that the database itself gave
	if err != nil {
		return t, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	columns, err := rows.Columns()
	if err != nil {
		return t, err
	}
	values := make([]sql.RawBytes, len(columns))
	into := make([]any, len(columns))
	for i := range values {
		into[i] = &values[i]
	}
	sum := sha256.New()
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return t, err
		}
		t.Rows++
		for _, v := range values {
			_, _ = fmt.Fprintf(sum, "%t %d ", v == nil, len(v)) // a hash takes everything
			_, _ = sum.Write(v)
		}
	}
	t.SHA256 = hex.EncodeToString(sum.Sum(nil))
	return t, rows.Err()
}
