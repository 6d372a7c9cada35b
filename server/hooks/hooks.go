// Package hooks tells other systems what happens here: webhooks as the Standard
// Webhooks specification has them, and statements to a learning record store.
//
//	what happens ─▶ Events ─▶ rows, in the transaction that makes it true
//	                             └─▶ Sender ─▶ receiver ─▶ the log
//
// A delivery is made at least once, under one id. docs/integrations.md is the
// receivers' side of it.
package hooks

import (
	"encoding/json"
	"fmt"
	"time"

	"simora/server/sim"
	"simora/server/store"
	"simora/server/xapi"
)

// The events that a webhook can want, and the test that an admin sends.
const (
	ContactReceived = "contact.received"
	RunFinished     = "run.finished"
	ReportMailed    = "report.mailed"
	Test            = "test"
)

const statements = "xapi.statements"

// nameWait is how long statements wait for the address that a learner may leave
// behind a run. What is sent cannot be changed.
const nameWait = 30 * time.Minute

// Events words what happens.
type Events struct {
	Records *xapi.Words // nil: there is no learning record store
}

// message is the body that the specification recommends.
type message struct {
	Type string    `json:"type"`
	At   time.Time `json:"timestamp"`
	Data any       `json:"data"`
}

func body(name string, at time.Time, data any) ([]byte, error) {
	raw, err := json.Marshal(message{name, at.UTC().Truncate(time.Millisecond), data})
	if err != nil {
		return nil, fmt.Errorf("encode event %s: %w", name, err)
	}
	return raw, nil
}

type scenario struct {
	Slug     string `json:"slug"`
	Title    string `json:"title"`
	Industry string `json:"industry"`
}

type finishedRun struct {
	SessionID   string         `json:"sessionId"`
	Scenario    scenario       `json:"scenario"`
	StartedAt   time.Time      `json:"startedAt"`
	CompletedAt time.Time      `json:"completedAt"`
	Turns       int            `json:"turns"`
	Score       int            `json:"score"`
	Dimensions  map[string]int `json:"dimensions"`
}

// RunFinished tells of a run that has its report.
func (e Events) RunFinished(sess store.Session, r sim.Report, at time.Time) ([]store.Event, error) {
	ended := at
	if sess.CompletedAt != nil {
		ended = *sess.CompletedAt
	}
	told, err := body(RunFinished, at, finishedRun{
		SessionID: sess.ID, Scenario: scenario{sess.Scenario.Slug, sess.Scenario.Title, string(sess.Scenario.Industry)},
		StartedAt: sess.StartedAt, CompletedAt: ended, Turns: sess.TurnCount, Score: r.Overall, Dimensions: r.Dimensions,
	})
	if err != nil {
		return nil, err
	}
	list := []store.Event{{ID: RunFinished + " " + sess.ID, Name: RunFinished, Subject: sess.ID, At: at, Body: told}}
	if e.Records == nil {
		return list, nil
	}
	records, err := e.statements(sess, r, at, "")
	if e.Records.Actor != xapi.Pseudonym {
		records.Due = at.Add(nameWait)
	}
	return append(list, records), err
}

// Named puts the address that a learner left into statements that have not been
// sent. None when there is no record store, or it is told pseudonyms.
func (e Events) Named(sess store.Session, email string, at time.Time) ([]store.Event, error) {
	if e.Records == nil || e.Records.Actor == xapi.Pseudonym || sess.Report == nil {
		return nil, nil
	}
	records, err := e.statements(sess, *sess.Report, at, email)
	return []store.Event{records}, err
}

func (e Events) statements(sess store.Session, r sim.Report, at time.Time, email string) (store.Event, error) {
	ended := at
	if sess.CompletedAt != nil {
		ended = *sess.CompletedAt
	}
	list, err := e.Records.Statements(sess, r, ended, email)
	return store.Event{ID: statements + " " + sess.ID, Name: statements, Subject: sess.ID, To: store.RecordStore, At: at, Body: list}, err
}

type receivedContact struct {
	ID         string    `json:"messageId"`
	ReceivedAt time.Time `json:"receivedAt"`
	Reason     string    `json:"reason"`
	*store.ContactBody
}

// ContactReceived tells of a contact message; none of what a machine seems to
// have written.
func (e Events) ContactReceived(m store.ContactMessage) ([]store.Event, error) {
	if m.Suspicious {
		return nil, nil
	}
	data := receivedContact{ID: m.ID, ReceivedAt: m.ReceivedAt, Reason: m.Reason}
	plain, err := body(ContactReceived, m.ReceivedAt, data)
	if err != nil {
		return nil, err
	}
	data.ContactBody = &m.ContactBody
	personal, err := body(ContactReceived, m.ReceivedAt, data)
	return []store.Event{{ID: ContactReceived + " " + m.ID, Name: ContactReceived, Subject: m.ID, At: m.ReceivedAt, Body: plain, Personal: personal}}, err
}

type mailedReport struct {
	SessionID string    `json:"sessionId"`
	MailedAt  time.Time `json:"mailedAt"`
	Recipient string    `json:"recipient,omitempty"`
}

// LetterSent tells of a report that was handed over to the mail server; of no
// other letter.
func (e Events) LetterSent(q store.Queued, at time.Time) ([]store.Event, error) {
	if q.Kind != "report" {
		return nil, nil
	}
	data := mailedReport{SessionID: q.SessionID, MailedAt: at}
	plain, err := body(ReportMailed, at, data)
	if err != nil {
		return nil, err
	}
	data.Recipient = q.Letter.To
	personal, err := body(ReportMailed, at, data)
	return []store.Event{{ID: ReportMailed + " " + q.ID, Name: ReportMailed, Subject: q.SessionID, At: at, Body: plain, Personal: personal}}, err
}

// Ping is a test for one hook.
func Ping(id, hook string, at time.Time) (store.Event, error) {
	told, err := body(Test, at, struct {
		Note string `json:"note"`
	}{"An admin sent this to see whether it arrives."})
	return store.Event{ID: Test + " " + id, Name: Test, To: hook, At: at, Body: told}, err
}
