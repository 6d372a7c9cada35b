// Package contact takes the messages that visitors write through the contact
// form: checked, stored, and told to the company by mail.
//
//	Input ─▶ schema ─▶ store (message and letter) ─▶ first attempt to mail it
package contact

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"time"
	"unicode"

	"simora/server/hooks"
	"simora/server/mail"
	"simora/server/sim"
	"simora/server/store"
)

// Messages takes contact messages.
type Messages struct {
	Store   *store.Store
	Mail    *mail.Postman
	Letters mail.Letters
	To      string // the company's mailbox
	Log     *slog.Logger
	Now     func() time.Time
	NewID   func() string

	Events hooks.Events // words what other systems are told
}

// Input is the form.
type Input struct {
	Name         string  `json:"name"`
	Email        string  `json:"email"`
	Organization *string `json:"organization"` // absent, null and empty are the same
	Reason       string  `json:"reason"`
	Message      string  `json:"message"`
	Reference    string  `json:"reference"` // a field that people do not see
}

// mailDeadline is how long the visitor waits for the first attempt to mail the
// message; it is stored before.
const mailDeadline = 15 * time.Second

// Send stores the message and mails it to the company. It returns without
// error when the message is stored and its letter was handed over or waits in
// the outbox. sim.ErrEmailFailed says that the company's mail server refused
// the letter; the message is stored all the same.
//
// What a machine seems to have written is stored, marked, and not mailed.
//
// Further errors: validation_failed, sim.ErrKeyReused.
func (m *Messages) Send(ctx context.Context, idempotencyKey string, in Input) error {
	message, err := in.check()
	if err != nil {
		return err
	}
	message.ID, message.ReceivedAt = m.NewID(), m.Now()
	letter, err := m.Letters.Contact(mail.ContactInput{To: m.To, Message: message})
	if err != nil {
		return err
	}
	request, err := json.Marshal(in)
	if err != nil {
		return fmt.Errorf("encode request: %w", err)
	}
	events, err := m.Events.ContactReceived(message)
	if err != nil {
		return err
	}
	queued, replayed, err := m.Store.AddContact(ctx, store.NewContact{
		Message: message, Letter: letter, Once: store.NewOnce("send-contact-email", "", idempotencyKey, request), Response: []byte(message.ID),
		Events: events,
	})
	if err != nil || message.Suspicious {
		return err
	}
	if replayed != nil {
		return m.repeat(ctx, string(replayed))
	}
	return m.deliver(ctx, queued)
}

// repeat says again what became of a message.
func (m *Messages) repeat(ctx context.Context, id string) error {
	refused, err := m.Store.ContactRefused(ctx, id)
	if err == nil && refused {
		return sim.ErrEmailFailed
	}
	return err
}

// deliver makes the first attempt while the visitor waits.
func (m *Messages) deliver(ctx context.Context, q store.Queued) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), mailDeadline)
	defer cancel()
	outcome, err := m.Mail.Deliver(ctx, q)
	if err != nil {
		// The lease runs out and the postman takes the letter up again.
		m.Log.ErrorContext(ctx, "letter not recorded", "outbox", q.ID, "error", err)
		return nil
	}
	if outcome == mail.Failed {
		return sim.ErrEmailFailed
	}
	return nil
}

// check normalises the form and holds it to the schema.
func (in Input) check() (store.ContactMessage, error) {
	organization := ""
	if in.Organization != nil {
		organization = *in.Organization
	}
	body := store.ContactBody{Name: line(in.Name), Email: line(in.Email), Organization: line(organization), Message: clean(in.Message)}
	reason := strings.TrimSpace(in.Reason)
	wrong, err := wrongFields(map[string]any{
		"name": body.Name, "email": body.Email, "organization": body.Organization, "reason": reason, "message": body.Message,
	})
	if err != nil {
		return store.ContactMessage{}, err
	}
	// The address is judged as it came: one that has to be cleaned is none.
	if body.Email, err = mail.ParseAddress(in.Email); err != nil {
		wrong["email"] = true
	}
	if len(wrong) > 0 {
		return store.ContactMessage{}, sim.ValidationFailed(complaint(wrong))
	}
	return store.ContactMessage{Reason: reason, Suspicious: strings.TrimSpace(in.Reference) != "", ContactBody: body}, nil
}

// lineEnds are all the ways to end a line.
var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\v", "\n", "\f", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n")

// clean drops control characters other than line ends and tabs, and those that
// turn the direction of text around what follows.
func clean(text string) string {
	text = lineEnds.Replace(strings.ToValidUTF8(text, "\uFFFD"))
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r) {
			return -1
		}
		return r
	}, text))
}

// line is clean for a field of one line. A line end in it stays, for the schema
// to refuse.
func line(text string) string { return strings.ReplaceAll(clean(text), "\t", " ") }
