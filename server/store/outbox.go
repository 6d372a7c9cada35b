package store

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"simora/server/keyring"
	"simora/server/sim"
)

// mailLease is how long one attempt to hand a letter over may take.
const mailLease = 2 * time.Minute

// Letter is a message as it will be handed over. It is sealed in the outbox,
// wiped from it once it was delivered, and some days after it was given up.
type Letter struct {
	To        string `json:"to"`
	ReplyTo   string `json:"replyTo,omitempty"`
	Subject   string `json:"subject"`
	Text      string `json:"text"`
	HTML      string `json:"html"`
	MessageID string `json:"messageId"` // stays the same over all attempts

	Attachments []Attachment `json:"attachments,omitempty"`

	// Day is that of the data in it: their key seals the letter.
	Day keyring.Day `json:"day,omitzero"`
}

// Attachment is a file that comes with a letter.
type Attachment struct {
	Name string `json:"name"`
	Type string `json:"type"` // a media type
	Data []byte `json:"data"`
}

// Queued is a letter that this process has leased to hand over.
type Queued struct {
	ID        string
	Kind      string
	SessionID string
	Letter    Letter
	Attempts  int // this one included
	CreatedAt time.Time

	fence int64
}

// ReportMail asks for the report of one session to be mailed.
type ReportMail struct {
	OutboxID     string
	SessionID    string
	Letter       Letter
	PerRecipient int // how many report letters one address may get a day
	Now          time.Time
	Once         Once
	Response     []byte
	Events       []Event // queued with it
}

// QueueReportMail stores the address with the session and the letter in the
// outbox, leased to the caller, in one transaction.
//
// Errors: sim.ErrSessionNotCompleted, ErrOtherRecipient, ErrRateLimited,
// ErrKeyReused. A repetition returns the kept response and no letter.
func (s *Store) QueueReportMail(ctx context.Context, m ReportMail) (q Queued, replayed []byte, err error) {
	index, err := emailIndex(s, m.Letter.To)
	if err != nil {
		return q, nil, err
	}
	now := millis(m.Now)
	err = s.inTx(ctx, durable, "queue report mail", func(tx *Tx) error {
		if replayed, err = tx.replay(m.Once); err != nil || replayed != nil {
			return err
		}
		if m.Letter.Day, err = tx.dayOf(m.SessionID); err != nil {
			return err
		}
		email, err := s.sealFor(m.Letter.Day, "sessions", "user_email", m.SessionID, []byte(m.Letter.To))
		if err != nil {
			return gone(err)
		}
		letter, err := s.sealJSONFor(m.Letter.Day, "outbox", "letter", m.OutboxID, m.Letter)
		if err != nil {
			return gone(err)
		}
		n, err := tx.exec(`UPDATE sessions SET user_email = $2, user_email_index = $3, recipient_fixed = TRUE, mail_count = mail_count + 1
			WHERE id = $1 AND report IS NOT NULL AND mail_count < $4 AND (recipient_fixed = FALSE OR user_email_index = $3)`,
			m.SessionID, email, index, sim.MaxMailsPerSession)
		if err != nil {
			return err
		}
		if n == 0 {
			return tx.whyNoMail(m.SessionID)
		}
		if err := tx.mayWriteTo(index, "report", m.Now, m.PerRecipient); err != nil {
			return err
		}
		clock, at := s.clock("$6", m.Now)
		_, err = tx.exec(`INSERT INTO outbox (id, kind, session_id, recipient_index, letter, state, attempts, due_at, lease_until, fence, last_error, created_at)
			VALUES ($1,'report',$2,$3,$4,'queued',1,`+clock+`,`+clock+` + $7,1,'',$5)`, m.OutboxID, m.SessionID, index, letter, now, at, mailLease.Milliseconds())
		if err != nil {
			return err
		}
		if err := tx.tell(m.Letter.Day, m.Events); err != nil {
			return err
		}
		return tx.remember(m.Once, m.Letter.Day, m.SessionID, m.Response, m.Now)
	})
	if err != nil || replayed != nil {
		return Queued{}, replayed, err
	}
	return Queued{ID: m.OutboxID, Kind: "report", SessionID: m.SessionID, Letter: m.Letter, Attempts: 1, CreatedAt: m.Now, fence: 1}, nil, nil
}

// dayOf is the day whose key a session is sealed with.
func (t *Tx) dayOf(sessionID string) (keyring.Day, error) {
	var started int64
	err := t.row("SELECT started_at FROM sessions WHERE id = $1", sessionID).Scan(&started)
	if errors.Is(err, sql.ErrNoRows) {
		return keyring.Day{}, sim.ErrSessionNotFound
	}
	return forSession(fromMillis(started)), err
}

// mayWriteTo is sim.ErrRateLimited when an address has had its letters of a kind
// within a day. On PostgreSQL the next one that counts waits for the commit.
func (t *Tx) mayWriteTo(recipient []byte, kind string, now time.Time, most int) error {
	if t.s.postgres {
		if _, err := t.exec("SELECT pg_advisory_xact_lock($1)", int64(binary.BigEndian.Uint64(recipient))); err != nil { //nolint:gosec // the bits, whatever their sign
			return err
		}
	}
	var today int
	err := t.row("SELECT count(*) FROM outbox WHERE recipient_index = $1 AND created_at > $2 AND kind = $3", recipient, millis(now.Add(-24*time.Hour)), kind).Scan(&today)
	if err == nil && today >= most {
		return sim.ErrRateLimited.After(24 * time.Hour)
	}
	return err
}

