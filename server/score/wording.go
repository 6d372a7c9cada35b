package score

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"simora/server/engine"
	"simora/server/scenario"
	"simora/server/sim"
	"simora/server/understand"
)

// wording is a criterion that exists only as a sentence of the rubric, such as
// "Apologises for the delay and offers a refund".
type wording struct {
	text  string
	act   string   // the act that a message performs when it meets the sentence
	stems []string // the sentence's content words, without its leading verb
	acts  []string // the general acts that its verb names
}

// verbActs are the general acts that the verb of a criterion stands for.
var verbActs = []struct {
	verbs string
	acts  []string
}{
	{"ask inquire enquire question explore clarify find probe discover check", []string{"talk.ask", "talk.ask_open"}},
	{"apologise apologize sorry", []string{"apologise"}},
	{"acknowledge empathise empathize validate recognise recognize listen understand sympathise sympathize reassure", []string{"talk.acknowledge", "apologise"}},
	{"explain inform describe tell give communicate state justify", []string{"talk.inform", "talk.explain"}},
	{"offer propose suggest recommend solve resolve provide present", []string{"talk.propose", "talk.act"}},
	{"summarise summarize agree close confirm schedule commit plan", []string{"talk.close", "talk.act"}},
	{"greet introduce welcome", []string{"greet", "introduce"}},
	{"set refuse limit decline insist", []string{"talk.limit"}},
	{"thank appreciate", []string{"thank"}},
	{"call escalate act take arrange order document report start secure", []string{"talk.act", "talk.propose"}},
}

// Bounds on what a judge of a written rubric has to read.
const (
	maxOwnCriteria = 60
	maxOwnTitle    = 400 // bytes
)

// ownCriterion reads a criterion of an admin's rubric: a sentence, or an object
// with a title, name or description, and perhaps a weight.
func ownCriterion(dimension string, i int, raw json.RawMessage) (scenario.Criterion, wording, bool) {
	var text string
	var object struct {
		Title, Name, Description, Improve string
		Weight                            float64
	}
	if json.Unmarshal(raw, &text) != nil {
		_ = json.Unmarshal(raw, &object) // what it is not stays empty, and is refused below
		text = firstOf(object.Title, object.Name, object.Description)
	}
	title := strings.TrimRight(sim.Cut(strings.TrimSpace(text), maxOwnTitle), ".")
	w := wording{text: title, act: fmt.Sprintf("rubric.%s.%d", key(dimension), i+1)}
	all := understand.ContentStems(strings.Join([]string{title, object.Description}, ". "))
	for _, v := range verbActs {
		for _, verb := range strings.Fields(v.verbs) {
			for _, s := range understand.ContentStems(verb) {
				if k := slices.Index(all, s); k >= 0 {
					all = slices.Delete(all, k, k+1)
					w.acts = append(w.acts, v.acts...)
				}
			}
		}
	}
	w.stems = all
	c := scenario.Criterion{
		ID: strings.TrimPrefix(w.act, "rubric."), Title: title, Weight: max(object.Weight, 0), Improve: firstOf(sim.Cut(object.Improve, maxOwnTitle), "Make this visible in what you say: "+lowerFirst(title)+"."),
		Met: &scenario.Test{Acts: scenario.Names{w.act}},
	}
	if c.Weight == 0 {
		c.Weight = 1
	}
	c.Partly = &scenario.Test{Acts: w.acts} // without acts only a judge that reads finds it
	return c, w, title != "" && len(w.stems)+len(w.acts) > 0
}

func firstOf(all ...string) string {
	for _, s := range all {
		if strings.TrimSpace(s) != "" {
			return strings.TrimSpace(s)
		}
	}
	return ""
}

// copied: the message holds the criterion itself, which is pasting the rubric.
func (w wording) copied(message string) bool {
	return strings.Contains(strings.ToLower(message), strings.ToLower(w.text))
}

// spot adds to every turn the criteria that its clauses meet by their words.
func spot(wordings []wording, turns []engine.Turn) []engine.Turn {
	out := slices.Clone(turns)
	for n := range out {
		acts := slices.Clone(out[n].Reading.Acts)
		for _, c := range understand.Clauses(out[n].Message) {
			for _, w := range wordings {
				if c.Meant && !w.copied(out[n].Message) && w.met(c, acts) {
					acts = append(acts, understand.Act{ID: w.act, How: understand.Performed, Start: c.Start, End: c.End})
				}
			}
		}
		out[n].Reading.Acts = acts
	}
	return out
}

// met: the clause does what the criterion's verb says and speaks of what the
// criterion speaks of. Without a known verb more of the words are needed.
func (w wording) met(c understand.Clause, acts []understand.Act) bool {
	shared := 0
	for _, s := range w.stems {
		if slices.Contains(c.Stems, s) {
			shared++
		}
	}
	performed := c.Asks && slices.Contains(w.acts, "talk.ask") || slices.ContainsFunc(acts, func(a understand.Act) bool {
		return a.How == understand.Performed && slices.Contains(w.acts, a.ID) && a.Start < c.End && c.Start < a.End
	})
	if len(w.acts) > 0 {
		return performed && (shared >= 1 || len(w.stems) == 0)
	}
	return shared >= 2 || shared == 1 && len(w.stems) == 1
}
