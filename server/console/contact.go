package console

import (
	"context"
	"strconv"
	"time"

	"simora/server/sim"
)

const mostMessages = 1000

// ContactMessage is one as listed.
type ContactMessage struct {
	ID           string     `json:"id"`
	ReceivedAt   time.Time  `json:"received_at"`
	Reason       string     `json:"reason"`
	Name         string     `json:"name"`
	Email        string     `json:"email"`
	Organization string     `json:"organization"`
	Message      string     `json:"message"`
	Suspicious   bool       `json:"suspicious"`
	AnsweredAt   *time.Time `json:"answered_at"`
}

// ContactMessages are the newest thousand, the newest first.
func (c *Console) ContactMessages(ctx context.Context) ([]ContactMessage, error) {
	return c.contactMessages(ctx, mostMessages, sim.ContactViewed)
}

func (c *Console) contactMessages(ctx context.Context, most int, action sim.Action) ([]ContactMessage, error) {
	found, err := c.Store.ContactMessages(ctx, most)
	if err != nil {
		return nil, err
	}
	list := []ContactMessage{}
	for _, m := range found {
		list = append(list, ContactMessage{
			ID: m.ID, ReceivedAt: m.ReceivedAt.UTC(), Reason: m.Reason, Name: m.Name, Email: m.Email, Organization: m.Organization,
			Message: m.Message, Suspicious: m.Suspicious, AnsweredAt: m.AnsweredAt,
		})
	}
	return list, c.Store.Audit(ctx, sim.Event{Action: action, Object: "contact messages", Detail: map[string]string{"count": strconv.Itoa(len(list))}})
}

// AnsweredInput marks a message.
type AnsweredInput struct {
	ID       string `json:"id"`
	Answered bool   `json:"answered"`
}

// MarkAnswered records that somebody has answered, or takes it back.
func (c *Console) MarkAnswered(ctx context.Context, in AnsweredInput) error {
	var at *time.Time
	if in.Answered {
		now := c.Now()
		at = &now
	}
	found, err := c.Store.MarkContactAnswered(ctx, in.ID, at)
	if err == nil && !found {
		return &sim.Error{Kind: sim.NotFound, Code: "message_not_found", Message: "Message not found"}
	}
	return err
}

// ExportContactMessages is all that is kept of them as CSV.
func (c *Console) ExportContactMessages(ctx context.Context) (string, error) {
	list, err := c.contactMessages(ctx, mostExport, sim.ContactExported)
	if err != nil {
		return "", err
	}
	lines := [][]string{{"id", "received_at", "reason", "name", "email", "organization", "message", "suspicious", "answered_at"}}
	for _, m := range list {
		answered := ""
		if m.AnsweredAt != nil {
			answered = moment(*m.AnsweredAt)
		}
		lines = append(lines, []string{m.ID, moment(m.ReceivedAt), m.Reason, m.Name, m.Email, m.Organization, m.Message, strconv.FormatBool(m.Suspicious), answered})
	}
	return table(lines)
}
