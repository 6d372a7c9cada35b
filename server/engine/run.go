package engine

import (
	"cmp"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"simora/server/scenario"
	"simora/server/sim"
	"simora/server/understand"
)

// run is the state of one conversation while it is played.
type run struct {
	*stage
	random *rand.Rand
	turns  int
	state  map[string]float64
	done   map[string]bool // acts performed so far
	told   map[string]int  // how often a fact was told
	fired  map[string]bool // rules with Once that fired
	said   map[string]bool // sentences that the character has used
	now    []string        // facts told in the present turn
	ending *scenario.Ending
	prompt []promptFact // of a scenario without a package
}

func newRun(s *stage, seed uint64) *run {
	r := &run{
		stage: s, random: rand.New(rand.NewPCG(seed, 0x51304a)), //nolint:gosec // repeatable on purpose
		state: map[string]float64{}, done: map[string]bool{}, told: map[string]int{}, fired: map[string]bool{}, said: map[string]bool{},
	}
	for name, v := range s.pkg.State.Variables {
		r.state[name] = v.Start
	}
	return r
}

// turn lets one learner message take effect.
func (r *run) turn(message string) Turn {
	r.turns++
	r.now = nil
	reading := r.reader.Read(message)
	m := r.moment(reading)
	for _, name := range slices.Sorted(maps.Keys(r.pkg.State.Variables)) {
		r.change(name, r.pkg.State.Variables[name].Drift)
	}
	var lines []string
	reactions := r.consider(reading, m)
	if lines = r.recall(message, reading); len(lines) == 0 {
		lines = r.react(reactions, m)
	}
	for i, rule := range r.pkg.Events {
		if rule.When.Holds(m) {
			lines = append(lines, r.speak(r.fire("event"+strconv.Itoa(i), rule))...)
		}
	}
	if len(lines) == 0 {
		lines = r.fallBack(reading, m)
	}
	if r.ending == nil {
		for i, e := range r.pkg.Endings {
			if e.When.Holds(m) {
				r.ending = &r.pkg.Endings[i]
				lines = append(lines, r.pick(e.Say)...)
				break
			}
		}
	}
	return Turn{Message: message, Reading: reading, Reply: strings.Join(lines, " "), Told: r.now, Demeanour: r.demeanour(), Ending: r.ending}
}

// moment collects what conditions may ask about, with this message counted.
// A guess is answered in its turn, but never counts as done.
func (r *run) moment(reading understand.Reading) scenario.Moment {
	m := scenario.Moment{Turn: r.turns, Act: map[string]bool{}, Asked: map[string]bool{}, Refused: map[string]bool{}, Done: r.done, State: r.state}
	for _, a := range reading.Acts {
		switch a.How {
		case understand.Performed:
			m.Act[a.ID] = true
			r.done[a.ID] = r.done[a.ID] || !a.Guess
		case understand.Asked:
			m.Asked[a.ID] = true
		case understand.Refused:
			m.Refused[a.ID] = true
		}
	}
	return m
}

// utterance is something the character may say to a message: variants of one
// reaction, or a fact.
type utterance struct {
	say    []string
	fact   string  // the fact that it tells; empty: a reaction
	weight float64 // how much the reaction matters
	act    understand.Act
}

// beside reports whether two utterances are about different words of the message.
func (u utterance) beside(v utterance) bool {
	return u.act.End <= v.act.Start || v.act.End <= u.act.Start
}

// consider lets every act of the message take effect, in its order, and returns
// what could be said to it. Each rule fires at most once a message.
func (r *run) consider(reading understand.Reading, m scenario.Moment) []utterance {
	var candidates []utterance
	fired := map[int]bool{}
	for _, a := range reading.Acts {
		if a.How == understand.Asked && len(m.Act) > 0 {
			continue // who acts is not told that he only talks of acting
		}
		if a.Guess && (reading.Nod || r.surer(reading, a)) {
			continue // a guess would be a stray remark beside what was understood
		}
		for i, rule := range r.pkg.Rules {
			if fired[i] || !triggers(rule.When, a) || !rule.When.Holds(m) {
				continue
			}
			fired[i] = true
			for _, u := range r.fire("rule"+strconv.Itoa(i), rule) {
				u.act = a
				candidates = append(candidates, u)
			}
			break
		}
		if a.How != understand.Performed {
			continue
		}
		for _, f := range r.pkg.Facts {
			if slices.Contains(f.AskedBy, a.ID) && f.When.Holds(m) {
				candidates = append(candidates, utterance{fact: f.ID})
				break
			}
		}
	}
	return candidates
}

