package scenario

import (
	"fmt"
	"maps"
	"regexp"
	"slices"

	"github.com/agnivade/levenshtein"
)

func distance(a, b string) int { return levenshtein.ComputeDistance(a, b) }

var placeholder = regexp.MustCompile(`\{([a-z_0-9]+)\}`)

// Pools are the replies that every package has, from its own rules.yaml or the
// general ones. A reply takes at most one line of a pool a turn, so a pool
// longer than the run never repeats itself.
func Pools() []string {
	return []string{"acknowledge", "again", "asked_back", "declined", "deflect", "meta", "nod", "noise", "unknown"}
}

// checkReferences looks at what the schema can't: ids that point to each other.
func (p *Package) checkReferences(f *finder, folder string) []Problem {
	acts := p.checkActs(f)
	variables := map[string]bool{}
	for name := range p.State.Variables {
		variables[name] = true
	}
	if folder != "" && p.Header.Slug != folder {
		f.report("scenario.yaml", "$.slug", "%q must be the name of the folder, %q", p.Header.Slug, folder)
	}
	facts := map[string]bool{}
	for i, fact := range p.Facts {
		at := fmt.Sprintf("$.facts[%d]", i)
		if facts[fact.ID] {
			f.report("facts.yaml", at+".id", "%q is defined twice", fact.ID)
		}
		facts[fact.ID] = true
		f.known("facts.yaml", at+".asked_by", "an act", fact.AskedBy, acts)
		f.condition("facts.yaml", at+".when", fact.When, acts, variables)
		f.lines("facts.yaml", at+".say", fact.Say, variables)
	}
	p.checkState(f, acts, variables)
	for part, rules := range map[string][]Rule{"rules": p.Rules, "events": p.Events} {
		for i, r := range rules {
			at := fmt.Sprintf("$.%s[%d]", part, i)
			f.condition("rules.yaml", at+".when", r.When, acts, variables)
			f.known("rules.yaml", at+".tells", "a fact", r.Tells, facts)
			f.known("rules.yaml", at+".change", "a state variable", slices.Sorted(maps.Keys(r.Change)), variables)
			f.known("rules.yaml", at+".set", "a state variable", slices.Sorted(maps.Keys(r.Set)), variables)
			f.lines("rules.yaml", at+".say", r.Say, variables)
		}
	}
	for i, e := range p.Endings {
		f.condition("rules.yaml", fmt.Sprintf("$.endings[%d].when", i), e.When, acts, variables)
	}
	p.checkReplies(f, acts, variables)
	p.checkRubric(f, acts)
	slices.SortFunc(f.problems, func(a, b Problem) int {
		if a.File != b.File {
			return compare(a.File, b.File)
		}
		return a.Line - b.Line
	})
	return f.problems
}

func compare(a, b string) int {
	if a < b {
		return -1
	}
	return 1
}

func (p *Package) checkActs(f *finder) map[string]bool {
	acts := map[string]bool{}
	concepts := map[string]bool{}
	for name := range p.Concepts {
		concepts[name] = true
	}
	for i, a := range p.Acts {
		if acts[a.ID] {
			f.report("acts.yaml", fmt.Sprintf("$.acts[%d].id", i), "%q is defined twice", a.ID)
		}
		acts[a.ID] = true
		for j, cue := range a.Cues {
			f.known("acts.yaml", fmt.Sprintf("$.acts[%d].cues[%d]", i, j), "a concept", conceptsOf(cue), concepts)
		}
	}
	return acts
}

var conceptRef = regexp.MustCompile(`@([a-z_0-9]+)`)

func conceptsOf(cue string) []string {
	var names []string
	for _, m := range conceptRef.FindAllStringSubmatch(cue, -1) {
		names = append(names, m[1])
	}
	return names
}

func (p *Package) checkState(f *finder, acts, variables map[string]bool) {
	for name, v := range p.State.Variables {
		if v.Min > v.Start || v.Start > v.Max {
			f.report("state.yaml", "$.variables."+name, "start %v must lie between min %v and max %v", v.Start, v.Min, v.Max)
		}
	}
	for i, v := range p.State.Vitals {
		at := fmt.Sprintf("$.vitals[%d]", i)
		f.lines("state.yaml", at+".value", []string{v.Value}, variables)
		f.condition("state.yaml", at+".warn", v.Warn, acts, variables)
		f.condition("state.yaml", at+".critical", v.Critical, acts, variables)
	}
	for i, e := range p.State.Emotions {
		f.condition("state.yaml", fmt.Sprintf("$.emotions[%d].when", i), e.When, acts, variables)
	}
	f.known("state.yaml", "$.mood", "a state variable", slices.Sorted(maps.Keys(p.State.Mood)), variables)
}

func (p *Package) checkReplies(f *finder, acts, variables map[string]bool) {
	for _, name := range slices.Sorted(maps.Keys(p.Replies)) {
		at := "$.replies." + name
		if !slices.Contains(Pools(), name) {
			f.report("rules.yaml", at, "no such pool; allowed: %v", Pools())
		}
		always := 0
		for i, l := range p.Replies[name] {
			f.condition("rules.yaml", fmt.Sprintf("%s[%d].when", at, i), l.When, acts, variables)
			f.lines("rules.yaml", fmt.Sprintf("%s[%d].say", at, i), l.Say, variables)
			if l.When.Empty() {
				always += len(l.Say)
			}
		}
		if always <= p.Header.MaxTurns {
			f.report("rules.yaml", at, "has %d lines without a condition; a run of %d turns needs at least %d, or it repeats itself", always, p.Header.MaxTurns, p.Header.MaxTurns+1)
		}
	}
}

func (p *Package) checkRubric(f *finder, acts map[string]bool) {
	seen := map[string]bool{}
	for i, d := range p.Rubric {
		for j, c := range d.Criteria {
			at := fmt.Sprintf("$.dimensions[%d].criteria[%d]", i, j)
			if seen[c.ID] {
				f.report("rubric.yaml", at+".id", "%q is defined twice", c.ID)
			}
			seen[c.ID] = true
			for part, t := range map[string]*Test{"met": c.Met, "partly": c.Partly, "harmful": c.Harmful} {
				for ; t != nil; t = t.Given {
					at := at + "." + part
					for name, list := range map[string]Names{"acts": t.Acts, "after": t.After, "after_any": t.AfterAny, "before": t.Before, "without": t.Without} {
						f.known("rubric.yaml", at+"."+name, "an act", list, acts)
					}
					if t.AtLeast > len(t.Acts) {
						f.report("rubric.yaml", at+".at_least", "%d is more than the %d acts that are named", t.AtLeast, len(t.Acts))
					}
				}
			}
		}
	}
}

func (f *finder) condition(file, at string, c Condition, acts, variables map[string]bool) {
	for name, list := range map[string]Names{"act": c.Act, "asked": c.Asked, "refused": c.Refused, "done": c.Done, "any_done": c.AnyDone, "not_done": c.NotDone} {
		f.known(file, at+"."+name, "an act", list, acts)
	}
	f.known(file, at+".state", "a state variable", slices.Sorted(maps.Keys(c.State)), variables)
}

func (f *finder) lines(file, at string, lines []string, variables map[string]bool) {
	for _, line := range lines {
		for _, m := range placeholder.FindAllStringSubmatch(line, -1) {
			f.known(file, at, "a state variable", []string{m[1]}, variables)
		}
	}
}
