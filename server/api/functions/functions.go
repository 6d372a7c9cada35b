// Package functions is the room of /functions/v1: typed calls that hand over
// to the product.
package functions

import (
	"context"

	"simora/server/contact"
	"simora/server/session"
	"simora/server/sim"
	"simora/server/wire"
)

// Functions are the calls.
type Functions struct {
	Sessions *session.Sessions
	Contact  *contact.Messages
}

// Success is the answer of a call that has nothing else to tell.
type Success struct {
	Success bool `json:"success"`
}

func visitor(c wire.Caller) session.Visitor {
	return session.Visitor{IP: c.Address, UserAgent: c.UserAgent, Admin: c.Admin(), IdempotencyKey: c.IdempotencyKey}
}

// SessionStart starts a run.
func (f Functions) SessionStart(ctx context.Context, c wire.Caller, in session.StartInput) (session.Started, error) {
	return f.Sessions.Start(ctx, visitor(c), in)
}

// SessionTurn takes one learner message.
func (f Functions) SessionTurn(ctx context.Context, c wire.Caller, in session.TurnInput) (session.TurnOutput, error) {
	return f.Sessions.Turn(ctx, visitor(c), in)
}

// SessionComplete ends a run and returns its report.
func (f Functions) SessionComplete(ctx context.Context, c wire.Caller, in session.CompleteInput) (sim.Report, error) {
	return f.Sessions.Complete(ctx, visitor(c), in)
}

// SendReportEmail mails the stored report.
func (f Functions) SendReportEmail(ctx context.Context, c wire.Caller, in session.ReportMailInput) (Success, error) {
	return Success{true}, f.Sessions.SendReport(ctx, visitor(c), in)
}

// SendContactEmail stores a contact message and mails it to the company.
func (f Functions) SendContactEmail(ctx context.Context, c wire.Caller, in contact.Input) (Success, error) {
	return Success{true}, f.Contact.Send(ctx, c.IdempotencyKey, in)
}
