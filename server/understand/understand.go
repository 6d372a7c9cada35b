package understand

import (
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"
	"sync"

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
	Nod   bool  // it only says that the learner is listening
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

// Prepare starts to learn the phrasings, one to two seconds' work, and returns at
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

// shortQuestion is how long a question can be, in words, that asks about the
// sentence before it.
const shortQuestion = 3

func (r *Reader) read(message string) Reading {
	var out Reading
	known, last := 0, 0 // last: where the sentence before begins
	sentences := split(message)
	for i := range sentences {
		known += r.spell(&sentences[i])
		out.Words += len(sentences[i].words)
	}
	reporting := len(sentences) > 0 && sentences[0].toColleague()
	for i, s := range sentences {
		s.reporting = reporting
		s.leads = i+1 < len(sentences) && sentences[i+1].question && len(sentences[i+1].words) <= shortQuestion
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
	out.Nod = !out.Asks && nods(sentences)
	out.Noise = !out.Nod && (out.Words == 0 || out.Words >= 2 && known*3 < out.Words || out.Words == 1 && known == 0 && len(out.Acts) == 0)
	sort.SliceStable(out.Acts, func(i, j int) bool { return out.Acts[i].Start < out.Acts[j].Start })
	return out
}

var nodding = set("ok okay okey okie k right alright all sure yes yeah yep yup no nope oh ah aha ahh uh huh uhu hm hmm mm mmm mhm hmmm i see got it that is fine good great go on well so then cool understood noted wow really true")

// nods: the message is made of nothing but such words.
func nods(sentences []sentence) bool {
	for _, s := range sentences {
		for _, w := range s.words {
			if !nodding[w.text] {
				return false
			}
		}
	}
	return len(sentences) > 0
}
