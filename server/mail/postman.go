package mail

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"simora/server/hooks"
	"simora/server/observe"
	"simora/server/store"
)

// Outcome of one attempt.
type Outcome int

// What can become of a letter.
const (
	Sent   Outcome = iota // handed over
	Later                 // in the queue, to be tried again
	Failed                // given up
)

func (o Outcome) String() string { return [...]string{"sent", "later", observe.Failed}[o] }

const (
	attemptTime = 90 * time.Second // for one attempt in the background; less than the store's lease
	idleLook    = time.Minute      // how often the queue is looked at without being told
	giveUpAfter = 5 * 24 * time.Hour
	recordTime  = 5 * time.Second
)

// waits before each further attempt; the last one repeats. RFC 5321 §4.5.4.1
// asks for at least 30 minutes in general and a few quick tries at first.
var waits = []time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute, 30 * time.Minute, time.Hour}

// Postman takes letters out of the outbox. Several may work on one outbox.
type Postman struct {
	store  *store.Store
	sender Sender
	now    func() time.Time
	log    *slog.Logger
	wake   chan struct{}

	Events hooks.Events // words what other systems are told
}

// NewPostman returns one that hands letters to sender.
func NewPostman(s *store.Store, sender Sender, now func() time.Time, log *slog.Logger) *Postman {
	return &Postman{store: s, sender: sender, now: now, log: log, wake: make(chan struct{}, 1)}
}

// Wake has Run look at the outbox at once.
func (p *Postman) Wake() {
	select {
	case p.wake <- struct{}{}:
	default: // it is about to look
	}
}

// Deliver makes one attempt with a letter that the caller has leased, and
// records what became of it. When ctx ends first the letter stays queued.
func (p *Postman) Deliver(ctx context.Context, q store.Queued) (outcome Outcome, err error) {
	ctx, end := observe.Step(ctx, "letter")
	defer func() { end(outcome.String()) }()
	err = p.sender.Send(ctx, q.Letter)
	// The record must be made even when the caller has run out of time.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTime)
	defer cancel()
	var refused *Refused
	switch {
	case err == nil:
		return Sent, p.sent(ctx, q)
	case errors.As(err, &refused):
		p.log.WarnContext(ctx, "letter refused", "outbox", q.ID, "kind", q.Kind, "reason", refused.Reason)
		return Failed, p.store.MailFailed(ctx, q, refused.Reason)
	case p.now().Sub(q.CreatedAt) > giveUpAfter:
		p.log.WarnContext(ctx, "letter given up", "outbox", q.ID, "kind", q.Kind, "attempts", q.Attempts, "error", err)
		return Failed, p.store.MailFailed(ctx, q, "given up: "+err.Error())
	}
	p.log.InfoContext(ctx, "letter put off", "outbox", q.ID, "kind", q.Kind, "attempts", q.Attempts, "error", err)
	wait := waits[min(q.Attempts, len(waits))-1]
	return Later, p.store.MailLater(ctx, q, err.Error(), p.now().Add(wait))
}

func (p *Postman) sent(ctx context.Context, q store.Queued) error {
	events, err := p.Events.LetterSent(q, p.now())
	if err != nil {
		return err
	}
	return p.store.MailSent(ctx, q, p.now(), events...)
}

// Run works through the outbox until ctx ends.
func (p *Postman) Run(ctx context.Context) {
	for ctx.Err() == nil {
		if err := p.Drain(ctx); err != nil && ctx.Err() == nil {
			p.log.ErrorContext(ctx, "outbox", "error", err)
		}
		timer := time.NewTimer(p.pause(ctx))
		select {
		case <-timer.C:
		case <-p.wake:
		case <-ctx.Done():
		}
		timer.Stop()
	}
}

// pause is the time until the next letter is due, at most idleLook: another
// process may queue one without telling us.
func (p *Postman) pause(ctx context.Context) time.Duration {
	due, ok, err := p.store.NextMailDue(ctx)
	if err != nil || !ok {
		return idleLook
	}
	return min(max(due.Sub(p.now()), 100*time.Millisecond), idleLook)
}

// Drain delivers every letter that is due now.
func (p *Postman) Drain(ctx context.Context) error {
	for ctx.Err() == nil {
		q, ok, err := p.store.ClaimMail(ctx, p.now())
		if err != nil || !ok {
			return err
		}
		attempt, cancel := context.WithTimeout(ctx, attemptTime)
		_, err = p.Deliver(attempt, q)
		cancel()
		if err != nil {
			return err
		}
	}
	return nil
}
