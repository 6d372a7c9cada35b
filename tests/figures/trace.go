package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"simora/scenarios"
	"simora/server/engine"
	"simora/server/scenario"
	"simora/server/score"
	"simora/server/understand"
)

// trace prints what every message of a labelled run was understood as, and how
// each criterion was judged. The scenario is the folder above the run's.
func trace(w io.Writer, file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("trace: %w", err)
	}
	r, err := parseRun(string(text))
	if err != nil {
		return fmt.Errorf("trace %s: %w", file, err)
	}
	packages, err := scenario.Load(scenarios.Files)
	if err != nil {
		return err
	}
	slug := filepath.Base(filepath.Dir(filepath.Dir(file)))
	i := slices.IndexFunc(packages, func(p *scenario.Package) bool { return p.Header.Slug == slug })
	if i < 0 {
		return fmt.Errorf("trace %s: no scenario %q", file, slug)
	}
	reader, err := understand.New(packages[i])
	if err != nil {
		return err
	}
	var b strings.Builder
	for n, message := range r.messages {
		reading := reader.Read(message)
		fmt.Fprintf(&b, "%d. %s\n", n+1, message)
		runes := []rune(message)
		for _, a := range reading.Acts {
			how := string(a.How)
			if a.Guess {
				how = "guessed"
			}
			fmt.Fprintf(&b, "     %-10s %-22s %s\n", how, a.ID, strings.ReplaceAll(string(runes[a.Start:a.End]), "\n", " "))
		}
	}
	e, err := engine.New(packages)
	if err != nil {
		return err
	}
	report, err := bench{e, score.New(e)}.play(packages[i], r.messages)
	if err != nil {
		return fmt.Errorf("trace %s: %w", file, err)
	}
	fmt.Fprintf(&b, "%d (level %d, %d-%d)\n", report.Overall, r.level, r.low, r.high)
	for _, c := range report.Criteria {
		fmt.Fprintf(&b, "     %-10s %-22s %.1f of %.1f, %s\n", c.Verdict, c.ID, c.Points, c.MaxPoints, c.Dimension)
	}
	_, err = io.WriteString(w, b.String())
	return err
}
