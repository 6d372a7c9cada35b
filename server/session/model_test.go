package session_test

import (
	"context"
	"flag"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"simora/scenarios"
	"simora/server/engine"
	fake "simora/server/fakes/llm"
	"simora/server/keyring"
	"simora/server/llm"
	"simora/server/scenario"
	"simora/server/score"
	"simora/server/session"
	"simora/server/sim"
	"simora/server/store"
)

// behindAModel puts a language model in front of the scripted engine, one that
// is down.
var behindAModel bool

// Every test of this package runs twice: on the engine, and on a language model
// whose endpoint refuses everything. A visitor must not notice.
func TestMain(m *testing.M) {
	flag.Parse()
	code := m.Run()
	if code == 0 && flag.Lookup("test.bench").Value.String() == "" {
		behindAModel = true
		code = m.Run()
	}
	os.Exit(code)
}

func newClient(t testing.TB, behave fake.Behaviour) *llm.Client {
	t.Helper()
	dir := t.TempDir()
	keys, err := keyring.Load(filepath.Join(dir, keyring.FileName))
	require.NoError(t, err)
	books, err := store.Open(context.Background(), store.Options{Dir: dir, Keyring: keys, Log: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, books.Close()) })
	client, err := llm.New(llm.Options{
		BaseURL: fake.Start(t, behave).URL, Model: "fake", Budget: llm.DefaultBudget, Books: books, Log: slog.New(slog.DiscardHandler), Now: time.Now,
	})
	require.NoError(t, err)
	return client
}

// general is the engine without packages, learned once for all tests.
var general = sync.OnceValues(func() (*engine.Engine, error) { return engine.New(nil) })

// answering is the scripted engine, perhaps behind the model.
func answering(t testing.TB, s *scripted) (session.Partner, session.Judge) {
	t.Helper()
	if !behindAModel {
		return s, s
	}
	e, err := general()
	require.NoError(t, err)
	j := score.New(e)
	client := newClient(t, func(w http.ResponseWriter, _ *http.Request, _ fake.Request) { w.WriteHeader(http.StatusUnauthorized) })
	return client.Partner(scriptedPlayer{s, e}), client.Judge(scriptedMarker{s, j})
}

type scriptedPlayer struct {
	*scripted
	replays *engine.Engine
}

func (p scriptedPlayer) Replay(c sim.Conversation) engine.Run { return p.replays.Replay(c) }

type scriptedMarker struct {
	*scripted
	sheets *score.Judge
}

func (m scriptedMarker) Mark(c sim.Conversation) *score.Sheet { return m.sheets.Mark(c) }
func (m scriptedMarker) MarkByRubric(c sim.Conversation) *score.Sheet {
	return m.sheets.MarkByRubric(c)
}

// product is the product's own engine; it has learned the scenario that is played.
var product = sync.OnceValues(func() (p struct {
	packages []*scenario.Package
	engine   *engine.Engine
}, err error) {
	if p.packages, err = scenario.Load(scenarios.Files); err != nil {
		return p, err
	}
	if p.engine, err = engine.New(p.packages); err != nil {
		return p, err
	}
	for _, played := range p.packages {
		if played.Header.Slug == "healthcare-emergency" { // learn now, not within a turn's deadline
			_, err = p.engine.Reply(context.Background(), sim.Conversation{Scenario: played.Scenario(), Messages: []sim.Message{{Role: sim.User, Content: "Hello"}}})
		}
	}
	return p, err
})

// withModel is the product's own engine behind a model that behaves so.
func withModel(t *testing.T, behave fake.Behaviour) (*fixture, string) {
	f := setUp(t)
	p, err := product()
	require.NoError(t, err)
	for _, p := range p.packages {
		sc := p.Scenario()
		sc.ID = uuid.NewString()
		require.NoError(t, f.store.SeedScenario(t.Context(), sc))
	}
	client := newClient(t, behave)
	f.Partner, f.Judge = client.Partner(p.engine), client.Judge(score.New(p.engine))
	out, err := f.Start(t.Context(), session.Visitor{}, session.StartInput{ScenarioSlug: "healthcare-emergency"})
	require.NoError(t, err)
	return f, out.SessionID
}

var emergency = []string{
	"Hello Rosa, I'm Anna, your nurse. I'm getting a 12-lead ECG right now.",
	"Are you allergic to any medicines, like aspirin?",
	"Please chew this aspirin, 300 mg. I'm calling the doctor to come now.",
}

// The stored run says who answered.
func TestRunWithAModel(t *testing.T) {
	for name, c := range map[string]struct {
		behave fake.Behaviour
		want   []string
	}{
		"good":     {fake.Good, []string{"model", "model", "model"}},
		"nonsense": {fake.Echo("As an AI language model I cannot."), []string{"built-in", "built-in", "built-in"}},
		"mends":    {fake.Once(fake.Echo("")), []string{"model", "model", "model"}},
	} {
		t.Run(name, func(t *testing.T) {
			f, id := withModel(t, c.behave)
			for i, m := range emergency {
				out, err := f.say(t, id, m, "")
				require.NoError(t, err)
				assert.Equal(t, i+1, out.TurnCount)
				assert.NotEmpty(t, out.Vitals)
			}
			engines, err := f.store.Engines(t.Context(), id)
			require.NoError(t, err)
			assert.Equal(t, c.want, engines[len(engines)-len(c.want):])
			report, err := f.Complete(t.Context(), session.Visitor{}, session.CompleteInput{SessionID: id})
			require.NoError(t, err)
			again, err := f.Complete(t.Context(), session.Visitor{}, session.CompleteInput{SessionID: id})
			require.NoError(t, err)
			assert.Equal(t, report, again)
		})
	}
}

// What is heard is what is stored; a repetition is answered without parts.
func TestTurnAloud(t *testing.T) {
	for name, behave := range map[string]fake.Behaviour{
		"good": fake.Good, "three sentences": fake.Echo("It hurts. Please help me. Is it bad?"), "nonsense": fake.Echo("<b>no</b>"),
	} {
		t.Run(name, func(t *testing.T) {
			f, id := withModel(t, behave)
			aloud := func(say func(string)) session.TurnOutput {
				out, err := f.TurnAloud(t.Context(), session.Visitor{IdempotencyKey: "k"}, session.TurnInput{SessionID: id, UserMessage: emergency[0]}, say)
				require.NoError(t, err)
				return out
			}
			var parts []string
			out := aloud(func(part string) {
				parts = append(parts, part)
				sess, err := f.store.Session(t.Context(), id)
				require.NoError(t, err)
				assert.Zero(t, sess.TurnCount, "parts come before the turn is stored")
			})
			assert.Equal(t, out.NPCMessage, strings.Join(parts, ""))
			sess, err := f.store.Session(t.Context(), id)
			require.NoError(t, err)
			assert.Equal(t, out.NPCMessage, sess.Messages[len(sess.Messages)-1].Content)
			assert.Equal(t, out, aloud(func(string) { assert.Fail(t, "said twice") }))
		})
	}
}
