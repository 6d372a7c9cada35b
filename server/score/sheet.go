package score

import (
	"fmt"

	"simora/server/engine"
	"simora/server/scenario"
	"simora/server/sim"
)

// Sheet is a run with every criterion of its rubric decided. The built-in judge
// fills it; another judge may revise single decisions. All numbers and words
// of the report are computed from it, whoever decided.
type Sheet struct {
	Run engine.Run

	slug    string
	rubric  []scenario.Dimension
	revised map[string]Finding
	note    string
}

// Decision is one criterion as it stands on the sheet.
type Decision struct {
	Dimension string
	Criterion scenario.Criterion
	Verdict   sim.Verdict
	Evidence  []sim.Evidence
}

// Finding is what another judge found for one criterion.
type Finding struct {
	Verdict  sim.Verdict
	Evidence []sim.Evidence // verbatim, of learner messages; none for Missed
	Feedback string         // empty: the package's own words
}

// Notes on what a judgement without a package is worth.
const (
	generalNote = "This scenario has no scripted package, so the built-in engine judged it in its general mode: it looks for the rubric's own words in what was said and for general conversation skills, not for expert content. Read the score as a rough orientation."
	rubricNote  = "This scenario has no scripted package: a language model judged it by the words of its rubric. Every point quotes your own words."
)

// Mark lets the built-in judge decide every criterion.
func (j *Judge) Mark(c sim.Conversation) *Sheet {
	s := &Sheet{Run: j.engine.Replay(c), slug: c.Scenario.Slug}
	s.rubric = s.Run.Package.Rubric
	if s.Run.Engine == sim.General {
		s.general(c.Scenario, skills, generalNote)
	}
	return s
}

// general judges by an admin's rubric; fill gives criteria to a dimension that
// lists none.
func (s *Sheet) general(sc sim.Scenario, fill func(scenario.Dimension) []scenario.Criterion, note string) {
	var wordings []wording
	s.rubric, wordings = generalRubric(sc, fill)
	s.Run.Turns, s.note = spot(wordings, s.Run.Turns), note
}

// MarkByRubric is Mark, but in a scenario without a package a dimension that
// lists no criteria is one criterion, its description. The built-in judge
// cannot find that: it is for a judge that reads.
func (j *Judge) MarkByRubric(c sim.Conversation) *Sheet {
	s := j.Mark(c)
	if s.Run.Engine == sim.General {
		s.general(c.Scenario, asWritten, rubricNote)
	}
	return s
}

// Overall is the score as it stands.
func (s *Sheet) Overall() int { return s.at(len(s.Run.Turns)).overall() }

// Decisions lists the criteria in the rubric's order.
func (s *Sheet) Decisions() []Decision {
	var out []Decision
	for _, d := range s.at(len(s.Run.Turns)).dimensions {
		for _, v := range d.verdicts {
			out = append(out, Decision{Dimension: d.Name, Criterion: v.Criterion, Verdict: v.outcome, Evidence: v.evidence})
		}
	}
	return out
}

// Revise replaces the built-in decision on a criterion.
func (s *Sheet) Revise(id string, f Finding) {
	if s.revised == nil {
		s.revised = map[string]Finding{}
	}
	s.revised[id] = f
}

// Report computes totals and words.
func (s *Sheet) Report() (sim.Report, error) {
	final := s.at(len(s.Run.Turns))
	report := sim.Report{
		Overall: final.overall(), Dimensions: map[string]int{},
		Criteria: final.results(), Turns: s.runningScore(final.overall()),
		Engine: s.Run.Engine, Note: s.note,
	}
	if s.revised != nil {
		report.Engine = sim.Model
	}
	for _, d := range final.dimensions {
		report.Dimensions[d.Name] = d.score()
	}
	coach(&report, final, s.Run)
	if err := verify(report, s.Run.Turns); err != nil {
		return sim.Report{}, fmt.Errorf("judge %s: %w", s.slug, err)
	}
	return report, nil
}

// runningScore judges every prefix of the run. The last score is the overall.
func (s *Sheet) runningScore(overall int) []sim.TurnScore {
	scores := []sim.TurnScore{}
	before := 0
	for n := 1; n <= len(s.Run.Turns); n++ {
		now := overall
		if n < len(s.Run.Turns) {
			now = s.at(n).overall()
		}
		scores = append(scores, sim.TurnScore{Turn: n, Delta: now - before, Score: now})
		before = now
	}
	return scores
}

// at is the judgement after n turns.
func (s *Sheet) at(n int) judged {
	j := judge(s.rubric, s.Run.Turns[:n], n == len(s.Run.Turns) && s.Run.Resolved())
	if s.revised == nil {
		return j
	}
	for _, d := range j.dimensions {
		for i := range d.verdicts {
			v := &d.verdicts[i]
			v.engine = s.Run.Engine
			if f, ok := s.revised[v.ID]; ok {
				v.revise(f, n)
			}
		}
	}
	return j
}

// revise lets a finding count once all that it quotes was said.
func (v *verdict) revise(f Finding, turns int) {
	v.engine, v.said = sim.Model, f.Feedback
	v.outcome, v.evidence, v.earned, v.max = f.Verdict, f.Evidence, 0, v.Weight
	for _, e := range f.Evidence {
		if e.Turn > turns {
			v.outcome, v.evidence, v.said = sim.Missed, nil, ""
			return
		}
	}
	switch f.Verdict {
	case sim.Met:
		v.earned = v.Weight
	case sim.PartlyMet:
		v.earned = v.Weight / 2
	}
}
