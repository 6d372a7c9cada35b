package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"

	"simora/server/outbound"
)

const (
	pgConnections  = 16
	statementLimit = "5000"          // ms that one PostgreSQL statement may take, by its own watch
	workTime       = 6 * time.Second // a read or a transaction, by ours: a server that hangs has stopped its watch, too
	poolWait       = 2 * time.Second // for a connection
	fullPause      = 50 * time.Millisecond
	postgresTries  = 3
)

// openPool connects to a server that takes writes, unless the address asks for
// another kind with target_session_attrs.
func openPool(url string, network *outbound.Network, connections int) (*sql.DB, error) {
	config, err := parsePool(url, "SIMORA_DATABASE_URL")
	if err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	if config.ValidateConnect == nil {
		config.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsReadWrite
	}
	through(config, network)
	return connect(config, connections), nil
}

// parsePool reads an address. The library's error is not shown: it may repeat
// the password.
func parsePool(url, setting string) (*pgx.ConnConfig, error) {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("%s: the address is not understood, or a file that it names cannot be read", setting)
	}
	if config.RuntimeParams["statement_timeout"] == "" {
		config.RuntimeParams["statement_timeout"] = statementLimit
	}
	return config, nil
}

func connect(config *pgx.ConnConfig, connections int) *sql.DB {
	db := stdlib.OpenDB(*config)
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	db.SetConnMaxLifetime(30 * time.Minute)
	db.SetConnMaxIdleTime(5 * time.Minute) // other instances may need it
	return db
}

// borrow takes a connection and waits poolWait at most, also while the server
// has none left. Who gets none is told to come again.
func borrow(ctx context.Context, pool *sql.DB) (*sql.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, poolWait)
	defer cancel()
	for {
		conn, err := pool.Conn(ctx)
		if !hasCode(err, "53300") { // too many connections
			return conn, err
		}
		pause := time.NewTimer(fullPause)
		select {
		case <-pause.C:
		case <-ctx.Done():
			pause.Stop()
			return nil, err
		}
	}
}

// onPool runs fn with a connection, again where a second try settles it.
func onPool(ctx context.Context, pool *sql.DB, fn func(ctx context.Context, conn *sql.Conn) error) (err error) {
	for range postgresTries {
		if err = onConn(ctx, pool, fn); !again(err) {
			return err
		}
	}
	return err
}

func onConn(ctx context.Context, pool *sql.DB, fn func(ctx context.Context, conn *sql.Conn) error) error {
	conn, err := borrow(ctx, pool)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	// From here on the caller may go away; what has begun is finished.
	working, cancel := context.WithTimeout(context.WithoutCancel(ctx), workTime)
	defer cancel()
	err = fn(working, conn)
	if hasCode(err, readOnly) {
		// The server has lost its role: every connection to it is of no use.
		_ = conn.Raw(func(any) error { return driver.ErrBadConn })
		pool.SetMaxIdleConns(0)
		pool.SetMaxIdleConns(pgConnections)
	}
	return err
}

const readOnly = "25006"

// again marks what a second try settles: a serialization failure, a deadlock,
// a server that no longer takes writes while another one may, and the same
// idempotency key stored by somebody else a moment ago. Nothing has been
// stored in any of these.
func again(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && (pg.Code == "40001" || pg.Code == "40P01" || pg.Code == readOnly || pg.Code == "23505" && pg.TableName == "idempotency")
}

func hasCode(err error, code string) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == code
}

// queryPool reads. The answer keeps its connection until it is closed.
func queryPool(ctx context.Context, pool *sql.DB, text string, args ...any) (*rows, error) {
	conn, err := borrow(ctx, pool)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, workTime)
	done := func() { cancel(); _ = conn.Close() }
	list, err := conn.QueryContext(ctx, text, args...)
	if err != nil {
		done()
		return nil, err
	}
	return &rows{list, done}, nil
}

// Ping reports whether the database answers, takes writes, and has the schema
// of this binary or a newer one.
func (s *Store) Ping(ctx context.Context) error {
	text := "SELECT coalesce(max(version), 0), 'off' FROM schema_versions"
	if s.postgres {
		text = "SELECT coalesce(max(version), 0), current_setting('transaction_read_only') FROM schema_versions"
	}
	var version int
	var sealed string
	if err := s.row(ctx, text).Scan(&version, &sealed); err != nil {
		return unavailable(fmt.Errorf("ping database: %w", err))
	}
	switch {
	case sealed != "off":
		return errors.New("ping database: it takes no writes")
	case version < s.schema:
		return fmt.Errorf("ping database: its schema has version %d, this simora needs %d", version, s.schema)
	}
	return nil
}
