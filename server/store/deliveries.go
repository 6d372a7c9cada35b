package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"simora/server/keyring"
	"simora/server/sim"
)

// RecordStore is the hook id of what goes to the learning record store, which
// the settings name and which has no row among the hooks.
const RecordStore = "xapi"

// deliveryLease is how long one attempt to deliver may hold its row.
const deliveryLease = 20 * time.Second

// ErrDeliveryNotFound is the answer to an id that no delivery has.
var ErrDeliveryNotFound = &sim.Error{Kind: sim.NotFound, Code: "delivery_not_found", Message: "This delivery is not there any more"}

// Event is something that happened, worded for other systems. It is queued in
// the transaction that makes it true.
type Event struct {
	ID       string // the same for the same event, however often it is told
	Name     string
	Subject  string // id of the session or contact message
	To       string // a hook's id; empty: every hook that wants events of this name
	At       time.Time
	Due      time.Time // of the first attempt; zero: at once
	Body     []byte
	Personal []byte // the body for hooks that are told personal data; nil: Body
}

// DeliveryState is where a delivery stands.
type DeliveryState string

// The states.
const (
	Waiting   DeliveryState = "queued"
	Delivered DeliveryState = "delivered"
	GivenUp   DeliveryState = "failed"
)

// Delivery is one event on its way to one hook.
type Delivery struct {
	ID        string // stays the same over all attempts
	HookID    string
	Event     string
	Subject   string
	State     DeliveryState
	Attempts  int
	DueAt     time.Time
	TriedAt   *time.Time
	Took      time.Duration // of the last attempt
	Status    int           // of the last answer; 0: none came
	LastError string
	CreatedAt time.Time

	Payload    []byte     // of a claimed one only, as is
	Target     HookTarget // its hook's; empty for the record store
	Unreadable error      // why payload or target cannot be opened; the next in line must not wait for it

	fence int64
}

// tell queues events for those who want them. An event that was told already
// is left alone, unless it goes to one place and no attempt was made yet: then
// the newer words count. The key of the day seals them.
func (t *Tx) tell(day keyring.Day, events []Event) error {
	for _, e := range events {
		if e.To != "" {
			if err := t.queue(day, e, e.To, e.Body); err != nil {
				return err
			}
			continue
		}
		hooks, err := t.hooksFor(e.Name)
		if err != nil {
			return err
		}
		for id, personal := range hooks {
			body := e.Body
			if personal && e.Personal != nil {
				body = e.Personal
			}
			if err := t.queue(day, e, id, body); err != nil {
				return err
			}
		}
	}
	return nil
}

// hooksFor maps the ids of the hooks that want an event to whether they are
// told personal data.
func (t *Tx) hooksFor(event string) (hooks map[string]bool, err error) {
	rows, err := t.query("SELECT id, personal FROM hooks WHERE enabled AND events LIKE $1", "% "+event+" %")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	hooks = map[string]bool{}
	for rows.Next() {
		var id string
		var personal bool
		if err := rows.Scan(&id, &personal); err != nil {
			return nil, err
		}
		hooks[id] = personal
	}
	return hooks, rows.Err()
}

func (t *Tx) queue(day keyring.Day, e Event, hook string, body []byte) error {
	id := uuid.NewSHA1(uuid.NameSpaceOID, []byte(hook+" "+e.ID)).String()
	payload, err := t.s.sealFor(day, "deliveries", "payload", id, body)
	if err != nil {
		return err
	}
	due := e.Due
	if due.IsZero() {
		due = e.At
	}
	_, err = t.exec(`INSERT INTO deliveries (id, hook_id, event, subject, payload, state, attempts, due_at, lease_until, fence, took, status, last_error, created_at)
		VALUES ($1,$2,$3,$4,$5,'queued',0,$6,0,0,0,0,'',$7)
		ON CONFLICT (id) DO UPDATE SET payload = excluded.payload, due_at = excluded.due_at WHERE $8 AND deliveries.attempts = 0`,
		id, hook, e.Name, e.Subject, payload, millis(due), millis(e.At), e.To != "")
	return err
}

// Tell queues events that nothing else is stored with, such as a test.
func (s *Store) Tell(ctx context.Context, events ...Event) error {
	return s.inTx(ctx, durable, "queue delivery", func(tx *Tx) error { return tx.tell(keyring.Day{}, events) })
}