// surer: something else was understood for certain, and the guess is no question
// of its own.
func (r *run) surer(reading understand.Reading, guess understand.Act) bool {
	question := slices.ContainsFunc(r.pkg.Acts, func(a scenario.Act) bool { return a.ID == guess.ID && a.Kind == scenario.Ask })
	return slices.ContainsFunc(reading.Acts, func(a understand.Act) bool {
		return !a.Guess && a.How == understand.Performed && !understand.Courtesy(a.ID) && (!question || a.Start < guess.End && guess.Start < a.End)
	})
}

// react answers every question, and of many remarks makes the weightiest.
func (r *run) react(candidates []utterance, m scenario.Moment) []string {
	lines := r.speak(weightiest(candidates))
	if len(lines) == 0 && slices.ContainsFunc(candidates, func(u utterance) bool { return u.fact != "" }) {
		return r.pool("again", m)
	}
	return lines
}

// weightiest keeps every fact and the reaction that matters most. Where nothing
// was asked it keeps a second one, on other words of the message: a person who
// comments on everything contradicts himself.
func weightiest(candidates []utterance) []utterance {
	var reactions []int
	for i, u := range candidates {
		if u.fact == "" {
			reactions = append(reactions, i)
		}
	}
	slices.SortStableFunc(reactions, func(i, k int) int { return cmp.Compare(candidates[k].weight, candidates[i].weight) })
	kept := map[int]bool{}
	for _, i := range reactions {
		if len(kept) == 0 || len(kept) == 1 && len(reactions) == len(candidates) && candidates[i].beside(candidates[reactions[0]]) {
			kept[i] = true
		}
	}
	var out []utterance
	for i, u := range candidates {
		if u.fact != "" || kept[i] {
			out = append(out, u)
		}
	}
	return out
}

// speak puts utterances into words.
func (r *run) speak(all []utterance) []string {
	var lines []string
	for _, u := range all {
		if u.fact != "" {
			lines = append(lines, r.tell(r.facts[u.fact])...)
		} else {
			lines = append(lines, r.pick(u.say)...)
		}
	}
	return lines
}

// triggers reports whether the rule is about this act.
func triggers(c scenario.Condition, a understand.Act) bool {
	switch a.How {
	case understand.Asked:
		return slices.Contains(c.Asked, a.ID)
	case understand.Refused:
		return slices.Contains(c.Refused, a.ID)
	}
	return slices.Contains(c.Act, a.ID)
}

// fire lets a rule take effect and returns what it has to say.
func (r *run) fire(key string, rule scenario.Rule) []utterance {
	if rule.Once && r.fired[key] {
		return nil
	}
	r.fired[key] = true
	reaction := utterance{say: rule.Say}
	for _, name := range slices.Sorted(maps.Keys(rule.Change)) {
		before := r.state[name]
		r.change(name, rule.Change[name])
		v := r.pkg.State.Variables[name]
		if v.Max > v.Min {
			reaction.weight += max(math.Abs(r.state[name]-before), math.Abs(rule.Change[name])/2) / (v.Max - v.Min)
		}
	}
	for name, v := range rule.Set {
		r.state[name] = v
	}
	var out []utterance
	if len(rule.Say) > 0 {
		out = append(out, reaction)
	}
	for _, id := range rule.Tells {
		out = append(out, utterance{fact: id})
	}
	return out
}

func (r *run) change(name string, by float64) {
	v := r.pkg.State.Variables[name]
	r.state[name] = math.Min(v.Max, math.Max(v.Min, r.state[name]+by))
}

// tell says a fact: in full the first time, in other words after that, not at
// all when every wording was used.
func (r *run) tell(f scenario.Fact) []string {
	for ; r.told[f.ID] < len(f.Say); r.told[f.ID]++ {
		line := r.fill(f.Say[r.told[f.ID]])
		if !r.said[line] {
			r.told[f.ID]++
			r.said[line] = true
			r.now = append(r.now, line)
			return []string{line}
		}
	}
	return nil
}

