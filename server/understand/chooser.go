package understand

import (
	"slices"
	"sort"

	"simora/server/scenario"
)

// The chooser between cues and classifier, as probabilities: chosen coarsely on
// the development set (docs/simulation.md).
const (
	sure       = 0.75 // the classifier alone is enough
	sureHarm   = 0.85 // …for an act that costs the learner points
	near       = 0.30 // and some phrasing of the act has to be this similar,
	nearer     = 0.45 // more so for a fragment of up to three words,
	nearHarm   = 0.68 // and for harm
	nearCopy   = 0.75 // for harm in a fragment of up to three words
	guess      = 0.28 // good enough for an answer, though not for credit…
	guessNear  = 0.15 // …with some phrasing this similar
	guessHarm  = 0.40 // …or, for harm, this similar…
	guessFar   = 0.28 // …or no more than that, when it is all but certain
	allButSure = 0.93
	copied     = 0.95 // a clause of function words alone has to be a phrasing ("May I?")
	noDoubt    = 0.90 // a clause without a verb is an order or a question when it is this certain
	noDoubtBy  = 0.40
	alike      = 0.70 // a clause this similar to a phrasing is performed as it is
	strange    = 0.90 // out of scope this clearly, and this near: no cue counts by its words alone
	strangeBy  = 0.50
	cueFloor   = 0.30 // below it, the classifier overrules a cue
	cueAlone   = 0.95 // unless it is that certain of the cue's own words
	longClause = 15   // words; in a longer clause a cue may stand by chance
	harmFloor  = 0.30 // and the cue of an act that costs points
)

// match is a cue found in a sentence.
type match struct {
	act, from, to int
	negator       bool
	decides       bool // the cue alone is enough
	empty         bool // no word of it carries meaning
	guess         bool // good enough to answer, not to credit
	whole         bool // the classifier's: the clause as a whole
	alike         bool // much like a phrasing of the act
	certain       bool // the classifier has next to no doubt
	again         bool // a cue found the act elsewhere in the sentence, perhaps not performed
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
	outside := slices.IndexFunc(r.acts, func(a scenario.Act) bool { return a.ID == scenario.OutOfScope })
	foreign := outside >= 0 && beliefs[0].probability[outside] >= strange && beliefs[0].nearness[outside] >= strangeBy
	var found []match
	for _, m := range matches {
		plausible := m.decides
		for i, span := range spans {
			if span[0] > m.from || m.to > span[1] {
				continue
			}
			plausible = plausible || beliefs[i].probability[m.act] >= r.floor(m.act)
			m.certain = m.certain || beliefs[i].certain(m.act)
			m.alike = m.alike || r.acts[m.act].Kind == scenario.Do && beliefs[i].nearness[m.act] >= alike
		}
		if from, to := s.clause(m.from, m.to); !plausible && !foreign && to-from <= longClause {
			plausible = r.believe(s.words[m.from:m.to]).probability[m.act] >= cueAlone
		}
		if plausible {
			found = append(found, m)
		}
	}
	found = longest(found)
	for i, span := range spans {
		act, p := top(beliefs[i].probability)
		known := slices.ContainsFunc(found, func(m match) bool { return m.act == act })
		again := known && !hypothetical[s.words[span[0]].text] && !slices.ContainsFunc(found, func(m match) bool { return m.act == act && m.from < span[1] && span[0] < m.to })
		if known && !again || r.acts[act].ID == scenario.OutOfScope {
			continue
		}
		m := match{act: act, from: span[0], to: span[1], negator: r.traits[act].denial, whole: true, again: again, empty: len(contentStems(s.words[span[0]:span[1]])) == 0}
		several := i == 0 && len(spans) > 1
		similar := beliefs[i].nearness[act]
		m.alike, m.certain = similar >= alike, beliefs[i].certain(act)
		switch {
		case r.convincing(m, p, similar):
			found = append(found, m)
		case !again && !m.empty && r.likely(act, p, similar) && (!several || p >= allButSure) && !slices.ContainsFunc(found, m.overlaps):
			m.guess = true
			found = append(found, m)
		}
	}
	sort.SliceStable(found, func(i, j int) bool { return found[i].from < found[j].from })
	return r.acted(s, found, s.listed(r.distinct(found)))
}

// convincing: enough to credit the act to the learner.
func (r *Reader) convincing(m match, probability, similar float32) bool {
	short := m.to-m.from <= 3
	switch {
	case m.empty:
		return similar >= copied && !r.traits[m.act].harm
	case r.traits[m.act].harm:
		return probability >= sureHarm && similar >= nearHarm && (!short || similar >= nearCopy)
	case short && similar < nearer:
		return false
	}
	return probability >= sure && similar >= near
}

// likely: enough to answer as if the learner had meant the act.
func (r *Reader) likely(act int, probability, similar float32) bool {
	if r.traits[act].harm {
		return probability >= sureHarm && similar >= guessHarm || probability >= allButSure && similar >= guessFar
	}
	return probability >= guess && similar >= guessNear
}

func (m match) overlaps(other match) bool { return m.from < other.to && other.from < m.to }

func (r *Reader) acted(s sentence, found []match, listed bool) []Act {
	withdrawn := s.withdraws()
	acts := make([]Act, 0, len(found))
	for _, m := range found {
		m.traits = r.traits[m.act]
		if m.again && slices.ContainsFunc(acts, func(a Act) bool { return a.ID == r.acts[m.act].ID && a.How == Performed }) {
			continue
		}
		a := r.act(s, m, r.acts[m.act], listed && !s.reporting)
		if m.from < withdrawn {
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

// certain: enough to take a clause without a verb for an order or a question.
func (b belief) certain(act int) bool {
	return b.probability[act] >= noDoubt && b.nearness[act] >= noDoubtBy
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
