package session

import (
	"context"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"simora/server/keyring"
	"simora/server/sim"
	"simora/server/store"
)

// A turn that used up all its time leaves the run free.
func TestReleaseWorksAfterTheDeadline(t *testing.T) {
	dir, now := t.TempDir(), time.Now()
	keys, err := keyring.Load(filepath.Join(dir, keyring.FileName))
	require.NoError(t, err)
	db, err := store.Open(t.Context(), store.Options{Dir: dir, Keyring: keys, Log: slog.New(slog.DiscardHandler), Exclusive: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	sc := sim.Scenario{ID: uuid.NewString(), Title: "Chest pain", Slug: "er", Industry: sim.Healthcare, SystemPrompt: "p", Rubric: []byte(`{}`), MaxTurns: 3, IsPublic: true}
	require.NoError(t, db.SeedScenario(t.Context(), sc))
	sc, version, err := db.ScenarioBySlug(t.Context(), "er", false)
	require.NoError(t, err)
	id := uuid.NewString()
	_, err = db.CreateSession(t.Context(), store.NewSession{ID: id, Scenario: sc, Version: version, Opening: sim.Opening{Message: "Go."}, StartedAt: now}, store.NewOnce("start", "", "", nil), []byte(`{}`))
	require.NoError(t, err)
	once := store.NewOnce("turn", id, "", []byte("hello"))
	sess, _, err := db.BeginTurn(t.Context(), id, once, now)
	require.NoError(t, err)

	late, cancel := context.WithDeadline(t.Context(), now.Add(-time.Second))
	defer cancel()
	(&Sessions{Store: db, Log: slog.New(slog.DiscardHandler)}).release(late, sess)
	_, _, err = db.BeginTurn(t.Context(), id, once, now)
	require.NoError(t, err)
}
