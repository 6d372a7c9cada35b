package sim

import (
	"errors"
	"fmt"
)

// Verdict is the judgement of one criterion.
type Verdict string

// The verdicts.
const (
	Met        Verdict = "met"
	PartlyMet  Verdict = "partly_met"
	Missed     Verdict = "missed"
	Harmful    Verdict = "harmful"
	NotReached Verdict = "not_reached" // the run was resolved before it could come up; it does not count
)

// Evidence is a verbatim part of one learner message.
type Evidence struct {
	Turn  int    `json:"turn"`  // 1 is the learner's first message
	Start int    `json:"start"` // offset into the message, in runes
	End   int    `json:"end"`   // behind the last rune
	Quote string `json:"quote"` // the runes [Start, End) of the message
}

// CriterionResult is one observable thing, judged. A verdict of met, partly
// met or harmful has evidence; code checks it against the transcript.
type CriterionResult struct {
	ID          string     `json:"id"`
	Dimension   string     `json:"dimension"`
	Title       string     `json:"title"`
	Verdict     Verdict    `json:"verdict"`
	Points      float64    `json:"points"`    // earned, of the overall 100; negative for harm
	MaxPoints   float64    `json:"maxPoints"` // that it could have earned
	Evidence    []Evidence `json:"evidence"`
	Feedback    string     `json:"feedback"`         // what the coach says
	Improvement string     `json:"improvement"`      // what would have earned the rest; empty when met
	Engine      EngineName `json:"engine,omitempty"` // who decided it; empty: the report's engine
}

// DimensionResult is the score of one dimension with a line on why.
type DimensionResult struct {
	Name    string `json:"name"`
	Score   int    `json:"score"` // 0 to 100
	Summary string `json:"summary"`
}

// TurnScore is what one learner message earned or cost. Score is the running
// overall score after it; the last one equals Report.Overall.
type TurnScore struct {
	Turn  int `json:"turn"`
	Delta int `json:"delta"`
	Score int `json:"score"`
}

// Highlight is one line of the report that quotes the learner. Highlights say
// the same as WhatWentWell and WhatToImprove, in the same order, in parts that
// a page can lay out.
type Highlight struct {
	Kind      string `json:"kind"` // "well" or "improve"
	Criterion string `json:"criterion"`
	Turn      int    `json:"turn"`   // 0: no single turn
	Points    int    `json:"points"` // earned (well) or lost (improve, negative)
	Title     string `json:"title"`
	Quote     string `json:"quote"` // empty: nothing to quote
	Text      string `json:"text"`
}

// Report is what a completed session earned. Scores are computed from the
// criteria, never asked for.
type Report struct {
	Overall       int               `json:"overall"`    // 0 to 100
	Dimensions    map[string]int    `json:"dimensions"` // name to 0..100, never empty
	CoachSummary  string            `json:"coachSummary"`
	WhatWentWell  []string          `json:"whatWentWell"`
	WhatToImprove []string          `json:"whatToImprove"`
	Details       []DimensionResult `json:"dimensionDetails"` // the rubric's order
	Highlights    []Highlight       `json:"highlights"`
	Criteria      []CriterionResult `json:"criteria"`
	Turns         []TurnScore       `json:"turns"`
	Note          string            `json:"note,omitempty"` // honest limits of this judgement, for the reader
	Engine        EngineName        `json:"engine"`
}

// Check holds a report to its promises before it is kept: scores between 0 and
// 100, at least one dimension, every list present, every quote verbatim at its
// place in the transcript, and no points without evidence.
func (r *Report) Check(transcript []Message) error {
	if r.Overall < 0 || r.Overall > 100 {
		return fmt.Errorf("overall score %d is not between 0 and 100", r.Overall)
	}
	if len(r.Dimensions) == 0 {
		return errors.New("a report needs at least one dimension")
	}
	for name, score := range r.Dimensions {
		if score < 0 || score > 100 {
			return fmt.Errorf("dimension %q: score %d is not between 0 and 100", name, score)
		}
	}
	for _, c := range r.Criteria {
		if c.Points > 0 && len(c.Evidence) == 0 {
			return fmt.Errorf("criterion %s: points without evidence", c.ID)
		}
		for _, e := range c.Evidence {
			if !e.stands(transcript) {
				return fmt.Errorf("criterion %s: quote is not at its place in turn %d", c.ID, e.Turn)
			}
		}
	}
	if r.WhatWentWell == nil || r.WhatToImprove == nil || r.Highlights == nil || r.Criteria == nil || r.Turns == nil || r.Details == nil {
		return errors.New("a report's lists may be empty, not missing")
	}
	return nil
}

// stands reports whether the quote is the learner's own, at its offsets.
func (e Evidence) stands(transcript []Message) bool {
	turn := 0
	for _, m := range transcript {
		if m.Role != User {
			continue
		}
		if turn++; turn != e.Turn {
			continue
		}
		runes := []rune(m.Content)
		return 0 <= e.Start && e.Start < e.End && e.End <= len(runes) && string(runes[e.Start:e.End]) == e.Quote
	}
	return false
}
