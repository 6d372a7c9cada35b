package store_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"simora/server/sim"
	"simora/server/store"
)

func TestTurnIsStoredWhole(t *testing.T) {
	onBoth(t, func(t *testing.T, s *store.Store) {
		id := startSession(t, s)
		takeTurn(t, s, id, "Where does it hurt?", start.Add(time.Second))
		sess, err := s.Session(context.Background(), id)
		require.NoError(t, err)
		assert.Equal(t, 1, sess.TurnCount)
		assert.Equal(t, uint64(1<<63), sess.Seed)
		assert.Equal(t, []sim.Message{
			{Role: sim.Assistant, Content: "What is your first action?"},
			{Role: sim.User, Content: "Where does it hurt?"},
			{Role: sim.Assistant, Content: "It hurts."},
		}, sess.Messages)
		assert.Equal(t, "You are Rosa.", sess.Scenario.SystemPrompt)
	})
}

func TestWhatATurnIsRefusedFor(t *testing.T) {
	ctx := context.Background()
	for name, c := range map[string]struct {
		prepare func(t *testing.T, s *store.Store, id string)
		at      time.Time
		want    *sim.Error
	}{
		"turn limit reached": {func(t *testing.T, s *store.Store, id string) {
			for range 3 {
				takeTurn(t, s, id, "hello", start)
			}
		}, start, sim.ErrSessionCompleted},
		"scenario ended by itself": {func(t *testing.T, s *store.Store, id string) {
			last := turn("goodbye", start)
			last.Reply.Ended = true
			require.NoError(t, s.CommitTurn(ctx, begin(t, s, id, start), last))
		}, start, sim.ErrSessionCompleted},
		"completed":               {func(t *testing.T, s *store.Store, id string) { completeSession(t, s, id, start) }, start, sim.ErrSessionCompleted},
		"another turn at work":    {func(t *testing.T, s *store.Store, id string) { begin(t, s, id, start) }, start.Add(29 * time.Second), sim.ErrTurnInProgress},
		"idle for over an hour":   {func(*testing.T, *store.Store, string) {}, start.Add(61 * time.Minute), sim.ErrSessionExpired},
		"abandoned lease is free": {func(t *testing.T, s *store.Store, id string) { begin(t, s, id, start) }, start.Add(31 * time.Second), nil},
	} {
		t.Run(name, func(t *testing.T) {
			onBoth(t, func(t *testing.T, s *store.Store) {
				id := startSession(t, s)
				c.prepare(t, s, id)
				before, err := s.Session(ctx, id)
				require.NoError(t, err)
				_, _, err = s.BeginTurn(ctx, id, store.Once{}, c.at)
				if c.want == nil {
					require.NoError(t, err)
					return
				}
				require.ErrorIs(t, err, c.want)
				after, err := s.Session(ctx, id)
				require.NoError(t, err)
				assert.Equal(t, before, after, "a refusal changes nothing")
			})
		})
	}
	onBoth(t, func(t *testing.T, s *store.Store) {
		_, _, err := s.BeginTurn(ctx, uuid.NewString(), store.Once{}, start)
		assert.ErrorIs(t, err, sim.ErrSessionNotFound)
	})
}

func TestALateTurnDoesNotOverwrite(t *testing.T) {
	onBoth(t, func(t *testing.T, s *store.Store) {
		id := startSession(t, s)
		slow := begin(t, s, id, start)
		takeTurn(t, s, id, "second", start.Add(time.Minute)) // after slow's lease ran out
		err := s.CommitTurn(context.Background(), slow, turn("first", start.Add(time.Minute)))
		require.ErrorIs(t, err, sim.ErrTurnInProgress)
		sess, err := s.Session(context.Background(), id)
		require.NoError(t, err)
		assert.Equal(t, 1, sess.TurnCount)
		assert.Equal(t, "second", sess.Messages[1].Content)
	})
}

func TestOneLeaseAmongMany(t *testing.T) {
	onBoth(t, func(t *testing.T, s *store.Store) {
		id := startSession(t, s)
		var won atomic.Int32
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() {
				_, _, err := s.BeginTurn(context.Background(), id, store.Once{}, start)
				if err == nil {
					won.Add(1)
				} else {
					assert.ErrorIs(t, err, sim.ErrTurnInProgress)
				}
			})
		}
		wg.Wait()
		assert.EqualValues(t, 1, won.Load())
	})
}

func TestReleasedSessionTakesTheNextTurn(t *testing.T) {
	onBoth(t, func(t *testing.T, s *store.Store) {
		id := startSession(t, s)
		require.NoError(t, s.Release(context.Background(), begin(t, s, id, start)))
		takeTurn(t, s, id, "again", start)
	})
}

