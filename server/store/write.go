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

// Tx is one write transaction. Its statements run on a background context: a
// write that has begun is finished. On SQLite an interrupted statement would
// roll the whole batch back, other callers' work included.
type Tx struct {
	s *Store
	q querier
}

func (t *Tx) query(text string, args ...any) (*sql.Rows, error) {
	return t.q.QueryContext(context.Background(), text, args...)
}

func (t *Tx) row(text string, args ...any) row {
	rows, err := t.query(text, args...)
	return row{rows, err}
}

// exec returns the number of rows affected.
func (t *Tx) exec(text string, args ...any) (int64, error) {
	result, err := t.q.ExecContext(context.Background(), text, args...)
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
		err = s.inPostgresTx(ctx, fn)
		done(1)
	} else {
		err = s.batch.run(ctx, d, func(q querier) error { return fn(&Tx{s, q}) })
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
	conn, err := s.leases.Conn(ctx)
	if err == nil {
		err = errors.Join(fn(&Tx{s, conn}), conn.Close())
	}
	var known *sim.Error
	if err == nil || errors.As(err, &known) {
		return err
	}
	return unavailable(fmt.Errorf("%s: %w", what, err))
}

const postgresTries = 3

func (s *Store) inPostgresTx(ctx context.Context, fn func(*Tx) error) error {
	var err error
	for range postgresTries {
		err = s.tryPostgresTx(ctx, fn)
		var pg *pgconn.PgError
		if !errors.As(err, &pg) || !again(pg) {
			return err
		}
	}
	return err
}

// again marks what a second try settles: a serialization failure, a deadlock,
// and the same idempotency key stored by somebody else a moment ago.
func again(err *pgconn.PgError) bool {
	return err.Code == "40001" || err.Code == "40P01" || err.Code == "23505" && err.TableName == "idempotency"
}

func (s *Store) tryPostgresTx(ctx context.Context, fn func(*Tx) error) (err error) {
	conn, err := s.write.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	// From here on the caller may go away; what has begun is finished.
	ctx = context.WithoutCancel(ctx)
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = tx.Rollback()
		}
	}()
	if err = fn(&Tx{s, tx}); err != nil {
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
		case "08", "53", "57", "25":
			return sim.ErrUnavailable.Because(err)
		}
		return err
	case errors.As(err, &lite):
		switch lite.Code() & 0xff {
		case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN:
			return sim.ErrUnavailable.Because(err)
		}
		return err
	case errors.Is(err, sql.ErrConnDone), errors.Is(err, driver.ErrBadConn), errors.Is(err, context.DeadlineExceeded), errors.Is(err, errStopped),
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
