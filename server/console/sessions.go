package console

import (
	"context"
	"strconv"
	"strings"
	"time"

	"simora/server/mail"
	"simora/server/sim"
	"simora/server/store"
)

const (
	mostRows   = 1000
	mostOffset = 10_000_000
	mostExport = 100_000
)

// SessionsInput chooses sessions. Without anything it is the newest 1000.
type SessionsInput struct {
	Search    string `json:"search"` // a mail address, a session's id, or a part of the scenario's title
	Industry  string `json:"industry"`
	Status    string `json:"status"` // complete, incomplete, or empty for all
	From      string `json:"from"`   // YYYY-MM-DD, UTC
	To        string `json:"to"`     // the last day included
	MinScore  *int   `json:"minScore"`
	MaxScore  *int   `json:"maxScore"`
	Sort      string `json:"sort"`
	Ascending bool   `json:"ascending"`
	Limit     *int   `json:"limit"`
	Offset    int    `json:"offset"`
}

// ScenarioOf is what a session keeps of its scenario.
type ScenarioOf struct {
	Title    string `json:"title"`
	Industry string `json:"industry"`
}

// Session is one as listed.
type Session struct {
	ID          string         `json:"id"`
	Scenarios   ScenarioOf     `json:"scenarios"`
	StartedAt   time.Time      `json:"started_at"`
	CompletedAt *time.Time     `json:"completed_at"`
	TurnCount   int            `json:"turn_count"`
	Score       *int           `json:"score_overall"`
	Dimensions  map[string]int `json:"score_dimensions"`
	Email       *string        `json:"user_email"`
	IP          *string        `json:"visitor_ip"`
	City        *string        `json:"geo_city"`
	Country     *string        `json:"geo_country"`
	UserAgent   *string        `json:"user_agent"`
	EmailSentAt *time.Time     `json:"email_sent_at"`
}

// SessionList is one page of them.
type SessionList struct {
	Sessions []Session `json:"sessions"`
	Total    *int      `json:"total,omitempty"` // with a limit
}

func shown(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

func sessionOf(r store.SessionRow) Session {
	return Session{
		ID: r.ID, Scenarios: ScenarioOf{r.Title, r.Industry}, StartedAt: r.StartedAt.UTC(), CompletedAt: r.CompletedAt, TurnCount: r.TurnCount,
		Score: r.Score, Dimensions: r.Dimensions, Email: r.Email, IP: shown(r.Visitor.IP), City: shown(r.Visitor.City), Country: shown(r.Visitor.Country),
		UserAgent: shown(r.Visitor.UserAgent), EmailSentAt: r.EmailSentAt,
	}
}

// Sessions lists them. With a limit it says how many there are in all.
func (c *Console) Sessions(ctx context.Context, in SessionsInput, sight Sight) (SessionList, error) {
	f, err := in.filter()
	if err != nil {
		return SessionList{}, err
	}
	v, err := c.veil()
	if err != nil {
		return SessionList{}, err
	}
	if sight == Impersonal {
		if f.Email != "" {
			return SessionList{}, errNoSearch
		}
		f.SessionID = v.behind(f.SessionID)
	}
	rows, total, err := c.Store.SessionRows(ctx, f)
	if err != nil {
		return SessionList{}, err
	}
	list := SessionList{Sessions: []Session{}}
	for _, r := range rows {
		list.Sessions = append(list.Sessions, sight.session(sessionOf(r), v))
	}
	if f.CountTotal {
		list.Total = &total
	}
	return list, c.seen(ctx, sight, in.event(sim.SessionsListed, len(rows)))
}

func (in SessionsInput) filter() (store.SessionFilter, error) {
	f := store.SessionFilter{
		Industry: in.Industry, Status: in.Status, MinScore: in.MinScore, MaxScore: in.MaxScore, Sort: in.Sort, Ascending: in.Ascending,
		Limit: mostRows, Offset: in.Offset, CountTotal: in.Limit != nil,
	}
	search := strings.TrimSpace(in.Search)
	switch address, err := mail.ParseAddress(search); {
	case search == "":
	case err == nil:
		f.Email = address
	case sim.IsID(search):
		f.SessionID = search
	default:
		f.Title = sim.Cut(search, maxTitle)
	}
	if in.Limit != nil {
		f.Limit = *in.Limit
	}
	var err error
	if f.From, err = day(in.From, 0); err != nil {
		return f, err
	}
	if f.To, err = day(in.To, 1); err != nil {
		return f, err
	}
	switch {
	case f.Limit < 1 || f.Limit > mostRows:
		return f, sim.ValidationFailed("limit must be between 1 and 1000")
	case f.Offset < 0 || f.Offset > mostOffset:
		return f, sim.ValidationFailed("offset must not be negative")
	case f.Status != "" && f.Status != "complete" && f.Status != "incomplete":
		return f, sim.ValidationFailed("status must be complete or incomplete")
	}
	return f, nil
}

// day reads a date, or the zero time from an empty one.
func day(text string, later int) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	t, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return t, sim.ValidationFailed("a day must be written like 2026-01-31")
	}
	return t.AddDate(0, 0, later), nil
}

