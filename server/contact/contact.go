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
	queued, replayed, err := m.Store.AddContact(ctx, store.NewContact{
		Message: message, Letter: letter, Once: store.NewOnce("send-contact-email", "", idempotencyKey, request), Response: []byte("true"),
	})
	if err != nil || replayed != nil || message.Suspicious {
		return err
	}
	return m.deliver(ctx, queued)
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
	fields := map[string]any{
		"name": strings.TrimSpace(in.Name), "email": strings.TrimSpace(in.Email), "organization": strings.TrimSpace(organization),
		"reason": in.Reason, "message": strings.TrimSpace(strings.ReplaceAll(in.Message, "\r\n", "\n")),
	}
	wrong, err := wrongFields(fields)
	if err != nil {
		return store.ContactMessage{}, err
	}
	email, err := mail.ParseAddress(in.Email)
	if err != nil {
		wrong["email"] = true
	}
	if len(wrong) > 0 {
		return store.ContactMessage{}, sim.ValidationFailed(complaint(wrong))
	}
	return store.ContactMessage{
		Reason: in.Reason, Suspicious: strings.TrimSpace(in.Reference) != "",
		ContactBody: store.ContactBody{
			Name: printable(fields["name"]), Email: email, Organization: printable(fields["organization"]), Message: printable(fields["message"]),
		},
	}, nil
}

// printable drops control characters other than line ends and tabs, and those
// that turn the direction of text around what follows.
func printable(text any) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text.(string), "\uFFFD"))
}
