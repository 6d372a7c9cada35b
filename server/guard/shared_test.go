package guard_test

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

	"simora/server/guard"
	"simora/server/keyring"
	"simora/server/sim"
	"simora/server/store"
	"simora/server/wire"
	"simora/tests/pgserver"
)

func TestMain(m *testing.M) { pgserver.Main(m) }

// instance is one process's view of the shared limits.
func instance(t testing.TB, dir, url string) (*guard.Limits, *store.Store) {
	t.Helper()
	keys, err := keyring.Load(filepath.Join(dir, keyring.FileName))
	require.NoError(t, err)
	s, err := store.Open(context.Background(), store.Options{URL: url, Dir: dir, Keyring: keys, Log: slog.Default()})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	l, err := guard.SharedLimits(1, s, time.Now)
	require.NoError(t, err)
	return l, s
}

// However many instances count, together they allow exactly the budget.
func TestThreeInstancesAllowExactlyTheBudget(t *testing.T) {
	url, dir := pgserver.Database(t), t.TempDir()
	limit := wire.Limit{By: wire.ByAddress, Count: 1, Per: time.Hour, Burst: 37}
	var allowed, refused atomic.Int64
	var wg sync.WaitGroup
	for range 3 {
		limits, _ := instance(t, dir, url)
		for range 8 {
			wg.Go(func() {
				for range 20 {
					switch err := limits.Allow(t.Context(), "/a", limit, "203.0.113.9"); {
					case err == nil:
						allowed.Add(1)
					case errors.Is(err, sim.ErrRateLimited):
						refused.Add(1)
						assert.Greater(t, sim.AsError(err).RetryAfter, 50*time.Minute)
					default:
						assert.NoError(t, err)
					}
				}
			})
		}
	}
	wg.Wait()
	assert.EqualValues(t, 37, allowed.Load())
	assert.EqualValues(t, 3*8*20-37, refused.Load())
}

// What is spent comes back with time, and leaves no row behind.
func TestASharedBudgetFillsUpAgain(t *testing.T) {
	url, dir := pgserver.Database(t), t.TempDir()
	limits, s := instance(t, dir, url)
	limit := wire.Limit{By: wire.ByAll, Count: 1, Per: 200 * time.Millisecond, Burst: 1}
	require.NoError(t, limits.Allow(t.Context(), "/a", limit, ""))
	require.Eventually(t, func() bool { return limits.Allow(t.Context(), "/a", limit, "") == nil }, 20*time.Second, 50*time.Millisecond)
	require.Eventually(t, func() bool {
		require.NoError(t, s.ClearLimits(t.Context()))
		return rows(t, url) == 0
	}, 20*time.Second, 50*time.Millisecond)
}

// Callers are not readable in the table, and a crash of the database empties
// it: it is not worth a wait for the disk.
func TestSharedBudgetsNameNobody(t *testing.T) {
	url, dir := pgserver.Database(t), t.TempDir()
	limits, _ := instance(t, dir, url)
	limit := wire.Limit{By: wire.ByAccount, Count: 1, Per: time.Hour, Burst: 1}
	require.NoError(t, limits.Allow(t.Context(), "/a", limit, "203.0.113.9 canary@example.com"))
	require.Equal(t, 1, rows(t, url))
	var id []byte
	var persistence string
	db := raw(t, url)
	require.NoError(t, db.QueryRow("SELECT id FROM limits").Scan(&id))
	require.NoError(t, db.QueryRow("SELECT relpersistence FROM pg_class WHERE relname = 'limits'").Scan(&persistence))
	assert.NotContains(t, string(id), "canary")
	assert.Equal(t, "u", persistence)
}

// Reads are counted by each process.
func TestLocalBudgetsStayInTheProcess(t *testing.T) {
	url, dir := pgserver.Database(t), t.TempDir()
	limits, _ := instance(t, dir, url)
	require.NoError(t, limits.Allow(t.Context(), "/a", wire.Limit{By: wire.ByAddress, Count: 1, Per: time.Hour, Burst: 1, Local: true}, "203.0.113.9"))
	assert.Zero(t, rows(t, url))
}

func BenchmarkAllow(b *testing.B) {
	limit := wire.Limit{By: wire.ByAddress, Count: 1e8, Per: time.Second, Burst: 1e8}
	run := func(b *testing.B, limits *guard.Limits) {
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				if err := limits.Allow(b.Context(), "/a", limit, "203.0.113.9"); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("memory", func(b *testing.B) { run(b, guard.NewLimits(1)) })
	b.Run("postgres", func(b *testing.B) {
		limits, _ := instance(b, b.TempDir(), pgserver.Database(b))
		run(b, limits)
	})
}

func raw(t *testing.T, url string) *sql.DB {
	db, err := sql.Open("pgx", url)
	require.NoError(t, err)
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func rows(t *testing.T, url string) (n int) {
	require.NoError(t, raw(t, url).QueryRow("SELECT count(*) FROM limits").Scan(&n))
	return n
}
