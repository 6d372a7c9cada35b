package score_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"simora/server/sim"
)

// What a person would say of the five runs, as the score they must reach.
var kinds = []struct {
	name      string
	low, high int
}{
	{"excellent", 85, 100}, {"good", 45, 90}, {"poor", 0, 40}, {"hostile", 0, 10}, {"absurd", 0, 10},
}

// Five whole runs of each scenario: the learner's messages stand in
// testdata/runs/<slug>/<kind>.txt, the run with its report beside them.
// go test ./server/score -run Golden -update writes the latter.
func TestGoldenRuns(t *testing.T) {
	x := load(t)
	for slug, s := range x.scenarios {
		for _, kind := range kinds {
			t.Run(slug+"/"+kind.name, func(t *testing.T) {
				path := filepath.Join("testdata", "runs", slug, kind.name)
				text, err := os.ReadFile(path + ".txt")
				require.NoError(t, err)
				c, report := x.run(t, s, strings.Split(strings.TrimSpace(string(text)), "\n\n")...)
				assert.GreaterOrEqual(t, report.Overall, kind.low)
				assert.LessOrEqual(t, report.Overall, kind.high)
				got := readable(s, c, report)
				if *update {
					require.NoError(t, os.WriteFile(path+".md", []byte(got), 0o644))
				}
				want, err := os.ReadFile(path + ".md")
				require.NoError(t, err, "go test ./server/score -run Golden -update writes it")
				assert.Equal(t, string(want), got)
			})
		}
	}
}

// readable is a run with its report, for a person.
func readable(s sim.Scenario, c sim.Conversation, r sim.Report) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s: %d of 100\n\n", s.Title, r.Overall)
	turn := 0
	for _, m := range c.Messages {
		if m.Role != sim.User {
			fmt.Fprintf(&b, "> %s\n\n", m.Content)
			continue
		}
		turn++
		fmt.Fprintf(&b, "**%d.** %s\n\n", turn, m.Content)
		fmt.Fprintf(&b, "*%+d, now %d*\n\n", r.Turns[turn-1].Delta, r.Turns[turn-1].Score)
	}
	fmt.Fprintf(&b, "## Report\n\n%s\n\n", r.CoachSummary)
	for _, d := range r.Details {
		fmt.Fprintf(&b, "- %s: %d. %s\n", d.Name, d.Score, d.Summary)
	}
	list(&b, "What went well", r.WhatWentWell)
	list(&b, "What to improve", r.WhatToImprove)
	fmt.Fprintf(&b, "\n## Criteria\n\n| criterion | verdict | points | evidence |\n|---|---|---|---|\n")
	for _, c := range r.Criteria {
		var quotes []string
		for _, e := range c.Evidence {
			quotes = append(quotes, fmt.Sprintf("%d: %s", e.Turn, strings.ReplaceAll(e.Quote, "|", "/")))
		}
		fmt.Fprintf(&b, "| %s | %s | %.1f of %.1f | %s |\n", c.Title, c.Verdict, c.Points, c.MaxPoints, strings.Join(quotes, "; "))
	}
	return b.String()
}

func list(b *strings.Builder, title string, lines []string) {
	fmt.Fprintf(b, "\n## %s\n\n", title)
	for _, l := range lines {
		fmt.Fprintf(b, "- %s\n", l)
	}
	if len(lines) == 0 {
		b.WriteString("Nothing.\n")
	}
}
