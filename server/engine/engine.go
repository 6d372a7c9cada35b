// Package engine is the built-in virtual human. A reply is computed from the
// scenario package, the seed and the learner's messages alone, so the same
// conversation always gets the same answer.
//
//	Reply ─▶ Replay every learner message: understand ─▶ rules ─▶ state
//	      ─▶ what the character says to the last one, and how it is now
package engine

import (
	"context"
	"errors"
	"fmt"

	"simora/server/scenario"
	"simora/server/sim"
	"simora/server/understand"
)

// Engine plays the characters of all packages. It is safe for concurrent use.
type Engine struct {
	stages  map[string]*stage
	general *stage
}

// stage is a package with the reader of its learners' messages.
type stage struct {
	pkg    *scenario.Package
	reader *understand.Reader
	facts  map[string]scenario.Fact
}

// New prepares every package. An error names the package at fault.
func New(packages []*scenario.Package) (*Engine, error) {
	p, err := scenario.General()
	if err != nil {
		return nil, err
	}
	e := &Engine{stages: map[string]*stage{}}
	if e.general, err = newStage(p); err != nil {
		return nil, fmt.Errorf("general mode: %w", err)
	}
	for _, p := range packages {
		if e.stages[p.Header.Slug], err = newStage(p); err != nil {
			return nil, fmt.Errorf("scenario %s: %w", p.Header.Slug, err)
		}
	}
	return e, nil
}

func newStage(p *scenario.Package) (*stage, error) {
	reader, err := understand.New(p)
	if err != nil {
		return nil, err
	}
	s := &stage{pkg: p, reader: reader, facts: map[string]scenario.Fact{}}
	for _, f := range p.Facts {
		s.facts[f.ID] = f
	}
	return s, nil
}

func (e *Engine) stage(slug string) (*stage, sim.EngineName) {
	if s, ok := e.stages[slug]; ok {
		return s, sim.BuiltIn
	}
	return e.general, sim.General
}

// Open returns how a run of the scenario begins.
func (e *Engine) Open(_ context.Context, s sim.Scenario, seed uint64) (sim.Opening, error) {
	st, name := e.stage(s.Slug)
	st.reader.Prepare() // while the learner reads the opening
	r := newRun(st, seed)
	h := st.pkg.Header
	opening := sim.Opening{
		Message:   h.Opening,
		Character: sim.Character{Name: h.Character.Name, Role: h.Character.Role, Portrait: h.Character.Portrait},
		Demeanour: r.demeanour(),
	}
	if name == sim.General {
		opening.Message = generalOpening(s)
		opening.Character = sim.Character{Name: promptName(s)}
	}
	return opening, nil
}

// Reply answers the last message of the conversation, which is the learner's.
func (e *Engine) Reply(ctx context.Context, c sim.Conversation) (sim.Reply, error) {
	if len(c.Messages) == 0 || c.Messages[len(c.Messages)-1].Role != sim.User {
		return sim.Reply{}, errors.New("reply: the last message of the conversation must be the learner's")
	}
	if err := ctx.Err(); err != nil {
		return sim.Reply{}, err
	}
	st, name := e.stage(c.Scenario.Slug)
	run := st.play(c, name)
	last := run.Turns[len(run.Turns)-1]
	return sim.Reply{Text: last.Reply, Demeanour: last.Demeanour, Ended: last.Ending != nil, Engine: name}, nil
}

// Replay plays the conversation once more and returns what every learner
// message did.
func (e *Engine) Replay(c sim.Conversation) Run {
	st, name := e.stage(c.Scenario.Slug)
	run := st.play(c, name)
	run.Engine = name
	return run
}

// Run is a conversation as the engine understood it.
type Run struct {
	Package *scenario.Package
	Engine  sim.EngineName
	Turns   []Turn
}

// Turn is one learner message with its consequences.
type Turn struct {
	Message   string
	Reading   understand.Reading
	Reply     string
	Told      []string // the facts within Reply
	Demeanour sim.Demeanour
	Ending    *scenario.Ending // the run ended with this turn
}

// Resolved reports whether the situation came to a good end.
func (r Run) Resolved() bool {
	n := len(r.Turns)
	return n > 0 && r.Turns[n-1].Ending != nil && r.Turns[n-1].Ending.Outcome == scenario.Resolved
}

func (s *stage) play(c sim.Conversation, name sim.EngineName) Run {
	r := newRun(s, c.Seed)
	if name == sim.General {
		r.prompt = promptFacts(c.Scenario.SystemPrompt)
	}
	out := Run{Package: s.pkg}
	for _, m := range c.Messages {
		if m.Role == sim.User {
			out.Turns = append(out.Turns, r.turn(m.Content))
		}
	}
	return out
}

func generalOpening(s sim.Scenario) string {
	if s.ShortDescription != "" {
		return s.ShortDescription + " How do you begin?"
	}
	return s.Title + ". How do you begin?"
}
