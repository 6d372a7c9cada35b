// Package xapi words a finished run as statements of the Experience API 1.0.3,
// for a learning record store.
//
// The ids of statements are made from the session's, so that a store that has
// them already has nothing to do.
package xapi

import (
	"crypto/sha1" //nolint:gosec // mbox_sha1sum is what the specification asks for
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"net/url"
	"time"

	"github.com/google/uuid"

	"simora/server/sim"
	"simora/server/store"
)

// Version is that of the specification the statements follow.
const Version = "1.0.3"

const (
	vocabulary = "http://adlnet.gov/expapi/"
	language   = "en"
)

// Actor says how a learner who gave an address is named.
type Actor string

// The ways, from the most private. A learner without an address has a pseudonym
// with each of them.
const (
	Pseudonym Actor = "pseudonym" // another one for each run
	MboxSHA1  Actor = "mbox_sha1sum"
	Mbox      Actor = "mbox"
)

// Words is what the statements of one installation have in common.
type Words struct {
	PublicURL string // the base of every identifier, without a slash at the end
	Actor     Actor
	Pass      int // overall score from which a run is a success
}

// Statement is one of them; fields that we do not use are left out.
type Statement struct {
	ID        string  `json:"id"`
	Actor     Agent   `json:"actor"`
	Verb      Verb    `json:"verb"`
	Object    Object  `json:"object"`
	Result    Result  `json:"result"`
	Context   Context `json:"context"`
	Timestamp string  `json:"timestamp"`
}

// Agent has exactly one of its identifiers.
type Agent struct {
	Type     string   `json:"objectType"`
	Account  *Account `json:"account,omitempty"`
	Mbox     string   `json:"mbox,omitempty"`
	MboxSHA1 string   `json:"mbox_sha1sum,omitempty"`
}

// Account is an agent's name on a system.
type Account struct {
	HomePage string `json:"homePage"`
	Name     string `json:"name"`
}

// Text is a map of languages to texts.
type Text map[string]string

// Verb is what was done.
type Verb struct {
	ID      string `json:"id"`
	Display Text   `json:"display"`
}

// Object is an activity.
type Object struct {
	Type       string      `json:"objectType"`
	ID         string      `json:"id"`
	Definition *Definition `json:"definition,omitempty"`
}

// Definition describes an activity.
type Definition struct {
	Type        string `json:"type"`
	Name        Text   `json:"name"`
	Description Text   `json:"description,omitempty"`
}

// Result is how it went.
type Result struct {
	Score      *Score         `json:"score,omitempty"`
	Success    bool           `json:"success"`
	Completion *bool          `json:"completion,omitempty"`
	Duration   string         `json:"duration,omitempty"`
	Extensions map[string]any `json:"extensions,omitempty"`
}

// Score has Min < Max and Raw between them.
type Score struct {
	Scaled float64 `json:"scaled"` // -1 to 1
	Raw    float64 `json:"raw"`
	Min    float64 `json:"min"`
	Max    float64 `json:"max"`
}

// Context is where it happened.
type Context struct {
	Registration string     `json:"registration"` // the session
	Activities   Activities `json:"contextActivities"`
	Platform     string     `json:"platform"`
}

// Activities relate a statement to others.
type Activities struct {
	Parent   []Object `json:"parent,omitempty"`
	Category []Object `json:"category,omitempty"`
}

// Statements words one finished run: the run, and then each criterion that
// could come up, as the body of one request. email is empty when the learner
// gave none. What the learner said is not in it.
func (w Words) Statements(sess store.Session, r sim.Report, ended time.Time, email string) ([]byte, error) {
	session, err := uuid.Parse(sess.ID)
	if err != nil {
		return nil, fmt.Errorf("session id: %w", err)
	}
	scenario := Object{Type: "Activity", ID: w.PublicURL + "/xapi/scenarios/" + url.PathEscape(sess.Scenario.Slug), Definition: &Definition{
		Type: vocabulary + "activities/simulation", Name: Text{language: sess.Scenario.Title},
	}}
	if sess.Scenario.ShortDescription != "" {
		scenario.Definition.Description = Text{language: sess.Scenario.ShortDescription}
	}
	base := Statement{
		Actor: w.agent(session, email), Timestamp: ended.UTC().Format("2006-01-02T15:04:05.000Z"),
		Context: Context{Registration: sess.ID, Platform: "Simora"},
	}
	completed := true
	run := base
	run.ID = uuid.NewSHA1(session, []byte("completed")).String()
	run.Verb, run.Object = verb("completed"), scenario
	run.Result = Result{
		Score:   &Score{Scaled: float64(r.Overall) / 100, Raw: float64(r.Overall), Max: 100},
		Success: r.Overall >= w.Pass, Completion: &completed, Duration: duration(ended.Sub(sess.StartedAt)),
	}
	run.Context.Activities.Category = []Object{{Type: "Activity", ID: w.PublicURL + "/xapi/industries/" + url.PathEscape(string(sess.Scenario.Industry))}}
	list := []Statement{run}
	for _, c := range r.Criteria {
		if c.Verdict == sim.NotReached {
			continue
		}
		s := base
		s.ID = uuid.NewSHA1(session, []byte("criterion "+c.ID)).String()
		s.Verb = verb("scored")
		s.Object = Object{Type: "Activity", ID: scenario.ID + "/criteria/" + url.PathEscape(c.ID), Definition: &Definition{
			Type: vocabulary + "activities/objective", Name: Text{language: c.Title},
		}}
		s.Result = Result{Score: score(c), Success: c.Verdict == sim.Met, Extensions: map[string]any{w.PublicURL + "/xapi/verdict": c.Verdict}}
		s.Context.Activities.Parent = []Object{scenario}
		list = append(list, s)
	}
	body, err := json.Marshal(list)
	if err != nil {
		return nil, fmt.Errorf("encode statements: %w", err)
	}
	return body, nil
}

func (w Words) agent(session uuid.UUID, email string) Agent {
	a := Agent{Type: "Agent"}
	switch {
	case email != "" && w.Actor == Mbox:
		a.Mbox = "mailto:" + email
	case email != "" && w.Actor == MboxSHA1:
		sum := sha1.Sum([]byte("mailto:" + email)) //nolint:gosec // as above
		a.MboxSHA1 = hex.EncodeToString(sum[:])
	default:
		a.Account = &Account{HomePage: w.PublicURL, Name: uuid.NewSHA1(session, []byte("learner")).String()}
	}
	return a
}

func verb(name string) Verb {
	return Verb{ID: vocabulary + "verbs/" + name, Display: Text{language: name}}
}

// score is nil for a criterion that can earn nothing and cost nothing. Harm
// costs points: the least is then what it cost.
func score(c sim.CriterionResult) *Score {
	least, most := math.Min(0, c.Points), math.Max(c.MaxPoints, c.Points)
	span := math.Max(-least, most)
	if span == 0 {
		return nil
	}
	return &Score{Scaled: c.Points / span, Raw: c.Points, Min: least, Max: math.Max(most, 0)}
}

// duration is ISO 8601 with hundredths of a second, the precision that record
// stores compare.
func duration(d time.Duration) string {
	return fmt.Sprintf("PT%.2fS", math.Max(0, d.Seconds()))
}
