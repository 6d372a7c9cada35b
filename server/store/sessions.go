package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"simora/server/sim"
)

// leaseTime is how long a turn or a judgement may hold its session. An engine
// has to answer well within it.
const leaseTime = 30 * time.Second

// Visitor is what is known of who runs a session. It is sealed as a whole.
type Visitor struct {
	IP        string `json:"ip"`
	UserAgent string `json:"userAgent"`
	City      string `json:"city,omitempty"`
	Country   string `json:"country,omitempty"`
	Language  string `json:"language,omitempty"`
	Width     int    `json:"width,omitempty"`
	Height    int    `json:"height,omitempty"`
}

// Session is a run as stored.
type Session struct {
	ID             string
	Scenario       sim.Scenario // as it was when the session started
	Seed           uint64
	MaxTurns       int
	TurnCount      int // accepted learner messages
	Ended          bool
	StartedAt      time.Time
	LastTurnAt     time.Time
	CompletedAt    *time.Time
	Report         *sim.Report
	RecipientFixed bool
	EmailSentAt    *time.Time
	Messages       []sim.Message

	fence int64
}

// Conversation is what the engines get to see of it.
func (s Session) Conversation() sim.Conversation {
	return sim.Conversation{Scenario: s.Scenario, Seed: s.Seed, MaxTurns: s.MaxTurns, Messages: s.Messages, Ended: s.Ended}
}

// NewSession is a run about to be stored.
type NewSession struct {
	ID        string
	Scenario  sim.Scenario
	Version   string // of the scenario, from ScenarioBySlug
	Seed      uint64
	Opening   sim.Opening
	Visitor   Visitor
	StartedAt time.Time
}

// CreateSession stores a new run with its opening message. A repetition of the
// same once gets the first answer back instead.
func (s *Store) CreateSession(ctx context.Context, n NewSession, once Once, response []byte) (replayed []byte, err error) {
	visitor, err := s.sealJSONFor(forSession(n.StartedAt), "sessions", "visitor", n.ID, n.Visitor)
	if err != nil {
		return nil, err
	}
	now := millis(n.StartedAt)
	err = s.inTx(ctx, durable, "create session", func(tx *Tx) error {
		if replayed, err = tx.replay(once); err != nil || replayed != nil {
			return err
		}
		_, err := tx.exec(`INSERT INTO sessions (id, scenario_id, scenario_version, scenario_title, scenario_industry, seed, max_turns,
			turn_count, ended, started_at, last_turn_at, visitor, recipient_fixed, mail_count, fence, lease_until, lease_key)
			VALUES ($1,$2,$3,$4,$5,$6,$7,0,FALSE,$8,$8,$9,FALSE,0,0,0,'')`,
			n.ID, n.Scenario.ID, n.Version, n.Scenario.Title, string(n.Scenario.Industry), int64(n.Seed), n.Scenario.TurnLimit(), now, visitor) //nolint:gosec // two's complement both ways
		if err != nil {
			return err
		}
		opening := line{message: sim.Message{Role: sim.Assistant, Content: n.Opening.Message}, engine: sim.BuiltIn, demeanour: &n.Opening.Demeanour}
		if err := tx.addMessages(n.ID, n.StartedAt, n.StartedAt, opening); err != nil {
			return err
		}
		return tx.remember(once, forSession(n.StartedAt), n.ID, response, n.StartedAt)
	})
	return replayed, err
}

// line is one message about to be stored.
type line struct {
	seq       int
	message   sim.Message
	engine    sim.EngineName
	demeanour *sim.Demeanour
}

// addMessages stores all lines in one statement.
func (t *Tx) addMessages(sessionID string, startedAt, now time.Time, lines ...line) error {
	var values []string
	var args []any
	for _, l := range lines {
		row, err := t.s.messageValues(sessionID, startedAt, now, l)
		if err != nil {
			return err
		}
		n := len(args)
		values = append(values, fmt.Sprintf("($%d,$%d,$%d,$%d,$%d,$%d,$%d)", n+1, n+2, n+3, n+4, n+5, n+6, n+7))
		args = append(args, row...)
	}
	_, err := t.exec("INSERT INTO messages ("+messageColumns+") VALUES "+strings.Join(values, ","), args...)
	return err
}

const messageColumns = "session_id, seq, role, content, engine, demeanour, created_at"

