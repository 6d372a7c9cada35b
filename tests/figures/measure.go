package main

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode"

	"simora/scenarios"
	"simora/server/engine"
	"simora/server/scenario"
	"simora/server/score"
	"simora/server/sim"
	"simora/server/understand"
)

// Figures are the measures of one scenario.
type Figures struct {
	Slug         string
	Transcripts  int
	Spearman     float64   // rank correlation of overall with level
	Kappa        float64   // quadratic weighted, five bands
	PairsOrdered float64   // of pairs two or more levels apart
	InRange      float64   // of scores within the examiner's range
	Bias         []float64 // points above the middle of the range, by level
	Probes       int
	ProbesRight  float64
	Traps        int
	TrapsBroken  int
	Misses       []string
	Memorised    []string // example phrasings of the package that share a run of words with the set
}

func (f Figures) String() string {
	return fmt.Sprintf("%-20s %3d transcripts  spearman %.3f  kappa %.3f  pairs %.3f  in range %.2f  probes %.3f of %d  traps broken %d of %d\n%20s points above the examiner's middle, levels 0 to 5:%+5.0f\n",
		f.Slug, f.Transcripts, f.Spearman, f.Kappa, f.PairsOrdered, f.InRange, f.ProbesRight, f.Probes, f.TrapsBroken, f.Traps, "", f.Bias)
}

// bench holds what is measured.
type bench struct {
	engine *engine.Engine
	judge  *score.Judge
}

// Measure takes the figures of every scenario that has a folder in set.
func Measure(set fs.FS) ([]Figures, error) {
	packages, err := scenario.Load(scenarios.Files)
	if err != nil {
		return nil, err
	}
	b := bench{}
	if b.engine, err = engine.New(packages); err != nil {
		return nil, err
	}
	b.judge = score.New(b.engine)
	var out []Figures
	for _, p := range packages {
		f, err := b.measure(set, p)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.Header.Slug, err)
		}
		out = append(out, f)
	}
	return out, nil
}

func (b bench) measure(set fs.FS, p *scenario.Package) (Figures, error) {
	f := Figures{Slug: p.Header.Slug}
	runs, err := readRuns(set, path.Join(f.Slug, "transcripts"))
	if err != nil {
		return f, err
	}
	traps, err := readRuns(set, path.Join(f.Slug, "traps"))
	if err != nil {
		return f, err
	}
	inRange := 0
	for i := range runs {
		r := &runs[i]
		report, err := b.play(p, r.messages)
		if err != nil {
			return f, fmt.Errorf("%s: %w", r.name, err)
		}
		r.overall = report.Overall
		if r.low <= r.overall && r.overall <= r.high {
			inRange++
		} else {
			f.Misses = append(f.Misses, fmt.Sprintf("%s: level %d, %d is outside %d-%d", r.name, r.level, r.overall, r.low, r.high))
		}
	}
	f.Transcripts, f.Traps = len(runs), len(traps)
	f.InRange = share(inRange, len(runs))
	f.Spearman, f.Kappa, f.PairsOrdered = spearman(runs), kappa(runs), ordered(runs)
	f.Bias = bias(runs)
	for _, t := range traps {
		report, err := b.play(p, t.messages)
		if err != nil {
			return f, fmt.Errorf("%s: %w", t.name, err)
		}
		if report.Overall > t.max {
			f.TrapsBroken++
			f.Misses = append(f.Misses, fmt.Sprintf("trap %s: %d is above %d", t.name, report.Overall, t.max))
		}
	}
	if err := f.probe(set, p); err != nil {
		return f, err
	}
	return f, f.memorised(set, p)
}

// sharedRun is how many words in a row an example phrasing may not have in
// common with the labelled set: the figures would measure memory. Five occur by
// chance among so many phrasings ("does anything make it better").
const sharedRun = 7

func (f *Figures) memorised(set fs.FS, p *scenario.Package) error {
	taken := map[string]bool{}
	err := fs.WalkDir(set, f.Slug, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(set, name)
		if err != nil {
			return err
		}
		for _, message := range strings.Split(string(text), "\n\n") {
			for _, r := range runs(message) {
				taken[r] = true
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("labelled set of %s: %w", f.Slug, err)
	}
	for _, a := range p.Acts {
		for _, e := range a.Examples {
			if a.ID != scenario.OutOfScope && slices.ContainsFunc(runs(e), func(r string) bool { return taken[r] }) {
				f.Memorised = append(f.Memorised, a.ID+": "+e)
			}
		}
	}
	return nil
}

// runs are all runs of sharedRun words in a text.
func runs(text string) []string {
	words := strings.Fields(plain(text))
	var out []string
	for i := 0; i+sharedRun <= len(words); i++ {
		out = append(out, strings.Join(words[i:i+sharedRun], " "))
	}
	return out
}

// play says the messages one after the other until the run ends.
func (b bench) play(p *scenario.Package, messages []string) (sim.Report, error) {
	ctx := context.Background()
	s := p.Scenario()
	c := sim.Conversation{Scenario: s, Seed: 1, MaxTurns: s.TurnLimit()}
	opening, err := b.engine.Open(ctx, s, c.Seed)
	if err != nil {
		return sim.Report{}, err
	}
	c.Messages = []sim.Message{{Role: sim.Assistant, Content: opening.Message}}
	for _, m := range messages[:min(len(messages), c.MaxTurns)] {
		c.Messages = append(c.Messages, sim.Message{Role: sim.User, Content: m})
		reply, err := b.engine.Reply(ctx, c)
		if err != nil {
			return sim.Report{}, err
		}
		c.Messages = append(c.Messages, sim.Message{Role: sim.Assistant, Content: reply.Text})
		if c.Ended = reply.Ended; c.Ended {
			break
		}
	}
	return b.judge.Judge(ctx, c)
}

// probe reads single messages. "a | b" wants one of them, "a + b" both.
func (f *Figures) probe(set fs.FS, p *scenario.Package) error {
	probes, err := readProbes(set, path.Join(f.Slug, "probes.txt"))
	if err != nil {
		return err
	}
	reader, err := understand.New(p)
	if err != nil {
		return err
	}
	right := 0
	for _, pr := range probes {
		reading := reader.Read(pr.message)
		if pr.right(reading) {
			right++
			continue
		}
		var got []string
		for _, a := range reading.Acts {
			got = append(got, a.ID+"("+string(a.How)+")")
		}
		f.Misses = append(f.Misses, fmt.Sprintf("probe %q: wanted %s, got %s", pr.message, pr.want, strings.Join(got, ", ")))
	}
	f.Probes, f.ProbesRight = len(probes), share(right, len(probes))
	return nil
}

// plain is a message without case and punctuation.
func plain(text string) string {
	text = strings.ReplaceAll(strings.ToLower(text), "’", "'")
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' }), " ")
}

// incidental acts may stand beside any reading, and alone they are still
// answered as out of scope.
var incidental = []string{"greet", "polite", "thank", "use.name", "apologise"}

func (p probe) right(r understand.Reading) bool {
	credited := slices.ContainsFunc(r.Acts, func(a understand.Act) bool {
		return a.How == understand.Performed && !slices.Contains(incidental, a.ID)
	})
	for _, both := range strings.Split(p.want, "+") {
		if !slices.ContainsFunc(strings.Split(both, "|"), func(id string) bool {
			id = strings.TrimSpace(id)
			return r.Has(id, understand.Performed) || id == "none" && !credited
		}) {
			return false
		}
	}
	return true
}

func share(n, of int) float64 {
	if of == 0 {
		return 0
	}
	return float64(n) / float64(of)
}
