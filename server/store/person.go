package store

import (
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"simora/server/keyring"
	"simora/server/sim"
)

// Person is everything that is kept about one mail address.
type Person struct {
	Sessions []PersonSession
	Contact  []ContactMessage
	Letters  []PersonLetter
	Account  *PersonAccount // somebody of the company has this address
}

// PersonSession is a run whose report was sent to the address.
type PersonSession struct {
	SessionRow
	Session
}

// PersonLetter is a letter to the address. What is in it is kept until it was
// handed over; nil: it is not kept, or nobody can read it any more.
type PersonLetter struct {
	ID        string
	Kind      string
	State     string
	CreatedAt time.Time
	SentAt    *time.Time
	Letter    *Letter
}

// PersonAccount is a sign-in to the console.
type PersonAccount struct {
	ID           string
	CreatedAt    time.Time
	LastSignInAt *time.Time
}

// Person reads everything about an address.
func (s *Store) Person(ctx context.Context, email string) (p Person, err error) {
	index, err := emailIndex(s, email)
	if err != nil {
		return p, err
	}
	ids, err := s.ids(ctx, "SELECT id FROM sessions WHERE user_email_index = $1 ORDER BY started_at, id", index)
	if err != nil {
		return p, err
	}
	for _, id := range ids {
		row, err := s.SessionRow(ctx, id)
		var sess Session
		if err == nil {
			sess, err = s.Session(ctx, id)
		}
		if errors.Is(err, sim.ErrSessionNotFound) {
			continue // deleted a moment ago
		}
		if err != nil {
			return p, err
		}
		p.Sessions = append(p.Sessions, PersonSession{row, sess})
	}
	if p.Contact, err = s.contactOf(ctx, "email_index = $1 ORDER BY received_at, id", index); err != nil {
		return p, err
	}
	if p.Letters, err = s.lettersTo(ctx, index); err != nil {
		return p, err
	}
	p.Account, err = s.accountOf(ctx, index)
	return p, err
}

func (s *Store) ids(ctx context.Context, text string, args ...any) (ids []string, err error) {
	rows, err := s.query(ctx, text, args...)
	if err != nil {
		return nil, unavailable(fmt.Errorf("read ids: %w", err))
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return nil, fmt.Errorf("read ids: %w", err)
		}
		ids = append(ids, id)
	}
	return ids, unavailable(rows.Err())
}

func (s *Store) lettersTo(ctx context.Context, index []byte) (list []PersonLetter, err error) {
	rows, err := s.query(ctx, "SELECT id, kind, state, letter, created_at, sent_at FROM outbox WHERE recipient_index = $1 ORDER BY created_at, id", index)
	if err != nil {
		return nil, unavailable(fmt.Errorf("read letters: %w", err))
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var l PersonLetter
		var sealed []byte
		var created int64
		var sent sql.NullInt64
		if err := rows.Scan(&l.ID, &l.Kind, &l.State, &sealed, &created, &sent); err != nil {
			return nil, fmt.Errorf("read letters: %w", err)
		}
		if l.Kind == "contact" {
			continue // what others wrote to the company, which has this address
		}
		l.CreatedAt, l.SentAt = fromMillis(created), fromNullMillis(sent)
		if len(sealed) > 0 {
			l.Letter = &Letter{}
			err := s.openJSON("outbox", "letter", l.ID, sealed, l.Letter)
			if errors.Is(err, keyring.ErrDestroyed) {
				l.Letter, err = nil, nil
			}
			if err != nil {
				return nil, err
			}
		}
		list = append(list, l)
	}
	return list, unavailable(rows.Err())
}

func (s *Store) accountOf(ctx context.Context, index []byte) (*PersonAccount, error) {
	var a PersonAccount
	var created int64
	var signedIn sql.NullInt64
	err := s.row(ctx, "SELECT id, created_at, last_sign_in_at FROM users WHERE email_index = $1", index).Scan(&a.ID, &created, &signedIn)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil //nolint:nilnil // most people have none
	}
	a.CreatedAt, a.LastSignInAt = fromMillis(created), fromNullMillis(signedIn)
	return &a, unavailable(err)
}

