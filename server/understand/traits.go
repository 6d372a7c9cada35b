package understand

import (
	"slices"

	"simora/server/scenario"
)

// traits say how an act is usually performed, as its phrasings show. The grammar
// makes no exception for what is natural for an act.
type traits struct {
	harm      bool // it costs the learner points
	courtesy  bool // it may stand in any sentence, and makes no list of acts
	denial    bool // by a negation: "no more whisky for you" declines nothing
	question  bool // by a question: "would you like some water?" is an offer
	condition bool // by a condition: "if it goes on, …"
	story     bool // by telling what somebody did
	statement bool // by a statement, though its kind is to ask
}

// Shares of the phrasings that make a trait.
const (
	someDenials    = 0.10
	someConditions = 0.04
	someStories    = 0.04
	someQuestions  = 0.05
	manyQuestions  = 0.15 // for actions: "do you want an ECG?" orders none
	someStatements = 0.12 // for questions: "first your situation, then mine" asks for consent
)

var courtesies = set("polite greet thank use.name apologise")

// Courtesy reports whether the act says little about what a message is for.
func Courtesy(act string) bool { return courtesies[act] }

func traitsOf(p *scenario.Package) []traits {
	harms := harms(p)
	out := make([]traits, len(p.Acts))
	for i, a := range p.Acts {
		questions := someQuestions
		if a.Kind == scenario.Do {
			questions = manyQuestions
		}
		out[i] = traits{
			harm:     harms[a.ID],
			courtesy: courtesies[a.ID],
			denial: usual(a, someDenials, func(s sentence) bool {
				return slices.ContainsFunc(s.words, func(w word) bool { return negators[w.text] })
			}),
			question:  courtesies[a.ID] || usual(a, questions, func(s sentence) bool { return interrogatives[s.words[0].text] }),
			condition: usual(a, someConditions, func(s sentence) bool { return hypothetical[s.words[0].text] }),
			story:     usual(a, someStories, func(s sentence) bool { return s.narrated(0) }),
			statement: usual(a, someStatements, func(s sentence) bool { return !s.asks() && len(s.words) > 2 }),
		}
	}
	return out
}

// harms are the acts that a harmful criterion names.
func harms(p *scenario.Package) map[string]bool {
	out := map[string]bool{}
	for _, d := range p.Rubric {
		for _, c := range d.Criteria {
			if c.Harmful != nil {
				for _, id := range c.Harmful.Acts {
					out[id] = true
				}
			}
		}
	}
	return out
}

// usual: at least that share of the act's phrasings has a property.
func usual(a scenario.Act, share float64, has func(sentence) bool) bool {
	n := 0.0
	for _, text := range a.Examples {
		if slices.ContainsFunc(split(text), has) {
			n++
		}
	}
	return n > 0 && n >= share*float64(len(a.Examples))
}
