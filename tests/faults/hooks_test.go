package faults_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"simora/server/fakes/receiver"
	"simora/server/hooks"
	"simora/server/keyring"
	"simora/server/session"
	"simora/server/sim"
	"simora/server/store"
	"simora/tests/pgserver"
	"simora/tests/product"
)

const hookKills = 8

// Every run whose end was acknowledged is told to the webhook, although the
// process is killed again and again in the middle of it. What is told twice has
// a kill between, and the same id.
func TestFinishedRunsAreToldAcrossKills(t *testing.T) {
	if testing.Short() {
		t.Skip("kills processes for a while")
	}
	t.Run("sqlite", func(t *testing.T) { killWhileTelling(t, "") })
	t.Run("postgres", func(t *testing.T) { killWhileTelling(t, pgserver.Database(t)) })
}

func killWhileTelling(t *testing.T, url string) {
	dir := t.TempDir()
	target := receiver.Start(t).Always(func(w http.ResponseWriter, r *http.Request) int {
		select {
		case <-time.After(20 * time.Millisecond): // room for a kill before the answer
		case <-r.Context().Done():
			return 0
		}
		return receiver.Status(http.StatusOK)(w, r)
	})
	env := []string{"SIMORA_HOOKS_PRIVATE=true"}
	if url != "" {
		env = append(env, "SIMORA_DATABASE_URL="+url)
	}
	addHook(t, dir, url, target.URL)

	random := rand.New(rand.NewPCG(5, 6))
	var mu sync.Mutex
	acked := map[string]bool{}
	for range hookKills {
		server := product.Start(t, dir, env...)
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for ctx.Err() == nil {
					var run session.Started
					if _, err := server.Call(ctx, "session-start", "", session.StartInput{ScenarioSlug: "healthcare-emergency"}, &run); err != nil {
						return
					}
					var report sim.Report
					if _, err := server.Call(ctx, "session-complete", "", session.CompleteInput{SessionID: run.SessionID}, &report); err != nil {
						return
					}
					mu.Lock()
					acked[run.SessionID] = true
					enough := len(acked)%8 == 0
					mu.Unlock()
					if enough {
						return
					}
				}
			})
		}
		time.Sleep(time.Duration(200+random.IntN(600)) * time.Millisecond) // until some random moment of the work
		server.Kill()
		cancel()
		wg.Wait()
	}
	server := product.Start(t, dir, env...)
	told := func() map[string]string { // session → the delivery's id
		all := map[string]string{}
		for _, got := range target.Received() {
			var body struct{ Data struct{ SessionID string } }
			if got.Status == http.StatusOK && assert.NoError(t, json.Unmarshal(got.Body, &body)) {
				if id, there := all[body.Data.SessionID]; there {
					assert.Equal(t, id, got.ID(), "what is told again has the same id")
				}
				all[body.Data.SessionID] = got.ID()
			}
		}
		return all
	}
	require.Eventually(t, func() bool {
		all := told()
		for id := range acked {
			if all[id] == "" {
				return false
			}
		}
		return true
	}, 2*time.Minute, 200*time.Millisecond, "longer than a lease")
	server.Kill()

	twice := len(target.Received()) - len(told())
	t.Logf("%d kills, %d runs acknowledged, %d told, %d requests more than runs", hookKills, len(acked), len(told()), twice)
	assert.LessOrEqual(t, twice, hookKills, "one request at a time: a kill repeats one at most")
	require.Greater(t, len(acked), hookKills, "the test must have had something to lose")
}

func addHook(t *testing.T, dir, url, target string) {
	t.Helper()
	keys, err := keyring.Load(filepath.Join(dir, keyring.FileName))
	require.NoError(t, err)
	s, err := store.Open(t.Context(), store.Options{URL: url, Dir: dir, Keyring: keys, Log: slog.Default()})
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	ok, err := s.AddHook(t.Context(), store.Hook{
		ID: uuid.NewString(), Events: []string{hooks.RunFinished}, Enabled: true, CreatedAt: time.Now(),
		Target: store.HookTarget{URL: target, Secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"},
	}, hooks.MostHooks)
	require.NoError(t, err)
	require.True(t, ok)
}
