package store_test

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"simora/server/keyring"
	"simora/server/sim"
	"simora/server/store"
	"simora/tests/pgserver"
)

func TestMain(m *testing.M) { pgserver.Main(m) }

var start = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// onBoth runs the same promise against each database.
func onBoth(t *testing.T, promise func(t *testing.T, s *store.Store)) {
	t.Run("sqlite", func(t *testing.T) { promise(t, openStore(t, t.TempDir(), "")) })
	t.Run("postgres", func(t *testing.T) { promise(t, openStore(t, t.TempDir(), pgserver.Database(t))) })
}

func openStore(t testing.TB, dir, url string) *store.Store {
	t.Helper()
	s, err := tryOpen(t, dir, url)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

func tryOpen(t testing.TB, dir, url string) (*store.Store, error) {
	t.Helper()
	keys, err := keyring.Load(filepath.Join(dir, keyring.FileName))
	if err != nil {
		return nil, err
	}
	return store.Open(context.Background(), store.Options{URL: url, Dir: dir, Keyring: keys, Log: slog.New(slog.NewTextHandler(os.Stderr, nil)), Exclusive: url == "", CallersClock: true})
}

func testScenario() sim.Scenario {
	return sim.Scenario{
		ID: uuid.NewString(), Title: "Chest pain", Slug: "healthcare-emergency", Industry: sim.Healthcare,
		SystemPrompt: "You are Rosa.", Rubric: []byte(`{"Empathy":1}`), MaxTurns: 3, IsPublic: true,
		CreatedAt: start, UpdatedAt: start,
	}
}

// startSession seeds the scenario if needed and starts one run.
func startSession(t testing.TB, s *store.Store) string {
	t.Helper()
	ctx := context.Background()
	require.NoError(t, s.SeedScenario(ctx, testScenario()))
	sc, version, err := s.ScenarioBySlug(ctx, "healthcare-emergency", false)
	require.NoError(t, err)
	id := uuid.NewString()
	_, err = s.CreateSession(ctx, store.NewSession{
		ID: id, Scenario: sc, Version: version, Seed: 1 << 63, StartedAt: start,
		Opening: sim.Opening{Message: "What is your first action?", Demeanour: sim.Demeanour{Emotion: sim.InPain}},
		Visitor: store.Visitor{IP: "203.0.113.9", UserAgent: "canary-agent"},
	}, store.Once{}, nil)
	require.NoError(t, err)
	return id
}

func begin(t testing.TB, s *store.Store, id string, at time.Time) store.Session {
	t.Helper()
	sess, replayed, err := s.BeginTurn(context.Background(), id, store.Once{}, at)
	require.NoError(t, err)
	require.Nil(t, replayed)
	return sess
}

func takeTurn(t testing.TB, s *store.Store, id, learner string, at time.Time) {
	t.Helper()
	sess := begin(t, s, id, at)
	require.NoError(t, s.CommitTurn(context.Background(), sess, turn(learner, at)))
}

func turn(learner string, at time.Time) store.Turn {
	return store.Turn{Learner: learner, Reply: sim.Reply{Text: "It hurts.", Engine: sim.BuiltIn, Demeanour: sim.Demeanour{Emotion: sim.Anxious}}, At: at}
}

func report(overall int) sim.Report {
	return sim.Report{Overall: overall, Dimensions: map[string]int{"Empathy": overall}, CoachSummary: "canary-coach", Engine: sim.BuiltIn}
}

func completeSession(t testing.TB, s *store.Store, id string, at time.Time) {
	t.Helper()
	sess, err := s.BeginReport(context.Background(), id, at)
	require.NoError(t, err)
	require.NoError(t, s.CommitReport(context.Background(), sess, report(71)))
}
