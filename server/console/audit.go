package console

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"simora/server/sim"
	"simora/server/store"
)

const auditPage = 100

// AuditInput chooses entries of the audit log. Without anything it is the
// newest hundred.
type AuditInput struct {
	Action string `json:"action"`
	Actor  string `json:"actor"` // a user's id, or a kind of actor
	From   string `json:"from"`  // YYYY-MM-DD, UTC
	To     string `json:"to"`    // the last day included
	Before int64  `json:"before"`
}

// AuditEntry is one as listed.
type AuditEntry struct {
	Seq     int64             `json:"seq"`
	At      time.Time         `json:"at"`
	Kind    sim.ActorKind     `json:"actor_kind"`
	ActorID string            `json:"actor_id"`
	Email   string            `json:"actor_email"` // empty when the user is gone
	Address string            `json:"address"`
	Action  sim.Action        `json:"action"`
	Object  string            `json:"object"`
	Result  sim.Result        `json:"result"`
	Detail  map[string]string `json:"detail"`
	Erased  bool              `json:"erased"` // the detail is gone with the person it was about
}

// AuditVerification is when the log was looked at last, and what was found.
type AuditVerification struct {
	At       time.Time `json:"at"`
	Whole    bool      `json:"whole"`
	Entries  int64     `json:"entries"`
	Problems []string  `json:"problems"` // only of a verification that was just made
}

// AuditPerson is somebody who has an account.
type AuditPerson struct {
	ID    string `json:"id"`
	Email string `json:"email"`
}

// AuditPage is a part of the log, the newest entry first.
type AuditPage struct {
	Entries  []AuditEntry       `json:"entries"`
	Next     *int64             `json:"next"` // what Before has to be for the next page; null: there is none
	Actions  []sim.Action       `json:"actions"`
	People   []AuditPerson      `json:"people"`
	Verified *AuditVerification `json:"verified"`
}

func (in AuditInput) filter() (f store.AuditFilter, err error) {
	f = store.AuditFilter{Action: sim.Action(in.Action), Actor: sim.Cut(in.Actor, maxTitle), Before: in.Before, Limit: auditPage}
	if in.Action != "" && !f.Action.Known() {
		return f, sim.ValidationFailed("action: there is no such action")
	}
	if f.From, err = day(in.From, 0); err != nil {
		return f, err
	}
	f.To, err = day(in.To, 1)
	return f, err
}

// Audit lists entries of the audit log.
func (c *Console) Audit(ctx context.Context, in AuditInput) (AuditPage, error) {
	f, err := in.filter()
	if err != nil {
		return AuditPage{}, err
	}
	f.Limit++
	found, err := c.Store.AuditEntries(ctx, f)
	if err != nil {
		return AuditPage{}, err
	}
	page := AuditPage{Entries: []AuditEntry{}, Actions: sim.Actions(), People: []AuditPerson{}}
	if len(found) == f.Limit {
		found = found[:auditPage]
		page.Next = &found[auditPage-1].Seq
	}
	for _, e := range found {
		page.Entries = append(page.Entries, AuditEntry{
			Seq: e.Seq, At: e.At.UTC(), Kind: e.Actor.Kind, ActorID: e.Actor.ID, Email: e.Email, Address: e.Actor.Address,
			Action: e.Action, Object: e.Object, Result: e.Result, Detail: e.Detail, Erased: e.Erased,
		})
	}
	users, err := c.Store.Users(ctx)
	if err != nil {
		return AuditPage{}, err
	}
	for _, u := range users {
		page.People = append(page.People, AuditPerson{ID: u.ID, Email: u.Email})
	}
	last, err := c.Trail.LastVerified(ctx)
	if err != nil {
		return AuditPage{}, err
	}
	if last != nil {
		page.Verified = &AuditVerification{At: last.At, Whole: last.Whole, Entries: last.Entries, Problems: []string{}}
	}
	return page, c.Store.Audit(ctx, in.event(sim.AuditViewed))
}

func (in AuditInput) event(action sim.Action) sim.Event {
	e := sim.Event{Action: action, Object: "audit log", Detail: map[string]string{}}
	for name, value := range map[string]string{"action": in.Action, "actor": sim.Cut(in.Actor, maxTitle), "from": in.From, "to": in.To} {
		if value != "" {
			e.Detail[name] = value
		}
	}
	return e
}

// ExportAudit is what Audit chooses, without pages, as CSV.
func (c *Console) ExportAudit(ctx context.Context, in AuditInput) (string, error) {
	f, err := in.filter()
	if err != nil {
		return "", err
	}
	f.Before, f.Limit = 0, mostExport
	found, err := c.Store.AuditEntries(ctx, f)
	if err != nil {
		return "", err
	}
	lines := [][]string{{"entry", "at", "actor", "actor_id", "email", "address", "action", "object", "result", "detail"}}
	for _, e := range found {
		detail, err := json.Marshal(e.Detail)
		if err != nil {
			return "", fmt.Errorf("encode detail: %w", err)
		}
		if e.Erased {
			detail = []byte("erased")
		}
		lines = append(lines, []string{strconv.FormatInt(e.Seq, 10), moment(e.At), string(e.Actor.Kind), e.Actor.ID, e.Email, e.Actor.Address,
			string(e.Action), e.Object, string(e.Result), string(detail)})
	}
	if err := c.Store.Audit(ctx, in.event(sim.AuditExported)); err != nil {
		return "", err
	}
	return table(lines)
}

// VerifyAudit looks at the whole log now.
func (c *Console) VerifyAudit(ctx context.Context) (AuditVerification, error) {
	check, err := c.Trail.Verify(ctx)
	if err != nil {
		return AuditVerification{}, err
	}
	v := AuditVerification{At: c.Now().UTC(), Whole: len(check.Problems) == 0, Entries: max(0, check.Last-check.First+1), Problems: []string{}}
	for _, p := range check.Problems {
		v.Problems = append(v.Problems, p.String())
	}
	return v, nil
}
