package session_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"simora/server/keyring"
	"simora/server/session"
	"simora/server/sim"
	"simora/server/store"
)

// scripted is a partner and judge that does what a test says.
type scripted struct {
	mu      sync.Mutex
	reply   func(ctx context.Context, c sim.Conversation) (sim.Reply, error)
	judge   func(ctx context.Context, c sim.Conversation) (sim.Report, error)
	replies atomic.Int32
	judged  atomic.Int32
}

func (s *scripted) Open(context.Context, sim.Scenario, uint64) (sim.Opening, error) {
	return sim.Opening{Message: "What is your first action?", Character: sim.Character{Name: "Rosa"}}, nil
}

func (s *scripted) Reply(ctx context.Context, c sim.Conversation) (sim.Reply, error) {
	s.replies.Add(1)
	s.mu.Lock()
	do := s.reply
	s.mu.Unlock()
	if do != nil {
		return do(ctx, c)
	}
	return sim.Reply{Text: fmt.Sprintf("answer to %q", c.Messages[len(c.Messages)-1].Content), Engine: sim.BuiltIn}, nil
}

func (s *scripted) Judge(ctx context.Context, c sim.Conversation) (sim.Report, error) {
	s.judged.Add(1)
	if s.judge != nil {
		return s.judge(ctx, c)
	}
	return fullReport(50 + int(s.judged.Load())), nil
}

func fullReport(overall int) sim.Report {
	return sim.Report{
		Overall: overall, Dimensions: map[string]int{"Empathy": overall}, WhatWentWell: []string{}, WhatToImprove: []string{}, Engine: sim.BuiltIn,
		Details: []sim.DimensionResult{}, Highlights: []sim.Highlight{}, Criteria: []sim.CriterionResult{}, Turns: []sim.TurnScore{},
	}
}

type fixture struct {
	*session.Sessions
	engine *scripted
	store  *store.Store
	now    atomic.Int64
}

