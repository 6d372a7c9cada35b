package session

import (
	"context"
	"encoding/json"
	"fmt"

	"simora/server/observe"
	"simora/server/sim"
	"simora/server/store"
)

// BrowserMeta is what the page says about the browser. Hostile text.
type BrowserMeta struct {
	Width     int    `json:"width"`
	Height    int    `json:"height"`
	Language  string `json:"language"`
	UserAgent string `json:"userAgent"`
}

// StartInput asks for a new run.
type StartInput struct {
	ScenarioSlug string      `json:"scenarioSlug"`
	BrowserMeta  BrowserMeta `json:"browserMeta"`
}

// Started is all that a page needs to show the run.
type Started struct {
	SessionID        string        `json:"sessionId"`
	ScenarioTitle    string        `json:"scenarioTitle"`
	ShortDescription string        `json:"shortDescription"`
	FirstMessage     string        `json:"firstMessage"`
	MaxTurns         int           `json:"maxTurns"`
	Character        sim.Character `json:"character"`
	sim.Demeanour
}

// Start stores a new run of a public scenario (an admin may also start a
// private one).
//
// Errors: sim.ErrScenarioNotFound, ErrKeyReused, bad_request.
func (s *Sessions) Start(ctx context.Context, v Visitor, in StartInput) (Started, error) {
	if in.ScenarioSlug == "" {
		return Started{}, sim.BadRequest("scenarioSlug is required")
	}
	if !validPixels(in.BrowserMeta.Width) || !validPixels(in.BrowserMeta.Height) {
		return Started{}, sim.BadRequest("browserMeta: width and height must be between 0 and 100000")
	}
	if !sim.IsSlug(in.ScenarioSlug) {
		return Started{}, sim.ErrScenarioNotFound
	}
	sc, version, err := s.Store.ScenarioBySlug(ctx, in.ScenarioSlug, v.Admin)
	if err != nil {
		return Started{}, err
	}
	ctx, end := observe.Step(ctx, "start")
	result := observe.Failed
	defer func() { end(result) }()
	seed := s.NewSeed()
	opening, err := s.Partner.Open(ctx, sc, seed)
	if err != nil {
		return Started{}, sim.ErrAIUnavailable.Because(fmt.Errorf("open scenario %s: %w", sc.Slug, err))
	}
	out := Started{
		SessionID: s.NewID(), ScenarioTitle: sc.Title, ShortDescription: sc.ShortDescription,
		FirstMessage: opening.Message, MaxTurns: sc.TurnLimit(), Character: opening.Character, Demeanour: withVitals(opening.Demeanour),
	}
	response, err := json.Marshal(out)
	if err != nil {
		return Started{}, fmt.Errorf("encode start: %w", err)
	}
	replayed, err := s.Store.CreateSession(ctx, store.NewSession{
		ID: out.SessionID, Scenario: sc, Version: version, Seed: seed, Opening: opening, Visitor: s.storedVisitor(v, in.BrowserMeta), StartedAt: s.Now(),
	}, store.NewOnce("session-start", "", v.IdempotencyKey, []byte(in.ScenarioSlug)), response)
	if err != nil {
		result = refusedOr(err, "")
		return Started{}, err
	}
	if result = "ok"; replayed != nil {
		result = "replayed"
	}
	return answer(out, replayed)
}

func validPixels(n int) bool { return n >= 0 && n <= sim.MaxScreenPixels }

func (s *Sessions) storedVisitor(v Visitor, m BrowserMeta) store.Visitor {
	agent := v.UserAgent
	if agent == "" {
		agent = m.UserAgent
	}
	var city, country string
	if s.Locate != nil {
		city, country = s.Locate(v.IP)
	}
	return store.Visitor{
		City: city, Country: country, IP: v.IP, UserAgent: sim.Cut(agent, sim.MaxMetaBytes), Language: sim.Cut(m.Language, sim.MaxMetaBytes),
		Width: m.Width, Height: m.Height,
	}
}

// withVitals makes sure that a page always gets a list.
func withVitals(d sim.Demeanour) sim.Demeanour {
	if d.Vitals == nil {
		d.Vitals = []sim.Vital{}
	}
	return d
}

// answer is out, or what an earlier request with the same key was told.
func answer[T any](out T, replayed []byte) (T, error) {
	if replayed == nil {
		return out, nil
	}
	var earlier T
	if err := json.Unmarshal(replayed, &earlier); err != nil {
		return out, fmt.Errorf("decode kept answer: %w", err)
	}
	return earlier, nil
}
