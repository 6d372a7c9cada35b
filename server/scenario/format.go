// Package scenario reads scenario packages: folders of YAML files in which an
// author writes everything that one virtual human knows, understands, does and
// is judged by. docs/scenarios.md is the guide to the format; schema.json
// checks it.
package scenario

import (
	"encoding/json"
	"fmt"

	"simora/server/sim"
)

// Package is one scenario as its author wrote it. It is read-only once loaded.
type Package struct {
	Header   Header
	Concepts map[string][]string // name to words and phrases of the same meaning
	Acts     []Act
	Facts    []Fact
	State    State
	Rules    []Rule
	Events   []Rule // looked at once a turn, whatever was said
	Endings  []Ending
	Replies  map[string][]Lines // pools of lines for moments that no rule covers
	Rubric   []Dimension
}

// Header is scenario.yaml: what a page and the database need to know.
type Header struct {
	Title            string       `yaml:"title"`
	Slug             string       `yaml:"slug"`
	Industry         sim.Industry `yaml:"industry"`
	ShortDescription string       `yaml:"short_description"`
	SystemPrompt     string       `yaml:"system_prompt"`
	MaxTurns         int          `yaml:"max_turns"`
	IsPublic         bool         `yaml:"is_public"`
	LearnerRole      string       `yaml:"learner_role"`
	Opening          string       `yaml:"opening"`
	Character        struct {
		Name     string `yaml:"name"`
		Role     string `yaml:"role"`
		Portrait string `yaml:"portrait"`
	} `yaml:"character"`
	Sources []string `yaml:"sources"`
}

// ActKind says by which grammar an act is performed.
type ActKind string

// The three grammars.
const (
	Ask ActKind = "ask" // a question or a request for information
	Do  ActKind = "do"  // an action that the learner commits to
	Say ActKind = "say" // something that the words themselves do
)

// Act is one dialogue act that a learner can perform.
type Act struct {
	ID       string   `yaml:"id"`
	Kind     ActKind  `yaml:"kind"`
	Meaning  string   `yaml:"meaning"`
	Cues     []string `yaml:"cues"`
	Examples []string `yaml:"examples"`
}

// OutOfScope is the act of example messages that belong to no act.
const OutOfScope = "out_of_scope"

// Lines are variants of one utterance, said only while When holds.
type Lines struct {
	When Condition `yaml:"when"`
	Say  []string  `yaml:"say"`
}

// Fact is something the character knows and tells when asked.
type Fact struct {
	ID      string    `yaml:"id"`
	AskedBy Names     `yaml:"asked_by"`
	When    Condition `yaml:"when"`
	Say     []string  `yaml:"say"` // the first is the full answer, the others repeat it in other words
}

// State is state.yaml: what changes during a run and what of it can be seen.
type State struct {
	Variables map[string]Variable `yaml:"variables"`
	Vitals    []Vital             `yaml:"vitals"`
	Emotions  []EmotionWhen       `yaml:"emotions"`
	Mood      map[string]float64  `yaml:"mood"` // variable to weight; negative: high is bad
}

// Variable is a number that stays between Min and Max and moves by Drift a turn.
type Variable struct {
	Start float64 `yaml:"start"`
	Min   float64 `yaml:"min"`
	Max   float64 `yaml:"max"`
	Drift float64 `yaml:"drift"`
}

// Vital is a value shown beside the portrait; {variable} in Value is filled in.
type Vital struct {
	ID       string    `yaml:"id"`
	Label    string    `yaml:"label"`
	Value    string    `yaml:"value"`
	Unit     string    `yaml:"unit"`
	Warn     Condition `yaml:"warn"`
	Critical Condition `yaml:"critical"`
}

// EmotionWhen shows an emotion while a condition holds; the first that holds wins.
type EmotionWhen struct {
	Show sim.Emotion `yaml:"show"`
	When Condition   `yaml:"when"`
}

// Rule says what happens when its condition holds.
type Rule struct {
	ID     string             `yaml:"id"`
	When   Condition          `yaml:"when"`
	Once   bool               `yaml:"once"` // fires at most once a run
	Say    []string           `yaml:"say"`
	Tells  Names              `yaml:"tells"`  // facts it releases
	Change map[string]float64 `yaml:"change"` // added to variables
	Set    map[string]float64 `yaml:"set"`    // replaces variables
}

// Ending closes a run before its limit.
type Ending struct {
	ID      string    `yaml:"id"`
	Outcome string    `yaml:"outcome"` // Resolved or Lost
	When    Condition `yaml:"when"`
	Say     []string  `yaml:"say"`
}