// messageValues are a line's messageColumns.
func (s *Store) messageValues(sessionID string, startedAt, now time.Time, l line) ([]any, error) {
	content, err := s.sealFor(forSession(startedAt), "messages", "content", messageRow(sessionID, l.seq), []byte(l.message.Content))
	if err != nil {
		return nil, err
	}
	demeanour := ""
	if l.demeanour != nil {
		raw, err := json.Marshal(l.demeanour)
		if err != nil {
			return nil, fmt.Errorf("encode demeanour: %w", err)
		}
		demeanour = string(raw)
	}
	return []any{sessionID, l.seq, string(l.message.Role), content, string(l.engine), demeanour, millis(now)}, nil
}

func messageRow(sessionID string, seq int) string { return sessionID + ":" + strconv.Itoa(seq) }

// BeginTurn leases the session for one turn: it is open, not full, not idle
// for too long, and nobody else is at it. The same once answers a repetition
// with the stored response and no lease.
//
// Errors: sim.ErrSessionNotFound, ErrSessionCompleted, ErrSessionExpired,
// ErrTurnInProgress, ErrRequestInProgress (the same once is being worked on),
// ErrKeyReused.
func (s *Store) BeginTurn(ctx context.Context, id string, once Once, now time.Time) (sess Session, replayed []byte, err error) {
	err = s.single(ctx, "begin turn", func(tx *Tx) error {
		sess, replayed = Session{}, nil
		err := tx.lease(id, once, now, &sess)
		if err == nil {
			sess.Messages, err = loadMessages(s, id, tx.query)
			return gone(err)
		}
		if !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		if replayed, err = tx.replay(once); err != nil || replayed != nil {
			return err
		}
		return tx.whyNoTurn(id, once, now)
	})
	return sess, replayed, err
}

// lease is the one statement that opens a turn; sql.ErrNoRows when it may not
// be opened.
func (t *Tx) lease(id string, once Once, now time.Time, sess *Session) error {
	clock, at := t.s.clock("$5", now)
	return t.scanSession(t.row(`UPDATE sessions SET fence = fence + 1, lease_until = `+clock+` + $2, lease_key = $3
		WHERE id = $1 AND completed_at IS NULL AND ended = FALSE AND turn_count < max_turns AND last_turn_at > $4 AND lease_until <= `+clock+`
		AND NOT EXISTS (SELECT 1 FROM idempotency WHERE idempotency.id = $3)
		RETURNING `+sessionColumns, id, leaseTime.Milliseconds(), once.id, millis(now.Add(-sim.TurnIdle)), at), id, sess)
}

func (t *Tx) whyNoTurn(id string, once Once, now time.Time) error {
	var completed sql.NullInt64
	var ended, leased bool
	var turns, limit int
	var key string
	clock, at := t.s.clock("$2", now)
	err := t.row("SELECT completed_at, ended, turn_count, max_turns, lease_until > "+clock+", lease_key FROM sessions WHERE id = $1", id, at).
		Scan(&completed, &ended, &turns, &limit, &leased, &key)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return sim.ErrSessionNotFound
	case err != nil:
		return err
	case completed.Valid || ended || turns >= limit:
		return sim.ErrSessionCompleted
	case leased && once.id != "" && key == once.id:
		return sim.ErrRequestInProgress.After(time.Second)
	case leased:
		return sim.ErrTurnInProgress.After(time.Second)
	}
	return sim.ErrSessionExpired
}

// session reads a run with its messages inside a transaction.
func (t *Tx) session(id string) (Session, error) {
	return loadSession(t.s, id, t.row, t.query)
}

// Session returns a run with its messages and report, or sim.ErrSessionNotFound.
func (s *Store) Session(ctx context.Context, id string) (Session, error) {
	sess, err := loadSession(s, id,
		func(text string, args ...any) row { return s.row(ctx, text, args...) },
		func(text string, args ...any) (*rows, error) { return s.query(ctx, text, args...) })
	return sess, unavailable(err)
}

type (
	readRow  func(text string, args ...any) row
	readRows func(text string, args ...any) (*rows, error)
)

func loadSession(s *Store, id string, one readRow, many readRows) (Session, error) {
	var sess Session
	err := s.scanSession(one("SELECT "+sessionColumns+" FROM sessions WHERE id = $1", id), id, one, &sess)
	if errors.Is(err, sql.ErrNoRows) {
		return Session{}, sim.ErrSessionNotFound
	}
	if err != nil {
		return Session{}, gone(fmt.Errorf("read session: %w", err))
	}
	sess.Messages, err = loadMessages(s, id, many)
	return sess, gone(err)
}

