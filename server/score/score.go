// Package score judges a finished run: each criterion by the acts that the
// transcript holds, with the words that prove it, and every number computed
// from the criteria.
//
//	transcript ─▶ Replay ─▶ Sheet: criterion verdicts + evidence ─▶ dimensions ─▶ overall
//	                                                             └▶ coach's words
package score

import (
	"context"
	"errors"
	"fmt"
	"math"

	"simora/server/engine"
	"simora/server/scenario"
	"simora/server/sim"
)

// Judge scores runs of any scenario. It is safe for concurrent use.
type Judge struct {
	engine *engine.Engine
}

// New is a judge of the runs that the engine played.
func New(e *engine.Engine) *Judge { return &Judge{e} }

// Judge returns the report of a run. A run without a learner message is an
// honest zero.
func (j *Judge) Judge(ctx context.Context, c sim.Conversation) (sim.Report, error) {
	if err := ctx.Err(); err != nil {
		return sim.Report{}, err
	}
	return j.Mark(c).Report()
}

// verify proves every award against the transcript: no evidence, no points.
func verify(r sim.Report, turns []engine.Turn) error {
	for _, c := range r.Criteria {
		if len(c.Evidence) == 0 && (c.Points != 0 || c.Verdict == sim.Met || c.Verdict == sim.PartlyMet || c.Verdict == sim.Harmful) {
			return fmt.Errorf("criterion %s is %s without evidence", c.ID, c.Verdict)
		}
		for _, e := range c.Evidence {
			if e.Turn < 1 || e.Turn > len(turns) {
				return fmt.Errorf("criterion %s cites turn %d of %d", c.ID, e.Turn, len(turns))
			}
			text := []rune(turns[e.Turn-1].Message)
			if e.Start < 0 || e.End > len(text) || e.Start >= e.End || string(text[e.Start:e.End]) != e.Quote {
				return fmt.Errorf("criterion %s: quote does not stand at %d to %d of message %d", c.ID, e.Start, e.End, e.Turn)
			}
		}
	}
	if len(r.Dimensions) == 0 {
		return errors.New("the rubric has no dimensions")
	}
	return nil
}

// judged is a rubric with its verdicts.
type judged struct {
	dimensions []dimension
}

type dimension struct {
	scenario.Dimension
	verdicts []verdict
	share    float64 // of the overall 100
}

// verdict is one criterion, judged. earned and max are in weights of the
// criterion's own dimension.
type verdict struct {
	scenario.Criterion
	outcome     sim.Verdict
	earned, max float64
	evidence    []sim.Evidence
	said        string         // feedback of another judge, in place of the package's
	engine      sim.EngineName // who decided it, when several did
}

func judge(rubric []scenario.Dimension, turns []engine.Turn, resolved bool) judged {
	var out judged
	weights := 0.0
	for _, d := range rubric {
		weights += d.Weight
	}
	for _, d := range rubric {
		judgedDimension := dimension{Dimension: d, share: 100 * d.Weight / weights}
		for _, c := range d.Criteria {
			judgedDimension.verdicts = append(judgedDimension.verdicts, decide(c, turns, resolved))
		}
		out.dimensions = append(out.dimensions, judgedDimension)
	}
	return out
}

// decide judges one criterion. Partly met earns half.
func decide(c scenario.Criterion, turns []engine.Turn, resolved bool) verdict {
	v := verdict{Criterion: c, outcome: sim.Missed, max: c.Weight}
	if c.Harmful != nil {
		if ev, ok := test(*c.Harmful, turns); ok {
			v.outcome, v.evidence, v.earned = sim.Harmful, ev, 0
			return v
		}
	}
	if c.Met != nil {
		if ev, ok := test(*c.Met, turns); ok {
			v.outcome, v.evidence, v.earned = sim.Met, ev, c.Weight
			return v
		}
	}
	if c.Partly != nil {
		if ev, ok := test(*c.Partly, turns); ok {
			v.outcome, v.evidence, v.earned = sim.PartlyMet, ev, c.Weight/2
			return v
		}
	}
	if resolved && c.Late {
		v.outcome, v.max = sim.NotReached, 0
	}
	return v
}

// total is the dimension's score before rounding, 0 to 100, and what harm took
// from it.
func (d dimension) total() (score, lost float64) {
	earned, max, limit := 0.0, 0.0, 100.0
	for _, v := range d.verdicts {
		earned += v.earned
		max += v.max
		if v.outcome == sim.Harmful && v.Cap != nil {
			limit = math.Min(limit, float64(*v.Cap))
		}
	}
	if max == 0 {
		return 0, 0
	}
	full := 100 * earned / max
	if limit == 100 {
		return full, 0
	}
	// A cap bends instead of cutting: a better run stays a better run, and the
	// little that a weak run did right is not taken a second time.
	score = limit * (1 - (1-full/100)*(1-full/100))
	score = math.Min(score, full)
	return score, full - score
}

func (d dimension) score() int {
	s, _ := d.total()
	return int(math.Round(s))
}

func (j judged) overall() int {
	sum := 0.0
	for _, d := range j.dimensions {
		s, _ := d.total()
		sum += s * d.share / 100
	}
	return int(math.Round(sum))
}

// points returns what a verdict is worth of the overall 100.
func (d dimension) points(v verdict) (earned, max float64) {
	total := 0.0
	for _, other := range d.verdicts {
		total += other.max
	}
	if total == 0 {
		return 0, 0
	}
	if v.outcome == sim.Harmful {
		_, lost := d.total()
		return -round1(lost * d.share / 100 / float64(d.harms())), 0
	}
	return round1(v.earned / total * d.share), round1(v.max / total * d.share)
}

func (d dimension) harms() int {
	n := 0
	for _, v := range d.verdicts {
		if v.outcome == sim.Harmful {
			n++
		}
	}
	return max(n, 1)
}

func round1(x float64) float64 { return math.Round(10*x) / 10 }

// results lists the criteria in the rubric's order. Harm that did not happen
// is not listed.
func (j judged) results() []sim.CriterionResult {
	out := []sim.CriterionResult{}
	for _, d := range j.dimensions {
		for _, v := range d.verdicts {
			if v.Met == nil && v.outcome == sim.Missed {
				continue
			}
			points, most := d.points(v)
			r := sim.CriterionResult{
				ID: v.ID, Dimension: d.Name, Title: v.Title, Verdict: v.outcome,
				Points: points, MaxPoints: most, Evidence: v.evidence, Feedback: feedback(v), Engine: v.engine,
			}
			if r.Evidence == nil {
				r.Evidence = []sim.Evidence{}
			}
			if v.outcome != sim.Met {
				r.Improvement = v.Improve
			}
			out = append(out, r)
		}
	}
	return out
}
