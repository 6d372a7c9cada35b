package session

import (
	"context"
	"encoding/json"
	"fmt"

	"simora/server/mail"
	"simora/server/sim"
	"simora/server/store"
)

// ReportMailInput asks for the report of a completed session to be mailed.
type ReportMailInput struct {
	SessionID string `json:"sessionId"`
	UserEmail string `json:"userEmail"`
}

// Session names the run, for limits by session.
func (in ReportMailInput) Session() string { return in.SessionID }

// lettersPerRecipient is how many reports one address may get a day, over all
// sessions: our server is nobody's way to flood a mailbox.
const lettersPerRecipient = 3

// SendReport mails the stored report. It returns without error when the letter
// was handed over or is durably queued for another try; a permanent refusal is
// sim.ErrEmailFailed, and the visitor may then name another address.
//
// Further errors: sim.ErrSessionNotFound, ErrSessionNotCompleted,
// ErrSessionExpired, ErrOtherRecipient, ErrRateLimited, ErrKeyReused,
// validation_failed.
func (s *Sessions) SendReport(ctx context.Context, v Visitor, in ReportMailInput) error {
	to, err := mail.ParseAddress(in.UserEmail)
	if err != nil {
		return err
	}
	if !sim.IsID(in.SessionID) {
		return sim.ErrSessionNotFound
	}
	sess, err := s.Store.Session(ctx, in.SessionID)
	if err != nil {
		return err
	}
	now := s.Now()
	switch {
	case sess.Report == nil:
		return sim.ErrSessionNotCompleted
	case !sess.StartedAt.After(now.Add(-sim.CapabilityLife)):
		return sim.ErrSessionExpired
	}
	id := s.NewID()
	letter, err := s.Letters.Report(mail.ReportInput{
		To: to, ID: id, Scenario: sess.Scenario.Title, Slug: sess.Scenario.Slug, Date: sess.StartedAt,
		Report: *sess.Report, Messages: sess.Messages,
	})
	if err != nil {
		return err
	}
	events, err := s.Events.Named(sess, to, now)
	if err != nil {
		return err
	}
	response, err := json.Marshal(true)
	if err != nil {
		return fmt.Errorf("encode answer: %w", err)
	}
	once := store.NewOnce("send-report-email", sess.ID, v.IdempotencyKey, []byte(to))
	queued, replayed, err := s.Store.QueueReportMail(ctx, store.ReportMail{
		OutboxID: id, SessionID: sess.ID, Letter: letter, PerRecipient: lettersPerRecipient, Now: now,
		Once: once, Response: response, Events: events,
	})
	if err != nil || replayed != nil {
		return err
	}
	return s.deliver(ctx, queued, once)
}

// deliver makes the first attempt while the visitor waits. From here on the
// letter is safe in the outbox, whatever happens to the attempt.
func (s *Sessions) deliver(ctx context.Context, q store.Queued, once store.Once) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), mailDeadline)
	defer cancel()
	outcome, err := s.Mail.Deliver(ctx, q)
	if err != nil {
		// The lease runs out and the postman takes the letter up again.
		s.Log.ErrorContext(ctx, "letter not recorded", "outbox", q.ID, "error", err)
		return nil
	}
	if outcome != mail.Failed {
		return nil
	}
	if err := s.Store.Forget(ctx, once); err != nil {
		s.Log.ErrorContext(ctx, "kept answer not forgotten", "outbox", q.ID, "error", err)
	}
	return sim.ErrEmailFailed
}
