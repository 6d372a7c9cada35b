// Package privacy keeps what the company promises to the people whose data it
// holds: to see it, to have it deleted, and to know how it is protected.
package privacy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"time"

	"simora/server/mail"
	"simora/server/shelf"
	"simora/server/sim"
	"simora/server/store"
)

// Rights exports and erases what is kept about one mail address.
type Rights struct {
	Store     *store.Store
	Erased    shelf.Shelf // what was erased, outside of the database and its backups
	Mail      *mail.Postman
	Letters   mail.Letters
	DropFiles func(letters []string) error // letters that lie on the disk
	Log       *slog.Logger
	Now       func() time.Time
	NewID     func() string
}

// Copy is everything about one address, in a form for the person.
type Copy struct {
	Email    string            `json:"email"`
	At       time.Time         `json:"exported_at"`
	Sessions []SessionCopy     `json:"sessions"`
	Contact  []MessageCopy     `json:"contact_messages"`
	Letters  []LetterCopy      `json:"letters"`
	Account  *AccountCopy      `json:"account,omitempty"` // a sign-in to the console
	About    map[string]string `json:"about"`             // what the parts are
}

// SessionCopy is a run.
type SessionCopy struct {
	ID          string        `json:"id"`
	Scenario    string        `json:"scenario"`
	StartedAt   time.Time     `json:"started_at"`
	CompletedAt *time.Time    `json:"completed_at"`
	EmailSentAt *time.Time    `json:"email_sent_at"`
	Address     string        `json:"ip_address"`
	UserAgent   string        `json:"user_agent"`
	City        string        `json:"city,omitempty"`
	Country     string        `json:"country,omitempty"`
	Language    string        `json:"language,omitempty"`
	Messages    []sim.Message `json:"messages"`
	Report      *sim.Report   `json:"report"`
}

// MessageCopy is a contact message.
type MessageCopy struct {
	ID           string     `json:"id"`
	ReceivedAt   time.Time  `json:"received_at"`
	Reason       string     `json:"reason"`
	Name         string     `json:"name"`
	Organization string     `json:"organization"`
	Message      string     `json:"message"`
	AnsweredAt   *time.Time `json:"answered_at"`
}

// LetterCopy is a letter to the person. Its text is kept until it was handed
// over.
type LetterCopy struct {
	ID        string     `json:"id"`
	Kind      string     `json:"kind"`
	State     string     `json:"state"`
	CreatedAt time.Time  `json:"created_at"`
	SentAt    *time.Time `json:"sent_at"`
	Subject   string     `json:"subject,omitempty"`
	Text      string     `json:"text,omitempty"`
}

// AccountCopy is a sign-in to the console.
type AccountCopy struct {
	CreatedAt    time.Time  `json:"created_at"`
	LastSignInAt *time.Time `json:"last_sign_in_at"`
}

var about = map[string]string{
	"sessions":         "Demo runs whose report was sent to this address.",
	"contact_messages": "What was written through the contact form with this address.",
	"letters":          "Letters that were sent to this address.",
	"account":          "A sign-in to the console. It is not erased with the rest: an administrator takes it away.",
}

