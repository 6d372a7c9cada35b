package store

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"simora/server/keyring"
	"simora/server/sim"
	"simora/tests/pgserver"
)

func onPostgres(t *testing.T, url string) *Store {
	t.Helper()
	dir := t.TempDir()
	keys, err := keyring.Load(filepath.Join(dir, keyring.FileName))
	require.NoError(t, err)
	s, err := Open(t.Context(), Options{URL: url, Dir: dir, Keyring: keys, Log: slog.Default()})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, s.Close()) })
	return s
}

func ownServer(t *testing.T, settings ...string) (*pgserver.Server, string) {
	t.Helper()
	if testing.Short() {
		t.Skip("needs a PostgreSQL of its own")
	}
	server, err := pgserver.Start(settings...)
	require.NoError(t, err)
	t.Cleanup(server.Stop)
	url, err := server.NewDatabase()
	require.NoError(t, err)
	return server, url
}

func keep(ctx context.Context, s *Store, name string) error {
	return s.inTx(ctx, durable, "keep", func(tx *Tx) error {
		_, err := tx.exec("INSERT INTO settings (name, value) VALUES ($1, '') ON CONFLICT (name) DO UPDATE SET value = settings.value || 'x'", name)
		return err
	})
}

// Two writers that block each other both get through.
func TestDeadlockIsRetried(t *testing.T) {
	s := onPostgres(t, pgserver.Database(t))
	require.NoError(t, keep(t.Context(), s, "a"))
	require.NoError(t, keep(t.Context(), s, "b"))
	var both, wg sync.WaitGroup
	both.Add(2)
	var runs atomic.Int32
	for _, order := range [][2]string{{"a", "b"}, {"b", "a"}} {
		met := sync.OnceFunc(func() { both.Done(); both.Wait() })
		wg.Go(func() {
			assert.NoError(t, s.inTx(context.Background(), durable, "both", func(tx *Tx) error {
				runs.Add(1)
				for _, name := range order {
					if _, err := tx.exec("UPDATE settings SET value = value || 'y' WHERE name = $1", name); err != nil {
						return err
					}
					met() // each holds one row before it asks for the other
				}
				return nil
			}))
		})
	}
	wg.Wait()
	assert.GreaterOrEqual(t, runs.Load(), int32(3), "one of them ran again")
	var value string
	require.NoError(t, s.row(t.Context(), "SELECT value FROM settings WHERE name = 'a'").Scan(&value))
	assert.Equal(t, "yy", value)
}

// A serialization failure is retried, three tries in all.
func TestSerializationFailureIsRetried(t *testing.T) {
	s := onPostgres(t, pgserver.Database(t))
	fail := "DO $$ BEGIN RAISE serialization_failure; END $$"
	for failures, ok := range map[int]bool{0: true, 2: true, 3: false} {
		runs := 0
		err := s.inTx(t.Context(), durable, "fail", func(tx *Tx) error {
			if runs++; runs <= failures {
				_, err := tx.exec(fail)
				return err
			}
			return nil
		})
		assert.Equal(t, ok, err == nil, "%d failures: %v", failures, err)
		assert.Equal(t, min(failures+1, 3), runs)
	}
}

// A server that hangs holds nobody for long, and nothing piles up: each call
// ends as unavailable, and all goes on by itself.
func TestHangingServerHoldsNobody(t *testing.T) {
	server, url := ownServer(t)
	s := onPostgres(t, url)
	require.NoError(t, keep(t.Context(), s, "before"))
	require.NoError(t, server.Pause())
	started := time.Now()
	var wg sync.WaitGroup
	for range 40 {
		wg.Go(func() {
			assert.ErrorIs(t, keep(context.Background(), s, "during"), sim.ErrUnavailable)
			assert.ErrorIs(t, s.Ping(context.Background()), sim.ErrUnavailable)
			_, err := s.AuditEntries(context.Background(), AuditFilter{Limit: 1})
			assert.ErrorIs(t, err, sim.ErrUnavailable)
		})
	}
	wg.Wait()
	t.Logf("120 calls of a hanging server ended after %s", time.Since(started))
	require.NoError(t, server.Resume())
	require.Eventually(t, func() bool { return keep(context.Background(), s, "after") == nil }, 20*time.Second, 50*time.Millisecond)
}

// Where the server has fewer connections than the pool would like, calls wait
// for one, and are refused when they get none.
func TestFewConnectionsAreShared(t *testing.T) {
	_, url := ownServer(t, "max_connections=5", "superuser_reserved_connections=0")
	s := onPostgres(t, url)
	var wg sync.WaitGroup
	for range 40 {
		wg.Go(func() { assert.NoError(t, keep(context.Background(), s, "x")) })
	}
	wg.Wait()
	var value string
	require.NoError(t, s.row(t.Context(), "SELECT value FROM settings WHERE name = 'x'").Scan(&value))
	assert.Len(t, value, 39)

	var held []*sql.Conn
	for range 5 {
		if conn, err := s.write.Conn(t.Context()); err == nil {
			held = append(held, conn)
		}
	}
	require.NotEmpty(t, held)
	require.ErrorIs(t, keep(t.Context(), s, "y"), sim.ErrUnavailable, "not one is free")
	for _, conn := range held {
		require.NoError(t, conn.Close())
	}
	require.NoError(t, keep(t.Context(), s, "y"))
}

// A primary that has become read-only is left at once, and used again when it
// takes writes.
func TestReadOnlyPrimaryIsNoticed(t *testing.T) {
	server, url := ownServer(t)
	s := onPostgres(t, url)
	require.NoError(t, keep(t.Context(), s, "x"))
	require.NoError(t, s.Ping(t.Context()))
	require.NoError(t, server.Set("default_transaction_read_only", "on"))
	require.Eventually(t, func() bool { return errors.Is(keep(context.Background(), s, "x"), sim.ErrUnavailable) }, 20*time.Second, 50*time.Millisecond)
	require.Error(t, s.Ping(t.Context()))
	assert.Zero(t, s.write.Stats().Idle, "no connection to it is kept")
	require.NoError(t, server.Set("default_transaction_read_only", "off"))
	require.Eventually(t, func() bool { return keep(context.Background(), s, "x") == nil }, 20*time.Second, 50*time.Millisecond)
	require.NoError(t, s.Ping(t.Context()))
}

// A database that was put back to an older schema is not ready.
func TestOlderSchemaIsNotReady(t *testing.T) {
	s := onPostgres(t, pgserver.Database(t))
	require.NoError(t, s.Ping(t.Context()))
	require.NoError(t, s.inTx(t.Context(), durable, "put back", func(tx *Tx) error {
		_, err := tx.exec("DELETE FROM schema_versions WHERE version = $1", s.schema)
		return err
	}))
	require.ErrorContains(t, s.Ping(t.Context()), "schema")
}

// A statement that works too long is ended by the server.
func TestStatementsEnd(t *testing.T) {
	s := onPostgres(t, pgserver.Database(t))
	err := unavailable(s.row(t.Context(), "SELECT 1 FROM pg_sleep(60)").Scan(new(int)))
	require.ErrorIs(t, err, sim.ErrUnavailable)
	require.ErrorContains(t, err, "57014")
}
