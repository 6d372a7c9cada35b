package score

import (
	"encoding/json"
	"strconv"

	"simora/server/scenario"
	"simora/server/sim"
)

// maxOwnCriteria bounds what a judge of a written rubric has to read.
const maxOwnCriteria = 60

// ownRubric reads the criteria that an admin's rubric writes down. A dimension
// without any is one criterion: its description, or its name.
func ownRubric(s sim.Scenario) []scenario.Dimension {
	dimensions := generalRubric(s) // names, weights, descriptions
	var written map[string]json.RawMessage
	_ = json.Unmarshal(s.Rubric, &written) // generalRubric has read it
	left := maxOwnCriteria
	for i, d := range dimensions {
		respect := d.Criteria[len(d.Criteria)-1] // insults cost in every scenario
		var full struct {
			Criteria []json.RawMessage `json:"criteria"`
		}
		_ = json.Unmarshal(written[d.Name], &full) // the short forms have none
		var own []scenario.Criterion
		for n, text := range full.Criteria {
			if c, ok := ownCriterion(text); ok && left > 0 {
				c.ID = key(d.Name) + "." + strconv.Itoa(n+1)
				own = append(own, c)
				left--
			}
		}
		if len(own) == 0 {
			title := d.Description
			if title == "" {
				title = d.Name
			}
			own = append(own, readable(scenario.Criterion{ID: key(d.Name) + ".1", Title: sim.Cut(title, maxOwnTitle), Weight: 1}))
		}
		dimensions[i].Criteria = append(own, respect)
	}
	return dimensions
}

const maxOwnTitle = 400

// ownCriterion reads a criterion written as a sentence or as an object.
func ownCriterion(text json.RawMessage) (scenario.Criterion, bool) {
	var c scenario.Criterion
	if json.Unmarshal(text, &c.Title) != nil {
		var o struct {
			Title       string  `json:"title"`
			Description string  `json:"description"`
			Name        string  `json:"name"`
			Improve     string  `json:"improve"`
			Weight      float64 `json:"weight"`
		}
		if json.Unmarshal(text, &o) != nil {
			return c, false
		}
		c.Title, c.Improve, c.Weight = o.Title, sim.Cut(o.Improve, maxOwnTitle), o.Weight
		for _, name := range []string{o.Description, o.Name} {
			if c.Title == "" {
				c.Title = name
			}
		}
	}
	c.Title = sim.Cut(c.Title, maxOwnTitle)
	if c.Weight <= 0 {
		c.Weight = 1
	}
	return readable(c), c.Title != ""
}

// readable makes a criterion that the built-in judge never finds: its tests
// name no act.
func readable(c scenario.Criterion) scenario.Criterion {
	c.Met, c.Partly = &scenario.Test{}, &scenario.Test{}
	return c
}
