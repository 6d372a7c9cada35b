package understand

import (
	"fmt"
	"strings"

	"simora/server/scenario"
)

// maxGap is how many other words may stand between two neighbours of a cue.
const maxGap = 3

// cue is a compiled pattern: its elements must occur in this order.
type cue struct {
	act      int
	elements []element
	unless   []element // none of these may occur in the sentence
	first    bool      // must stand at the start of the sentence
	negator  bool      // the pattern itself holds a negation
	decides  bool      // the classifier can't overrule it
}

// element is one place of a cue: any of these phrases, each a run of stems.
type element [][]string

// compileCue reads "give|take @aspirin !later": words of an element are
// separated by |, @name stands for a concept, !element must not occur, and a
// leading ^ ties the cue to the start of the sentence. _ joins the words of a
// phrase. A leading = is for words that decide: the classifier is not asked.
func compileCue(text string, act int, concepts map[string][]string) (cue, error) {
	c := cue{act: act}
	if rest, ok := strings.CutPrefix(text, "="); ok {
		c.decides, text = true, rest
	}
	if rest, ok := strings.CutPrefix(text, "^"); ok {
		c.first, text = true, rest
	}
	for _, field := range strings.Fields(text) {
		body, unless := strings.CutPrefix(field, "!")
		var e element
		for _, alternative := range strings.Split(body, "|") {
			if name, ok := strings.CutPrefix(alternative, "@"); ok {
				words, known := concepts[name]
				if !known {
					return cue{}, fmt.Errorf("cue %q: unknown concept %q", text, name)
				}
				for _, w := range words {
					e = append(e, stems(w))
				}
				continue
			}
			e = append(e, stems(strings.ReplaceAll(alternative, "_", " ")))
		}
		if unless {
			c.unless = append(c.unless, e)
			continue
		}
		for _, phrase := range e {
			for _, s := range phrase {
				c.negator = c.negator || negators[s]
			}
		}
		c.elements = append(c.elements, e)
	}
	if len(c.elements) == 0 {
		return cue{}, fmt.Errorf("cue %q has no words", text)
	}
	return c, nil
}

// stems are the stems of a phrase, read like a message.
func stems(phrase string) []string {
	var out []string
	for _, s := range split(phrase) {
		for _, w := range s.words {
			out = append(out, stem(w.text))
		}
	}
	return out
}

// find returns the first and last word (exclusive) of the first match.
func (c cue) find(words []word) (from, to int, ok bool) {
	for _, e := range c.unless {
		for i := range words {
			if e.at(words, i) > 0 {
				return 0, 0, false
			}
		}
	}
	last := len(words)
	if c.first {
		last = min(1, last)
	}
	for i := 0; i < last; i++ {
		if to := c.matchFrom(words, i); to > 0 {
			return i, to, true
		}
	}
	return 0, 0, false
}

func (c cue) matchFrom(words []word, i int) int {
	n := c.elements[0].at(words, i)
	if n == 0 {
		return 0
	}
	end := i + n
	for _, e := range c.elements[1:] {
		found := 0
		for gap := 0; gap <= maxGap && end+gap < len(words); gap++ {
			if n := e.at(words, end+gap); n > 0 {
				found = end + gap + n
				break
			}
		}
		if found == 0 {
			return 0
		}
		end = found
	}
	return end
}

// at is the number of words that the longest matching phrase takes at i.
func (e element) at(words []word, i int) int {
	best := 0
	for _, phrase := range e {
		if len(phrase) <= best || i+len(phrase) > len(words) {
			continue
		}
		same := true
		for k, s := range phrase {
			if words[i+k].stem != s {
				same = false
				break
			}
		}
		if same {
			best = len(phrase)
		}
	}
	return best
}

// lexicon is the set of concepts by the first stem of each of their phrases.
type lexicon map[string][]concept

type concept struct {
	name   string
	phrase []string
}

func newLexicon(p *scenario.Package, names []string) lexicon {
	l := lexicon{}
	for _, name := range names {
		for _, text := range p.Concepts[name] {
			if phrase := stems(text); len(phrase) > 0 {
				l[phrase[0]] = append(l[phrase[0]], concept{name, phrase})
			}
		}
	}
	return l
}

// in returns the concepts that occur in words.
func (l lexicon) in(words []word) []string {
	var found []string
	for i, w := range words {
		for _, c := range l[w.stem] {
			if (element{c.phrase}).at(words, i) > 0 {
				found = append(found, c.name)
			}
		}
	}
	return found
}
