package score

import (
	"fmt"
	"sort"
	"strconv"
	"strings"

	"simora/server/engine"
	"simora/server/sim"
)

// How many highlights of each kind a report has.
const (
	maxWell    = 5
	maxImprove = 5
	maxQuote   = 110 // runes of a quote within a sentence
)

// feedback is the coach's sentence on one verdict, with the learner's own words.
func feedback(v verdict) string {
	if v.said != "" {
		return v.said
	}
	text := map[sim.Verdict]string{
		sim.Met: v.Feedback.Met, sim.PartlyMet: v.Feedback.Partly, sim.Missed: v.Feedback.Missed, sim.Harmful: v.Feedback.Harmful,
		sim.NotReached: "The run was resolved before this could come up, so it does not count.",
	}[v.outcome]
	if text == "" {
		text = map[sim.Verdict]string{
			sim.Met: "{title}: done in turn {turn}, with “{quote}”.", sim.PartlyMet: "{title}: in part, with “{quote}” in turn {turn}.",
			sim.Missed: "{title}: nothing in what you said shows it.", sim.Harmful: "{title}: “{quote}” in turn {turn}.",
		}[v.outcome]
	}
	text = strings.ReplaceAll(text, "{title}", v.Title)
	if len(v.evidence) > 0 {
		e := v.evidence[0]
		text = strings.ReplaceAll(text, "{quote}", shorten(e.Quote))
		text = strings.ReplaceAll(text, "{turn}", strconv.Itoa(e.Turn))
	}
	return text
}

// shorten cuts a long quote at a word. The sentence around it has its own full
// stop.
func shorten(q string) string {
	q = strings.TrimSuffix(strings.Join(strings.Fields(q), " "), ".")
	runes := []rune(q)
	if len(runes) <= maxQuote {
		return q
	}
	cut := string(runes[:maxQuote])
	if i := strings.LastIndex(cut, " "); i > 0 {
		cut = cut[:i]
	}
	return cut + " …"
}

// coach fills the parts of the report that a person reads.
func coach(r *sim.Report, j judged, run engine.Run) {
	r.WhatWentWell, r.WhatToImprove, r.Highlights = []string{}, []string{}, []sim.Highlight{}
	well, improve := highlights(j)
	for _, h := range well {
		r.WhatWentWell = append(r.WhatWentWell, h.Text)
	}
	for _, h := range improve {
		r.WhatToImprove = append(r.WhatToImprove, h.Text)
	}
	r.Highlights = append(append(r.Highlights, well...), improve...)
	for _, d := range j.dimensions {
		r.Details = append(r.Details, sim.DimensionResult{Name: d.Name, Score: d.score(), Summary: summary(d)})
	}
	r.CoachSummary = coachSummary(r.Overall, j, well, improve, run)
}

func highlights(j judged) (well, improve []sim.Highlight) {
	for _, d := range j.dimensions {
		for _, v := range d.verdicts {
			if v.Met == nil && v.outcome == sim.Missed || v.outcome == sim.NotReached {
				continue
			}
			points, most := d.points(v)
			h := sim.Highlight{Criterion: v.ID, Title: v.Title, Text: feedback(v)}
			if len(v.evidence) > 0 {
				h.Turn, h.Quote = v.evidence[0].Turn, v.evidence[0].Quote
			}
			if v.outcome == sim.Met {
				h.Kind, h.Points = "well", int(points+0.5)
				well = append(well, h)
				continue
			}
			h.Kind, h.Points = "improve", int(points-most-0.5)
			if v.Improve != "" {
				h.Text += " " + v.Improve
			}
			improve = append(improve, h)
		}
	}
	sort.SliceStable(well, func(a, b int) bool { return well[a].Points > well[b].Points })
	sort.SliceStable(improve, func(a, b int) bool { return improve[a].Points < improve[b].Points })
	return well[:min(len(well), maxWell)], improve[:min(len(improve), maxImprove)]
}

// summary names what carried and what cost a dimension.
func summary(d dimension) string {
	var met, missed, harm []string
	for _, v := range d.verdicts {
		title := lowerFirst(v.Title)
		switch {
		case v.outcome == sim.Harmful:
			harm = append(harm, title)
		case v.outcome == sim.Met:
			met = append(met, title)
		case v.Met != nil && v.outcome != sim.NotReached:
			missed = append(missed, title)
		}
	}
	var parts []string
	if len(harm) > 0 {
		parts = append(parts, "Held down by: "+join(harm)+".")
	}
	if len(met) > 0 {
		parts = append(parts, fmt.Sprintf("Shown in full (%d of %d): %s.", len(met), len(met)+len(missed), join(met)))
	}
	if len(missed) > 0 {
		parts = append(parts, "Open: "+join(missed)+".")
	}
	return strings.Join(parts, " ")
}

func join(items []string) string {
	const most = 4
	if len(items) > most {
		return strings.Join(items[:most], ", ") + fmt.Sprintf(" and %d more", len(items)-most)
	}
	if len(items) < 2 {
		return strings.Join(items, "")
	}
	return strings.Join(items[:len(items)-1], ", ") + " and " + items[len(items)-1]
}

func lowerFirst(s string) string {
	if len(s) > 1 && s[1] >= 'a' && s[1] <= 'z' {
		return strings.ToLower(s[:1]) + s[1:]
	}
	return s
}

var bands = []struct {
	from int
	text string
}{
	{85, "An expert run: %d of 100."}, {68, "A strong run: %d of 100."}, {48, "A fair run with clear gaps: %d of 100."},
	{28, "A start, with important steps missing: %d of 100."}, {10, "Much of what this situation needs did not happen: %d of 100."},
	{0, "Almost nothing that this situation needs could be found: %d of 100."},
}

// coachSummary is the report in a paragraph, built from this run's own words.
func coachSummary(overall int, j judged, well, improve []sim.Highlight, run engine.Run) string {
	var parts []string
	for _, b := range bands {
		if overall >= b.from {
			parts = append(parts, fmt.Sprintf(b.text, overall))
			break
		}
	}
	if len(j.dimensions) > 1 {
		best, worst := j.dimensions[0], j.dimensions[0]
		for _, d := range j.dimensions {
			if d.score() > best.score() {
				best = d
			}
			if d.score() < worst.score() {
				worst = d
			}
		}
		if best.score() > worst.score() {
			parts = append(parts, fmt.Sprintf("%s is your strongest side (%d), %s has the most room (%d).", best.Name, best.score(), worst.Name, worst.score()))
		}
	}
	if len(well) > 0 {
		parts = append(parts, fmt.Sprintf("What helped most: %s, when you said “%s”.", lowerFirst(well[0].Title), shorten(well[0].Quote)))
	}
	if len(improve) > 0 {
		parts = append(parts, "First thing to work on: "+lowerFirst(improve[0].Title)+".")
	}
	if n := len(run.Turns); n > 0 {
		switch e := run.Turns[n-1].Ending; {
		case e == nil:
			parts = append(parts, fmt.Sprintf("You used %d %s; your last words were “%s”.", n, plural(n, "turn"), shorten(run.Turns[n-1].Message)))
		case run.Resolved():
			parts = append(parts, fmt.Sprintf("You brought it to a good end in %d %s.", n, plural(n, "turn")))
		default:
			parts = append(parts, fmt.Sprintf("The situation was lost in turn %d.", n))
		}
	} else {
		parts = append(parts, "You ended before saying anything, so there is nothing to judge.")
	}
	return strings.Join(parts, " ")
}

func plural(n int, word string) string {
	if n == 1 {
		return word
	}
	return word + "s"
}