// Outcomes of an ending.
const (
	Resolved = "resolved"
	Lost     = "lost"
)

// Dimension is one scored side of the performance.
type Dimension struct {
	Name        string      `yaml:"name" json:"-"`
	Weight      float64     `yaml:"weight" json:"weight"`
	Description string      `yaml:"description" json:"description"`
	Criteria    []Criterion `yaml:"criteria" json:"criteria"`
}

// Criterion is one observable thing. Either Met (and perhaps Partly) or
// Harmful is given.
type Criterion struct {
	ID         string   `yaml:"id" json:"id"`
	Title      string   `yaml:"title" json:"title"`
	Weight     float64  `yaml:"weight" json:"weight"`
	Met        *Test    `yaml:"met" json:"met,omitempty"`
	Partly     *Test    `yaml:"partly" json:"partly,omitempty"`
	Harmful    *Test    `yaml:"harmful" json:"harmful,omitempty"`
	Cap        *int     `yaml:"cap" json:"cap,omitempty"` // highest dimension score after the harm
	Late       bool     `yaml:"late" json:"late,omitempty"`
	Feedback   Feedback `yaml:"feedback" json:"feedback"`
	Improve    string   `yaml:"improve" json:"improve"`
	WhyMatters string   `yaml:"why" json:"why,omitempty"`
}

// Feedback is what the coach says by verdict; {quote} and {turn} are filled in.
type Feedback struct {
	Met     string `yaml:"met" json:"met,omitempty"`
	Partly  string `yaml:"partly" json:"partly,omitempty"`
	Missed  string `yaml:"missed" json:"missed,omitempty"`
	Harmful string `yaml:"harmful" json:"harmful,omitempty"`
}

// Test is what has to be found in a transcript. All of its parts must hold.
type Test struct {
	Acts     Names `yaml:"acts" json:"acts"`                     // any of these…
	AtLeast  int   `yaml:"at_least" json:"at_least,omitempty"`   // …this many different ones (1)
	Turns    int   `yaml:"in_turns" json:"in_turns,omitempty"`   // …in this many different messages (1)
	ByTurn   int   `yaml:"by_turn" json:"by_turn,omitempty"`     // …not later than this message
	After    Names `yaml:"after" json:"after,omitempty"`         // …once all of these were performed
	AfterAny Names `yaml:"after_any" json:"after_any,omitempty"` // …once one of these was performed
	Before   Names `yaml:"before" json:"before,omitempty"`       // …as long as none of these was performed
	Without  Names `yaml:"without" json:"without,omitempty"`     // and none of these anywhere
	Given    *Test `yaml:"given" json:"given,omitempty"`         // and this too, as a precondition
}

// Condition is a set of demands on the moment; all must hold, an empty one does.
type Condition struct {
	Act     Names            `yaml:"act"`      // any of these was performed in this message
	Asked   Names            `yaml:"asked"`    // any of these was only asked about or imagined
	Refused Names            `yaml:"refused"`  // any of these was declined
	Done    Names            `yaml:"done"`     // all of these were performed so far
	AnyDone Names            `yaml:"any_done"` // one of these was performed so far
	NotDone Names            `yaml:"not_done"` // none of these was performed so far
	State   map[string]Range `yaml:"state"`
	Turn    Range            `yaml:"turn"`
}

// Names is a list of ids; a single one may be written without brackets.
type Names []string

// UnmarshalYAML reads a string or a list of strings.
func (n *Names) UnmarshalYAML(decode func(any) error) error {
	var one string
	if decode(&one) == nil {
		*n = Names{one}
		return nil
	}
	var many []string
	if err := decode(&many); err != nil {
		return fmt.Errorf("an id or a list of ids is needed: %w", err)
	}
	*n = many
	return nil
}

// Scenario is the package in the form that the database and the pages know.
func (p *Package) Scenario() sim.Scenario {
	rubric := make(map[string]Dimension, len(p.Rubric))
	for _, d := range p.Rubric {
		rubric[d.Name] = d
	}
	asJSON, err := json.Marshal(rubric)
	if err != nil { // strings, numbers and lists only: can't fail
		panic(err)
	}
	h := p.Header
	return sim.Scenario{
		Title: h.Title, Slug: h.Slug, Industry: h.Industry,
		ShortDescription: h.ShortDescription, SystemPrompt: h.SystemPrompt,
		Rubric: asJSON, MaxTurns: h.MaxTurns, IsPublic: h.IsPublic,
	}
}

// Act returns the act of that id.
func (p *Package) Act(id string) (Act, bool) {
	for _, a := range p.Acts {
		if a.ID == id {
			return a, true
		}
	}
	return Act{}, false
}
