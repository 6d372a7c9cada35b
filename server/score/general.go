package score

import (
	"bytes"
	"encoding/json"
	"io"

	"simora/server/scenario"
	"simora/server/sim"
)

// generalRubric reads any rubric object of the spec's three forms in the order
// it was written. What the rubric lists as criteria is looked for by its own
// words; fill gives criteria to a dimension that lists none.
// What an expert would look for is beyond it; Report.Note says so.
func generalRubric(s sim.Scenario, fill func(scenario.Dimension) []scenario.Criterion) ([]scenario.Dimension, []wording) {
	var out []scenario.Dimension
	var wordings []wording
	for _, name := range keys(s.Rubric) {
		d := scenario.Dimension{Name: name, Weight: 1}
		var all map[string]json.RawMessage
		_ = json.Unmarshal(s.Rubric, &all) // keys() has read it
		var full struct {
			Weight      float64           `json:"weight"`
			Description string            `json:"description"`
			Criteria    []json.RawMessage `json:"criteria"`
		}
		if json.Unmarshal(all[name], &full) == nil {
			d.Description = full.Description
			if full.Weight > 0 {
				d.Weight = full.Weight
			}
		}
		var weight float64
		if json.Unmarshal(all[name], &weight) == nil && weight > 0 {
			d.Weight = weight
		}
		_ = json.Unmarshal(all[name], &d.Description)
		for i, raw := range full.Criteria {
			if c, w, ok := ownCriterion(d.Name, i, raw); ok && len(wordings) < maxOwnCriteria {
				d.Criteria, wordings = append(d.Criteria, c), append(wordings, w)
			}
		}
		if len(d.Criteria) == 0 {
			d.Criteria = fill(d)
		}
		d.Criteria = append(d.Criteria, respect(d.Name))
		out = append(out, d)
	}
	if len(out) == 0 {
		d := scenario.Dimension{Name: "Conversation", Weight: 1}
		d.Criteria = append(fill(d), respect(d.Name))
		out = append(out, d)
	}
	return out, wordings
}

// keys lists the fields of a JSON object in their written order.
func keys(object json.RawMessage) []string {
	dec := json.NewDecoder(bytes.NewReader(object))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	var out []string
	for dec.More() {
		t, err := dec.Token()
		if err != nil {
			return out
		}
		name, ok := t.(string)
		if !ok {
			return out
		}
		out = append(out, name)
		var skip json.RawMessage
		if err := dec.Decode(&skip); err != nil && err != io.EOF {
			return out
		}
	}
	return out
}
