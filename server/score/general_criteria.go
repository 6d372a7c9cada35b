package score

import (
	"strings"

	"simora/server/scenario"
	"simora/server/sim"
)

// generalCriterion is a conversation skill that any scenario has a use for.
type generalCriterion struct {
	id, title, words, improve string // words: a dimension that names one of them is judged by this skill
	weight                    float64
	acts                      []string
	turns                     int
}

var generalSkills = []generalCriterion{
	{"open_questions", "Asked before deciding", "decision discover question listen assess need understand inquir analy communicat", "Ask what happened and what matters to the other person before you decide.", 3, []string{"talk.ask", "talk.ask_open"}, 2},
	{"acts", "Proposed or took concrete steps", "decision action procedure safety solution quality plan step close value next", "Say plainly what you will do and when.", 4, []string{"talk.propose", "talk.act"}, 2},
	{"explains", "Gave information and reasons", "communicat clarity explain inform value knowledge clear", "Say what happens and why, in plain words.", 3, []string{"talk.inform", "talk.explain"}, 2},
	{"acknowledges", "Acknowledged the other person", "empath professional de-escalat communicat rapport respect emotion tone", "Name what the other person feels or said before you go on.", 3, []string{"talk.acknowledge", "apologise"}, 1},
	{"courtesy", "Introduced yourself or kept courtesy", "empath professional respect rapport tone manner", "Say who you are, and keep please and thank you.", 1, []string{"greet", "introduce", "polite", "thank"}, 2},
	{"limits", "Set clear limits", "limit safety de-escalat procedure bound complian risk", "State calmly what cannot be accepted and what follows.", 2, []string{"talk.limit"}, 1},
	{"closes", "Closed with an agreement", "close next commit summar decision clarity", "Sum up, and agree on the next step.", 2, []string{"talk.close"}, 1},
}

// skills picks those that a dimension's own words call for; all of them when
// it calls for none.
func skills(d scenario.Dimension) []scenario.Criterion {
	text := strings.ToLower(d.Name + " " + d.Description)
	var out []scenario.Criterion
	for _, picky := range []bool{true, false} {
		for _, s := range generalSkills {
			if !picky || containsAny(text, strings.Fields(s.words)) {
				out = append(out, s.criterion(d.Name))
			}
		}
		if len(out) > 0 {
			break
		}
	}
	return out
}

// asWritten makes one criterion of a dimension's own words. Its tests name no
// act, so only a judge that reads can find it.
func asWritten(d scenario.Dimension) []scenario.Criterion {
	return []scenario.Criterion{{
		ID: key(d.Name) + ".1", Title: sim.Cut(firstOf(d.Description, d.Name), maxOwnTitle), Weight: 1,
		Met: &scenario.Test{}, Partly: &scenario.Test{},
	}}
}

// respect is what every dimension of a general rubric asks for.
func respect(dimension string) scenario.Criterion {
	limit := 20
	return scenario.Criterion{
		ID: key(dimension) + ".respect", Title: "Insult or threat", Cap: &limit,
		Harmful:  &scenario.Test{Acts: scenario.Names{"insult", "threat"}},
		Feedback: scenario.Feedback{Harmful: "“{quote}” in turn {turn} is an insult or a threat; whatever else went well, this costs the other person's trust."},
	}
}

func (s generalCriterion) criterion(dimension string) scenario.Criterion {
	c := scenario.Criterion{
		ID: key(dimension) + "." + s.id, Title: s.title, Weight: s.weight, Improve: s.improve,
		Met: &scenario.Test{Acts: s.acts, Turns: s.turns},
	}
	if s.turns > 1 {
		c.Partly = &scenario.Test{Acts: s.acts}
	}
	return c
}

func key(name string) string { return strings.Join(strings.Fields(strings.ToLower(name)), "_") }

func containsAny(text string, words []string) bool {
	for _, w := range words {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}