func (t *Tx) whyNoMail(sessionID string) error {
	var hasReport bool
	var mails int
	err := t.row("SELECT report IS NOT NULL, mail_count FROM sessions WHERE id = $1", sessionID).Scan(&hasReport, &mails)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return sim.ErrSessionNotFound
	case err != nil:
		return err
	case !hasReport:
		return sim.ErrSessionNotCompleted
	case mails >= sim.MaxMailsPerSession:
		return sim.ErrRateLimited.After(24 * time.Hour)
	}
	return sim.ErrOtherRecipient
}

// ClaimMail leases the letter that has been due longest; ok is false when
// there is none. A letter that can't be opened is given up.
func (s *Store) ClaimMail(ctx context.Context, now time.Time) (q Queued, ok bool, err error) {
	for lost := true; lost && err == nil; {
		q, ok, lost, err = s.claimMail(ctx, now)
	}
	return q, ok, err
}

func (s *Store) claimMail(ctx context.Context, now time.Time) (q Queued, ok, lost bool, err error) {
	err = s.single(ctx, "claim mail", func(tx *Tx) error {
		var sealed []byte
		var created int64
		ok, lost = false, false
		clock, at := s.clock("$1", now)
		err := tx.row(`UPDATE outbox SET lease_until = `+clock+` + $2, fence = fence + 1, attempts = attempts + 1
			WHERE lease_until <= `+clock+` AND state = 'queued' AND id = (SELECT id FROM outbox WHERE state = 'queued' AND due_at <= `+clock+` AND lease_until <= `+clock+` ORDER BY due_at, id LIMIT 1)
			RETURNING id, kind, session_id, letter, attempts, created_at, fence`, at, mailLease.Milliseconds()).
			Scan(&q.ID, &q.Kind, &q.SessionID, &sealed, &q.Attempts, &created, &q.fence)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		q.CreatedAt = fromMillis(created)
		err = s.openJSON("outbox", "letter", q.ID, sealed, &q.Letter)
		switch {
		case errors.Is(err, keyring.ErrDestroyed):
			lost = true
			_, err = tx.exec("UPDATE outbox SET state = 'failed', letter = $2, last_error = 'its key has been destroyed' WHERE id = $1", q.ID, []byte{})
		case err != nil && !errors.Is(err, keyring.ErrUnreachable): // damaged: the next in line must not wait for it
			lost = true
			err = tx.failMail(q, "it can't be opened: it is damaged, or its key is missing")
		}
		ok = err == nil && !lost
		return err
	})
	return q, ok, lost, err
}

// NextMailDue says when ClaimMail may next find a letter; ok is false when
// nothing is queued.
func (s *Store) NextMailDue(ctx context.Context) (due time.Time, ok bool, err error) {
	var ms sql.NullInt64
	err = s.row(ctx, "SELECT min(CASE WHEN due_at > lease_until THEN due_at ELSE lease_until END) FROM outbox WHERE state = 'queued'").Scan(&ms)
	if err != nil {
		return due, false, unavailable(fmt.Errorf("read outbox: %w", err))
	}
	return fromMillis(ms.Int64), ms.Valid, nil
}

// MailSent records that the letter was handed over, wipes it, dates the
// session's email_sent_at, and queues the events.
func (s *Store) MailSent(ctx context.Context, q Queued, now time.Time, events ...Event) error {
	return s.inTx(ctx, durable, "record sent mail", func(tx *Tx) error {
		n, err := tx.exec("UPDATE outbox SET state = 'sent', sent_at = $3, letter = $4, last_error = '' WHERE id = $1 AND fence = $2 AND state = 'queued'",
			q.ID, q.fence, millis(now), []byte{})
		if err != nil || n == 0 {
			return err
		}
		_, err = tx.exec("UPDATE sessions SET email_sent_at = COALESCE(email_sent_at, $2) WHERE id = $1", q.SessionID, millis(now))
		if err != nil {
			return err
		}
		return tx.tell(q.Letter.Day, events)
	})
}

// MailLater gives the letter back to the queue until due. reason must not name
// the recipient.
func (s *Store) MailLater(ctx context.Context, q Queued, reason string, due time.Time) error {
	return s.inTx(ctx, durable, "put mail off", func(tx *Tx) error {
		_, err := tx.exec("UPDATE outbox SET due_at = $3, lease_until = 0, last_error = $4 WHERE id = $1 AND fence = $2 AND state = 'queued'",
			q.ID, q.fence, millis(due), reason)
		return err
	})
}

// MailFailed gives the letter up. It is kept for a while, so that an admin who
// has mended the mail server can try again (RetryLetter). The session may name
// another address meanwhile.
func (s *Store) MailFailed(ctx context.Context, q Queued, reason string) error {
	return s.inTx(ctx, durable, "record failed mail", func(tx *Tx) error { return tx.failMail(q, reason) })
}

func (t *Tx) failMail(q Queued, reason string) error {
	n, err := t.exec("UPDATE outbox SET state = 'failed', lease_until = 0, last_error = $3 WHERE id = $1 AND fence = $2 AND state = 'queued'",
		q.ID, q.fence, reason)
	if err != nil || n == 0 {
		return err
	}
	_, err = t.exec("UPDATE sessions SET recipient_fixed = FALSE WHERE id = $1 AND email_sent_at IS NULL", q.SessionID)
	return err
}
