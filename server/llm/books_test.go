package llm_test

import (
	"context"
	"log/slog"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	fake "simora/server/fakes/llm"
	"simora/server/keyring"
	"simora/server/llm"
	"simora/server/sim"
	"simora/server/store"
	"simora/tests/pgserver"
)

func TestMain(m *testing.M) { pgserver.Main(m) }

// books are where a budget is counted; an empty URL is SQLite.
func books(t testing.TB, dir, url string) *store.Store {
	t.Helper()
	keys, err := keyring.Load(filepath.Join(dir, keyring.FileName))
	require.NoError(t, err)
	s, err := store.Open(context.Background(), store.Options{URL: url, Dir: dir, Keyring: keys, Log: slog.Default()})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

// Three instances on one database stay within the budget together.
func TestBudgetIsOneForAllInstances(t *testing.T) {
	const calls = 20
	dir, url := t.TempDir(), pgserver.Database(t)
	var rigs []*rig
	for range 3 {
		rigs = append(rigs, setUp(t, fake.Good, func(o *llm.Options) {
			o.Budget.CallsPerDay, o.Concurrency, o.Books = calls, 50, books(t, dir, url)
		}))
	}
	var wg sync.WaitGroup
	for i, r := range rigs {
		for j := range 15 {
			wg.Go(func() { r.turns(t, 1, uint64(100*i+j)) })
		}
	}
	wg.Wait()
	sent := 0
	for _, r := range rigs {
		sent += len(r.fake.Requests())
		assert.Equal(t, calls, r.client.Status().CallsToday)
		assert.False(t, r.client.Status().Available)
	}
	assert.Equal(t, calls, sent)
}

// A restart does not give the budget back.
func TestBudgetOutlivesARestart(t *testing.T) {
	dir := t.TempDir()
	for _, want := range []sim.EngineName{sim.Model, sim.BuiltIn} {
		s := books(t, dir, "")
		r := setUp(t, fake.Good, func(o *llm.Options) { o.Budget.CallsPerDay, o.Books = 1, s })
		assert.Equal(t, repeat(want, 1), r.turns(t, 1, 1))
	}
}

// Without its books the model is not asked: nobody would know what it costs.
func TestWithoutBooksTheEngineAnswers(t *testing.T) {
	s := books(t, t.TempDir(), "")
	r := setUp(t, fake.Good, func(o *llm.Options) { o.Books = s })
	require.NoError(t, s.Close())
	assert.Equal(t, repeat(sim.BuiltIn, 1), r.turns(t, 1, 1))
	assert.Empty(t, r.fake.Requests())
	assert.Equal(t, "budget cannot be counted", r.client.Status().Reason)
}