// DetailInput names a session.
type DetailInput struct {
	SessionID string `json:"sessionId"`
}

// Detail is a session with all that was said and scored in it.
type Detail struct {
	Session

	Report *string       `json:"ai_report"`
	RawLog []sim.Message `json:"raw_log"`
	// What the published surface does not have:
	MaxTurns int         `json:"max_turns"`
	Judged   *sim.Report `json:"report"`  // with criteria and evidence
	Engines  []string    `json:"engines"` // of the virtual human's messages, in order
}

// SessionDetail finds one. Errors: sim.ErrSessionNotFound.
func (c *Console) SessionDetail(ctx context.Context, in DetailInput, sight Sight) (Detail, error) {
	if !sim.IsID(in.SessionID) {
		return Detail{}, sim.ErrSessionNotFound
	}
	v, err := c.veil()
	if err != nil {
		return Detail{}, err
	}
	if sight == Impersonal {
		in.SessionID = v.behind(in.SessionID)
	}
	row, err := c.Store.SessionRow(ctx, in.SessionID)
	if err != nil {
		return Detail{}, err
	}
	run, err := c.Store.Session(ctx, in.SessionID)
	if err != nil {
		return Detail{}, err
	}
	engines, err := c.Store.Engines(ctx, in.SessionID)
	if err != nil {
		return Detail{}, err
	}
	d := Detail{Session: sessionOf(row), RawLog: run.Messages, MaxTurns: run.MaxTurns, Judged: run.Report, Engines: engines}
	if run.Report != nil {
		text := written(*run.Report)
		d.Report = &text
	}
	return sight.detail(d, v), c.seen(ctx, sight, sim.Event{Action: sim.SessionViewed, Object: "session " + in.SessionID})
}

// written is a report as text.
func written(r sim.Report) string {
	var b strings.Builder
	b.WriteString(r.CoachSummary)
	for _, part := range []struct {
		title string
		lines []string
	}{{"What went well", r.WhatWentWell}, {"What to improve", r.WhatToImprove}} {
		if len(part.lines) == 0 {
			continue
		}
		b.WriteString("\n\n" + part.title)
		for _, line := range part.lines {
			b.WriteString("\n- " + line)
		}
	}
	return b.String()
}

// Export is what Sessions chooses as CSV, for spreadsheets.
func (c *Console) Export(ctx context.Context, in SessionsInput) (string, error) {
	f, err := in.filter()
	if err != nil {
		return "", err
	}
	f.Limit, f.Offset, f.CountTotal = mostExport, 0, false
	rows, _, err := c.Store.SessionRows(ctx, f)
	if err != nil {
		return "", err
	}
	lines := [][]string{{"id", "scenario", "industry", "started_at", "completed_at", "turns", "score", "email", "ip", "city", "country", "user_agent"}}
	for _, r := range rows {
		score, completed, email := "", "", ""
		if r.Score != nil {
			score = strconv.Itoa(*r.Score)
		}
		if r.CompletedAt != nil {
			completed = moment(*r.CompletedAt)
		}
		if r.Email != nil {
			email = *r.Email
		}
		lines = append(lines, []string{r.ID, r.Title, r.Industry, moment(r.StartedAt), completed, strconv.Itoa(r.TurnCount), score,
			email, r.Visitor.IP, r.Visitor.City, r.Visitor.Country, r.Visitor.UserAgent})
	}
	if err := c.Store.Audit(ctx, in.event(sim.SessionsExported, len(rows))); err != nil {
		return "", err
	}
	return table(lines)
}
