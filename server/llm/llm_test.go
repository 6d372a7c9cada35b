package llm_test

import (
	"bytes"
	"context"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"simora/scenarios"
	"simora/server/engine"
	fake "simora/server/fakes/llm"
	"simora/server/llm"
	"simora/server/scenario"
	"simora/server/score"
	"simora/server/sim"
)

const secretKey = "sk-canary-0123456789"

// builtIn is made once: reading the packages takes longer than most tests.
var builtIn = sync.OnceValues(func() (parts, error) {
	packages, err := scenario.Load(scenarios.Files)
	if err != nil {
		return parts{}, err
	}
	e, err := engine.New(packages)
	if err != nil {
		return parts{}, err
	}
	for _, p := range packages { // learn now, not within somebody's deadline
		c := sim.Conversation{Scenario: p.Scenario(), Messages: []sim.Message{{Role: sim.User, Content: "Hello"}}}
		if _, err := e.Reply(context.Background(), c); err != nil {
			return parts{}, err
		}
	}
	return parts{packages, e, score.New(e)}, nil
})

type parts struct {
	packages []*scenario.Package
	engine   *engine.Engine
	judge    *score.Judge
}

// rig is a client on a fake endpoint, with the built-in engine beside it.
type rig struct {
	parts
	fake    *fake.Server
	client  *llm.Client
	partner *llm.Partner
	marker  *llm.Judge
	log     *bytes.Buffer
	clock   *clock
	aloud   bool // replies are streamed
}

type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// Deadlines of the tests: short ones are for running into on purpose, patient
// ones hold on a loaded machine.
var (
	short   = llm.Deadline{Attempt: 300 * time.Millisecond, Overall: 700 * time.Millisecond}
	patient = llm.Deadline{Attempt: 20 * time.Second, Overall: 25 * time.Second}
)

func setUp(t testing.TB, b fake.Behaviour, change ...func(*llm.Options)) *rig {
	t.Helper()
	p, err := builtIn()
	require.NoError(t, err)
	r := &rig{parts: p, fake: fake.Start(t, b), log: &bytes.Buffer{}, clock: &clock{now: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)}}
	o := llm.Options{
		BaseURL: r.fake.URL, APIKey: secretKey, Model: "fake-1", Budget: llm.DefaultBudget, Now: r.clock.Now,
		Log: slog.New(slog.NewJSONHandler(&lockedWriter{w: r.log}, nil)), Reply: patient, Judge: patient,
	}
	for _, c := range change {
		c(&o)
	}
	if o.Books == nil {
		o.Books = books(t, t.TempDir(), "")
	}
	r.client, err = llm.New(o)
	require.NoError(t, err)
	r.partner, r.marker = r.client.Partner(p.engine), r.client.Judge(p.judge)
	return r
}

type lockedWriter struct {
	mu sync.Mutex
	w  *bytes.Buffer
}

func (l *lockedWriter) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}

func (r *rig) scenario(slug string) sim.Scenario {
	for _, p := range r.packages {
		if p.Header.Slug == slug {
			return p.Scenario()
		}
	}
	panic("no scenario " + slug)
}

// begin opens a run.
func (r *rig) begin(t testing.TB, sc sim.Scenario, seed uint64) sim.Conversation {
	t.Helper()
	opening, err := r.partner.Open(t.Context(), sc, seed)
	require.NoError(t, err)
	return sim.Conversation{Scenario: sc, Seed: seed, MaxTurns: sc.TurnLimit(), Messages: []sim.Message{{Role: sim.Assistant, Content: opening.Message}}}
}

// say takes one turn of a run.
func (r *rig) say(t testing.TB, c *sim.Conversation, message string) sim.Reply {
	t.Helper()
	c.Messages = append(c.Messages[:len(c.Messages):len(c.Messages)], sim.Message{Role: sim.User, Content: message})
	var reply sim.Reply
	var err error
	if r.aloud {
		heard := ""
		reply, err = r.partner.Speak(t.Context(), *c, func(part string) { heard += part })
		require.Equal(t, reply.Text, heard, "what was said is the reply")
	} else {
		reply, err = r.partner.Reply(t.Context(), *c)
	}
	require.NoError(t, err)
	c.Messages = append(c.Messages, sim.Message{Role: sim.Assistant, Content: reply.Text})
	c.Ended = reply.Ended
	return reply
}

// A fair run of the emergency, and of a scenario without a package.
var (
	emergency = []string{
		"Hello Rosa, I'm Anna, your nurse. I'm getting a 12-lead ECG right now.",
		"Are you allergic to any medicines, like aspirin?",
		"Please chew this aspirin, 300 mg. I'm calling the doctor to come now.",
		"I know this is frightening. You are not alone, I'm staying with you.",
	}
	ownScenario = sim.Scenario{
		ID: "x", Title: "A late delivery", Slug: "late-delivery", Industry: sim.Corporate, ShortDescription: "A customer is angry about a late delivery.", MaxTurns: 6,
		SystemPrompt: "You are Mr. Webb, a customer whose order is nine days late. You want an honest date and an apology before anything else.",
		Rubric:       []byte(`{"Empathy":{"weight":2,"description":"Names the customer's trouble","criteria":["Apologises for the delay",{"title":"Asks what the delay means for the customer","weight":2}]},"Clarity":"Gives an honest date"}`),
	}
	ownRun = []string{
		"I'm sorry about the delay, Mr. Webb, that must be really frustrating.",
		"What does the delay mean for your work this week?",
		"I will send a courier, and it will be with you on Thursday. Does that work for you?",
	}
)
