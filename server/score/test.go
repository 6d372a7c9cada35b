package score

import (
	"slices"

	"simora/server/engine"
	"simora/server/scenario"
	"simora/server/sim"
	"simora/server/understand"
)

// maxQuotes keeps evidence readable; the first occurrences count.
const maxQuotes = 4

// test looks for what t demands and returns the words that show it.
func test(t scenario.Test, turns []engine.Turn) ([]sim.Evidence, bool) {
	if t.Given != nil {
		if _, ok := test(*t.Given, turns); !ok {
			return nil, false
		}
	}
	done := map[string]bool{} // before the present act
	different, inTurns := map[string]bool{}, map[int]bool{}
	var evidence []sim.Evidence
	for n, turn := range turns {
		for _, a := range turn.Reading.Acts {
			if a.How != understand.Performed || a.Guess {
				continue
			}
			if slices.Contains(t.Without, a.ID) {
				return nil, false
			}
			inTime := t.ByTurn == 0 || n+1 <= t.ByTurn
			if slices.Contains(t.Acts, a.ID) && inTime && all(t.After, done) && anyOf(t.AfterAny, done) && none(t.Before, done) {
				if !different[a.ID] || !inTurns[n] {
					evidence = append(evidence, quote(n, turn.Message, a))
				}
				different[a.ID], inTurns[n] = true, true
			}
			done[a.ID] = true
		}
	}
	if len(different) < max(t.AtLeast, 1) || len(inTurns) < max(t.Turns, 1) {
		return nil, false
	}
	return distinctQuotes(evidence), true
}

func quote(turn int, message string, a understand.Act) sim.Evidence {
	return sim.Evidence{Turn: turn + 1, Start: a.Start, End: a.End, Quote: string([]rune(message)[a.Start:a.End])}
}

func distinctQuotes(all []sim.Evidence) []sim.Evidence {
	var out []sim.Evidence
	for _, e := range all {
		if !slices.Contains(out, e) && len(out) < maxQuotes {
			out = append(out, e)
		}
	}
	return out
}

func all(names []string, done map[string]bool) bool {
	return !slices.ContainsFunc(names, func(n string) bool { return !done[n] })
}

// anyOf holds when one was done, or when none is asked for.
func anyOf(names []string, done map[string]bool) bool {
	return len(names) == 0 || slices.ContainsFunc(names, func(n string) bool { return done[n] })
}

func none(names []string, done map[string]bool) bool {
	return !slices.ContainsFunc(names, func(n string) bool { return done[n] })
}
