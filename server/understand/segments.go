package understand

import "strings"

// clause widens a match to the clause around it, for a quote that can be read.
func (s sentence) clause(from, to int) (int, int) {
	from = s.clauseStart(from)
	for to < len(s.words) && !s.breaks[to] && !boundaries[s.words[to].text] {
		to++
	}
	return from, to
}

// clauses are the sentence as a whole, then its pieces between commas and
// conjunctions when there are several.
func (s sentence) clauses() [][2]int {
	all := [][2]int{{0, len(s.words)}}
	start := 0
	for i := 1; i <= len(s.words); i++ {
		if i < len(s.words) && !s.breaks[i] && !s.joins(i) && (i-start < 3 && (i-start < 2 || s.words[i].text != "i") || !s.restarts(i)) {
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
	// "… your nurse getting an ecg on you"
	return strings.HasSuffix(t, "ing") && verbs[t] && (offered[next] || next == "you" || next == "your" || next == "the")
}

// joins: a new clause begins at word i without a comma.
func (s sentence) joins(i int) bool {
	t := s.words[i].text
	if boundaries[t] {
		return true
	}
	next := s.at(i + 1)
	if t == "plus" || t == "or" && (next == "i" || next == "you" || asking[next]) || t == "and" && s.finite(i+1) {
		return true
	}
	return t == "and" && (firstPerson[next] || next == "you" || verbs[next] || pastVerbs[next] || interrogatives[next] || next == "then" || next == "please")
}

// finite: behind word i a clause of its own follows, with its subject ("and the
// doctor is on his way").
func (s sentence) finite(i int) bool {
	if next := s.at(i); next == "if" || next == "when" {
		return true
	}
	for k := i + 1; k < min(i+4, len(s.words)) && !s.breaks[k]; k++ {
		if finites[s.words[k].text] {
			return true
		}
	}
	return false
}