func TestRepeatedTurnGetsTheStoredAnswer(t *testing.T) {
	onBoth(t, func(t *testing.T, s *store.Store) {
		ctx := context.Background()
		id := startSession(t, s)
		once := store.NewOnce("session-turn", id, "key-1", []byte("hello"))
		sess, _, err := s.BeginTurn(ctx, id, once, start)
		require.NoError(t, err)

		_, _, err = s.BeginTurn(ctx, id, once, start)
		require.ErrorIs(t, err, sim.ErrRequestInProgress, "the first is still at work")

		first := turn("hello", start)
		first.Once, first.Response = once, []byte(`{"npcMessage":"It hurts."}`)
		require.NoError(t, s.CommitTurn(ctx, sess, first))

		_, replayed, err := s.BeginTurn(ctx, id, once, start)
		require.NoError(t, err)
		assert.Equal(t, first.Response, replayed)

		_, _, err = s.BeginTurn(ctx, id, store.NewOnce("session-turn", id, "key-1", []byte("other")), start)
		require.ErrorIs(t, err, sim.ErrKeyReused)

		after, err := s.Session(ctx, id)
		require.NoError(t, err)
		assert.Equal(t, 1, after.TurnCount)
	})
}

func TestSameStartTwiceAtOnceIsOneSession(t *testing.T) {
	onBoth(t, func(t *testing.T, s *store.Store) {
		ctx := context.Background()
		startSession(t, s) // seeds the scenario
		sc, version, err := s.ScenarioBySlug(ctx, "healthcare-emergency", false)
		require.NoError(t, err)
		once := store.NewOnce("session-start", "", "k", []byte("x"))
		var created atomic.Int32
		var answers sync.Map
		var wg sync.WaitGroup
		for range 10 {
			wg.Go(func() {
				id := uuid.NewString()
				replayed, err := s.CreateSession(ctx, store.NewSession{ID: id, Scenario: sc, Version: version, StartedAt: start}, once, []byte(id))
				assert.NoError(t, err)
				if replayed == nil {
					created.Add(1)
					replayed = []byte(id)
				}
				answers.Store(string(replayed), true)
			})
		}
		wg.Wait()
		assert.EqualValues(t, 1, created.Load())
		n := 0
		answers.Range(func(any, any) bool { n++; return true })
		assert.Equal(t, 1, n)
	})
}

func TestReportIsStoredOnce(t *testing.T) {
	onBoth(t, func(t *testing.T, s *store.Store) {
		ctx := context.Background()
		id := startSession(t, s)
		sess, err := s.BeginReport(ctx, id, start)
		require.NoError(t, err)
		require.Nil(t, sess.Report)

		_, err = s.BeginReport(ctx, id, start)
		require.ErrorIs(t, err, sim.ErrTurnInProgress, "one judgement at a time")

		require.NoError(t, s.CommitReport(ctx, sess, report(71)))
		require.ErrorIs(t, s.CommitReport(ctx, sess, report(99)), sim.ErrTurnInProgress)

		again, err := s.BeginReport(ctx, id, start.Add(48*time.Hour))
		require.NoError(t, err)
		require.NotNil(t, again.Report)
		assert.Equal(t, 71, again.Report.Overall)
		assert.Equal(t, start, *again.CompletedAt)
	})
}

func TestAbandonedSessionIsNotJudgedAfterADay(t *testing.T) {
	onBoth(t, func(t *testing.T, s *store.Store) {
		id := startSession(t, s)
		_, err := s.BeginReport(context.Background(), id, start.Add(25*time.Hour))
		require.ErrorIs(t, err, sim.ErrSessionExpired)
	})
}

func TestPrivateScenarioLooksUnknown(t *testing.T) {
	onBoth(t, func(t *testing.T, s *store.Store) {
		ctx := context.Background()
		sc := testScenario()
		sc.IsPublic, sc.Slug = false, "secret"
		require.NoError(t, s.SeedScenario(ctx, sc))
		_, _, private := s.ScenarioBySlug(ctx, "secret", false)
		_, _, unknown := s.ScenarioBySlug(ctx, "nowhere", false)
		require.Error(t, private)
		assert.Equal(t, unknown, private)
		_, _, err := s.ScenarioBySlug(ctx, "secret", true)
		assert.NoError(t, err)
	})
}

func TestSeedingKeepsWhatIsThere(t *testing.T) {
	onBoth(t, func(t *testing.T, s *store.Store) {
		ctx := context.Background()
		first := testScenario()
		require.NoError(t, s.SeedScenario(ctx, first))
		second := testScenario()
		second.Title = "Changed in a newer binary"
		require.NoError(t, s.SeedScenario(ctx, second))
		kept, _, err := s.ScenarioBySlug(ctx, first.Slug, false)
		require.NoError(t, err)
		assert.Equal(t, first.Title, kept.Title)
		assert.Equal(t, first.ID, kept.ID)
	})
}
