package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// deletedAtOnce bounds one deleting transaction, and deletePause is left after
// each: visitors' writes get their turn in between.
const (
	deletedAtOnce = 10
	deletePause   = 25 * time.Millisecond
)

// DeleteSessionsBefore removes runs that started before t, with their messages
// and letters, and returns how many. Their numbers go into the statistics in
// the same transaction. Errors: ErrLeaseLost.
func (s *Store) DeleteSessionsBefore(ctx context.Context, l Lease, t time.Time) (int64, error) {
	return s.inPortions(ctx, l, "delete old sessions", func(tx *Tx) (int64, error) {
		return tx.deleteSessions("SELECT id FROM sessions WHERE started_at < $1 ORDER BY started_at, id LIMIT $2", millis(t), deletedAtOnce)
	})
}

// inPortions repeats a deletion of up to deletedAtOnce rows, a transaction
// each, until nothing is left or the lease is lost.
func (s *Store) inPortions(ctx context.Context, l Lease, what string, portion func(*Tx) (int64, error)) (total int64, err error) {
	for {
		var n int64
		err := s.inTx(ctx, durable, what, func(tx *Tx) (err error) {
			if err := tx.keep(l); err != nil {
				return err
			}
			n, err = portion(tx)
			return err
		})
		if err != nil {
			return total, err
		}
		if total += n; n < deletedAtOnce {
			return total, nil
		}
		select {
		case <-time.After(deletePause):
		case <-ctx.Done():
			return total, ctx.Err()
		}
	}
}

// deleteSessions removes the sessions whose ids the query which finds, with
// all that is theirs, and counts them into the statistics.
func (t *Tx) deleteSessions(which string, args ...any) (n int64, err error) {
	var ids []string
	left := map[countKey]counts{}
	rows, err := t.query(`DELETE FROM sessions WHERE id IN (`+which+`) RETURNING id, started_at, scenario_id, scenario_title, scenario_industry, turn_count,
		completed_at IS NOT NULL, user_email_index IS NOT NULL, score_overall`, args...)
	if err != nil {
		return 0, err
	}
	for rows.Next() {
		var id string
		var key countKey
		var started int64
		var completed, email bool
		var score sql.NullInt64
		if err = rows.Scan(&id, &started, &key.scenario, &key.title, &key.industry, &key.turns, &completed, &email, &score); err != nil {
			break
		}
		ids, key.day = append(ids, id), started/dayMillis
		left[key] = left[key].with(completed, email, score)
	}
	if err := errors.Join(err, rows.Err(), rows.Close()); err != nil {
		return 0, err
	}
	for _, id := range ids {
		for _, text := range []string{"DELETE FROM outbox WHERE session_id = $1", "DELETE FROM deliveries WHERE subject = $1"} {
			if _, err := t.exec(text, id); err != nil {
				return 0, err
			}
		}
	}
	return int64(len(ids)), t.addStatistics(left)
}

type countKey struct {
	day                       int64
	scenario, title, industry string
	turns                     int
}

type counts struct{ sessions, completed, emails, scored, scoreSum int64 }

func (c counts) with(completed, email bool, score sql.NullInt64) counts {
	c.sessions++
	if completed {
		c.completed++
	}
	if email {
		c.emails++
	}
	if score.Valid {
		c.scored, c.scoreSum = c.scored+1, c.scoreSum+score.Int64
	}
	return c
}

func (t *Tx) addStatistics(all map[countKey]counts) error {
	for k, c := range all {
		_, err := t.exec(`INSERT INTO statistics (day, scenario_id, scenario_title, scenario_industry, turn_count, sessions, completed, emails, scored, score_sum)
			VALUES ($1,$2,$3,$4,$5,$6,$7,$8,$9,$10) ON CONFLICT (day, scenario_id, scenario_title, scenario_industry, turn_count) DO UPDATE SET
			sessions = statistics.sessions + excluded.sessions, completed = statistics.completed + excluded.completed, emails = statistics.emails + excluded.emails,
			scored = statistics.scored + excluded.scored, score_sum = statistics.score_sum + excluded.score_sum`,
			k.day, k.scenario, k.title, k.industry, k.turns, c.sessions, c.completed, c.emails, c.scored, c.scoreSum)
		if err != nil {
			return err
		}
	}
	return nil
}

// DeleteKeptAnswersBefore removes the answers kept for idempotency keys that
// were first used before t.
func (s *Store) DeleteKeptAnswersBefore(ctx context.Context, t time.Time) error {
	return s.inTx(ctx, durable, "delete kept answers", func(tx *Tx) error {
		_, err := tx.exec("DELETE FROM idempotency WHERE created_at < $1", millis(t))
		return err
	})
}

// Checkpoint moves the write-ahead log into the database and empties it, so
// that what was deleted is in neither. On PostgreSQL it does nothing.
func (s *Store) Checkpoint(ctx context.Context) error {
	if s.postgres {
		return nil
	}
	var busy, pages, moved int
	for _, mode := range []string{"PASSIVE", "TRUNCATE"} { // the first does most of the work without keeping writers waiting
		if err := s.read.QueryRowContext(ctx, "PRAGMA wal_checkpoint("+mode+")").Scan(&busy, &pages, &moved); err != nil {
			return unavailable(fmt.Errorf("empty the write-ahead log: %w", err))
		}
	}
	if busy != 0 {
		return errors.New("empty the write-ahead log: a reader was in the way; it empties itself as it is written again")
	}
	return nil
}

// RetentionRun is what one run of retention did.
type RetentionRun struct {
	At       time.Time  `json:"at"` // by the database's clock
	Sessions int64      `json:"sessions"`
	Contact  int64      `json:"contact"`
	Keys     int        `json:"keys"`   // day keys destroyed
	Oldest   *time.Time `json:"oldest"` // session on record afterwards; nil: there is none
}

const retentionRun = "retention_run"

// RecordRetention keeps what the last run did. It finds Oldest itself.
// Errors: ErrLeaseLost.
func (s *Store) RecordRetention(ctx context.Context, l Lease, r RetentionRun) error {
	return s.inTx(ctx, durable, "record retention", func(tx *Tx) error {
		if err := tx.keep(l); err != nil {
			return err
		}
		var oldest sql.NullInt64
		if err := tx.row("SELECT min(started_at) FROM sessions").Scan(&oldest); err != nil {
			return err
		}
		r.Oldest = fromNullMillis(oldest)
		value, err := json.Marshal(r)
		if err != nil {
			return err
		}
		_, err = tx.exec("INSERT INTO settings (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value", retentionRun, string(value))
		return err
	})
}

// LastRetention returns what the last run did; ok is false before the first.
func (s *Store) LastRetention(ctx context.Context) (r RetentionRun, ok bool, err error) {
	var value string
	err = s.row(ctx, "SELECT value FROM settings WHERE name = $1", retentionRun).Scan(&value)
	if errors.Is(err, sql.ErrNoRows) {
		return r, false, nil
	}
	if err == nil {
		err = json.Unmarshal([]byte(value), &r)
	}
	if err != nil {
		return r, false, unavailable(fmt.Errorf("read last retention: %w", err))
	}
	return r, true, nil
}

// LogBytes is the size of SQLite's write-ahead log.
func (s *Store) LogBytes() (int64, error) {
	info, err := os.Stat(filepath.Join(s.dir, sqliteFile+"-wal"))
	if err != nil {
		return 0, fmt.Errorf("look at the write-ahead log: %w", err)
	}
	return info.Size(), nil
}
