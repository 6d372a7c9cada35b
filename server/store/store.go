// Package store keeps everything that must survive: one concrete type, one
// SQL text, on SQLite or PostgreSQL.
//
//	reads   ── a pool ─────────────────────────────▶ database
//	writes  ── SQLite: one writer, many in a commit ▶
//	        └─ PostgreSQL: a transaction each ──────▶
//
// A write has returned only when it is durable. Personal data goes through
// the keyring on its way in and out.
package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gofrs/flock"
	_ "modernc.org/sqlite" // the "sqlite" driver

	"simora/server/keyring"
	"simora/server/outbound"
)

const (
	sqliteFile     = "simora.db"
	readers        = 8
	openTimeout    = 10 * time.Second
	migrateTimeout = 15 * time.Minute // another instance may be at it
	logLimit       = "67108864"       // bytes that SQLite's write-ahead log keeps when it begins anew after a long reader
)

// Options says where the data lives.
type Options struct {
	URL     string // postgres://…; empty: SQLite in Dir
	Dir     string // holds the SQLite file
	Keyring *keyring.Keyring
	Log     *slog.Logger
	Network *outbound.Network // the way to PostgreSQL; nil: one with this database only
	Now     func() time.Time  // dates the audit log; nil: the system's clock

	// Exclusive takes the SQLite file for this process alone, as a server
	// must; a command that runs beside a server leaves it out.
	Exclusive bool

	// CallersClock lets leases on PostgreSQL run by the times that callers
	// name and not by the database's clock. It is for tests of time.
	CallersClock bool
}

// Store is safe for concurrent use.
type Store struct {
	keys     *keyring.Keyring
	dir      string // of the SQLite file
	log      *slog.Logger
	now      func() time.Time
	postgres bool
	read     *sql.DB
	write    *sql.DB
	batch    *batch   // SQLite only
	leases   *sql.DB  // PostgreSQL only: commits without waiting for the disk
	replica  *replica // nil: none
	lock     *flock.Flock
	watch    func() (done func(writes int))

	callersClock bool
	schema       int // the newest version that this binary knows

	prepared     sync.Map // SQLite reads: text → *sql.Stmt
	versions     sync.Map // scenario version id → sim.Scenario; rows never change
	versionCount atomic.Int64
}

// Open connects, migrates to this binary's schema, and checks that the keyring
// is the one the data was sealed with.
func Open(ctx context.Context, o Options) (*Store, error) {
	s := &Store{keys: o.Keyring, dir: o.Dir, log: o.Log, now: o.Now, postgres: o.URL != "", callersClock: o.CallersClock, watch: unwatched}
	if s.now == nil {
		s.now = time.Now
	}
	open := s.openSQLite
	if s.postgres {
		open = s.openPostgres
	}
	if err := open(o); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	if err := s.reach(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	if o.Exclusive && !s.postgres {
		if err := s.sound(ctx); err != nil {
			return nil, errors.Join(err, s.Close())
		}
	}
	migrating, cancel := context.WithTimeout(ctx, migrateTimeout)
	defer cancel()
	if err := s.migrate(migrating); err != nil {
		return nil, errors.Join(fmt.Errorf("migrate database: %w", err), s.Close())
	}
	if !s.postgres {
		s.batch = startBatch(s.write)
	}
	if err := s.checkKeyring(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	if o.Exclusive && !s.postgres {
		// Nobody else is at work on this file: what is leased was left by a crash.
		if err := s.dropLeases(ctx); err != nil {
			return nil, errors.Join(err, s.Close())
		}
	}
	return s, nil
}

func (s *Store) reach(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, openTimeout)
	defer cancel()
	if err := s.write.PingContext(ctx); err != nil {
		return s.damaged(unavailable(fmt.Errorf("reach database: %w", err)))
	}
	return nil
}

func (s *Store) openSQLite(o Options) error {
	path := filepath.Join(o.Dir, sqliteFile)
	if o.Exclusive {
		s.lock = flock.New(path + ".lock")
		held, err := s.lock.TryLock()
		if err != nil {
			return fmt.Errorf("lock %s: %w", path, err)
		}
		if !held {
			return fmt.Errorf("%s is in use by another simora process: stop it first, or give this one a data directory of its own (SIMORA_DATA)", path)
		}
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600) //nolint:gosec // the data directory is the operator's own
	if err != nil {
		return fmt.Errorf("open database: %w", err)
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("open database: %w", err)
	}
	common := "file:" + escapePath(path) + "?_pragma=journal_mode(WAL)&_pragma=busy_timeout(10000)&_pragma=foreign_keys(1)&_pragma=synchronous(FULL)&_pragma=temp_store(MEMORY)&_pragma=secure_delete(1)&_pragma=journal_size_limit(" + logLimit + ")"
	if s.write, err = sql.Open("sqlite", common+"&_txlock=immediate"); err != nil {
		return fmt.Errorf("open database: %w", err)
	}
	s.write.SetMaxOpenConns(1)
	if s.read, err = sql.Open("sqlite", common+"&_pragma=query_only(1)"); err != nil {
		return fmt.Errorf("open database: %w", err)
	}
	s.read.SetMaxOpenConns(readers)
	s.read.SetMaxIdleConns(readers)
	return nil
}

// escapePath keeps a directory name from being read as URI syntax.
func escapePath(path string) string {
	return strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23").Replace(path)
}

func (s *Store) openPostgres(o Options) error {
	db, err := openPool(o.URL, o.Network, pgConnections)
	if err != nil {
		return err
	}
	s.read, s.write = db, db
	s.leases, err = openPool(withParameter(o.URL, "synchronous_commit=off"), o.Network, pgConnections/2)
	return err
}

func withParameter(url, parameter string) string {
	if strings.Contains(url, "?") {
		return url + "&" + parameter
	}
	return url + "?" + parameter
}

// Close waits for running writes.
func (s *Store) Close() error {
	var errs []error
	if s.batch != nil {
		s.batch.stop()
	}
	if s.read != nil && s.read != s.write {
		errs = append(errs, s.read.Close())
	}
	if s.write != nil {
		errs = append(errs, s.write.Close())
	}
	if s.leases != nil {
		errs = append(errs, s.leases.Close())
	}
	if s.replica != nil {
		errs = append(errs, s.replica.pool.Close())
	}
	if s.lock != nil {
		errs = append(errs, s.lock.Unlock())
	}
	return errors.Join(errs...)
}

func millis(t time.Time) int64 { return t.UnixMilli() }

func fromMillis(ms int64) time.Time { return time.UnixMilli(ms).UTC() }

func fromNullMillis(ms sql.NullInt64) *time.Time {
	if !ms.Valid {
		return nil
	}
	t := fromMillis(ms.Int64)
	return &t
}
