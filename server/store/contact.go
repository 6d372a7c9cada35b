package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"simora/server/keyring"
)

// ContactMessage is what somebody wrote through the contact form.
type ContactMessage struct {
	ID         string
	ReceivedAt time.Time
	Reason     string
	ContactBody
	Suspicious bool // written by a machine, as it seems
	AnsweredAt *time.Time
}

// ContactBody is the part that is sealed.
type ContactBody struct {
	Name         string `json:"name"`
	Email        string `json:"email"`
	Organization string `json:"organization,omitempty"`
	Message      string `json:"message"`
}

// NewContact is a message about to be stored with the letter that tells the
// company. A suspicious message has no letter.
type NewContact struct {
	Message  ContactMessage
	Letter   Letter
	Once     Once
	Response []byte
	Events   []Event // queued with it
}

// AddContact stores the message and, leased to the caller, its letter in one
// transaction. A repetition returns the kept response and no letter.
//
// Errors: sim.ErrKeyReused.
func (s *Store) AddContact(ctx context.Context, n NewContact) (q Queued, replayed []byte, err error) {
	m := n.Message
	index, err := emailIndex(s, m.Email)
	if err != nil {
		return q, nil, err
	}
	n.Letter.Day = forContact(m.ReceivedAt)
	body, err := s.sealJSONFor(n.Letter.Day, "contact_messages", "body", m.ID, m.ContactBody)
	if err != nil {
		return q, nil, err
	}
	recipient, err := emailIndex(s, n.Letter.To)
	if err != nil {
		return q, nil, err
	}
	letter, err := s.sealJSONFor(n.Letter.Day, "outbox", "letter", m.ID, n.Letter)
	if err != nil {
		return q, nil, err
	}
	now := millis(m.ReceivedAt)
	err = s.inTx(ctx, durable, "add contact message", func(tx *Tx) error {
		if replayed, err = tx.replay(n.Once); err != nil || replayed != nil {
			return err
		}
		_, err := tx.exec("INSERT INTO contact_messages (id, received_at, reason, email_index, body, suspicious) VALUES ($1,$2,$3,$4,$5,$6)",
			m.ID, now, m.Reason, index, body, m.Suspicious)
		if err != nil {
			return err
		}
		if !m.Suspicious {
			clock, at := s.clock("$5", m.ReceivedAt)
			_, err = tx.exec(`INSERT INTO outbox (id, kind, session_id, recipient_index, letter, state, attempts, due_at, lease_until, fence, last_error, created_at)
				VALUES ($1,'contact','',$2,$3,'queued',1,`+clock+`,`+clock+` + $6,1,'',$4)`, m.ID, recipient, letter, now, at, mailLease.Milliseconds())
			if err != nil {
				return err
			}
		}
		if err := tx.tell(n.Letter.Day, n.Events); err != nil {
			return err
		}
		return tx.remember(n.Once, n.Letter.Day, m.ID, n.Response, m.ReceivedAt)
	})
	if err != nil || replayed != nil {
		return Queued{}, replayed, err
	}
	return Queued{ID: m.ID, Kind: "contact", Letter: n.Letter, Attempts: 1, CreatedAt: m.ReceivedAt, fence: 1}, nil, nil
}

// ContactRefused reports whether the letter of a message was given up.
func (s *Store) ContactRefused(ctx context.Context, id string) (bool, error) {
	var n int
	if err := s.row(ctx, "SELECT count(*) FROM outbox WHERE id = $1 AND state = 'failed'", id).Scan(&n); err != nil {
		return false, unavailable(fmt.Errorf("read outbox: %w", err))
	}
	return n > 0, nil
}

// ContactMessages returns up to limit messages, the newest first.
func (s *Store) ContactMessages(ctx context.Context, limit int) ([]ContactMessage, error) {
	return s.contactOf(ctx, "TRUE ORDER BY received_at DESC, id DESC LIMIT $1", limit)
}

func (s *Store) contactOf(ctx context.Context, where string, args ...any) ([]ContactMessage, error) {
	rows, err := s.query(ctx, "SELECT id, received_at, reason, body, suspicious, answered_at FROM contact_messages WHERE "+where, args...)
	if err != nil {
		return nil, unavailable(fmt.Errorf("read contact messages: %w", err))
	}
	defer func() { _ = rows.Close() }()
	var all []ContactMessage
	for rows.Next() {
		var m ContactMessage
		var received int64
		var answered sql.NullInt64
		var body []byte
		if err := rows.Scan(&m.ID, &received, &m.Reason, &body, &m.Suspicious, &answered); err != nil {
			return nil, fmt.Errorf("read contact messages: %w", err)
		}
		m.ReceivedAt = fromMillis(received)
		if answered.Valid {
			at := fromMillis(answered.Int64)
			m.AnsweredAt = &at
		}
		err := s.openJSON("contact_messages", "body", m.ID, body, &m.ContactBody)
		if errors.Is(err, keyring.ErrDestroyed) {
			continue
		}
		if err != nil {
			return nil, err
		}
		all = append(all, m)
	}
	return all, unavailable(rows.Err())
}

// DeleteContactBefore removes messages that were received before t, with their
// letters, and returns how many. Errors: ErrLeaseLost.
func (s *Store) DeleteContactBefore(ctx context.Context, l Lease, t time.Time) (int64, error) {
	return s.inPortions(ctx, l, "delete old contact messages", func(tx *Tx) (int64, error) {
		const old = "(SELECT id FROM contact_messages WHERE received_at < $1 ORDER BY received_at, id LIMIT $2)"
		for _, text := range []string{"DELETE FROM outbox WHERE id IN " + old, "DELETE FROM deliveries WHERE subject IN " + old} {
			if _, err := tx.exec(text, millis(t), deletedAtOnce); err != nil {
				return 0, err
			}
		}
		return tx.exec("DELETE FROM contact_messages WHERE id IN "+old, millis(t), deletedAtOnce)
	})
}
