package sim

// Verdict is the judgement of one criterion.
type Verdict string

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
	Feedback    string     `json:"feedback"`    // what the coach says
	Improvement string     `json:"improvement"` // what would have earned the rest; empty when met
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