// Export returns everything about an address. Errors: validation_failed.
func (r *Rights) Export(ctx context.Context, email string) (Copy, error) {
	email, err := mail.ParseAddress(email)
	if err != nil {
		return Copy{}, err
	}
	p, err := r.Store.Person(ctx, email)
	if err != nil {
		return Copy{}, err
	}
	// Who was shown whose data is known before it is shown.
	if err := r.Store.Audit(ctx, sim.Event{Action: sim.PersonExported, Object: "person", Person: email, Detail: map[string]string{"email": email}}); err != nil {
		return Copy{}, err
	}
	c := Copy{Email: email, At: r.Now().UTC(), Sessions: []SessionCopy{}, Contact: []MessageCopy{}, Letters: []LetterCopy{}, About: about}
	for _, s := range p.Sessions {
		c.Sessions = append(c.Sessions, SessionCopy{
			ID: s.SessionRow.ID, Scenario: s.Title, StartedAt: s.SessionRow.StartedAt.UTC(), CompletedAt: s.SessionRow.CompletedAt, EmailSentAt: s.SessionRow.EmailSentAt,
			Address: s.Visitor.IP, UserAgent: s.Visitor.UserAgent, City: s.Visitor.City, Country: s.Visitor.Country, Language: s.Visitor.Language,
			Messages: s.Messages, Report: s.Report,
		})
	}
	for _, m := range p.Contact {
		c.Contact = append(c.Contact, MessageCopy{m.ID, m.ReceivedAt.UTC(), m.Reason, m.Name, m.Organization, m.Message, m.AnsweredAt})
	}
	for _, l := range p.Letters {
		letter := LetterCopy{ID: l.ID, Kind: l.Kind, State: l.State, CreatedAt: l.CreatedAt.UTC(), SentAt: l.SentAt}
		if l.Letter != nil {
			letter.Subject, letter.Text = l.Letter.Subject, l.Letter.Text
		}
		c.Letters = append(c.Letters, letter)
	}
	if p.Account != nil {
		c.Account = &AccountCopy{p.Account.CreatedAt.UTC(), p.Account.LastSignInAt}
	}
	return c, nil
}

const graves = "erased/"

// Erase deletes everything about an address. First it is remembered that it has
// to go, so that neither a crash nor a restored backup brings it back.
//
// Errors: validation_failed.
func (r *Rights) Erase(ctx context.Context, email string) (store.Erased, error) {
	email, err := mail.ParseAddress(email)
	if err != nil {
		return store.Erased{}, err
	}
	traces, err := r.Store.TracesOf(ctx, email, r.Now())
	if err != nil {
		return store.Erased{}, err
	}
	grave, err := json.Marshal(traces)
	if err != nil {
		return store.Erased{}, fmt.Errorf("encode what to erase: %w", err)
	}
	if err := r.Erased.Create(ctx, graves+r.NewID(), grave); err != nil {
		return store.Erased{}, fmt.Errorf("remember what to erase: %w", err)
	}
	return r.erase(ctx, traces)
}

func (r *Rights) erase(ctx context.Context, t store.Traces) (store.Erased, error) {
	erased, err := r.Store.Erase(ctx, t)
	if err != nil {
		return erased, err
	}
	// A contact message's letter has its id.
	return erased, r.DropFiles(append(t.Letters, t.Contact...))
}

// EraseAgain deletes what a restored backup brought back. It has to be done
// before anything is served. What is older than all that is ever kept is
// forgotten.
func (r *Rights) EraseAgain(ctx context.Context, keptFor time.Duration) error {
	names, err := r.Erased.List(ctx, graves)
	if err != nil {
		return fmt.Errorf("read what was erased: %w", err)
	}
	for _, name := range names {
		grave, err := r.Erased.Get(ctx, name)
		if errors.Is(err, fs.ErrNotExist) {
			continue // another instance has just forgotten it
		}
		if err != nil {
			return fmt.Errorf("read what was erased: %w", err)
		}
		var t store.Traces
		if err := json.Unmarshal(grave, &t); err != nil {
			return errors.Join(fmt.Errorf("what was erased, %s, is damaged", name), err)
		}
		again, err := r.erase(ctx, t)
		if err != nil {
			return err
		}
		if again != (store.Erased{}) {
			r.Log.WarnContext(ctx, "erased again what a restored backup had brought back", "sessions", again.Sessions, "contact", again.Contact, "letters", again.Letters)
		}
		if r.Now().Sub(t.Until) > keptFor {
			if err := r.Erased.Delete(ctx, name); err != nil {
				return fmt.Errorf("forget what was erased: %w", err)
			}
		}
	}
	return nil
}