// ClaimDelivery leases the delivery that has been due longest, of a hook that
// is on and has none under way: a slow receiver holds up only itself.
// records says whether there is a record store. ok is false when nothing is due.
func (s *Store) ClaimDelivery(ctx context.Context, now time.Time, records bool) (d Delivery, ok bool, err error) {
	err = s.single(ctx, "claim delivery", func(tx *Tx) error {
		d, ok = Delivery{}, false
		var payload []byte
		var created int64
		err := tx.row(`UPDATE deliveries SET lease_until = $2, fence = fence + 1, attempts = attempts + 1, tried_at = $1
			WHERE state = 'queued' AND lease_until <= $1 AND id = (SELECT id FROM deliveries AS d
				WHERE state = 'queued' AND due_at <= $1 AND lease_until <= $1
				AND (hook_id IN (SELECT id FROM hooks WHERE enabled) OR $3 AND hook_id = $4)
				AND NOT EXISTS (SELECT 1 FROM deliveries AS o WHERE o.hook_id = d.hook_id AND o.lease_until > $1)
				ORDER BY due_at, id LIMIT 1)
			RETURNING id, hook_id, event, subject, payload, attempts, created_at, fence`, millis(now), millis(now.Add(deliveryLease)), records, RecordStore).
			Scan(&d.ID, &d.HookID, &d.Event, &d.Subject, &payload, &d.Attempts, &created, &d.fence)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		ok, d.CreatedAt = true, fromMillis(created)
		d.Payload, d.Unreadable = s.open("deliveries", "payload", d.ID, payload)
		if d.HookID == RecordStore {
			return nil
		}
		var target []byte
		if err := tx.row("SELECT target FROM hooks WHERE id = $1", d.HookID).Scan(&target); err != nil {
			return err
		}
		d.Unreadable = errors.Join(d.Unreadable, s.openJSON("hooks", "target", d.HookID, target, &d.Target))
		return nil
	})
	return d, ok, err
}

// Attempt is what became of one attempt to deliver.
type Attempt struct {
	State  DeliveryState
	Due    time.Time     // of the next attempt
	Took   time.Duration // until the answer or the failure
	Status int           // of the answer; 0: none came
	Error  string        // must name nobody
}

// RecordAttempt gives the lease back with what became of it. A lease that was
// lost meanwhile changes nothing.
func (s *Store) RecordAttempt(ctx context.Context, d Delivery, a Attempt) error {
	return s.inTx(ctx, durable, "record delivery", func(tx *Tx) error {
		_, err := tx.exec(`UPDATE deliveries SET state = $3, due_at = $4, lease_until = 0, took = $5, status = $6, last_error = $7
			WHERE id = $1 AND fence = $2 AND state = 'queued'`,
			d.ID, d.fence, string(a.State), millis(a.Due), a.Took.Milliseconds(), a.Status, a.Error)
		return err
	})
}

// SendAgain queues a delivery that was delivered or given up, under its own id,
// or makes a waiting one due now. Errors: ErrDeliveryNotFound.
func (s *Store) SendAgain(ctx context.Context, id string, now time.Time) error {
	return s.inTx(ctx, durable, "send delivery again", func(tx *Tx) error {
		n, err := tx.exec("UPDATE deliveries SET state = 'queued', attempts = 0, due_at = $2 WHERE id = $1", id, millis(now))
		return orNotFound(n, err, ErrDeliveryNotFound)
	})
}

// Deliveries is the log: up to limit, the newest first, without payloads.
func (s *Store) Deliveries(ctx context.Context, limit int) ([]Delivery, error) {
	list := []Delivery{}
	err := s.each(ctx, `SELECT id, hook_id, event, subject, state, attempts, due_at, tried_at, took, status, last_error, created_at
		FROM deliveries ORDER BY created_at DESC, id DESC LIMIT $1`, func(scan func(...any) error) error {
		var d Delivery
		var due, took, created int64
		var tried sql.NullInt64
		if err := scan(&d.ID, &d.HookID, &d.Event, &d.Subject, &d.State, &d.Attempts, &due, &tried, &took, &d.Status, &d.LastError, &created); err != nil {
			return err
		}
		d.DueAt, d.TriedAt, d.CreatedAt = fromMillis(due), fromNullMillis(tried), fromMillis(created)
		d.Took = time.Duration(took) * time.Millisecond
		list = append(list, d)
		return nil
	}, limit)
	if err != nil {
		return nil, fmt.Errorf("deliveries: %w", err)
	}
	return list, nil
}

// DeleteDeliveriesOf removes what is queued or logged of one session or contact
// message, and returns how many.
func (s *Store) DeleteDeliveriesOf(ctx context.Context, subject string) (n int64, err error) {
	if subject == "" {
		return 0, nil // tests are nobody's
	}
	err = s.inTx(ctx, durable, "delete deliveries", func(tx *Tx) (err error) {
		n, err = tx.exec("DELETE FROM deliveries WHERE subject = $1", subject)
		return err
	})
	return n, err
}

// DeleteDeliveriesBefore removes what was queued before t: tests, and what was
// told of somebody whose own rows are kept for longer.
func (s *Store) DeleteDeliveriesBefore(ctx context.Context, t time.Time) error {
	return s.inTx(ctx, durable, "delete old deliveries", func(tx *Tx) error {
		_, err := tx.exec("DELETE FROM deliveries WHERE created_at < $1", millis(t))
		return err
	})
}
