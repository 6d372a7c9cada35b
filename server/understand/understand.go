package understand

import (
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/agnivade/levenshtein"
	lru "github.com/hashicorp/golang-lru/v2"

	"simora/server/scenario"
)

// Act is one dialogue act found in a message.
type Act struct {
	ID         string
	How        How
	Start, End int  // runes of the message that express it
	Guess      bool // good enough to answer, not to credit
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

// The chooser between cues and classifier, as probabilities: chosen coarsely on
// the development set (docs/simulation.md).
const (
	sure       = 0.50 // the classifier alone is enough for a clause…
	sureWhole  = 0.60 // …and for a sentence of several clauses
	sureHarm   = 0.90 // …and for an act that costs the learner points
	near       = 0.30 // and some phrasing of the act has to be this similar,
	nearer     = 0.45 // more so for a fragment of up to three words,
	nearHarm   = 0.68 // and for harm
	nearCopy   = 0.75 // for harm in a fragment of up to three words
	guess      = 0.35 // good enough for an answer, though not for credit…
	guessNear  = 0.20 // …with some phrasing this similar
	guessHarm  = 0.50 // …or, for harm, this similar
	cueFloor   = 0.15 // below it, the classifier overrules a cue
	cueAlone   = 0.90 // unless it is that certain of the cue's own words
	longClause = 15   // words; in a longer clause a cue may stand by chance
	harmFloor  = 0.30 // and the cue of an act that costs points
)

// Reader understands the messages of one scenario. It is safe for concurrent use.
type Reader struct {
	acts       []scenario.Act
	cues       map[string][]cue // by the first stem of the first element
	lexicon    lexicon
	classifier *classifier
	traits     []traits // by act
	vocabulary map[string]bool
	byLength   map[int][]string
	recent     *lru.Cache[string, Reading]
	start      func()
	learned    chan struct{} // closed when classifier, vocabulary and traits are there
}

// remembered is how many readings a Reader keeps: every turn replays the whole
// run, so the same messages come again at once.
const remembered = 1024

// New compiles the cues of a package. Its phrasings are learned when the first
// run begins.
func New(p *scenario.Package) (*Reader, error) {
	r := &Reader{acts: p.Acts, cues: map[string][]cue{}, vocabulary: map[string]bool{}, byLength: map[int][]string{}, learned: make(chan struct{})}
	var err error
	if r.recent, err = lru.New[string, Reading](remembered); err != nil {
		return nil, fmt.Errorf("cache of readings: %w", err)
	}
	for i, a := range p.Acts {
		for _, text := range a.Cues {
			c, err := compileCue(text, i, p.Concepts)
			if err != nil {
				return nil, fmt.Errorf("act %s: %w", a.ID, err)
			}
			for _, first := range firstStems(c) {
				r.cues[first] = append(r.cues[first], c)
			}
		}
	}
	r.start = sync.OnceFunc(func() {
		go func() {
			r.learn(p)
			close(r.learned)
		}()
	})
	return r, nil
}

// Prepare starts to learn the phrasings, about a second's work, and returns at
// once. Read does it too, and waits.
func (r *Reader) Prepare() { r.start() }

func (r *Reader) learn(p *scenario.Package) {
	r.lexicon = newLexicon(p, slices.Sorted(maps.Keys(p.Concepts)))
	var examples []labelled
	for i, a := range p.Acts {
		for _, text := range a.Cues {
			r.learnWords(strings.NewReplacer("=", " ", "|", " ", "_", " ", "@", " ", "!", " ", "^", " ").Replace(text))
		}
		for _, text := range a.Examples {
			for _, s := range split(text) {
				for k, w := range s.words {
					r.vocabulary[w.text] = true
					s.words[k].stem = stem(w.text)
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
	r.traits = traitsOf(p)
	r.classifier = train(r.lexicon, r.cued, examples, len(p.Acts))
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

// Read understands one message. The reading is shared and must not be changed.
func (r *Reader) Read(message string) Reading {
	if known, ok := r.recent.Get(message); ok {
		return known
	}
	r.start()
	<-r.learned
	reading := r.read(message)
	r.recent.Add(message, reading)
	return reading
}

func (r *Reader) read(message string) Reading {
	var out Reading
	known, last := 0, 0 // last: where the sentence before begins
	sentences := split(message)
	for i := range sentences {
		known += r.spell(&sentences[i])
		out.Words += len(sentences[i].words)
	}
	reporting := len(sentences) > 0 && sentences[0].toColleague()
	for _, s := range sentences {
		s.reporting = reporting
		if s.scores() {
			// Whatever stands behind the first such sentence belongs to it.
			out.Meta = true
			break
		}
		out.Asks = out.Asks || s.question || interrogatives[s.words[0].text]
		if s.takesBack() {
			for i := range out.Acts {
				if out.Acts[i].Start >= last {
					out.Acts[i].How = Refused
				}
			}
			continue
		}
		last = s.start
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
	decides       bool // the cue alone is enough
	empty         bool // no word of it carries meaning
	guess         bool // good enough to answer, not to credit
	whole         bool // the classifier's: the clause as a whole
	traits             // of the act
}

// readSentence lets cues and classifier decide together: a cue counts unless
// the classifier finds its act all but impossible, and what the classifier is
// sure of needs no cue.
func (r *Reader) readSentence(s sentence) []Act {
	matches := r.matches(s)
	if candidates := longest(matches); s.listed(r.distinct(candidates)) {
		return r.acted(s, candidates, true)
	}
	spans := s.clauses()
	beliefs := make([]belief, len(spans))
	for i, span := range spans {
		beliefs[i] = r.believe(s.words[span[0]:span[1]])
	}
	var found []match
	for _, m := range matches {
		from, to := s.clause(m.from, m.to)
		plausible := m.decides || to-from <= longClause && r.believe(s.words[m.from:m.to]).probability[m.act] >= cueAlone
		for i, span := range spans {
			plausible = plausible || span[0] <= m.from && m.to <= span[1] && beliefs[i].probability[m.act] >= r.floor(m.act)
		}
		if plausible {
			found = append(found, m)
		}
	}
	found = longest(found)
	for i, span := range spans {
		act, p := top(beliefs[i].probability)
		known := slices.ContainsFunc(found, func(m match) bool { return m.act == act })
		if known || r.acts[act].ID == scenario.OutOfScope {
			continue
		}
		m := match{act: act, from: span[0], to: span[1], negator: r.traits[act].denial, whole: true, empty: len(contentStems(s.words[span[0]:span[1]])) == 0}
		several := i == 0 && len(spans) > 1
		switch similar := r.classifier.nearness(beliefs[i], act); {
		case r.convincing(m, p, similar, several):
			found = append(found, m)
		case r.likely(act, p, similar) && !several && !slices.ContainsFunc(found, m.overlaps):
			m.guess = true
			found = append(found, m)
		}
	}
	sort.SliceStable(found, func(i, j int) bool { return found[i].from < found[j].from })
	return r.acted(s, found, s.listed(r.distinct(found)))
}

// convincing: enough to credit the act to the learner.
func (r *Reader) convincing(m match, probability, similar float32, several bool) bool {
	short := m.to-m.from <= 3
	switch {
	case m.empty:
		return false
	case r.traits[m.act].harm:
		return probability >= sureHarm && similar >= nearHarm && (!short || similar >= nearCopy)
	case short && similar < nearer:
		return false
	case several:
		return probability >= sureWhole && similar >= near
	}
	return probability >= sure && similar >= near
}

// likely: enough to answer as if the learner had meant the act.
func (r *Reader) likely(act int, probability, similar float32) bool {
	if r.traits[act].harm {
		return probability >= sureHarm && similar >= guessHarm
	}
	return probability >= guess && similar >= guessNear
}

func (m match) overlaps(other match) bool { return m.from < other.to && other.from < m.to }

func (r *Reader) acted(s sentence, found []match, listed bool) []Act {
	withdrawn := s.withdraws()
	acts := make([]Act, 0, len(found))
	for _, m := range found {
		m.traits = r.traits[m.act]
		a := r.act(s, m, r.acts[m.act], listed)
		if m.to <= withdrawn {
			a.How = Refused
		}
		acts = append(acts, a)
	}
	return acts
}

func (r *Reader) distinct(matches []match) int {
	acts := map[int]bool{}
	for _, m := range matches {
		if !r.traits[m.act].courtesy {
			acts[m.act] = true
		}
	}
	return len(acts)
}

// floor is the belief below which a cue does not count.
func (r *Reader) floor(act int) float32 {
	if r.traits[act].harm {
		return harmFloor
	}
	return cueFloor
}

func (r *Reader) believe(words []word) belief {
	return r.classifier.classify(r.lexicon, r.cued(words), words)
}

func top(probabilities []float32) (act int, highest float32) {
	for k, p := range probabilities {
		if p > highest {
			act, highest = k, p
		}
	}
	return act, highest
}

// cued are the acts that have a cue in words.
func (r *Reader) cued(words []word) []int {
	var acts []int
	for _, m := range longest(r.matches(sentence{words: words})) {
		acts = append(acts, m.act)
	}
	return acts
}

func (r *Reader) act(s sentence, m match, a scenario.Act, listed bool) Act {
	from, to := s.clause(m.from, m.to)
	return Act{ID: a.ID, How: s.scope(m, a.Kind, listed), Start: s.words[from].start, End: s.words[to-1].end, Guess: m.guess}
}

// clause widens a match to the clause around it, for a quote that can be read.
func (s sentence) clause(from, to int) (int, int) {
	from = s.clauseStart(from)
	for to < len(s.words) && !s.breaks[to] && !boundaries[s.words[to].text] {
		to++
	}
	return from, to
}

// matches are the first matches of every cue.
func (r *Reader) matches(s sentence) []match {
	var all []match
	seen := map[string]bool{}
	for _, w := range s.words {
		if seen[w.stem] {
			continue
		}
		seen[w.stem] = true
		for _, c := range r.cues[w.stem] {
			if from, to, ok := c.find(s.words); ok {
				all = append(all, match{act: c.act, from: from, to: to, negator: c.negator, decides: c.decides})
			}
		}
	}
	return all
}

// longest keeps the longest match of each act, and what is not inside of
// another act's longer one.
func longest(all []match) []match {
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
			return k.act == m.act || !m.decides && k.from <= m.from && m.to <= k.to && (k.to-k.from > m.to-m.from)
		})
		if !inside {
			kept = append(kept, m)
		}
	}
	sort.SliceStable(kept, func(i, j int) bool { return kept[i].from < kept[j].from })
	return kept
}

// clauses are the sentence as a whole, then its pieces between commas and
// conjunctions when there are several.
func (s sentence) clauses() [][2]int {
	all := [][2]int{{0, len(s.words)}}
	start := 0
	for i := 1; i <= len(s.words); i++ {
		if i < len(s.words) && !s.breaks[i] && !s.joins(i) && (i-start < 3 || !s.restarts(i)) {
			continue
		}
		if i-start >= 2 && i-start < len(s.words) {
			all = append(all, [2]int{start, i})
		}
		start = i
	}
	return all
}

// restarts: a clause begins at word i of somebody who types without commas
// ("any allergies are you ok with aspirin im giving you …").
func (s sentence) restarts(i int) bool {
	t, next, before := s.words[i].text, s.at(i+1), s.at(i-1)
	if functionWords[before] || interrogatives[before] || verbs[before] {
		return false
	}
	switch t {
	case "i", "we":
		return auxiliaries[next]
	case "are", "do", "did", "have", "can", "could", "will", "were", "does", "is":
		return next == "you" || next == "it" || next == "the" || next == "your"
	case "what", "how", "when", "where", "any":
		return true
	}
	return false
}

// joins: a new clause begins at word i without a comma.
func (s sentence) joins(i int) bool {
	t := s.words[i].text
	if boundaries[t] {
		return true
	}
	next := s.at(i + 1)
	return t == "and" && (firstPerson[next] || next == "you" || verbs[next] || interrogatives[next] || next == "then" || next == "please")
}