// pick chooses one line that was not said before; none when all were.
func (r *run) pick(lines []string) []string {
	var fresh []string
	for _, l := range lines {
		if l = r.fill(l); !r.said[l] {
			fresh = append(fresh, l)
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	line := fresh[r.random.IntN(len(fresh))]
	r.said[line] = true
	return []string{line}
}

// pool takes a line of the first group whose condition holds and that has one left.
func (r *run) pool(name string, m scenario.Moment) []string {
	for _, group := range r.pkg.Replies[name] {
		if group.When.Holds(m) {
			if line := r.pick(group.Say); line != nil {
				return line
			}
		}
	}
	return nil
}

// fallBack is for a message that no rule and no fact answers.
func (r *run) fallBack(reading understand.Reading, m scenario.Moment) []string {
	names := []string{"deflect"}
	switch {
	case reading.Meta:
		names = []string{"meta"}
	case reading.Nod:
		names = []string{"nod", "acknowledge"}
	case reading.Noise:
		names = []string{"noise"}
	case len(m.Act) > 0 && reading.Asks:
		names = []string{"unknown"}
	case len(m.Act) > 0:
		names = []string{"acknowledge"}
	case len(m.Asked) > 0:
		names = []string{"asked_back"}
	case len(m.Refused) > 0:
		names = []string{"declined"}
	}
	for _, name := range append(names, "deflect", "noise", "acknowledge", "unknown", "again") {
		if line := r.pool(name, m); line != nil {
			return line
		}
	}
	return r.pair(names[0], m)
}

// pair is for a run longer than its pools: two of their lines that were not
// said together yet.
func (r *run) pair(name string, m scenario.Moment) []string {
	var lines []string
	for _, pool := range []string{name, "deflect", "acknowledge"} {
		for _, group := range r.pkg.Replies[pool] {
			if group.When.Holds(m) {
				lines = append(lines, group.Say...)
			}
		}
	}
	for i, first := range lines {
		for k := i + 1; k < len(lines); k++ {
			if both := first + " " + lines[k]; first != lines[k] && !r.said[both] {
				r.said[both] = true
				return []string{both}
			}
		}
	}
	return []string{"…"} // only a package whose pools hold a single line gets here
}

func (r *run) fill(line string) string {
	if !strings.Contains(line, "{") {
		return line
	}
	for name, v := range r.state {
		line = strings.ReplaceAll(line, "{"+name+"}", strconv.FormatFloat(math.Round(v), 'f', 0, 64))
	}
	return line
}

// demeanour is what can be seen of the character now.
func (r *run) demeanour() sim.Demeanour {
	m := scenario.Moment{Turn: r.turns, Done: r.done, State: r.state}
	d := sim.Demeanour{Emotion: sim.Calm, Mood: r.mood(), Vitals: []sim.Vital{}}
	for _, e := range r.pkg.State.Emotions {
		if e.When.Holds(m) {
			d.Emotion = e.Show
			break
		}
	}
	for _, v := range r.pkg.State.Vitals {
		level := "ok"
		switch {
		case !v.Critical.Empty() && v.Critical.Holds(m):
			level = "critical"
		case !v.Warn.Empty() && v.Warn.Holds(m):
			level = "warn"
		}
		d.Vitals = append(d.Vitals, sim.Vital{ID: v.ID, Label: v.Label, Value: r.fill(v.Value), Unit: v.Unit, Level: level})
	}
	return d
}

// mood is the weighted mean of the mood variables within their ranges, 0 to 1.
func (r *run) mood() float64 {
	sum, weights := 0.0, 0.0
	for _, name := range slices.Sorted(maps.Keys(r.pkg.State.Mood)) {
		weight, v := r.pkg.State.Mood[name], r.pkg.State.Variables[name]
		if v.Max == v.Min {
			continue
		}
		share := (r.state[name] - v.Min) / (v.Max - v.Min)
		if weight < 0 {
			share, weight = 1-share, -weight
		}
		sum += share * weight
		weights += weight
	}
	if weights == 0 {
		return 0.5
	}
	return math.Round(100*sum/weights) / 100
}
