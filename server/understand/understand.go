package understand

import (
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/agnivade/levenshtein"

	"simora/server/scenario"
)

// Act is one dialogue act found in a message.
type Act struct {
	ID         string
	How        How
	Start, End int // runes of the message that express it
}

// Reading is what a message was understood as.
type Reading struct {
	Acts  []Act // in the order of the message
	Meta  bool  // it speaks about the scoring or the machine; that part earns nothing
	Noise bool  // no words of a language
	Asks  bool  // it asks something
	Words int
}

// Has reports whether the act occurs in that way.
func (r Reading) Has(id string, how How) bool {
	for _, a := range r.Acts {
		if a.ID == id && a.How == how {
			return true
		}
	}
	return false
}

// Thresholds of the back-off classifier, as cosine similarity: chosen coarsely,
// as the lowest at which no further trap of the labelled set breaks.
const (
	sureScore    = 0.40
	sureMargin   = 0.04
	lonelyScore  = 0.55 // enough even with a close second
	remnantScore = 0.48 // for what is left of a sentence that cues have explained
)

// Reader understands the messages of one scenario. It is safe for concurrent use.
type Reader struct {
	acts       []scenario.Act
	cues       map[string][]cue // by the first stem of the first element
	lexicon    lexicon
	classifier *classifier
	vocabulary map[string]bool
	byLength   map[int][]string
}

// New compiles the cues and learns the example phrasings of a package.
func New(p *scenario.Package) (*Reader, error) {
	r := &Reader{acts: p.Acts, cues: map[string][]cue{}, vocabulary: map[string]bool{}, byLength: map[int][]string{}}
	r.lexicon = newLexicon(p, slices.Sorted(maps.Keys(p.Concepts)))
	var examples []labelled
	for i, a := range p.Acts {
		for _, text := range a.Cues {
			c, err := compileCue(text, i, p.Concepts)
			if err != nil {
				return nil, fmt.Errorf("act %s: %w", a.ID, err)
			}
			for _, first := range firstStems(c) {
				r.cues[first] = append(r.cues[first], c)
			}
			r.learnWords(strings.NewReplacer("|", " ", "_", " ", "@", " ", "!", " ", "^", " ").Replace(text))
		}
		for _, text := range a.Examples {
			r.learnWords(text)
			for _, s := range split(text) {
				for k := range s.words {
					s.words[k].stem = stem(s.words[k].text)
				}
				examples = append(examples, labelled{s.words, i})
			}
		}
	}
	for _, words := range p.Concepts {
		r.learnWords(strings.Join(words, " . "))
	}
	for _, known := range []map[string]bool{functionWords, verbs, interrogatives, negators, avoiders, boundaries, strangers, outsiders, urgency} {
		for w := range known {
			r.vocabulary[w] = true
		}
	}
	for _, w := range slices.Sorted(maps.Keys(r.vocabulary)) {
		r.byLength[len(w)] = append(r.byLength[len(w)], w)
	}
	r.classifier = train(r.lexicon, examples)
	return r, nil
}

func firstStems(c cue) []string {
	var all []string
	for _, phrase := range c.elements[0] {
		if len(phrase) > 0 && !slices.Contains(all, phrase[0]) {
			all = append(all, phrase[0])
		}
	}
	return all
}

func (r *Reader) learnWords(text string) {
	for _, s := range split(text) {
		for _, w := range s.words {
			r.vocabulary[w.text] = true
		}
	}
}

// Read understands one message.
func (r *Reader) Read(message string) Reading {
	var out Reading
	known := 0
	sentences := split(message)
	for i := range sentences {
		known += r.spell(&sentences[i])
		out.Words += len(sentences[i].words)
	}
	for _, s := range sentences {
		if s.scores() {
			// Whatever stands behind the first such sentence belongs to it.
			out.Meta = true
			break
		}
		out.Asks = out.Asks || s.question || interrogatives[s.words[0].text]
		out.Acts = append(out.Acts, r.readSentence(s)...)
	}
	out.Noise = out.Words == 0 || out.Words >= 2 && known*3 < out.Words || out.Words == 1 && known == 0 && len(out.Acts) == 0
	sort.SliceStable(out.Acts, func(i, j int) bool { return out.Acts[i].Start < out.Acts[j].Start })
	return out
}

// spell mends typing errors against the package's own words, finds the stems,
// and returns how many words it knows.
func (r *Reader) spell(s *sentence) int {
	known := 0
	for i := range s.words {
		w := &s.words[i]
		if r.vocabulary[w.text] || w.text[0] >= '0' && w.text[0] <= '9' {
			known++
		} else if mended := r.mend(w.text); mended != "" {
			w.text = mended
			known++
		}
		w.stem = stem(w.text)
	}
	return known
}

