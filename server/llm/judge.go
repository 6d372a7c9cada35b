package llm

import (
	"context"
	"encoding/json"
	"slices"

	openai "github.com/sashabaranov/go-openai"

	"simora/server/engine"
	"simora/server/score"
	"simora/server/sim"
)

// Marker is the built-in judge: it decides every criterion first, and it takes
// over.
type Marker interface {
	Judge(ctx context.Context, c sim.Conversation) (sim.Report, error)
	Mark(c sim.Conversation) *score.Sheet
	MarkByRubric(c sim.Conversation) *score.Sheet
}

// Limits of what the model's judgement may change.
const (
	nearZero     = 5  // a run that the built-in judge gives no more than this stays there: junk, traps
	scriptDrift  = 25 // points that the overall score may move, with a package
	generalDrift = 60 // and without one, where the built-in judge is a rough guess
	maxCriteria  = 80 // more of them cannot be answered in time
	mostHarms    = 2  // a model that sees more harm than this, beside what is proved, sees none
)

// Judge scores runs with the model's findings, as far as code can prove them.
type Judge struct {
	client *Client
	marker Marker
}

// Judge returns one that falls back on the marker.
func (c *Client) Judge(marker Marker) *Judge { return &Judge{client: c, marker: marker} }

// Judge returns the report of a run.
func (j *Judge) Judge(ctx context.Context, c sim.Conversation) (sim.Report, error) {
	builtIn, err := j.marker.Judge(ctx, c)
	if err != nil {
		return sim.Report{}, err
	}
	sheet := j.marker.MarkByRubric(c)
	if builtIn.Overall <= nearZero || slices.ContainsFunc(sheet.Run.Turns, talksToTheMachine) {
		return builtIn, nil
	}
	report, err := j.revised(ctx, c, sheet, builtIn.Overall)
	if err != nil {
		j.client.takeover(ctx, "judgement", err)
		return builtIn, nil
	}
	return report, nil
}

// talksToTheMachine: a run that addresses the judge is not shown to one that
// can be talked to.
func talksToTheMachine(t engine.Turn) bool { return t.Reading.Meta }

// revised asks the model and lets its provable findings replace the built-in
// decisions.
func (j *Judge) revised(ctx context.Context, c sim.Conversation, sheet *score.Sheet, builtIn int) (sim.Report, error) {
	decisions := sheet.Decisions()
	if len(decisions) > maxCriteria {
		return sim.Report{}, &failure{reason: tooMany}
	}
	found, err := ask(ctx, j.client, question{
		run: runOf(c), address: c.Address, messages: examination(sheet, c), maxTokens: tokensBase + tokensPerFinding*len(decisions), format: form(decisions), deadline: j.client.judge,
	}, func(text string) ([]finding, error) { return readFindings(text, decisions) })
	if err != nil {
		return sim.Report{}, err
	}
	proof := newProof(sheet.Run)
	byID := map[string]finding{}
	harms := 0
	for _, f := range found {
		if _, twice := byID[f.ID]; !twice {
			byID[f.ID] = f
			if f.Verdict == sim.Harmful {
				harms++
			}
		}
	}
	proof.harm = harms <= mostHarms
	for _, d := range decisions {
		if f, ok := byID[d.Criterion.ID]; ok {
			if finding, ok := proof.check(d, f); ok {
				sheet.Revise(d.Criterion.ID, finding)
			}
		}
	}
	drift := scriptDrift
	if sheet.Run.Engine == sim.General {
		drift = generalDrift
	}
	report, err := sheet.Report()
	if err != nil {
		return sim.Report{}, err
	}
	if report.Engine != sim.Model {
		return sim.Report{}, &failure{reason: unusable, detail: "no finding could be proved"}
	}
	if moved := report.Overall - builtIn; moved > drift || moved < -drift {
		return sim.Report{}, &failure{reason: notPlausible}
	}
	return report, nil
}

const (
	tokensBase       = 200
	tokensPerFinding = 90
)

// finding is what the model says about one criterion.
type finding struct {
	ID       string      `json:"id"`
	Verdict  sim.Verdict `json:"verdict"`
	Turn     int         `json:"turn"`
	Quote    string      `json:"quote"`
	Feedback string      `json:"feedback"`
}

// form is the answer's schema.
func form(decisions []score.Decision) *openai.ChatCompletionResponseFormat {
	ids := []string{}
	for _, d := range decisions {
		ids = append(ids, d.Criterion.ID)
	}
	item := map[string]any{
		"type": "object", "additionalProperties": false, "required": []string{"id", "verdict", "turn", "quote", "feedback"},
		"properties": map[string]any{
			"id":       map[string]any{"type": "string", "enum": ids},
			"verdict":  map[string]any{"type": "string", "enum": []sim.Verdict{sim.Met, sim.PartlyMet, sim.Missed, sim.Harmful}},
			"turn":     map[string]any{"type": "integer"},
			"quote":    map[string]any{"type": "string"},
			"feedback": map[string]any{"type": "string"},
		},
	}
	schema, _ := json.Marshal(map[string]any{ // strings and lists only: can't fail
		"type": "object", "additionalProperties": false, "required": []string{"criteria"},
		"properties": map[string]any{"criteria": map[string]any{"type": "array", "items": item}},
	})
	return &openai.ChatCompletionResponseFormat{
		Type:       openai.ChatCompletionResponseFormatTypeJSONSchema,
		JSONSchema: &openai.ChatCompletionResponseFormatJSONSchema{Name: "findings", Strict: true, Schema: json.RawMessage(schema)},
	}
}

// readFindings decodes the answer. Fields that nobody asked for, such as
// scores, are dropped; at least half of the criteria must be there.
func readFindings(text string, decisions []score.Decision) ([]finding, error) {
	var answer struct {
		Criteria []finding `json:"criteria"`
	}
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		return nil, reject("it is not JSON of the given schema")
	}
	known := map[string]bool{}
	for _, f := range answer.Criteria {
		if slices.ContainsFunc(decisions, func(d score.Decision) bool { return d.Criterion.ID == f.ID }) {
			known[f.ID] = true
		}
	}
	if 2*len(known) < len(decisions) {
		return nil, reject("it leaves out most of the criteria")
	}
	return answer.Criteria, nil
}
