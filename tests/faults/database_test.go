package faults_test

import (
	"context"
	"flag"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"simora/server/session"
	"simora/tests/pgserver"
	"simora/tests/product"
)

var crashes = flag.Int("crashes", 2, "how many times the database crashes")

// ownDatabase is a PostgreSQL that only this test breaks.
func ownDatabase(t *testing.T, settings ...string) (*pgserver.Server, string) {
	t.Helper()
	if testing.Short() {
		t.Skip("breaks a database")
	}
	database, err := pgserver.Start(settings...)
	require.NoError(t, err)
	t.Cleanup(database.Stop)
	url, err := database.NewDatabase()
	require.NoError(t, err)
	return database, url
}

// A database that crashes under load loses no acknowledged turn and doubles
// none: an answer that got lost on the way is found again by its key.
func TestDatabaseCrashesUnderLoad(t *testing.T) {
	database, url := ownDatabase(t)
	dir := t.TempDir()
	server := product.Start(t, dir, "SIMORA_DATABASE_URL="+url)
	warm(t, server)
	ctx, stop := context.WithCancel(t.Context())
	var mu sync.Mutex
	var all []*learner
	active := make([]*learner, learners)
	var wg sync.WaitGroup
	for i := range active {
		wg.Go(func() {
			for n := uint64(0); ctx.Err() == nil; n++ {
				l := &learner{random: rand.New(rand.NewPCG(uint64(i), n))}
				mu.Lock()
				all, active[i] = append(all, l), l
				mu.Unlock()
				for ctx.Err() == nil && !l.done {
					l.play(ctx, t, server)
				}
			}
		})
	}
	random := rand.New(rand.NewPCG(7, 8))
	for range *crashes {
		time.Sleep(time.Duration(100+random.IntN(300)) * time.Millisecond)
		database.Kill()
		require.NoError(t, database.Restart())
		require.Eventually(t, func() bool { return get(t, server.URL+"/readyz") == http.StatusOK }, 20*time.Second, 20*time.Millisecond)
	}
	stop()
	wg.Wait()
	for _, l := range active {
		if l.pending != nil {
			l.repeat(t.Context(), t, server)
		}
	}
	server.Kill()
	turns := examine(t, dir, url, all)
	t.Logf("%d crashes, %d sessions, %d acknowledged turns", *crashes, len(all), turns)
	require.Greater(t, turns, *crashes)
}

// A database that hangs holds nobody: calls end as unavailable and say when to
// come again, pages are served, and all goes on when it moves again.
func TestDatabaseHangs(t *testing.T) {
	database, url := ownDatabase(t)
	server := product.Start(t, t.TempDir(), "SIMORA_DATABASE_URL="+url)
	warm(t, server)
	require.NoError(t, database.Pause())
	t.Cleanup(func() { _ = database.Resume() })
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			r, err := http.NewRequest(http.MethodPost, server.URL+"/functions/v1/session-start", strings.NewReader(`{"scenarioSlug":"healthcare-emergency"}`))
			require.NoError(t, err)
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Apikey", server.Key)
			r.Header.Set("Authorization", "Bearer "+server.Key)
			response, err := http.DefaultClient.Do(r)
			if assert.NoError(t, err) {
				assert.Equal(t, http.StatusServiceUnavailable, response.StatusCode)
				assert.NotEmpty(t, response.Header.Get("Retry-After"))
				assert.Contains(t, response.Header.Get("Content-Type"), "json")
				_ = response.Body.Close()
			}
		})
		wg.Go(func() { assert.Equal(t, http.StatusOK, get(t, server.URL+"/industries/healthcare")) })
	}
	wg.Go(func() { // it remembers an answer for a second
		assert.Eventually(t, func() bool { return get(t, server.URL+"/readyz") == http.StatusServiceUnavailable }, 10*time.Second, 50*time.Millisecond)
	})
	wg.Go(func() { assert.Equal(t, http.StatusOK, get(t, server.URL+"/livez")) })
	wg.Wait()
	require.NoError(t, database.Resume())
	require.Eventually(t, func() bool { return get(t, server.URL+"/readyz") == http.StatusOK }, 20*time.Second, 20*time.Millisecond)
	require.Eventually(t, func() bool {
		_, err := server.Call(t.Context(), "session-start", "", session.StartInput{ScenarioSlug: "healthcare-emergency"}, &session.Started{})
		return err == nil
	}, 20*time.Second, 20*time.Millisecond)
}

// A server with five connections serves many learners at once.
func TestFewConnections(t *testing.T) {
	_, url := ownDatabase(t, "max_connections=5", "superuser_reserved_connections=0")
	server := product.Start(t, t.TempDir(), "SIMORA_DATABASE_URL="+url)
	warm(t, server)
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			status, err := server.Call(context.Background(), "session-start", "", session.StartInput{ScenarioSlug: "healthcare-emergency"}, &session.Started{})
			if err != nil {
				assert.Equal(t, http.StatusServiceUnavailable, status, "%v", err)
			}
		})
	}
	wg.Wait()
	require.Eventually(t, func() bool { return get(t, server.URL+"/readyz") == http.StatusOK }, 20*time.Second, 20*time.Millisecond)
}