// Traces are what has to go when a person is erased. They name nobody, so that
// they can be kept to erase the same again from a restored backup.
type Traces struct {
	Until    time.Time `json:"until"` // what came later is of another time
	Index    string    `json:"index"` // of the address, hexadecimal
	Sessions []string  `json:"sessions,omitempty"`
	Contact  []string  `json:"contact,omitempty"`
	Letters  []string  `json:"letters,omitempty"`
}

// TracesOf finds what there is about an address until now.
func (s *Store) TracesOf(ctx context.Context, email string, now time.Time) (t Traces, err error) {
	index, err := emailIndex(s, email)
	if err != nil {
		return t, err
	}
	t = Traces{Until: now, Index: hex.EncodeToString(index)}
	if t.Sessions, err = s.ids(ctx, "SELECT id FROM sessions WHERE user_email_index = $1", index); err != nil {
		return t, err
	}
	if t.Contact, err = s.ids(ctx, "SELECT id FROM contact_messages WHERE email_index = $1", index); err != nil {
		return t, err
	}
	t.Letters, err = s.ids(ctx, "SELECT id FROM outbox WHERE recipient_index = $1 AND kind <> 'contact'", index)
	return t, err
}

// Erased counts what was deleted.
type Erased struct {
	Sessions int64 `json:"sessions"`
	Contact  int64 `json:"contactMessages"`
	Letters  int64 `json:"letters"`
}

// clockSlack is how far the clocks of instances may differ.
const clockSlack = time.Minute

// Erase deletes what t names and everything else about its address that is not
// later than t, in one transaction. Repeated, it deletes what has come back.
func (s *Store) Erase(ctx context.Context, t Traces) (e Erased, err error) {
	index, err := hex.DecodeString(t.Index)
	if err != nil {
		return e, fmt.Errorf("erase: index of the address: %w", err)
	}
	until := millis(t.Until)
	err = s.inTx(ctx, durable, "erase person", func(tx *Tx) error {
		e = Erased{}
		sessions, err := tx.traced(t.Sessions, "SELECT id FROM sessions WHERE user_email_index = $1 AND started_at <= $2", index, until)
		if err != nil {
			return err
		}
		for _, some := range sessions {
			n, err := tx.deleteSessions("SELECT id FROM sessions WHERE id"+some.in, some.args...)
			if err != nil {
				return err
			}
			e.Sessions += n
			if _, err := tx.exec("DELETE FROM idempotency WHERE subject"+some.in, some.args...); err != nil {
				return err
			}
		}
		contact, err := tx.traced(t.Contact, "SELECT id FROM contact_messages WHERE email_index = $1 AND received_at <= $2", index, until)
		if err != nil {
			return err
		}
		e.Contact, err = tx.dropAll(contact,
			"DELETE FROM outbox WHERE id", "DELETE FROM deliveries WHERE subject", "DELETE FROM idempotency WHERE subject", "DELETE FROM contact_messages WHERE id")
		if err != nil {
			return err
		}
		letters, err := tx.traced(t.Letters, "SELECT id FROM outbox WHERE recipient_index = $1 AND created_at <= $2 AND kind <> 'contact'", index, until)
		if err != nil {
			return err
		}
		if e.Letters, err = tx.dropAll(letters, "DELETE FROM outbox WHERE id"); err != nil {
			return err
		}
		entries, err := tx.eraseAudit(index, t.Until.Add(clockSlack)) // each instance dates its own
		if err != nil || e == (Erased{}) && entries == 0 {
			return err
		}
		return tx.audit(sim.Event{Action: sim.PersonErased, Object: "person " + t.Index[:8], Detail: map[string]string{
			"sessions": strconv.FormatInt(e.Sessions, 10), "contact messages": strconv.FormatInt(e.Contact, 10), "letters": strconv.FormatInt(e.Letters, 10),
		}})
	})
	return e, err
}

