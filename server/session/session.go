// Package session is the story of a run, told step by step:
//
//	Start ──▶ Turn … Turn ──▶ Complete ──▶ SendReport
//
// Each step leases the session, lets an engine work without any transaction
// open, and commits only while the lease still holds.
package session

import (
	"context"
	"log/slog"
	"time"

	"simora/server/hooks"
	"simora/server/mail"
	"simora/server/observe"
	"simora/server/sim"
	"simora/server/store"
)

// Partner plays the virtual human. The same conversation always gets the same
// answer.
type Partner interface {
	Open(ctx context.Context, sc sim.Scenario, seed uint64) (sim.Opening, error)
	Reply(ctx context.Context, c sim.Conversation) (sim.Reply, error)
}

// Aloud is a Partner that can be heard while it speaks: the parts that say is
// called with are the reply's text when joined.
type Aloud interface {
	Speak(ctx context.Context, c sim.Conversation, say func(part string)) (sim.Reply, error)
}

// Judge scores a finished run. Every award quotes the transcript.
type Judge interface {
	Judge(ctx context.Context, c sim.Conversation) (sim.Report, error)
}

const (
	engineDeadline = 20 * time.Second // for one reply or one judgement
	waitForTwin    = 8 * time.Second  // for the same request that is already at work
	mailDeadline   = 5 * time.Second  // for handing a letter over while the visitor waits
	pollTwin       = 50 * time.Millisecond
	releaseTime    = 2 * time.Second
)

// Sessions runs them. All fields but Locate are required.
type Sessions struct {
	Store   *store.Store
	Partner Partner
	Judge   Judge
	Mail    *mail.Postman
	Letters mail.Letters
	Log     *slog.Logger
	Now     func() time.Time
	NewID   func() string // a random UUID
	NewSeed func() uint64
	Events  hooks.Events // words what other systems are told

	// Locate tells roughly where an address is; nil: nobody knows.
	Locate func(address string) (city, country string)
}

// Visitor is who asks, as the server knows it.
type Visitor struct {
	IP             string
	UserAgent      string
	Admin          bool   // may start private scenarios
	IdempotencyKey string // empty: none
}

// step detaches the work of an accepted request from its connection: a visitor
// who goes away does not leave half a turn behind.
func step(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), engineDeadline)
}

// await calls try until it stops failing with busy, or the wait is over.
func await(ctx context.Context, busy *sim.Error, try func() error) error {
	ctx, cancel := context.WithTimeout(ctx, waitForTwin)
	defer cancel()
	tick := time.NewTicker(pollTwin)
	defer tick.Stop()
	for {
		err := try()
		if err == nil || !isBusy(err, busy) {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return err
		}
	}
}

func isBusy(err error, busy *sim.Error) bool { return busy.Is(sim.AsError(err)) }

// refusedOr is a step's result: refused is the visitor's error, failed is ours.
func refusedOr(err error, ok string) string {
	switch {
	case err == nil:
		return ok
	case sim.AsError(err).Kind == sim.Internal, sim.AsError(err).Kind == sim.Unavailable, sim.AsError(err).Kind == sim.Upstream:
		return observe.Failed
	}
	return "refused"
}

// release gives the lease back after a failure, also one of having used up all
// the time; if that fails too, the lease runs out by itself.
func (s *Sessions) release(ctx context.Context, sess store.Session) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTime)
	defer cancel()
	if err := s.Store.Release(ctx, sess); err != nil {
		s.Log.WarnContext(ctx, "lease not given back", "error", err)
	}
}
