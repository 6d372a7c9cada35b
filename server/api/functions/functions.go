// Package functions is the room of /functions/v1: typed calls that hand over
// to the product.
package functions

import (
	"context"

	"simora/server/console"
	"simora/server/contact"
	"simora/server/health"
	"simora/server/privacy"
	"simora/server/session"
	"simora/server/sim"
	"simora/server/wire"
)

// Functions are the calls.
type Functions struct {
	Sessions     *session.Sessions
	Contact      *contact.Messages
	Console      *console.Console
	Integrations *console.Integrations
	Health       *health.Watch
	Rights       *privacy.Rights
	Claims       *privacy.Claims
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

// SessionTurnAloud takes one learner message and says the reply as it comes.
func (f Functions) SessionTurnAloud(ctx context.Context, c wire.Caller, in session.TurnInput, say func(string)) (session.TurnOutput, error) {
	return f.Sessions.TurnAloud(ctx, visitor(c), in, say)
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

// The console's calls. Their answers have the names of the published surface.

// sightOf is what the caller may see of people.
func sightOf(c wire.Caller) console.Sight { return console.Sight(c.Admin()) }

// AdminGetScenarios lists all scenarios.
func (f Functions) AdminGetScenarios(ctx context.Context, c wire.Caller, _ struct{}) (map[string]any, error) {
	list, err := f.Console.Scenarios(ctx, sightOf(c))
	return map[string]any{"scenarios": list, "modelConnected": f.Console.ModelStatus() != nil}, err
}

// AdminCreateScenario stores a new one.
func (f Functions) AdminCreateScenario(ctx context.Context, _ wire.Caller, in console.ScenarioInput) (map[string]any, error) {
	sc, err := f.Console.CreateScenario(ctx, in)
	return map[string]any{"scenario": sc}, err
}

// AdminUpdateScenario changes one.
func (f Functions) AdminUpdateScenario(ctx context.Context, _ wire.Caller, in console.ScenarioInput) (map[string]any, error) {
	sc, err := f.Console.UpdateScenario(ctx, in)
	return map[string]any{"scenario": sc}, err
}

// AdminDeleteScenario removes one.
func (f Functions) AdminDeleteScenario(ctx context.Context, _ wire.Caller, in console.IDInput) (Success, error) {
	return Success{true}, f.Console.DeleteScenario(ctx, in)
}

// AdminGetSessions lists sessions.
func (f Functions) AdminGetSessions(ctx context.Context, c wire.Caller, in console.SessionsInput) (console.SessionList, error) {
	return f.Console.Sessions(ctx, in, sightOf(c))
}

// AdminExportSessions writes them as CSV.
func (f Functions) AdminExportSessions(ctx context.Context, _ wire.Caller, in console.SessionsInput) (map[string]string, error) {
	text, err := f.Console.Export(ctx, in)
	return map[string]string{"csv": text}, err
}

// AdminGetSessionDetail shows one session whole.
func (f Functions) AdminGetSessionDetail(ctx context.Context, c wire.Caller, in console.DetailInput) (map[string]any, error) {
	d, err := f.Console.SessionDetail(ctx, in, sightOf(c))
	return map[string]any{"session": d}, err
}

// AdminGetOverview sums up a period.
func (f Functions) AdminGetOverview(ctx context.Context, c wire.Caller, in console.PeriodInput) (console.Overview, error) {
	return f.Console.Overview(ctx, in, sightOf(c))
}

// AdminGetContactMessages lists contact messages.
func (f Functions) AdminGetContactMessages(ctx context.Context, _ wire.Caller, _ struct{}) (map[string]any, error) {
	list, err := f.Console.ContactMessages(ctx)
	return map[string]any{"messages": list}, err
}

// AdminExportContactMessages writes them as CSV.
func (f Functions) AdminExportContactMessages(ctx context.Context, _ wire.Caller, _ struct{}) (map[string]string, error) {
	text, err := f.Console.ExportContactMessages(ctx)
	return map[string]string{"csv": text}, err
}

// AdminMarkContactMessage marks one as answered.
func (f Functions) AdminMarkContactMessage(ctx context.Context, _ wire.Caller, in console.AnsweredInput) (Success, error) {
	return Success{true}, f.Console.MarkAnswered(ctx, in)
}

// AdminArrangeGallery gives an industry's gallery a new order at once.
func (f Functions) AdminArrangeGallery(ctx context.Context, _ wire.Caller, in console.ArrangeInput) (Success, error) {
	return Success{true}, f.Console.ArrangeGallery(ctx, in)
}

// AdminPreview plays a draft without storing anything.
func (f Functions) AdminPreview(ctx context.Context, _ wire.Caller, in console.PreviewInput) (console.Preview, error) {
	return f.Console.Preview(ctx, in)
}

// AdminGetAudit lists the audit log.
func (f Functions) AdminGetAudit(ctx context.Context, _ wire.Caller, in console.AuditInput) (console.AuditPage, error) {
	return f.Console.Audit(ctx, in)
}

// AdminExportAudit writes it as CSV.
func (f Functions) AdminExportAudit(ctx context.Context, _ wire.Caller, in console.AuditInput) (map[string]string, error) {
	text, err := f.Console.ExportAudit(ctx, in)
	return map[string]string{"csv": text}, err
}

// AdminVerifyAudit looks for signs of tampering.
func (f Functions) AdminVerifyAudit(ctx context.Context, _ wire.Caller, _ struct{}) (console.AuditVerification, error) {
	return f.Console.VerifyAudit(ctx)
}
