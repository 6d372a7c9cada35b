package understand

import (
	"math"
	"sort"
	"strconv"
)

// The classifier is a nearest-neighbour one over TF-IDF vectors of words, word
// pairs, concepts and letter groups. It needs no training beyond counting, and
// adding one example phrasing changes nothing but that phrasing's surroundings.
type classifier struct {
	index    map[string][]posting
	idf      map[string]float64
	examples []int // the act of each example
	unseen   float64
}

type posting struct {
	example int
	weight  float64
}

// guess is an act with the cosine similarity of its nearest examples.
type guess struct {
	act    int
	score  float64
	margin float64 // lead over the next act
}

type labelled struct {
	words []word
	act   int
}

func train(lex lexicon, examples []labelled) *classifier {
	c := &classifier{index: map[string][]posting{}, idf: map[string]float64{}}
	bags := make([]map[string]float64, len(examples))
	for i, e := range examples {
		bags[i] = features(lex, e.words)
		c.examples = append(c.examples, e.act)
		for f := range bags[i] {
			c.idf[f]++
		}
	}
	n := float64(len(examples))
	for f, df := range c.idf {
		c.idf[f] = math.Log((n + 1) / (df + 0.5))
	}
	c.unseen = math.Log((n + 1) / 0.5)
	for i, bag := range bags {
		for _, f := range c.weigh(bag) {
			c.index[f.name] = append(c.index[f.name], posting{i, f.weight})
		}
	}
	return c
}

type feature struct {
	name   string
	weight float64
}

// weigh returns the unit vector of a bag in a fixed order, so that sums of
// floating-point numbers come out the same in every run.
func (c *classifier) weigh(bag map[string]float64) []feature {
	all := make([]feature, 0, len(bag))
	for name, weight := range bag {
		idf, seen := c.idf[name]
		if !seen {
			idf = c.unseen
			if name[0] == 'c' { // letter groups of an unknown word are no evidence of their own
				idf /= 3
			}
		}
		all = append(all, feature{name, weight * idf})
	}
	sort.Slice(all, func(i, j int) bool { return all[i].name < all[j].name })
	sum := 0.0
	for _, f := range all {
		sum += f.weight * f.weight
	}
	norm := math.Sqrt(sum)
	for i := range all {
		all[i].weight /= norm
	}
	return all
}

// classify returns the nearest act, judged by its two nearest examples.
func (c *classifier) classify(lex lexicon, words []word) guess {
	scores := make([]float64, len(c.examples))
	for _, f := range c.weigh(features(lex, words)) {
		for _, p := range c.index[f.name] {
			scores[p.example] += f.weight * p.weight
		}
	}
	type pair struct{ first, second float64 }
	best := map[int]pair{}
	for i, s := range scores {
		p := best[c.examples[i]]
		if s > p.first {
			p = pair{s, p.first}
		} else if s > p.second {
			p.second = s
		}
		best[c.examples[i]] = p
	}
	top, next, act := 0.0, 0.0, -1
	for a, p := range best {
		s := 0.8*p.first + 0.2*p.second
		if s > top || s == top && a < act {
			top, next, act = s, top, a
		} else if s > next {
			next = s
		}
	}
	return guess{act: act, score: top, margin: top - next}
}

// features counts words (w), pairs (p), concepts (k) and letter groups (c).
func features(lex lexicon, words []word) map[string]float64 {
	bag := map[string]float64{}
	previous := "^"
	for _, w := range words {
		s := w.stem
		if _, err := strconv.ParseFloat(s, 64); err == nil {
			s = "#"
		}
		weight := 1.0
		if functionWords[w.text] {
			weight = 0.4
		}
		bag["w"+s] += weight
		bag["p"+previous+" "+s] += 0.6
		previous = s
		if weight == 1 && len(w.text) > 3 {
			padded := []rune("_" + w.text + "_")
			for i := 0; i+4 <= len(padded); i++ {
				bag["c"+string(padded[i:i+4])] += 0.25
			}
		}
	}
	for _, name := range lex.in(words) {
		bag["k"+name] += 1.2
	}
	return bag
}
