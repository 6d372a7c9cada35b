package mail

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"simora/server/sim"
)

var update = flag.Bool("update", false, "write the golden files")

func letters() Letters {
	return Letters{Brand: "Simora", PublicURL: "https://simora.test", RetentionDays: 90}
}

func sampleReport() sim.Report {
	return sim.Report{
		Overall: 71,
		Details: []sim.DimensionResult{{Name: "Decision Quality", Score: 79}, {Name: "Empathy & Professionalism", Score: 0}},
		Criteria: []sim.CriterionResult{
			{ID: "ecg", Title: "12-lead ECG within the first minutes", Verdict: sim.Met},
			{ID: "aspirin", Title: "Aspirin after an allergy check", Verdict: sim.PartlyMet, Improvement: "Ask about allergies before you give it."},
			{ID: "help", Title: "Doctor called", Verdict: sim.Missed, Improvement: "Call for help <early>."},
			{ID: "later", Title: "Handover to the cath lab", Verdict: sim.NotReached},
		},
	}
}

func TestReportLetter(t *testing.T) {
	for name, report := range map[string]sim.Report{
		"full":  sampleReport(),
		"empty": {Overall: 0, Details: []sim.DimensionResult{{Name: "Decision Quality", Score: 0}}, Note: "Judged by the rubric's own words."},
	} {
		l, err := letters().Report(ReportInput{To: "sam@hospital.test", ID: "1", Scenario: "Chest Pain Assessment", Report: report})
		require.NoError(t, err)
		assert.Equal(t, "<1@simora.test>", l.MessageID)
		for ending, got := range map[string]string{".txt": l.Text, ".html": l.HTML} {
			path := filepath.Join("testdata", name+ending)
			if *update {
				require.NoError(t, os.MkdirAll("testdata", 0o755))
				require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
			}
			want, err := os.ReadFile(path)
			require.NoError(t, err, "go test ./server/mail -update writes it")
			assert.Equal(t, string(want), got, path)
		}
	}
}

// Whoever types into the chat does not write our mail.
func TestNothingThatWasTypedGetsIntoTheLetter(t *testing.T) {
	report := sampleReport()
	report.CoachSummary = "canary-coach"
	report.WhatWentWell, report.WhatToImprove = []string{"canary-well"}, []string{"canary-improve"}
	report.Highlights = []sim.Highlight{{Title: "canary-title", Quote: "canary-quote", Text: "canary-text"}}
	for i := range report.Criteria {
		report.Criteria[i].Feedback = fmt.Sprintf("You said “canary-feedback-%d”.", i)
		report.Criteria[i].Evidence = []sim.Evidence{{Turn: 1, Quote: "canary-evidence"}}
	}
	for i := range report.Details {
		report.Details[i].Summary = "canary-summary"
	}
	l, err := letters().Report(ReportInput{To: "sam@hospital.test", ID: "1", Scenario: "Chest Pain", Report: report})
	require.NoError(t, err)
	assert.NotContains(t, l.Subject+l.Text+l.HTML, "canary")
}

// A model may have written a title or an advice under a visitor's influence.
func TestWhatLeadsElsewhereIsLeftOut(t *testing.T) {
	for _, text := range []string{
		"Visit http://evil.example now", "see HTTPS://evil.example", "go to evil.example/login", "www.evil.example", "evil.co", "mail me@evil.example",
		"call +1 (555) 123-4567", "0800 123 45 67 89", "javascript://x", "ftp://evil", "hidden\u202etxt.exe", "zero\u200bwidth", "bell\a",
		strings.Repeat("long ", 200),
	} {
		assert.Empty(t, presentable(text), "%q", text)
		report := sampleReport()
		report.Criteria[1].Improvement = text
		report.Criteria[0].Title = text
		report.Note = text
		l, err := letters().Report(ReportInput{To: "a@b.test", ID: "1", Scenario: "x", Report: report})
		require.NoError(t, err)
		assert.NotContains(t, l.Text+l.HTML, text)
	}
	for _, text := range []string{"Ask about allergies before aspirin, e.g. asthma.", "Give 300 mg; at 94 % she needs no oxygen.", "BP 150/95, HR 110.", "Say what you do, why, and when: step by step."} {
		assert.Equal(t, text, presentable(text))
	}
}
