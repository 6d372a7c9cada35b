package mail

import (
	"flag"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"simora/scenarios"
	"simora/server/engine"
	"simora/server/scenario"
	"simora/server/score"
	"simora/server/sim"
	"simora/server/store"
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
		golden(t, name, l)
	}
}

// write puts the letter for a report together and looks at what every letter
// must hold to: it leads nowhere but to our own pages, and loads nothing.
func write(t *testing.T, report sim.Report) string {
	t.Helper()
	l, err := letters().Report(ReportInput{To: "sam@hospital.test", ID: "1", Scenario: "Chest Pain", Report: report})
	require.NoError(t, err)
	for _, found := range regexp.MustCompile(`(?i)(?:href|src|background|action)\s*=\s*["']?([^"'\s>]*)|url\(([^)]*)|([a-z]+://\S+)`).FindAllString(l.Text+l.HTML, -1) {
		assert.Contains(t, found, "https://simora.test")
	}
	assert.NotRegexp(t, `(?i)<(?:img|script|iframe|link|form|svg|object)\b`, l.HTML)
	return l.Subject + l.Text + html.UnescapeString(l.HTML) + attached(t, l)
}

// Whoever types into the chat does not write our mail.
func TestNothingThatWasTypedGetsIntoTheLetter(t *testing.T) {
	planted := 0
	canary := func() string {
		planted++
		return fmt.Sprintf("canary-%d <a href=http://evil.example/%d>", planted, planted)
	}
	report := sampleReport()
	report.CoachSummary = canary()
	for range 5 {
		report.WhatWentWell, report.WhatToImprove = append(report.WhatWentWell, canary()), append(report.WhatToImprove, canary())
		report.Highlights = append(report.Highlights, sim.Highlight{Criterion: canary(), Title: canary(), Quote: canary(), Text: canary()})
	}
	for i := range report.Criteria {
		report.Criteria[i].Feedback, report.Criteria[i].Evidence = canary(), []sim.Evidence{{Turn: 1, Quote: canary()}}
	}
	for i := range report.Details {
		report.Details[i].Summary = canary()
	}
	require.GreaterOrEqual(t, planted, 40)
	assert.NotContains(t, write(t, report), "canary")
}

// A model may have written a title or an advice under a visitor's influence.
func TestWhatLeadsElsewhereIsLeftOut(t *testing.T) {
	for _, text := range []string{
		"Visit http://canary.example now", "see HTTPS://CANARY.example", "go to canary.example/login", "www.canary", "canary.co", "CANARY.CO", "mail canary@evil.example", "canary@evil", "canary＠evil",
		"go to canary。example", "go to канарейка.рф canary", "canary.xn--p1ai", "canary_x.example", "canary (evil.example)", "canary“evil.example”", "a.canary.b.example", "canary: bit.ly/x",
		"javascript://canary", "javascript:canary()", "ftp://canary", "x-app+1://canary", "tel:canary", "sms:canary", "MAILTO:canary", "canary 1.2.3.4", "canary 192.168.10.20:8080",
		"canary, call +1 (555) 123-4567", "canary 0800 123 45 67 89", "canary 555-0199-1", "canary 555.019.9123", "canary 555–0199–123", "canary 5550199", "canary +49·30·1234", "canary ٠١٢٣٤٥٦٧", "canary ５５５０１９９", "canary 1\ufe0f\u20e35",
		"canary\u202etxt.exe", "\u2066canary", "zero\u200bwidth canary", "soft\u00adhyphen canary", "tag\U000e0041 canary", "private\ue000 canary", "bell\a canary", "nul\x00 canary", "esc\x1b[31m canary", "del\x7f canary", "c1\u0085 canary\u0090",
		"canary " + strings.Repeat("long ", 200),
	} {
		report := sampleReport()
		report.Criteria[0].Title, report.Criteria[1].Improvement, report.Criteria[2].Title, report.Note, report.Details[0].Name = text, text, text, text, text
		assert.NotContains(t, strings.ToLower(write(t, report)), "canary", "%q", text)
	}
}

func TestAdviceOfEveryScenarioIsPresentable(t *testing.T) {
	packages, err := scenario.Load(scenarios.Files)
	require.NoError(t, err)
	require.Len(t, packages, 3)
	for _, p := range packages {
		shown(t, p.Header.Title)
		for _, d := range p.Rubric {
			shown(t, d.Name)
			for _, c := range d.Criteria {
				shown(t, c.Title)
				shown(t, c.Improve)
			}
		}
	}
	for _, text := range []string{
		"Ask about allergies before aspirin, e.g. asthma.", "Give 300 mg (162 to 325 mg); at 94 % she needs no oxygen.", "BP 150/95, HR 110, was 130/85 at 10:30 a.m.", "Say what you do, why, and when: step by step.",
		"By the 2025 ACC/AHA guideline, door to balloon in 90 to 120 minutes.", "Offer $1.2 million over 3 years, i.e. 400,000 a year.", "Zoë’s “naïve” plan – résumé it…", "Ask 1) where, 2) when, 3) how bad (0-10).",
	} {
		shown(t, text)
	}
}

// The words of the general mode and its note go into letters, too.
func TestAdviceOfTheGeneralModeIsPresentable(t *testing.T) {
	partner, err := engine.New(nil)
	require.NoError(t, err)
	judge := score.New(partner)
	rubric := []byte(`{"dimensions":[{"name":"Empathy","weight":50,"description":"Listens, acknowledges feelings"},{"name":"Structure","weight":50,"description":"Asks open questions, summarises, agrees next steps"}]}`)
	report, err := judge.Judge(t.Context(), sim.Conversation{Scenario: sim.Scenario{Slug: "own", Title: "Own", Rubric: rubric, MaxTurns: 6}})
	require.NoError(t, err)
	shown(t, report.Note)
	require.NotEmpty(t, report.Criteria)
	for _, c := range report.Criteria {
		shown(t, c.Title)
		shown(t, c.Improvement)
	}
}

func shown(t *testing.T, text string) {
	t.Helper()
	assert.Equal(t, strings.Join(strings.Fields(text), " "), presentable(text))
}

// golden holds both texts of a letter to the files of that name.
func golden(t *testing.T, name string, l store.Letter) {
	t.Helper()
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

func TestContactLetter(t *testing.T) {
	l, err := letters().Contact(ContactInput{To: "hello@simora.test", Message: store.ContactMessage{
		ID: "2", ReceivedAt: time.Date(2026, 6, 1, 9, 5, 0, 0, time.UTC), Reason: "partnership",
		ContactBody: store.ContactBody{Name: "Ada <b>Okoye</b>", Email: "ada@hospital.test", Message: "First line\n\nSecond & last."},
	}})
	require.NoError(t, err)
	assert.Equal(t, "ada@hospital.test", l.ReplyTo)
	golden(t, "contact", l)
}
