package store

import (
	"context"
	"database/sql"
	"errors"
)

// query reads from the pool. SQLite statements are kept prepared; pgx does so
// by itself.
func (s *Store) query(ctx context.Context, text string, args ...any) (*rows, error) {
	if s.postgres {
		return queryPool(ctx, s.read, text, args...)
	}
	stmt, ok := s.prepared.Load(text)
	if !ok {
		fresh, err := s.read.PrepareContext(ctx, text)
		if err != nil {
			return nil, err
		}
		var raced bool
		if stmt, raced = s.prepared.LoadOrStore(text, fresh); raced {
			_ = fresh.Close()
		}
	}
	list, err := stmt.(*sql.Stmt).QueryContext(ctx, args...)
	return &rows{list, func() {}}, err
}

// queryOnce is query for a text that callers give its shape: it is not kept
// prepared.
func (s *Store) queryOnce(ctx context.Context, text string, args ...any) (*rows, error) {
	if s.postgres {
		return queryPool(ctx, s.read, text, args...)
	}
	list, err := s.read.QueryContext(ctx, text, args...)
	return &rows{list, func() {}}, err
}

// rows has to be closed, also at its end: then its connection goes back.
type rows struct {
	*sql.Rows
	done func()
}

func (r *rows) Close() error {
	err := r.Rows.Close()
	r.done()
	return err
}

func (s *Store) row(ctx context.Context, text string, args ...any) row {
	rows, err := s.query(ctx, text, args...)
	return row{rows, err}
}

// row is a one-row answer whose errors show at Scan; no row is sql.ErrNoRows.
type row struct {
	rows *rows
	err  error
}

func (r row) Scan(into ...any) error {
	if r.err != nil {
		return r.err
	}
	if !r.rows.Next() {
		if err := errors.Join(r.rows.Err(), r.rows.Close()); err != nil {
			return err
		}
		return sql.ErrNoRows
	}
	return errors.Join(r.rows.Scan(into...), r.rows.Close())
}