func setUp(t testing.TB) *fixture {
	t.Helper()
	dir := t.TempDir()
	keys, err := keyring.Load(filepath.Join(dir, keyring.FileName))
	require.NoError(t, err)
	s, err := store.Open(t.Context(), store.Options{Dir: dir, Keyring: keys, Log: slog.Default(), Exclusive: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	sc := sim.Scenario{ID: uuid.NewString(), Title: "Chest pain", Slug: "er", Industry: sim.Healthcare, SystemPrompt: "p", Rubric: []byte(`{}`), MaxTurns: 3, IsPublic: true}
	require.NoError(t, s.SeedScenario(t.Context(), sc))
	sc.ID, sc.Slug, sc.IsPublic = uuid.NewString(), "secret", false
	require.NoError(t, s.SeedScenario(t.Context(), sc))
	f := &fixture{engine: &scripted{}, store: s}
	f.now.Store(time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC).UnixMilli())
	partner, judge := answering(t, f.engine)
	f.Sessions = &session.Sessions{
		Store: s, Partner: partner, Judge: judge, Log: slog.Default(), NewID: uuid.NewString, NewSeed: func() uint64 { return 7 },
		Now: func() time.Time { return time.UnixMilli(f.now.Load()) },
	}
	return f
}

func (f *fixture) start(t testing.TB) string {
	t.Helper()
	out, err := f.Start(t.Context(), session.Visitor{}, session.StartInput{ScenarioSlug: "er"})
	require.NoError(t, err)
	return out.SessionID
}

func (f *fixture) say(t testing.TB, id, message, key string) (session.TurnOutput, error) {
	t.Helper()
	return f.Turn(t.Context(), session.Visitor{IdempotencyKey: key}, session.TurnInput{SessionID: id, UserMessage: message})
}

func TestStart(t *testing.T) {
	f := setUp(t)
	for name, c := range map[string]struct {
		visitor session.Visitor
		in      session.StartInput
		want    *sim.Error
	}{
		"public":               {session.Visitor{}, session.StartInput{ScenarioSlug: "er"}, nil},
		"no slug":              {session.Visitor{}, session.StartInput{}, sim.BadRequest("")},
		"unknown":              {session.Visitor{}, session.StartInput{ScenarioSlug: "nowhere"}, sim.ErrScenarioNotFound},
		"private":              {session.Visitor{}, session.StartInput{ScenarioSlug: "secret"}, sim.ErrScenarioNotFound},
		"private for an admin": {session.Visitor{Admin: true}, session.StartInput{ScenarioSlug: "secret"}, nil},
		"hostile slug":         {session.Visitor{}, session.StartInput{ScenarioSlug: "er'; --\x00"}, sim.ErrScenarioNotFound},
		"impossible screen":    {session.Visitor{}, session.StartInput{ScenarioSlug: "er", BrowserMeta: session.BrowserMeta{Width: -1}}, sim.BadRequest("")},
		"overlong user agent":  {session.Visitor{}, session.StartInput{ScenarioSlug: "er", BrowserMeta: session.BrowserMeta{UserAgent: string(make([]byte, 9000))}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := f.Start(t.Context(), c.visitor, c.in)
			if c.want != nil {
				require.ErrorIs(t, err, c.want)
				return
			}
			require.NoError(t, err)
			assert.True(t, sim.IsID(out.SessionID))
			assert.Equal(t, 3, out.MaxTurns)
			assert.NotNil(t, out.Vitals)
		})
	}
}

func TestTurnsUpToTheLimit(t *testing.T) {
	f := setUp(t)
	id := f.start(t)
	for n := 1; n <= 3; n++ {
		out, err := f.say(t, id, "  hello ", "")
		require.NoError(t, err)
		assert.Equal(t, n, out.TurnCount)
		assert.Equal(t, n == 3, out.IsComplete)
		assert.Equal(t, `answer to "hello"`, out.NPCMessage)
	}
	_, err := f.say(t, id, "one more", "")
	require.ErrorIs(t, err, sim.ErrSessionCompleted)
}

func TestRefusedMessagesCostNothing(t *testing.T) {
	f := setUp(t)
	id := f.start(t)
	for _, message := range []string{"", "   ", "\x00"} {
		_, err := f.say(t, id, message, "")
		require.ErrorIs(t, err, sim.ValidationFailed(""))
	}
	for _, unknown := range []string{"", "not-an-id", uuid.NewString(), id + "\x00"} {
		_, err := f.say(t, unknown, "hello", "")
		require.ErrorIs(t, err, sim.ErrSessionNotFound)
	}
	assert.Zero(t, f.engine.replies.Load())
}

func TestScenarioMayEndEarly(t *testing.T) {
	f := setUp(t)
	id := f.start(t)
	f.engine.reply = func(context.Context, sim.Conversation) (sim.Reply, error) {
		return sim.Reply{Text: "The team takes over.", Ended: true}, nil
	}
	out, err := f.say(t, id, "hello", "")
	require.NoError(t, err)
	assert.True(t, out.IsComplete)
	_, err = f.say(t, id, "hello", "")
	require.ErrorIs(t, err, sim.ErrSessionCompleted)
}

func TestFailedTurnIsNotCountedAndMayBeSentAgain(t *testing.T) {
	for name, fail := range map[string]func(context.Context, sim.Conversation) (sim.Reply, error){
		"error": func(context.Context, sim.Conversation) (sim.Reply, error) {
			return sim.Reply{}, errors.New("model down")
		},
		"panic": func(context.Context, sim.Conversation) (sim.Reply, error) { panic("bug") },
	} {
		t.Run(name, func(t *testing.T) {
			f := setUp(t)
			id := f.start(t)
			f.engine.reply = fail
			func() {
				defer func() { _ = recover() }()
				_, err := f.say(t, id, "hello", "k")
				assert.ErrorIs(t, err, sim.ErrAIUnavailable)
			}()
			f.engine.reply = nil
			out, err := f.say(t, id, "hello", "k")
			require.NoError(t, err)
			assert.Equal(t, 1, out.TurnCount)
		})
	}
}

func TestDoubleClickIsOneTurnWithOneAnswer(t *testing.T) {
	f := setUp(t)
	id := f.start(t)
	f.engine.reply = func(context.Context, sim.Conversation) (sim.Reply, error) {
		time.Sleep(20 * time.Millisecond) // long enough for all to be there
		return sim.Reply{Text: "once"}, nil
	}
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			out, err := f.say(t, id, "hello", "same-key")
			assert.NoError(t, err)
			assert.Equal(t, "once", out.NPCMessage)
			assert.Equal(t, 1, out.TurnCount)
		})
	}
	wg.Wait()
	assert.EqualValues(t, 1, f.engine.replies.Load())
	_, err := f.say(t, id, "something else", "same-key")
	require.ErrorIs(t, err, sim.ErrKeyReused)
}

func TestTwoTabsTakeTurns(t *testing.T) {
	f := setUp(t)
	id := f.start(t)
	hold, entered := make(chan struct{}), make(chan struct{})
	f.engine.reply = func(context.Context, sim.Conversation) (sim.Reply, error) {
		close(entered)
		<-hold
		return sim.Reply{Text: "slow"}, nil
	}
	done := make(chan error)
	go func() { _, err := f.say(t, id, "first tab", ""); done <- err }()
	<-entered
	_, err := f.say(t, id, "second tab", "")
	require.ErrorIs(t, err, sim.ErrTurnInProgress)
	close(hold)
	require.NoError(t, <-done)
}

