package session

import (
	"context"
	"fmt"

	"simora/server/observe"
	"simora/server/sim"
	"simora/server/store"
)

// CompleteInput names the run to end.
type CompleteInput struct {
	SessionID string `json:"sessionId"`
}

// Session names the run, for limits by session.
func (in CompleteInput) Session() string { return in.SessionID }

// Complete ends the run and returns its report. It may be called as often as
// one likes, for a day: the run is judged once. While a turn or another
// judgement is at work it waits.
//
// Errors: sim.ErrSessionNotFound, ErrSessionExpired, ErrTurnInProgress,
// ErrAIUnavailable.
func (s *Sessions) Complete(ctx context.Context, v Visitor, in CompleteInput) (sim.Report, error) {
	if !sim.IsID(in.SessionID) {
		return sim.Report{}, sim.ErrSessionNotFound
	}
	var sess store.Session
	err := await(ctx, sim.ErrTurnInProgress, func() (err error) {
		sess, err = s.Store.BeginReport(ctx, in.SessionID, s.Now())
		return err
	})
	if err != nil {
		return sim.Report{}, err
	}
	switch {
	case sess.Report != nil && !sess.StartedAt.After(s.Now().Add(-sim.CapabilityLife)):
		return sim.Report{}, sim.ErrSessionExpired
	case sess.Report != nil:
		return *sess.Report, nil
	}
	return s.judge(ctx, v, sess)
}

func (s *Sessions) judge(ctx context.Context, v Visitor, sess store.Session) (sim.Report, error) {
	ctx, end := observe.Step(ctx, "report")
	result := observe.Failed
	defer func() { end(result) }()
	ctx, cancel := step(ctx)
	defer cancel()
	committed := false
	defer func() {
		if !committed {
			s.release(ctx, sess)
		}
	}()
	c := sess.Conversation()
	c.Address = v.IP
	report, err := s.Judge.Judge(ctx, c)
	if err != nil {
		return sim.Report{}, sim.ErrAIUnavailable.Because(fmt.Errorf("judge: %w", err))
	}
	if err := report.Check(sess.Messages); err != nil {
		return sim.Report{}, fmt.Errorf("judge: %w", err)
	}
	events, err := s.Events.RunFinished(sess, report, s.Now())
	if err != nil {
		return sim.Report{}, err
	}
	err = observe.Try(ctx, "commit", func(ctx context.Context) error { return s.Store.CommitReport(ctx, sess, report, events...) })
	if err != nil {
		return sim.Report{}, err
	}
	committed, result = true, string(report.Engine)
	return report, nil
}