// mend returns the one known word within reach of a typing error. First
// letters are rarely mistyped, and short words have too many neighbours.
func (r *Reader) mend(text string) string {
	reach := 1
	if len(text) < 5 {
		return ""
	}
	if len(text) >= 8 {
		reach = 2
	}
	best, distance := "", reach+1
	for n := len(text) - reach; n <= len(text)+reach; n++ {
		for _, w := range r.byLength[n] {
			if w[0] != text[0] {
				continue
			}
			d := levenshtein.ComputeDistance(text, w)
			if d == 2 && transposed(text, w) {
				d = 1
			}
			if d < distance {
				best, distance = w, d
			}
		}
	}
	return best
}

func transposed(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := 0; i+1 < len(a); i++ {
		if a[i] != b[i] {
			return a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
		}
	}
	return false
}

// match is a cue found in a sentence.
type match struct {
	act, from, to int
	negator       bool
}

func (r *Reader) readSentence(s sentence) []Act {
	matches := r.match(s)
	var distinct []int
	for _, m := range matches {
		if !slices.Contains(distinct, m.act) {
			distinct = append(distinct, m.act)
		}
	}
	listed := s.listed(len(distinct))
	covered := make([]bool, len(s.words))
	var acts []Act
	for _, m := range matches {
		a := r.acts[m.act]
		for i := m.from; i < m.to; i++ {
			covered[i] = true
		}
		acts = append(acts, r.act(s, m, a, listed))
	}
	for _, part := range s.parts(covered) {
		words := s.words[part[0]:part[1]]
		g := r.classifier.classify(r.lexicon, words)
		enough := g.score >= sureScore && g.margin >= sureMargin || g.score >= lonelyScore
		if len(matches) > 0 {
			enough = g.score >= remnantScore && g.margin >= sureMargin
		}
		if g.act < 0 || !enough || r.acts[g.act].ID == scenario.OutOfScope || slices.Contains(distinct, g.act) {
			continue
		}
		a := r.acts[g.act]
		m := match{act: g.act, from: part[0], to: part[1]}
		acts = append(acts, r.act(s, m, a, listed))
	}
	return acts
}

func (r *Reader) act(s sentence, m match, a scenario.Act, listed bool) Act {
	from, to := s.clause(m.from, m.to)
	return Act{ID: a.ID, How: s.scope(m.from, m.to, a.Kind, m.negator, listed), Start: s.words[from].start, End: s.words[to-1].end}
}

// clause widens a match to the clause around it, for a quote that can be read.
func (s sentence) clause(from, to int) (int, int) {
	from = s.clauseStart(from)
	for to < len(s.words) && !s.breaks[to] && !boundaries[s.words[to].text] {
		to++
	}
	return from, to
}

// match finds the longest cue of each act; a cue inside of another act's
// longer match gives way.
func (r *Reader) match(s sentence) []match {
	var all []match
	seen := map[string]bool{}
	for _, w := range s.words {
		if seen[w.stem] {
			continue
		}
		seen[w.stem] = true
		for _, c := range r.cues[w.stem] {
			if from, to, ok := c.find(s.words); ok {
				all = append(all, match{c.act, from, to, c.negator})
			}
		}
	}
	sort.SliceStable(all, func(i, j int) bool {
		li, lj := all[i].to-all[i].from, all[j].to-all[j].from
		if li != lj {
			return li > lj
		}
		return all[i].act < all[j].act
	})
	var kept []match
	for _, m := range all {
		inside := slices.ContainsFunc(kept, func(k match) bool {
			return k.act == m.act || k.from <= m.from && m.to <= k.to && (k.to-k.from > m.to-m.from)
		})
		if !inside {
			kept = append(kept, m)
		}
	}
	sort.SliceStable(kept, func(i, j int) bool { return kept[i].from < kept[j].from })
	return kept
}

// parts are the pieces of a sentence between commas and conjunctions that no
// cue has explained; the whole sentence when none has explained anything.
func (s sentence) parts(covered []bool) [][2]int {
	if !slices.Contains(covered, true) && len(s.words) <= 14 {
		return [][2]int{{0, len(s.words)}}
	}
	var parts [][2]int
	start := 0
	for i := 1; i <= len(s.words); i++ {
		if i < len(s.words) && !s.breaks[i] && s.words[i].text != "and" && !boundaries[s.words[i].text] {
			continue
		}
		if i-start >= 3 && !slices.Contains(covered[start:i], true) {
			parts = append(parts, [2]int{start, i})
		}
		start = i
	}
	return parts
}