// sessionColumns are what scanSession reads.
const sessionColumns = "scenario_version, seed, max_turns, turn_count, ended, started_at, last_turn_at, completed_at, report, recipient_fixed, email_sent_at, fence"

func (t *Tx) scanSession(r row, id string, sess *Session) error {
	return t.s.scanSession(r, id, t.row, sess)
}

func (s *Store) scanSession(r row, id string, one readRow, sess *Session) error {
	sess.ID = id
	var version string
	var seed, started, last int64
	var completed, sent sql.NullInt64
	var report []byte
	err := r.Scan(&version, &seed, &sess.MaxTurns, &sess.TurnCount, &sess.Ended, &started, &last,
		&completed, &report, &sess.RecipientFixed, &sent, &sess.fence)
	if err != nil {
		return err
	}
	sess.Seed = uint64(seed) //nolint:gosec // two's complement both ways
	sess.StartedAt, sess.LastTurnAt = fromMillis(started), fromMillis(last)
	sess.CompletedAt, sess.EmailSentAt = fromNullMillis(completed), fromNullMillis(sent)
	if len(report) > 0 {
		sess.Report = &sim.Report{}
		if err := s.openJSON("sessions", "report", id, report, sess.Report); err != nil {
			return err
		}
	}
	sess.Scenario, err = s.version(version, one)
	return err
}

