package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"

	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"simora/server/keyring"
	"simora/server/sim"
)

// durability says what a power cut may take on SQLite. A soft write is seen by
// all at once, but only a durable one, or a later durable one, makes it last.
// Leases are soft: a lost lease is a free one.
type durability bool

const (
	durable durability = true
	soft    durability = false
)

// querier is what a transaction and a connection have in common.
type querier interface {
	ExecContext(ctx context.Context, text string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, text string, args ...any) (*sql.Rows, error)
}

// Tx is one write transaction. Its context does not end with the caller's: a
// write that has begun is finished. On SQLite an interrupted statement would
// roll the whole batch back, other callers' work included.
type Tx struct {
	s     *Store
	q     querier
	actor sim.Actor       // whom the audit log names
	ctx   context.Context //nolint:containedctx // lives as long as the transaction
}

func (t *Tx) query(text string, args ...any) (*rows, error) {
	list, err := t.q.QueryContext(t.ctx, text, args...)
	return &rows{list, func() {}}, err
}

func (t *Tx) row(text string, args ...any) row {
	rows, err := t.query(text, args...)
	return row{rows, err}
}

// exec returns the number of rows affected.
func (t *Tx) exec(text string, args ...any) (int64, error) {
	result, err := t.q.ExecContext(t.ctx, text, args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// inTx runs fn in one write transaction and returns when it is committed with
// the wanted durability. fn may run more than once: it must only touch the Tx
// and its own results.
func (s *Store) inTx(ctx context.Context, d durability, what string, fn func(*Tx) error) error {
	var err error
	if s.postgres {
		done := s.watch()
		err = onPool(ctx, s.write, func(ctx context.Context, conn *sql.Conn) error { return s.inPostgresTx(ctx, conn, fn) })
		done(1)
	} else {
		err = s.batch.run(ctx, d, func(q querier) error { return fn(&Tx{s, q, sim.ActorIn(ctx), context.Background()}) })
	}
	if err == nil {
		return nil
	}
	var known *sim.Error
	if errors.As(err, &known) {
		return err
	}
	return unavailable(fmt.Errorf("%s: %w", what, err))
}

// single is for work whose only write is one statement that guards itself, and
// that a power cut may take back: leases. On PostgreSQL it needs no transaction
// around it and does not wait for the disk.
func (s *Store) single(ctx context.Context, what string, fn func(*Tx) error) error {
	if !s.postgres {
		return s.inTx(ctx, soft, what, fn)
	}
	return s.alone(ctx, s.leases, what, fn)
}

// alone runs one statement on PostgreSQL, which is a transaction by itself.
func (s *Store) alone(ctx context.Context, pool *sql.DB, what string, fn func(*Tx) error) error {
	err := onPool(ctx, pool, func(ctx context.Context, conn *sql.Conn) error { return fn(&Tx{s, conn, sim.ActorIn(ctx), ctx}) })
	var known *sim.Error
	if err == nil || errors.As(err, &known) {
		return err
	}
	return unavailable(fmt.Errorf("%s: %w", what, err))
}

func (s *Store) inPostgresTx(ctx context.Context, conn *sql.Conn, fn func(*Tx) error) error {
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err = fn(&Tx{s, tx, sim.ActorIn(ctx), ctx}); err != nil {
		_ = tx.Rollback()
		return err
	}
	return tx.Commit()
}

// unavailable marks failures that pass: the database can't be reached, is
// full, or is busy beyond its timeout.
func unavailable(err error) error {
	var pg *pgconn.PgError
	var lite *sqlite.Error
	var known *sim.Error
	switch {
	case err == nil, errors.As(err, &known):
		return err
	case errors.As(err, &pg):
		switch pg.Code[:2] {
		case "08", "25", "40", "53", "57":
			return sim.ErrUnavailable.Because(err)
		}
		return err
	case errors.As(err, &lite):
		switch lite.Code() & 0xff {
		case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN:
			return sim.ErrUnavailable.Because(err)
		}
		return err
	case errors.Is(err, sql.ErrConnDone), errors.Is(err, sql.ErrTxDone), errors.Is(err, driver.ErrBadConn), errors.Is(err, context.DeadlineExceeded), errors.Is(err, errStopped), errors.Is(err, keyring.ErrUnreachable),
		errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return sim.ErrUnavailable.Because(err)
	}
	var connect *pgconn.ConnectError
	var network *net.OpError
	if errors.As(err, &connect) || errors.As(err, &network) || pgconn.SafeToRetry(err) {
		return sim.ErrUnavailable.Because(err)
	}
	return err
}
