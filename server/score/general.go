package score

import (
	"bytes"
	"encoding/json"
	"io"

	"simora/server/scenario"
	"simora/server/sim"
)

// generalRubric reads any rubric object of the spec's three forms in the order
// it was written and judges its dimensions by general conversation acts. What
// an expert would look for is beyond it; Report.Note says so.
func generalRubric(s sim.Scenario) []scenario.Dimension {
	var out []scenario.Dimension
	for _, name := range keys(s.Rubric) {
		d := scenario.Dimension{Name: name, Weight: 1}
		var all map[string]json.RawMessage
		_ = json.Unmarshal(s.Rubric, &all) // keys() has read it
		var full struct {
			Weight      float64 `json:"weight"`
			Description string  `json:"description"`
		}
		if json.Unmarshal(all[name], &full) == nil && full.Weight > 0 {
			d.Weight, d.Description = full.Weight, full.Description
		}
		var weight float64
		if json.Unmarshal(all[name], &weight) == nil && weight > 0 {
			d.Weight = weight
		}
		_ = json.Unmarshal(all[name], &d.Description)
		d.Criteria = generalCriteria(d)
		out = append(out, d)
	}
	if len(out) == 0 {
		d := scenario.Dimension{Name: "Conversation", Weight: 1}
		d.Criteria = generalCriteria(d)
		out = append(out, d)
	}
	return out
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