// portion is some ids as a condition.
type portion struct {
	in   string // " IN ($1,…)"
	args []any
}

// traced is what has to go: the ids that are known, and those that are found.
func (t *Tx) traced(known []string, found string, args ...any) (list []portion, err error) {
	ids, err := t.ids(found, args...)
	if err != nil {
		return nil, err
	}
	ids = append(ids, known...)
	slices.Sort(ids)
	for some := range slices.Chunk(slices.Compact(ids), erasedAtOnce) {
		p := portion{args: make([]any, len(some))}
		marks := make([]string, len(some))
		for i, id := range some {
			marks[i], p.args[i] = fmt.Sprintf("$%d", i+1), id
		}
		p.in = " IN (" + strings.Join(marks, ",") + ")"
		list = append(list, p)
	}
	return list, nil
}

const erasedAtOnce = 500 // of ids in one statement

func (t *Tx) ids(text string, args ...any) (ids []string, err error) {
	rows, err := t.query(text, args...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, rows.Err()
}

// dropAll runs each statement for all portions and returns how many rows the
// last one deleted.
func (t *Tx) dropAll(portions []portion, statements ...string) (n int64, err error) {
	for _, p := range portions {
		for i, text := range statements {
			deleted, err := t.exec(text+p.in, p.args...)
			if err != nil {
				return n, err
			}
			if i == len(statements)-1 {
				n += deleted
			}
		}
	}
	return n, nil
}

// PersonalLetter is one about somebody's own data.
type PersonalLetter struct {
	ID           string
	Letter       Letter
	PerRecipient int // how many one address may get a day
	Now          time.Time
}

// QueuePersonalLetter stores the letter in the outbox, leased to the caller.
// Errors: sim.ErrRateLimited when the address has had enough today.
func (s *Store) QueuePersonalLetter(ctx context.Context, l PersonalLetter) (Queued, error) {
	index, err := emailIndex(s, l.Letter.To)
	if err != nil {
		return Queued{}, err
	}
	l.Letter.Day = forSession(l.Now)
	letter, err := s.sealJSONFor(l.Letter.Day, "outbox", "letter", l.ID, l.Letter)
	if err != nil {
		return Queued{}, err
	}
	err = s.inTx(ctx, durable, "queue personal letter", func(tx *Tx) error {
		if err := tx.mayWriteTo(index, "personal", l.Now, l.PerRecipient); err != nil {
			return err
		}
		clock, at := s.clock("$5", l.Now)
		_, err := tx.exec(`INSERT INTO outbox (id, kind, session_id, recipient_index, letter, state, attempts, due_at, lease_until, fence, last_error, created_at)
			VALUES ($1,'personal','',$2,$3,'queued',1,`+clock+`,`+clock+` + $6,1,'',$4)`, l.ID, index, letter, millis(l.Now), at, mailLease.Milliseconds())
		return err
	})
	return Queued{ID: l.ID, Kind: "personal", Letter: l.Letter, Attempts: 1, CreatedAt: l.Now, fence: 1}, err
}

// DeletePersonalLettersBefore removes what is left of letters about somebody's
// own data that were written before t.
func (s *Store) DeletePersonalLettersBefore(ctx context.Context, t time.Time) error {
	return s.inTx(ctx, durable, "delete old personal letters", func(tx *Tx) error {
		_, err := tx.exec("DELETE FROM outbox WHERE kind = 'personal' AND created_at < $1", millis(t))
		return err
	})
}

const linkTable, linkColumn = "personal_links", "token"

// SealLink makes what proves that somebody reads an address's mail. It is
// stored nowhere.
func (s *Store) SealLink(plain []byte) ([]byte, error) {
	return s.seal(linkTable, linkColumn, "", plain)
}

// OpenLink reads what SealLink made.
func (s *Store) OpenLink(sealed []byte) ([]byte, error) {
	return s.open(linkTable, linkColumn, "", sealed)
}
