package understand

import (
	"maps"
	"slices"
)

// Clause is a piece of a message with the stems of its content words, for
// comparing it with texts that no author has cued.
type Clause struct {
	Start, End int // runes of the message
	Stems      []string
	Asks       bool
	Meant      bool // neither denied nor imagined nor about the scoring
}

// Clauses cuts a message into its clauses. It knows English, and no scenario.
func Clauses(message string) []Clause {
	var out []Clause
	for _, s := range split(message) {
		if s.scores() {
			break // what stands behind such a sentence belongs to it
		}
		for i := range s.words {
			s.words[i].stem = stem(s.words[i].text)
		}
		spans := s.clauses()
		if len(spans) > 1 {
			spans = spans[1:]
		}
		for _, span := range spans {
			m := match{from: span[0], to: span[1], whole: true}
			out = append(out, Clause{
				Start: s.words[span[0]].start, End: s.words[span[1]-1].end,
				Stems: contentStems(s.words[span[0]:span[1]]),
				Asks:  s.asks(),
				Meant: !s.negated(m, min(m.to, m.from+governed), "") && !s.imagined(m, "") && !s.reported(m, ""),
			})
		}
	}
	return out
}

// ContentStems are the stems of the words of a text that carry meaning, each once.
func ContentStems(text string) []string {
	seen := map[string]bool{}
	for _, s := range split(text) {
		for i := range s.words {
			s.words[i].stem = stem(s.words[i].text)
		}
		for _, w := range contentStems(s.words) {
			seen[w] = true
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

func contentStems(words []word) []string {
	var out []string
	for _, w := range words {
		if len(w.text) > 2 && !functionWords[w.text] && !interrogatives[w.text] && !filler[w.text] && !slices.Contains(out, w.stem) {
			out = append(out, w.stem)
		}
	}
	return out
}

var filler = set(`about into than then them very really also more most such only own other another each every all both like get got make made
	want need thing things something anything way well good clear clearly learner person their theirs shows show uses use keeps keep without within`)
