package score

import (
	"slices"
	"strings"

	"simora/server/scenario"
)

// readable turns a general rubric into one for a judge that reads: whatever is
// a criterion of it may be partly met, and a dimension without criteria of its
// own is one criterion, its description or its name.
func readable(rubric []scenario.Dimension) []scenario.Dimension {
	var out []scenario.Dimension
	for _, d := range rubric {
		respect := d.Criteria[len(d.Criteria)-1] // insults cost in every scenario
		own := slices.DeleteFunc(slices.Clone(d.Criteria), func(c scenario.Criterion) bool { return !strings.HasPrefix(c.ID, "rubric.") })
		if len(own) == 0 {
			own = []scenario.Criterion{{ID: key(d.Name) + ".1", Title: firstOf(d.Description, d.Name), Weight: 1, Met: &scenario.Test{}}}
		}
		for i := range own {
			if own[i].Partly == nil {
				own[i].Partly = &scenario.Test{} // names no act: the built-in judge never finds it
			}
		}
		d.Criteria = append(own, respect)
		out = append(out, d)
	}
	return out
}
