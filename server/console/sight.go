package console

import (
	"context"
	"strconv"
	"strings"

	"simora/server/mail"
	"simora/server/sim"
)

// Sight says how much of a session somebody may see.
type Sight bool

// An admin sees all. A viewer sees scores and times, and nothing that a visitor
// said or can be known by.
const (
	Whole      Sight = true
	Impersonal Sight = false
)

var errNoSearch = &sim.Error{Kind: sim.Forbidden, Code: "forbidden", Message: "Only admins may search for a person"}

func (s Sight) session(all Session, v veil) Session {
	if s == Whole {
		return all
	}
	all.ID = v.over(all.ID)
	all.Email, all.IP, all.City, all.Country, all.UserAgent = nil, nil, nil, nil, nil
	return all
}

// detail keeps the figures. What a coach writes quotes the learner.
func (s Sight) detail(all Detail, v veil) Detail {
	if s == Whole {
		return all
	}
	all.Session, all.Report, all.RawLog = s.session(all.Session, v), nil, []sim.Message{}
	if all.Judged != nil {
		r := sim.Report{
			Overall: all.Judged.Overall, Dimensions: all.Judged.Dimensions, WhatWentWell: []string{}, WhatToImprove: []string{}, Highlights: []sim.Highlight{},
			Details: []sim.DimensionResult{}, Criteria: []sim.CriterionResult{}, Turns: all.Judged.Turns, Engine: all.Judged.Engine,
		}
		for _, d := range all.Judged.Details {
			r.Details = append(r.Details, sim.DimensionResult{Name: d.Name, Score: d.Score})
		}
		for _, c := range all.Judged.Criteria {
			r.Criteria = append(r.Criteria, sim.CriterionResult{
				ID: c.ID, Dimension: c.Dimension, Title: c.Title, Verdict: c.Verdict, Points: c.Points, MaxPoints: c.MaxPoints, Evidence: []sim.Evidence{}, Engine: c.Engine,
			})
		}
		all.Judged = &r
	}
	return all
}

// seen records that personal data is about to be shown. What can't be recorded
// is not shown.
func (c *Console) seen(ctx context.Context, sight Sight, e sim.Event) error {
	if sight == Impersonal {
		return nil
	}
	return c.Store.Audit(ctx, e)
}

// event tells what was looked for.
func (in SessionsInput) event(action sim.Action, found int) sim.Event {
	e := sim.Event{Action: action, Object: "sessions", Detail: map[string]string{"count": strconv.Itoa(found)}}
	if search := strings.TrimSpace(in.Search); search != "" {
		e.Detail["search"] = sim.Cut(search, maxTitle)
		if address, err := mail.ParseAddress(search); err == nil {
			e.Person = address
		}
	}
	return e
}