func TestVisitorWhoLeavesStillGetsTheTurnStored(t *testing.T) {
	f := setUp(t)
	id := f.start(t)
	ctx, leave := context.WithCancel(t.Context())
	f.engine.reply = func(ctx context.Context, _ sim.Conversation) (sim.Reply, error) {
		leave()
		return sim.Reply{Text: "still here"}, ctx.Err()
	}
	_, err := f.Turn(ctx, session.Visitor{IdempotencyKey: "k"}, session.TurnInput{SessionID: id, UserMessage: "hello"})
	require.NoError(t, err)
	out, err := f.say(t, id, "hello", "k")
	require.NoError(t, err)
	assert.Equal(t, "still here", out.NPCMessage)
}

func TestCompleteJudgesOnce(t *testing.T) {
	f := setUp(t)
	id := f.start(t)
	_, err := f.say(t, id, "hello", "")
	require.NoError(t, err)
	var wg sync.WaitGroup
	for range 10 {
		wg.Go(func() {
			report, err := f.Complete(t.Context(), session.Visitor{}, session.CompleteInput{SessionID: id})
			assert.NoError(t, err)
			assert.Equal(t, 51, report.Overall)
		})
	}
	wg.Wait()
	assert.EqualValues(t, 1, f.engine.judged.Load())
	_, err = f.say(t, id, "too late", "")
	require.ErrorIs(t, err, sim.ErrSessionCompleted)
	for _, unknown := range []string{"", "new", uuid.NewString()} {
		_, err = f.Complete(t.Context(), session.Visitor{}, session.CompleteInput{SessionID: unknown})
		require.ErrorIs(t, err, sim.ErrSessionNotFound)
	}
}

// Who has a run's id has its report, so for a day only.
func TestReportIsGivenForADay(t *testing.T) {
	f := setUp(t)
	id := f.start(t)
	_, err := f.Complete(t.Context(), session.Visitor{}, session.CompleteInput{SessionID: id})
	require.NoError(t, err)
	f.now.Add((sim.CapabilityLife - time.Minute).Milliseconds())
	_, err = f.Complete(t.Context(), session.Visitor{}, session.CompleteInput{SessionID: id})
	require.NoError(t, err)
	f.now.Add((2 * time.Minute).Milliseconds())
	_, err = f.Complete(t.Context(), session.Visitor{}, session.CompleteInput{SessionID: id})
	require.ErrorIs(t, err, sim.ErrSessionExpired)
}

func TestEndEarlyWithoutATurn(t *testing.T) {
	f := setUp(t)
	report, err := f.Complete(t.Context(), session.Visitor{}, session.CompleteInput{SessionID: f.start(t)})
	require.NoError(t, err)
	assert.NotEmpty(t, report.Dimensions)
}

func TestReportWithInventedEvidenceIsNotKept(t *testing.T) {
	for name, e := range map[string]sim.Evidence{
		"other words":    {Turn: 1, Start: 0, End: 5, Quote: "HELLO"},
		"another turn":   {Turn: 2, Start: 0, End: 5, Quote: "hello"},
		"behind the end": {Turn: 1, Start: 3, End: 50, Quote: "lo"},
		"nothing":        {Turn: 1, Start: 2, End: 2, Quote: ""},
	} {
		t.Run(name, func(t *testing.T) {
			f := setUp(t)
			id := f.start(t)
			_, err := f.say(t, id, "hello", "")
			require.NoError(t, err)
			f.engine.judge = func(context.Context, sim.Conversation) (sim.Report, error) {
				r := fullReport(90)
				r.Criteria = []sim.CriterionResult{{ID: "c", Points: 5, Evidence: []sim.Evidence{e}}}
				return r, nil
			}
			_, err = f.Complete(t.Context(), session.Visitor{}, session.CompleteInput{SessionID: id})
			require.Error(t, err)
			f.engine.judge = nil
			report, err := f.Complete(t.Context(), session.Visitor{}, session.CompleteInput{SessionID: id})
			require.NoError(t, err, "a failed judgement may be repeated")
			assert.NotEqual(t, 90, report.Overall)
		})
	}
}

func TestIdleRunExpires(t *testing.T) {
	f := setUp(t)
	id := f.start(t)
	f.now.Add((61 * time.Minute).Milliseconds())
	_, err := f.say(t, id, "hello", "")
	require.ErrorIs(t, err, sim.ErrSessionExpired)
}
