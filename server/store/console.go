package store

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"simora/server/keyring"
	"simora/server/sim"
)

// Scenarios returns all scenarios, the newest first.
func (s *Store) Scenarios(ctx context.Context) (list []sim.Scenario, err error) {
	rows, err := s.query(ctx, "SELECT "+scenarioColumns+" FROM scenarios ORDER BY created_at DESC, id")
	if err != nil {
		return nil, unavailable(fmt.Errorf("read scenarios: %w", err))
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	list = []sim.Scenario{}
	for rows.Next() {
		sc, err := scanScenario(rows.Scan)
		if err != nil {
			return nil, fmt.Errorf("read scenarios: %w", err)
		}
		list = append(list, sc)
	}
	return list, unavailable(rows.Err())
}

// Scenario finds one by its id, or is sim.ErrScenarioNotFound.
func (s *Store) Scenario(ctx context.Context, id string) (sim.Scenario, error) {
	sc, err := scanScenario(s.row(ctx, "SELECT "+scenarioColumns+" FROM scenarios WHERE id = $1", id).Scan)
	if errors.Is(err, sql.ErrNoRows) {
		return sc, sim.ErrScenarioNotFound
	}
	if err != nil {
		return sc, unavailable(fmt.Errorf("read scenario: %w", err))
	}
	return sc, nil
}

func scanScenario(scan func(...any) error) (sc sim.Scenario, err error) {
	var rubric string
	var created, updated int64
	err = scan(&sc.ID, &sc.Title, &sc.Slug, &sc.Industry, &sc.ShortDescription, &sc.SystemPrompt, &rubric,
		&sc.MaxTurns, &sc.IsPublic, &sc.ThumbnailURL, &created, &updated)
	sc.Rubric, sc.CreatedAt, sc.UpdatedAt = json.RawMessage(rubric), fromMillis(created), fromMillis(updated)
	return sc, err
}

// AddScenario stores a new scenario. Errors: sim.ErrSlugTaken.
func (s *Store) AddScenario(ctx context.Context, sc sim.Scenario) error {
	return s.inTx(ctx, durable, "add scenario", func(tx *Tx) error {
		version, err := tx.keepVersion(sc)
		if err != nil {
			return err
		}
		n, err := tx.exec("INSERT INTO scenarios (version, "+scenarioColumns+") VALUES ($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13) ON CONFLICT (slug) DO NOTHING",
			version, sc.ID, sc.Title, sc.Slug, string(sc.Industry), sc.ShortDescription, sc.SystemPrompt, string(sc.Rubric),
			sc.MaxTurns, sc.IsPublic, sc.ThumbnailURL, millis(sc.CreatedAt), millis(sc.UpdatedAt))
		if err != nil {
			return err
		}
		if n == 0 {
			return sim.ErrSlugTaken
		}
		return tx.audit(scenarioEvent(sim.ScenarioCreated, sc, version))
	})
}

// scenarioEvent names the version, which is kept: what was changed can be found.
func scenarioEvent(action sim.Action, sc sim.Scenario, version string) sim.Event {
	return sim.Event{Action: action, Object: "scenario " + sc.ID, Detail: map[string]string{"slug": sc.Slug, "version": version}}
}

// ChangeScenario hands the stored scenario to change and stores what it makes
// of it. Running sessions keep the version they started with.
//
// Errors: sim.ErrScenarioNotFound, ErrSlugTaken, and those of change.
func (s *Store) ChangeScenario(ctx context.Context, id string, change func(*sim.Scenario) error) (sc sim.Scenario, err error) {
	err = s.inTx(ctx, durable, "change scenario", func(tx *Tx) error {
		sc, err = scanScenario(tx.row("SELECT "+scenarioColumns+" FROM scenarios WHERE id = $1", id).Scan)
		if errors.Is(err, sql.ErrNoRows) {
			return sim.ErrScenarioNotFound
		}
		if err != nil {
			return err
		}
		if err := change(&sc); err != nil {
			return err
		}
		var taken int
		if err := tx.row("SELECT count(*) FROM scenarios WHERE slug = $1 AND id <> $2", sc.Slug, id).Scan(&taken); err != nil {
			return err
		}
		if taken > 0 {
			return sim.ErrSlugTaken
		}
		version, err := tx.keepVersion(sc)
		if err != nil {
			return err
		}
		_, err = tx.exec(`UPDATE scenarios SET version = $2, title = $3, slug = $4, industry = $5, short_description = $6, system_prompt = $7,
			rubric = $8, max_turns = $9, is_public = $10, thumbnail_url = $11, updated_at = $12 WHERE id = $1`,
			id, version, sc.Title, sc.Slug, string(sc.Industry), sc.ShortDescription, sc.SystemPrompt, string(sc.Rubric), sc.MaxTurns, sc.IsPublic,
			sc.ThumbnailURL, millis(sc.UpdatedAt))
		if err != nil {
			return err
		}
		return tx.audit(scenarioEvent(sim.ScenarioUpdated, sc, version))
	})
	return sc, err
}

// DeleteScenario removes a scenario. Its finished sessions stay; running ones
// end. Errors: sim.ErrScenarioNotFound.
func (s *Store) DeleteScenario(ctx context.Context, id string) error {
	return s.inTx(ctx, durable, "delete scenario", func(tx *Tx) error {
		n, err := tx.exec("DELETE FROM scenarios WHERE id = $1", id)
		if err != nil {
			return err
		}
		if n == 0 {
			return sim.ErrScenarioNotFound
		}
		if _, err = tx.exec("UPDATE sessions SET ended = TRUE WHERE scenario_id = $1 AND completed_at IS NULL", id); err != nil {
			return err
		}
		return tx.audit(sim.Event{Action: sim.ScenarioDeleted, Object: "scenario " + id})
	})
}

// SessionFilter chooses sessions; zero values choose all.
type SessionFilter struct {
	Email      string // exact
	SessionID  string
	Title      string // part of the scenario's title
	Industry   string
	Status     string // complete or incomplete
	From, To   time.Time
	MinScore   *int
	MaxScore   *int
	Sort       string // started_at, score_overall, turn_count or completed_at
	Ascending  bool
	Limit      int
	Offset     int
	CountTotal bool
}

// SessionRow is a session as the console lists it.
type SessionRow struct {
	ID          string
	Title       string
	Industry    string
	StartedAt   time.Time
	CompletedAt *time.Time
	TurnCount   int
	MaxTurns    int
	Score       *int
	Dimensions  map[string]int
	Email       *string
	Visitor     Visitor
	EmailSentAt *time.Time
}

var sessionSorts = map[string]string{"started_at": "started_at", "score_overall": "score_overall", "turn_count": "turn_count", "completed_at": "completed_at"}

const rowColumns = "id, scenario_title, scenario_industry, started_at, completed_at, turn_count, max_turns, score_overall, score_dimensions, user_email, visitor, email_sent_at"

// SessionRows lists sessions, the newest first unless asked otherwise. The
// total is counted when the filter asks for it.
func (s *Store) SessionRows(ctx context.Context, f SessionFilter) (list []SessionRow, total int, err error) {
	where, args, err := f.where(s)
	if err != nil {
		return nil, 0, err
	}
	if f.CountTotal {
		counted, err := s.queryList(ctx, "SELECT count(*) FROM sessions"+where, args...)
		if err := (row{counted, err}).Scan(&total); err != nil {
			return nil, 0, unavailable(fmt.Errorf("count sessions: %w", err))
		}
	}
	sort, ok := sessionSorts[f.Sort]
	if !ok {
		sort = "started_at"
	}
	direction := " DESC"
	if f.Ascending {
		direction = " ASC"
	}
	// Sessions without a value come last, whichever way it goes.
	order := " ORDER BY " + sort + direction + ", id" + direction
	if sort == "score_overall" || sort == "completed_at" {
		order = " ORDER BY " + sort + " IS NULL, " + sort + direction + ", id" + direction
	}
	args = append(args, f.Limit, f.Offset)
	rows, err := s.queryList(ctx, fmt.Sprintf("SELECT %s FROM sessions%s%s LIMIT $%d OFFSET $%d", rowColumns, where, order, len(args)-1, len(args)), args...)
	if err != nil {
		return nil, 0, unavailable(fmt.Errorf("list sessions: %w", err))
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	list = []SessionRow{}
	for rows.Next() {
		row, err := s.scanSessionRow(rows.Scan)
		if errors.Is(err, keyring.ErrDestroyed) {
			continue
		}
		if err != nil {
			return nil, 0, fmt.Errorf("list sessions: %w", err)
		}
		list = append(list, row)
	}
	return list, total, unavailable(rows.Err())
}

func (f SessionFilter) where(s *Store) (text string, args []any, err error) {
	var parts []string
	add := func(part string, arg any) {
		args = append(args, arg)
		parts = append(parts, strings.ReplaceAll(part, "?", fmt.Sprintf("$%d", len(args))))
	}
	if f.Email != "" {
		index, err := emailIndex(s, f.Email)
		if err != nil {
			return "", nil, err
		}
		add("user_email_index = ?", index)
	}
	if f.SessionID != "" {
		add("id = ?", f.SessionID)
	}
	if f.Title != "" {
		add("lower(scenario_title) LIKE ? ESCAPE '!'", "%"+strings.NewReplacer("!", "!!", "%", "!%", "_", "!_").Replace(strings.ToLower(f.Title))+"%")
	}
	if f.Industry != "" {
		add("scenario_industry = ?", f.Industry)
	}
	switch f.Status {
	case "complete":
		parts = append(parts, "completed_at IS NOT NULL")
	case "incomplete":
		parts = append(parts, "completed_at IS NULL")
	}
	if !f.From.IsZero() {
		add("started_at >= ?", millis(f.From))
	}
	if !f.To.IsZero() {
		add("started_at < ?", millis(f.To))
	}
	if f.MinScore != nil {
		add("score_overall >= ?", *f.MinScore)
	}
	if f.MaxScore != nil {
		add("score_overall <= ?", *f.MaxScore)
	}
	if len(parts) > 0 {
		text = " WHERE " + strings.Join(parts, " AND ")
	}
	return text, args, nil
}

func (s *Store) scanSessionRow(scan func(...any) error) (r SessionRow, err error) {
	var started int64
	var completed, sent, score sql.NullInt64
	var dimensions sql.NullString
	var email, visitor []byte
	if err := scan(&r.ID, &r.Title, &r.Industry, &started, &completed, &r.TurnCount, &r.MaxTurns, &score, &dimensions, &email, &visitor, &sent); err != nil {
		return r, err
	}
	r.StartedAt, r.CompletedAt, r.EmailSentAt = fromMillis(started), fromNullMillis(completed), fromNullMillis(sent)
	if score.Valid {
		n := int(score.Int64)
		r.Score = &n
	}
	if dimensions.Valid {
		if err := json.Unmarshal([]byte(dimensions.String), &r.Dimensions); err != nil {
			return r, fmt.Errorf("decode dimensions: %w", err)
		}
	}
	if len(email) > 0 {
		plain, err := s.open("sessions", "user_email", r.ID, email)
		if err != nil {
			return r, err
		}
		text := string(plain)
		r.Email = &text
	}
	return r, s.openJSON("sessions", "visitor", r.ID, visitor, &r.Visitor)
}

// SessionRow finds one session as the console shows it, or is
// sim.ErrSessionNotFound.
func (s *Store) SessionRow(ctx context.Context, id string) (SessionRow, error) {
	r, err := s.scanSessionRow(s.row(ctx, "SELECT "+rowColumns+" FROM sessions WHERE id = $1", id).Scan)
	if errors.Is(err, sql.ErrNoRows) {
		return r, sim.ErrSessionNotFound
	}
	if err != nil {
		return r, unavailable(gone(fmt.Errorf("read session: %w", err)))
	}
	return r, nil
}

// Engines says which engine wrote each of the virtual human's messages of a
// session, in order.
func (s *Store) Engines(ctx context.Context, sessionID string) (list []string, err error) {
	rows, err := s.query(ctx, "SELECT engine FROM messages WHERE session_id = $1 AND role = 'assistant' ORDER BY seq", sessionID)
	if err != nil {
		return nil, unavailable(fmt.Errorf("read engines: %w", err))
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var engine string
		if err := rows.Scan(&engine); err != nil {
			return nil, fmt.Errorf("read engines: %w", err)
		}
		list = append(list, engine)
	}
	return list, unavailable(rows.Err())
}

// Day is what happened on one day (UTC), or in all for one scenario.
type Day struct {
	Key       string // YYYY-MM-DD, or the scenario's title
	Industry  string // with a scenario
	Sessions  int
	Completed int
	Emails    int
	Scored    int
	ScoreSum  int
}

// Overview is the console's dashboard.
type Overview struct {
	Days      []Day
	Scenarios []Day
	// LastTurn counts sessions by the number of messages that their learner sent.
	LastTurn map[int]int
	// Waiting is how many contact messages nobody has answered.
	Waiting int
}

const dayMillis = 86_400_000

// Overview sums up the sessions that started in a period of whole days (UTC),
// those that retention has deleted since included.
func (s *Store) Overview(ctx context.Context, from, to time.Time) (o Overview, err error) {
	days, scenarios := map[string]Day{}, map[[2]string]Day{}
	o.LastTurn = map[int]int{}
	err = s.each(ctx, fmt.Sprintf(counted, dayMillis), func(scan func(...any) error) error {
		var d Day
		var number int64
		var title string
		var turn int
		if err := scan(&number, &title, &d.Industry, &turn, &d.Sessions, &d.Completed, &d.Emails, &d.Scored, &d.ScoreSum); err != nil {
			return err
		}
		day := fromMillis(number * dayMillis).UTC().Format(time.DateOnly)
		days[day] = days[day].plus(d).named(day, "")
		scenario := [2]string{title, d.Industry}
		scenarios[scenario] = scenarios[scenario].plus(d).named(title, d.Industry)
		o.LastTurn[turn] += d.Sessions
		return nil
	}, millis(from), millis(to), millis(from)/dayMillis, millis(to)/dayMillis)
	if err != nil {
		return o, err
	}
	o.Days = slices.SortedFunc(maps.Values(days), func(a, b Day) int { return cmp.Compare(a.Key, b.Key) })
	o.Scenarios = slices.SortedFunc(maps.Values(scenarios), func(a, b Day) int {
		return cmp.Or(cmp.Compare(b.Sessions, a.Sessions), cmp.Compare(a.Key, b.Key), cmp.Compare(a.Industry, b.Industry))
	})
	if err := s.row(ctx, "SELECT count(*) FROM contact_messages WHERE answered_at IS NULL AND suspicious = FALSE").Scan(&o.Waiting); err != nil {
		return o, unavailable(fmt.Errorf("count contact messages: %w", err))
	}
	return o, nil
}

// counted sums up a period in the smallest groups that the dashboard knows, so
// that the sessions are read once. %d is a day in milliseconds.
const counted = `SELECT started_at / %d, scenario_title, scenario_industry, turn_count, count(*),
		sum(CASE WHEN completed_at IS NULL THEN 0 ELSE 1 END), sum(CASE WHEN user_email_index IS NULL THEN 0 ELSE 1 END),
		sum(CASE WHEN score_overall IS NULL THEN 0 ELSE 1 END), sum(COALESCE(score_overall, 0))
	FROM sessions WHERE started_at >= $1 AND started_at < $2 GROUP BY 1, 2, 3, 4
	UNION ALL SELECT day, scenario_title, scenario_industry, turn_count, sessions, completed, emails, scored, score_sum
	FROM statistics WHERE day >= $3 AND day < $4`

func (d Day) plus(e Day) Day {
	d.Sessions += e.Sessions
	d.Completed += e.Completed
	d.Emails += e.Emails
	d.Scored += e.Scored
	d.ScoreSum += e.ScoreSum
	return d
}

func (d Day) named(key, industry string) Day {
	d.Key, d.Industry = key, industry
	return d
}

// each calls one for every row of a list.
func (s *Store) each(ctx context.Context, text string, one func(scan func(...any) error) error, args ...any) (err error) {
	rows, err := s.queryList(ctx, text, args...)
	if err != nil {
		return unavailable(fmt.Errorf("read: %w", err))
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		if err := one(rows.Scan); err != nil {
			return fmt.Errorf("read: %w", err)
		}
	}
	return unavailable(rows.Err())
}

// MarkContactAnswered records when a message was answered; a nil time takes it
// back. It reports whether there is such a message.
func (s *Store) MarkContactAnswered(ctx context.Context, id string, at *time.Time) (found bool, err error) {
	var value any
	if at != nil {
		value = millis(*at)
	}
	err = s.inTx(ctx, durable, "mark contact message", func(tx *Tx) error {
		n, err := tx.exec("UPDATE contact_messages SET answered_at = $2 WHERE id = $1", id, value)
		if found = n > 0; err != nil || !found {
			return err
		}
		return tx.audit(sim.Event{Action: sim.ContactAnswered, Object: "contact message " + id, Detail: map[string]string{"answered": strconv.FormatBool(at != nil)}})
	})
	return found, err
}