func loadMessages(s *Store, id string, many readRows) (list []sim.Message, err error) {
	rows, err := many("SELECT seq, role, content FROM messages WHERE session_id = $1 ORDER BY seq", id)
	if err != nil {
		return nil, fmt.Errorf("read messages: %w", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var seq int
		var role string
		var sealed []byte
		if err := rows.Scan(&seq, &role, &sealed); err != nil {
			return nil, fmt.Errorf("read messages: %w", err)
		}
		content, err := s.open("messages", "content", messageRow(id, seq), sealed)
		if err != nil {
			return nil, err
		}
		list = append(list, sim.Message{Role: sim.Role(role), Content: string(content)})
	}
	return list, rows.Err()
}

// Turn is one exchange about to be stored.
type Turn struct {
	Learner  string
	Reply    sim.Reply
	At       time.Time
	Once     Once
	Response []byte // what the caller is told, kept for a repetition
}

// CommitTurn stores both messages, the count and the kept response together,
// if the lease that BeginTurn gave still holds. Otherwise sim.ErrTurnInProgress.
func (s *Store) CommitTurn(ctx context.Context, sess Session, t Turn) error {
	seq := 2*sess.TurnCount + 1
	lines := []line{
		{seq: seq, message: sim.Message{Role: sim.User, Content: t.Learner}},
		{seq: seq + 1, message: sim.Message{Role: sim.Assistant, Content: t.Reply.Text}, engine: t.Reply.Engine, demeanour: &t.Reply.Demeanour},
	}
	if s.postgres {
		return s.commitTurnAtOnce(ctx, sess, t, lines)
	}
	return s.inTx(ctx, durable, "commit turn", func(tx *Tx) error {
		n, err := tx.exec(turnIsOver, sess.ID, sess.fence, t.Reply.Ended, millis(t.At))
		if err != nil {
			return err
		}
		if n == 0 {
			return sim.ErrTurnInProgress
		}
		if err = tx.addMessages(sess.ID, sess.StartedAt, t.At, lines...); err != nil {
			return err
		}
		return tx.remember(t.Once, forSession(sess.StartedAt), sess.ID, t.Response, t.At)
	})
}

const turnIsOver = `UPDATE sessions SET turn_count = turn_count + 1, ended = $3, last_turn_at = $4, lease_until = 0, lease_key = ''
	WHERE id = $1 AND fence = $2 AND completed_at IS NULL`

// commitTurnAtOnce says what CommitTurn says in five statements in one: on
// PostgreSQL a turn costs mostly going to and fro.
func (s *Store) commitTurnAtOnce(ctx context.Context, sess Session, t Turn, lines []line) error {
	args := []any{sess.ID, sess.fence, t.Reply.Ended, millis(t.At)}
	text := "WITH turn AS (" + turnIsOver + " RETURNING id)"
	insert := func(table, columns, casts string, values []any) {
		var list []string
		for i, cast := range strings.Fields(casts) {
			list = append(list, fmt.Sprintf("$%d::%s", len(args)+i+1, cast))
		}
		args = append(args, values...)
		text += fmt.Sprintf(", insert%d AS (INSERT INTO %s (%s) SELECT %s FROM turn)", len(args), table, columns, strings.Join(list, ", "))
	}
	for _, l := range lines {
		values, err := s.messageValues(sess.ID, sess.StartedAt, t.At, l)
		if err != nil {
			return err
		}
		insert("messages", messageColumns, "text int text bytea text text bigint", values)
	}
	if t.Once.id != "" {
		values, err := s.keptValues(t.Once, forSession(sess.StartedAt), sess.ID, t.Response, t.At)
		if err != nil {
			return err
		}
		insert("idempotency", keptColumns, "text bytea bytea bigint text", values)
	}
	done := s.watch()
	defer done(1)
	return s.alone(ctx, s.write, "commit turn", func(tx *Tx) error {
		err := tx.row(text+" SELECT id FROM turn", args...).Scan(new(string))
		if errors.Is(err, sql.ErrNoRows) {
			return sim.ErrTurnInProgress
		}
		return err
	})
}

// Release gives a lease back when the work behind it failed.
func (s *Store) Release(ctx context.Context, sess Session) error {
	return s.single(ctx, "release session", func(tx *Tx) error {
		_, err := tx.exec("UPDATE sessions SET lease_until = 0, lease_key = '' WHERE id = $1 AND fence = $2", sess.ID, sess.fence)
		return err
	})
}

// dropLeases frees what a crash left leased. Of a million sessions it reads a
// week's, by their index: an older one's lease runs out by itself.
func (s *Store) dropLeases(ctx context.Context) error {
	return s.inTx(ctx, soft, "drop leases", func(tx *Tx) error {
		for _, text := range []string{
			"UPDATE sessions SET lease_until = 0, lease_key = '' WHERE started_at > (SELECT max(started_at) FROM sessions) - 604800000 AND lease_until > 0",
			"UPDATE deliveries SET lease_until = 0 WHERE lease_until > 0",
		} {
			if _, err := tx.exec(text); err != nil {
				return err
			}
		}
		_, err := tx.exec("UPDATE leases SET until = 0")
		return err
	})
}

// BeginReport ends the run and leases it for judging. A run that has its
// report comes back with it and without a lease.
//
// Errors: sim.ErrSessionNotFound, ErrSessionExpired, ErrTurnInProgress (a turn
// or another judgement is under way).
func (s *Store) BeginReport(ctx context.Context, id string, now time.Time) (sess Session, err error) {
	err = s.single(ctx, "begin report", func(tx *Tx) error {
		clock, at := s.clock("$5", now)
		n, err := tx.exec(`UPDATE sessions SET completed_at = COALESCE(completed_at, $2), fence = fence + 1, lease_until = `+clock+` + $3, lease_key = 'report'
			WHERE id = $1 AND report IS NULL AND lease_until <= `+clock+` AND (completed_at IS NOT NULL OR started_at > $4)`,
			id, millis(now), leaseTime.Milliseconds(), millis(now.Add(-sim.CapabilityLife)), at)
		if err != nil {
			return err
		}
		if sess, err = tx.session(id); err != nil || n == 1 || sess.Report != nil {
			return err
		}
		if sess.CompletedAt == nil && !sess.StartedAt.After(now.Add(-sim.CapabilityLife)) {
			return sim.ErrSessionExpired
		}
		return sim.ErrTurnInProgress.After(time.Second)
	})
	return sess, err
}

// CommitReport stores the report, and queues the events, if the lease that
// BeginReport gave still holds. Otherwise sim.ErrTurnInProgress.
func (s *Store) CommitReport(ctx context.Context, sess Session, r sim.Report, events ...Event) error {
	report, err := s.sealJSONFor(forSession(sess.StartedAt), "sessions", "report", sess.ID, r)
	if err != nil {
		return err
	}
	dimensions, err := json.Marshal(r.Dimensions)
	if err != nil {
		return fmt.Errorf("encode dimensions: %w", err)
	}
	return s.inTx(ctx, durable, "commit report", func(tx *Tx) error {
		n, err := tx.exec(`UPDATE sessions SET report = $3, score_overall = $4, score_dimensions = $5, lease_until = 0, lease_key = ''
			WHERE id = $1 AND fence = $2 AND report IS NULL`, sess.ID, sess.fence, report, r.Overall, string(dimensions))
		if err == nil && n == 0 {
			return sim.ErrTurnInProgress
		}
		if err != nil {
			return err
		}
		return tx.tell(forSession(sess.StartedAt), events)
	})
}
