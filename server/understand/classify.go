package understand

import (
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
)

// The classifier is a softmax over TF-IDF vectors of words, word pairs,
// concepts, letter groups and the cues that match. It learns the example
// phrasings of the package in a fixed order, so the same package always gives
// the same weights.
type classifier struct {
	ids      map[string]int32 // feature to its row
	idf      []float32
	weights  []float32 // one row a feature, one column a class
	classes  int
	postings [][]posting // by feature: the examples that have it
	acts     []int       // by example
	memory   sync.Pool   // of *similarities, as large as all phrasings
}

// similarities are products of a clause with the examples that share a feature.
type similarities struct {
	sum      []float32 // by example
	examples []int32   // whose sum is not zero
}

// posting is a feature of an example.
type posting struct {
	example int32
	weight  float32
}

// Training: plain stochastic gradient descent. Each time an example is looked
// at, a part of its features is left out, so that the weights don't lean on a
// few of them: a new message says the same with others.
const (
	epochs    = 14
	averaged  = 6    // of the last epochs, against the chance of what was left out
	left      = 0.55 // of the features of an example
	firstRate = 1.2
	decay     = 1e-5

	negligible = 0.002 // gradients smaller than this are not worth the time
)

type labelled struct {
	words []word
	act   int
}

type feature struct {
	id     int32
	weight float32
}

// train learns the examples. cues names the acts whose cues match some words.
func train(lex lexicon, cues func([]word) []int, examples []labelled, classes int) *classifier {
	c := &classifier{ids: map[string]int32{}, classes: classes}
	bags := make([]map[string]float64, len(examples))
	df := map[string]float64{}
	for i, e := range examples {
		bags[i] = features(lex, cues(e.words), e.words)
		for f := range bags[i] {
			df[f]++
		}
	}
	names := make([]string, 0, len(df))
	for name := range df {
		names = append(names, name)
	}
	slices.Sort(names)
	n := float64(len(examples))
	for i, name := range names {
		c.ids[name] = int32(i)
		c.idf = append(c.idf, float32(math.Log((n+1)/(df[name]+0.5))))
	}
	c.weights = make([]float32, len(names)*classes)
	c.postings = make([][]posting, len(names))
	vectors := make([][]feature, len(examples))
	for i, bag := range bags {
		vectors[i] = c.weigh(bag)
		c.acts = append(c.acts, examples[i].act)
		for _, f := range vectors[i] {
			c.postings[f.id] = append(c.postings[f.id], posting{int32(i), f.weight})
		}
	}
	c.descend(vectors, examples)
	return c
}

// One goroutine's arithmetic, which the race detector would make ten times slower.
//
//go:norace
func (c *classifier) descend(vectors [][]feature, examples []labelled) {
	order := make([]int, len(vectors))
	for i := range order {
		order[i] = i
	}
	shuffle := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // repeatable on purpose
	p := make([]float32, c.classes)
	active := make([]int, 0, c.classes)
	var vector []feature
	step := 0
	sum := make([]float32, len(c.weights))
	for epoch := range epochs {
		shuffle.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for _, i := range order {
			step++
			rate := float32(firstRate / (1 + 2*float64(step)/float64(epochs*len(vectors))))
			vector = vector[:0]
			for _, f := range vectors[i] {
				if shuffle.Float64() < left {
					vector = append(vector, f)
				}
			}
			c.probabilities(vector, p)
			p[examples[i].act]--
			active = active[:0]
			for k, g := range p {
				if g > negligible || g < -negligible {
					active = append(active, k)
				}
			}
			for _, f := range vector {
				row := c.weights[int(f.id)*c.classes : (int(f.id)+1)*c.classes]
				by := rate * f.weight
				for _, k := range active {
					row[k] -= by*p[k] + decay*row[k]
				}
			}
		}
		if epoch >= epochs-averaged {
			for i, w := range c.weights {
				sum[i] += w / averaged
			}
		}
	}
	c.weights = sum
}

// sharpness scales unit vectors so that the softmax can become certain.
const sharpness = 3

//go:norace
func (c *classifier) probabilities(vector []feature, p []float32) {
	clear(p)
	for _, f := range vector {
		row := c.weights[int(f.id)*c.classes : (int(f.id)+1)*c.classes]
		for k, w := range row {
			p[k] += f.weight * w
		}
	}
	top := slices.Max(p)
	sum := float32(0)
	for k := range p {
		p[k] = float32(math.Exp(float64(p[k] - top)))
		sum += p[k]
	}
	for k := range p {
		p[k] /= sum
	}
}

// weigh returns the vector of a bag in a fixed order, so that sums of
// floating-point numbers come out the same in every run. What no example holds
// counts towards the length only: a message of unknown words is near nothing.
func (c *classifier) weigh(bag map[string]float64) []feature {
	all := make([]feature, 0, len(bag))
	sum, unseen := 0.0, math.Log(2*float64(len(bag)+1000))
	for name, weight := range bag {
		id, seen := c.ids[name]
		if !seen {
			if name[0] == 'w' {
				sum += weight * weight * unseen * unseen
			}
			continue
		}
		w := weight * float64(c.idf[id])
		all = append(all, feature{id, float32(w)})
	}
	sort.Slice(all, func(i, j int) bool { return all[i].id < all[j].id })
	for _, f := range all {
		sum += float64(f.weight) * float64(f.weight)
	}
	if sum == 0 {
		return nil
	}
	norm := float32(sharpness / math.Sqrt(sum))
	for i := range all {
		all[i].weight *= norm
	}
	return all
}

// belief is what the classifier thinks of a clause.
type belief struct {
	probability []float32 // by act: the softmax, and a little for nearness
	nearness    []float32 // by act: the cosine similarity of its nearest phrasing
}

func (c *classifier) classify(lex lexicon, cues []int, words []word) belief {
	b := belief{make([]float32, c.classes), make([]float32, c.classes)}
	vector := c.weigh(features(lex, cues, words))
	c.probabilities(vector, b.probability)
	m, ok := c.memory.Get().(*similarities)
	if !ok {
		m = &similarities{sum: make([]float32, len(c.acts))}
	}
	for _, f := range vector {
		for _, p := range c.postings[f.id] {
			if m.sum[p.example] == 0 {
				m.examples = append(m.examples, p.example)
			}
			m.sum[p.example] += f.weight * p.weight
		}
	}
	for _, i := range m.examples {
		k := c.acts[i]
		b.nearness[k] = max(b.nearness[k], m.sum[i])
		m.sum[i] = 0
	}
	m.examples = m.examples[:0]
	c.memory.Put(m)
	sum := float32(0)
	for k := range b.nearness {
		b.nearness[k] /= sharpness * sharpness
		b.probability[k] *= float32(math.Exp(float64(b.nearness[k])))
		sum += b.probability[k]
	}
	for k := range b.probability {
		b.probability[k] /= sum
	}
	return b
}

// features counts words (w), pairs (p), concepts (k), letter groups (c) and
// cues (q).
func features(lex lexicon, cues []int, words []word) map[string]float64 {
	bag := map[string]float64{}
	previous := "^"
	for _, w := range words {
		s := w.stem
		if _, err := strconv.ParseFloat(strings.Replace(s, ":", ".", 1), 64); err == nil {
			s = "#"
		}
		weight := 1.0
		if functionWords[w.text] && !negators[w.text] {
			weight = 0.7
		}
		bag["w"+s] += weight
		bag["p"+previous+" "+s] += 0.55
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
	for _, act := range cues {
		bag["q"+strconv.Itoa(act)] = 0.2
	}
	return bag
}
