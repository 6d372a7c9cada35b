package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

const hour = int64(time.Hour / time.Millisecond)

// Hour is an hour with the minutes in which somebody could serve.
type Hour struct {
	Start   time.Time
	Minutes uint64 // bit n is minute n
}

// MarkMinute records that this instance could serve in the minute of t.
func (s *Store) MarkMinute(ctx context.Context, t time.Time) error {
	return s.inTx(ctx, durable, "record uptime", func(tx *Tx) error {
		_, err := tx.exec("INSERT INTO uptime (hour, minutes) VALUES ($1, $2) ON CONFLICT (hour) DO UPDATE SET minutes = uptime.minutes | excluded.minutes",
			millis(t)/hour, int64(1)<<t.UTC().Minute())
		return err
	})
}

// Hours are those with at least one minute served, not before the hour of t,
// the oldest first.
func (s *Store) Hours(ctx context.Context, t time.Time) (list []Hour, err error) {
	err = s.each(ctx, "SELECT hour, minutes FROM uptime WHERE hour >= $1 ORDER BY hour", func(scan func(...any) error) error {
		var number, minutes int64
		if err := scan(&number, &minutes); err != nil {
			return err
		}
		list = append(list, Hour{fromMillis(number * hour), uint64(minutes)}) //nolint:gosec // bits 0 to 59
		return nil
	}, millis(t)/hour)
	return list, err
}

// Instance is a server process.
type Instance struct {
	ID        string
	Host      string
	Version   string
	StartedAt time.Time
	SeenAt    time.Time
}

// Heartbeat is an instance's sign of life.
func (s *Store) Heartbeat(ctx context.Context, i Instance) error {
	return s.single(ctx, "record heartbeat", func(tx *Tx) error {
		_, err := tx.exec("INSERT INTO instances (id, host, version, started_at, seen_at) VALUES ($1, $2, $3, $4, $5) ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at",
			i.ID, i.Host, i.Version, millis(i.StartedAt), millis(i.SeenAt))
		return err
	})
}

const mostInstances = 50

// Instances are the processes seen last, the latest first.
func (s *Store) Instances(ctx context.Context) (list []Instance, err error) {
	err = s.each(ctx, "SELECT id, host, version, started_at, seen_at FROM instances ORDER BY seen_at DESC, id LIMIT $1", func(scan func(...any) error) error {
		var i Instance
		var started, seen int64
		if err := scan(&i.ID, &i.Host, &i.Version, &started, &seen); err != nil {
			return err
		}
		i.StartedAt, i.SeenAt = fromMillis(started), fromMillis(seen)
		list = append(list, i)
		return nil
	}, mostInstances)
	return list, err
}

// Outbox is how the mail stands.
type Outbox struct {
	Queued int
	Failed int        // given up, and still kept for another try
	Oldest *time.Time // when the oldest of the queued letters was queued
}

// Outbox counts letters.
func (s *Store) Outbox(ctx context.Context) (o Outbox, err error) {
	var oldest sql.NullInt64
	err = s.row(ctx, `SELECT count(CASE WHEN state = 'queued' THEN 1 END), count(CASE WHEN state = 'failed' AND length(letter) > 0 THEN 1 END), min(CASE WHEN state = 'queued' THEN created_at END)
		FROM outbox WHERE state IN ('queued', 'failed')`).Scan(&o.Queued, &o.Failed, &oldest)
	if err != nil {
		return o, unavailable(fmt.Errorf("count letters: %w", err))
	}
	o.Oldest = fromNullMillis(oldest)
	return o, nil
}

// FailedLetter is one that was given up. It tells nobody's address.
type FailedLetter struct {
	ID       string
	Kind     string
	QueuedAt time.Time
	Attempts int
	Reason   string
}

const mostFailures = 50

// FailedLetters are those that can be tried again, the newest first.
func (s *Store) FailedLetters(ctx context.Context) (list []FailedLetter, err error) {
	err = s.each(ctx, "SELECT id, kind, created_at, attempts, last_error FROM outbox WHERE state = 'failed' AND length(letter) > 0 ORDER BY created_at DESC, id LIMIT $1", func(scan func(...any) error) error {
		var l FailedLetter
		var created int64
		if err := scan(&l.ID, &l.Kind, &created, &l.Attempts, &l.Reason); err != nil {
			return err
		}
		l.QueuedAt = fromMillis(created)
		list = append(list, l)
		return nil
	}, mostFailures)
	return list, err
}

// RetryLetter queues a failed letter anew, as if it had just been written. A report goes out again only
// while its session has not turned to another address. ok is false when there
// is no such letter, or no longer.
func (s *Store) RetryLetter(ctx context.Context, id string, now time.Time) (ok bool, err error) {
	err = s.inTx(ctx, durable, "retry letter", func(tx *Tx) error {
		n, err := tx.exec(`UPDATE outbox SET state = 'queued', attempts = 0, created_at = $2, due_at = 0, lease_until = 0, fence = fence + 1
			WHERE id = $1 AND state = 'failed' AND length(letter) > 0 AND (session_id = '' OR EXISTS (
				SELECT 1 FROM sessions WHERE sessions.id = outbox.session_id AND recipient_fixed = FALSE AND user_email_index = outbox.recipient_index))`, id, millis(now))
		ok = n > 0
		if err != nil || !ok {
			return err
		}
		_, err = tx.exec("UPDATE sessions SET recipient_fixed = TRUE WHERE id = (SELECT session_id FROM outbox WHERE id = $1)", id)
		return err
	})
	return ok, err
}

// ForgetOldHealth wipes letters that failed before lettersBefore and drops what
// was measured before measuredBefore.
func (s *Store) ForgetOldHealth(ctx context.Context, lettersBefore, measuredBefore time.Time) error {
	return s.inTx(ctx, durable, "forget old health", func(tx *Tx) error {
		if _, err := tx.exec("UPDATE outbox SET letter = $2 WHERE state = 'failed' AND created_at < $1 AND length(letter) > 0", millis(lettersBefore), []byte{}); err != nil {
			return err
		}
		if _, err := tx.exec("DELETE FROM instances WHERE seen_at < $1", millis(lettersBefore)); err != nil {
			return err
		}
		_, err := tx.exec("DELETE FROM uptime WHERE hour < $1", millis(measuredBefore)/hour)
		return err
	})
}

// CheckKeys fails when the keys in use do not open this database.
func (s *Store) CheckKeys(ctx context.Context) error { return s.checkKeyring(ctx) }

// Pools are the connection pools by name, for their figures only.
func (s *Store) Pools() map[string]*sql.DB {
	pools := map[string]*sql.DB{"write": s.write}
	if s.read != s.write {
		pools["read"] = s.read
	}
	if s.leases != nil {
		pools["leases"] = s.leases
	}
	return pools
}

// Watch has begin called as a commit begins, and what it returned when it is
// done, with the number of writes in it. To be set before the store is shared.
func (s *Store) Watch(begin func() (done func(writes int))) {
	s.watch = begin
	if s.batch != nil {
		s.batch.watch = begin
	}
}

func unwatched() func(int) { return func(int) {} }
