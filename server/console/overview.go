package console

import (
	"context"
	"math"
	"strconv"
	"time"

	"simora/server/sim"
	"simora/server/store"
)

// PeriodInput is a range of days (UTC), both included.
type PeriodInput struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// Sums are the figures of a day, a scenario or a whole period. Shares are in
// percent, rounded; nil where there is nothing to take a share of.
type Sums struct {
	Key          string `json:"key"`
	Industry     string `json:"industry,omitempty"`
	Sessions     int    `json:"sessions"`
	Completed    int    `json:"completed"`
	Emails       int    `json:"emails"`
	AverageScore *int   `json:"averageScore"`
}

// Overview is the dashboard.
type Overview struct {
	Total         Sums             `json:"total"`
	CTAConversion int              `json:"ctaConversion"` // percentage of sessions with an email, rounded
	Days          []Sums           `json:"days"`          // every day of the period, also the empty ones
	Scenarios     []Sums           `json:"scenarios"`
	Funnel        []Step           `json:"funnel"`
	DropOff       []Step           `json:"dropOff"` // how many sent at least so many messages
	Waiting       int              `json:"contactWaiting"`
	Recent        []Session        `json:"recent"`
	Period        PeriodInput      `json:"period"`
	Model         *sim.ModelStatus `json:"model"` // null: no language model is connected
}

// Step is one of a sequence that fewer and fewer take.
type Step struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
}

const (
	usualDays  = 28
	mostDays   = 800
	recentRows = 8
)

// Overview sums up a period; the last 28 days when none is given.
func (c *Console) Overview(ctx context.Context, in PeriodInput, sight Sight) (Overview, error) {
	to, err := day(in.To, 1)
	if err != nil {
		return Overview{}, err
	}
	if to.IsZero() {
		to = c.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, 1)
	}
	from, err := day(in.From, 0)
	if err != nil {
		return Overview{}, err
	}
	if from.IsZero() {
		from = to.AddDate(0, 0, -usualDays)
	}
	if !from.Before(to) || to.Sub(from) > mostDays*24*time.Hour {
		return Overview{}, sim.ValidationFailed("the period must begin before it ends and have at most 800 days")
	}
	found, err := c.Store.Overview(ctx, from, to)
	if err != nil {
		return Overview{}, err
	}
	recent, _, err := c.Store.SessionRows(ctx, store.SessionFilter{Limit: recentRows})
	if err != nil {
		return Overview{}, err
	}
	o := Overview{
		Days: []Sums{}, Scenarios: []Sums{}, DropOff: []Step{}, Recent: []Session{}, Waiting: found.Waiting, Model: c.ModelStatus(),
		Period: PeriodInput{From: from.Format(time.DateOnly), To: to.AddDate(0, 0, -1).Format(time.DateOnly)},
	}
	byDay := map[string]store.Day{}
	var all store.Day
	for _, d := range found.Days {
		byDay[d.Key] = d
		all.Sessions, all.Completed, all.Emails = all.Sessions+d.Sessions, all.Completed+d.Completed, all.Emails+d.Emails
		all.Scored, all.ScoreSum = all.Scored+d.Scored, all.ScoreSum+d.ScoreSum
	}
	for at := from; at.Before(to); at = at.AddDate(0, 0, 1) {
		d := byDay[at.Format(time.DateOnly)]
		d.Key = at.Format(time.DateOnly)
		o.Days = append(o.Days, sums(d))
	}
	for _, d := range found.Scenarios {
		o.Scenarios = append(o.Scenarios, sums(d))
	}
	o.Total = sums(all)
	if all.Sessions > 0 {
		o.CTAConversion = int(math.Round(100 * float64(all.Emails) / float64(all.Sessions)))
	}
	o.DropOff = dropOff(found.LastTurn)
	talked := 0
	if len(o.DropOff) > 0 {
		talked = o.DropOff[0].Count
	}
	o.Funnel = []Step{{"Started", all.Sessions}, {"Sent a message", talked}, {"Completed", all.Completed}, {"Left an email", all.Emails}}
	v, err := c.veil()
	if err != nil {
		return Overview{}, err
	}
	for _, r := range recent {
		o.Recent = append(o.Recent, sight.session(sessionOf(r), v))
	}
	return o, c.seen(ctx, sight, sim.Event{Action: sim.SessionsListed, Object: "the dashboard's recent sessions"})
}

func sums(d store.Day) Sums {
	s := Sums{Key: d.Key, Industry: d.Industry, Sessions: d.Sessions, Completed: d.Completed, Emails: d.Emails}
	if d.Scored > 0 {
		average := int(math.Round(float64(d.ScoreSum) / float64(d.Scored)))
		s.AverageScore = &average
	}
	return s
}

// dropOff turns "ended after n messages" into "sent at least n messages".
func dropOff(last map[int]int) []Step {
	most := 0
	for n := range last {
		most = max(most, n)
	}
	steps := make([]Step, most)
	still := 0
	for n := most; n >= 1; n-- {
		still += last[n]
		steps[n-1] = Step{Name: "Turn " + strconv.Itoa(n), Count: still}
	}
	return steps
}
