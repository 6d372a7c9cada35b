// Package llm lets a language model behind any OpenAI-compatible endpoint play
// the virtual human and judge the run, on a short leash:
//
//	                 ┌─ usable ──▶ the model's words, the engine's state
//	turn ─▶ model ───┤
//	                 └─ slow, down, over budget, nonsense ──▶ the built-in engine
//
// The built-in engine always decides what happens: what the character knows and
// tells, how it is, when the run ends. The model only finds the words. The
// judge's findings count where code finds their quotes in the transcript; all
// numbers are computed by package score.
//
// What a learner writes and what a model answers are both hostile input.
package llm

import (
	"errors"
	"fmt"
	"log/slog"
	"time"

	openai "github.com/sashabaranov/go-openai"

	"simora/server/outbound"
	"simora/server/sim"
	"simora/server/store"
)

// Deadline is how long one request may take, and all for one answer together.
// The session gives up after 20 s, so an answer of the built-in engine must
// still fit in behind Overall.
type Deadline struct{ Attempt, Overall time.Duration }

// The usual deadlines.
var (
	ReplyDeadline = Deadline{8 * time.Second, 15 * time.Second}
	JudgeDeadline = Deadline{16 * time.Second, 17 * time.Second}
)

// DefaultConcurrency is how many requests are at work at once.
const DefaultConcurrency = 8

// Options are all a Client needs. The zero value of the last four means the
// usual.
type Options struct {
	BaseURL string // up to and including the version, such as https://api.openai.com/v1
	APIKey  string // may be empty for a server of one's own
	Model   string
	Budget  Budget
	Books   *store.Store // where the budget is counted
	Log     *slog.Logger
	Now     func() time.Time

	Reply, Judge Deadline
	Concurrency  int
	Network      *outbound.Network // the way to the endpoint; nil: one with this endpoint only
}

// Client speaks with the endpoint within its deadlines and budgets. It is safe
// for concurrent use.
type Client struct {
	api     *openai.Client
	model   string
	breaker *breaker
	ledger  *ledger
	slots   chan struct{}
	log     *slog.Logger

	reply, judge Deadline
}

// New prepares a client. Nothing is sent yet.
func New(o Options) (*Client, error) {
	if o.BaseURL == "" || o.Model == "" {
		return nil, errors.New("a language model needs a base URL and a model name")
	}
	if o.Log == nil || o.Now == nil || o.Books == nil {
		return nil, errors.New("a language model needs a log, a clock and books for its budget")
	}
	if o.Reply == (Deadline{}) {
		o.Reply = ReplyDeadline
	}
	if o.Judge == (Deadline{}) {
		o.Judge = JudgeDeadline
	}
	if o.Concurrency == 0 {
		o.Concurrency = DefaultConcurrency
	}
	if o.Concurrency < 0 {
		return nil, fmt.Errorf("%d requests at once are not possible", o.Concurrency)
	}
	if o.Network == nil {
		link, err := Link(o.BaseURL)
		if err != nil {
			return nil, err
		}
		o.Network = outbound.New(nil, link)
	}
	config := openai.DefaultConfig(o.APIKey)
	config.BaseURL = o.BaseURL
	config.HTTPClient = httpClient(o.Network.Transport())
	return &Client{
		api: openai.NewClientWithConfig(config), model: o.Model, breaker: &breaker{now: o.Now}, ledger: &ledger{budget: o.Budget, now: o.Now, books: o.Books, log: o.Log},
		slots: make(chan struct{}, o.Concurrency), log: o.Log, reply: o.Reply, judge: o.Judge,
	}, nil
}

// Status reports whether the model would be asked now.
func (c *Client) Status() sim.ModelStatus {
	s := c.ledger.status()
	s.Model = c.model
	if s.Available && c.breaker.open() {
		s.Available, s.Reason = false, string(breakerOpen)
	}
	return s
}
