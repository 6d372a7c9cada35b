package mail

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding/unicode"

	"simora/server/sim"
	"simora/server/store"
)

// sampleRun is a run with everything that a report can have.
func sampleRun() ReportInput {
	return ReportInput{
		To: "sam@hospital.test", ID: "1", Scenario: "Chest Pain Assessment", Slug: "healthcare-emergency",
		Date: time.Date(2026, 6, 1, 23, 30, 0, 0, time.FixedZone("", -7200)),
		Messages: []sim.Message{
			{Role: sim.Assistant, Content: "A patient arrives."},
			{Role: sim.User, Content: "I’m getting a 12-lead ECG right now."},
			{Role: sim.Assistant, Content: "Am I dying?"},
			{Role: sim.User, Content: "Calm down."},
			{Role: sim.Assistant, Content: "I can’t."},
		},
		Report: sim.Report{
			Overall: 41, CoachSummary: "You put the ECG first and then dismissed her fear.",
			Details: []sim.DimensionResult{{Name: "Decision Quality", Score: 79, Summary: "The right test, at once."}, {Name: "Empathy & Professionalism", Score: 0}},
			Highlights: []sim.Highlight{
				{Kind: "well", Turn: 1, Points: 16, Title: "You put the ECG first", Quote: "12-lead ECG", Text: "The right test, at once."},
				{Kind: "improve", Turn: 2, Points: -4, Title: "Fear dismissed", Quote: "Calm down.", Text: "Name the fear instead."},
				{Kind: "improve", Points: -7, Title: "Doctor called", Text: "Call for help early."},
			},
			Criteria: []sim.CriterionResult{
				{ID: "ecg", Dimension: "Decision Quality", Title: "12-lead ECG within the first minutes", Verdict: sim.Met, Points: 16, MaxPoints: 16, Evidence: []sim.Evidence{{Turn: 1, Start: 14, End: 25, Quote: "12-lead ECG"}}},
				{ID: "help", Dimension: "Decision Quality", Title: "Doctor called", Verdict: sim.Missed, MaxPoints: 7.5, Improvement: "Call for help early."},
				{ID: "fear", Dimension: "Empathy & Professionalism", Title: "Fear dismissed", Verdict: sim.Harmful, Points: -4, Improvement: "Name the fear instead.", Evidence: []sim.Evidence{{Turn: 2, Start: 0, End: 10, Quote: "Calm down."}}},
				{ID: "later", Dimension: "Empathy & Professionalism", Title: "Handover explained", Verdict: sim.NotReached, MaxPoints: 9},
			},
			Turns: []sim.TurnScore{{Turn: 1, Delta: 45, Score: 45}, {Turn: 2, Delta: -4, Score: 41}},
		},
	}
}

func withWords() Letters {
	l := letters()
	l.OwnWords = true
	return l
}

func TestReportAttachment(t *testing.T) {
	for name, l := range map[string]Letters{"report": letters(), "report-words": withWords()} {
		a, err := l.attachment(sampleRun())
		require.NoError(t, err)
		again, err := l.attachment(sampleRun())
		require.NoError(t, err)
		assert.Equal(t, a, again, "the same run, the same file")
		assert.Equal(t, "simora-report-healthcare-emergency.pdf", a.Name)
		assert.Less(t, len(a.Data), 60_000)
		opens(t, a.Data)
		path := filepath.Join("testdata", name+".pdf.txt")
		if *update {
			require.NoError(t, os.WriteFile(path, []byte(pdfText(t, a.Data)), 0o644))
		}
		want, err := os.ReadFile(path)
		require.NoError(t, err, "go test ./server/mail -update writes it")
		assert.Equal(t, string(want), pdfText(t, a.Data), path)
	}
}

// The page with the words is where they stay, unless the owner decides.
func TestAttachmentHoldsWordsOnlyIfAsked(t *testing.T) {
	quiet, err := letters().Report(sampleRun())
	require.NoError(t, err)
	told, err := withWords().Report(sampleRun())
	require.NoError(t, err)
	words := []string{"Calm down", "getting a", "Am I dying", "You put the ECG first"}
	for _, word := range words {
		assert.NotContains(t, attached(t, quiet), word)
		assert.Contains(t, attached(t, told), word)
	}
	assert.NotContains(t, told.Text+told.HTML, "Calm down", "the letter itself never")
	assert.NotEqual(t, quiet.Text, told.Text)
}

func TestAttachmentShowsWhatItsFontCan(t *testing.T) {
	for text, want := range map[string]string{
		"Zoë’s “naïve” plan – 5 €…": "Zoë’s “naïve” plan – 5 €…",
		"\u2212 4 → ≥ 3":            "\u2212 4 -> >= 3",
		"Łódź, Dvořák, Đà Nẵng":     "?ódz, Dvorák, ?à Nang",
		"e\u0301":                   "é",
		"Привет":                    "??????",
		"well done 👩🏽‍⚕️🎉 now":      "well done ? now",
		"a\u202eb\u200bc\x00d\x1be": "abcde",
		"\xff\xfe":                  "?",
		"ﬁne ①":                     "fine 1",
		"\u0081\u008d":              "",
	} {
		in := sampleRun()
		in.Messages[1].Content = "<" + text + ">"
		l, err := withWords().Report(in)
		require.NoError(t, err)
		assert.Contains(t, attached(t, l), "<"+want+">", "%q", text)
	}
}

func TestLongRunsFillPages(t *testing.T) {
	in := sampleRun()
	in.Messages, in.Report.Turns = nil, nil
	for i := 1; i <= 50; i++ {
		in.Messages = append(in.Messages, sim.Message{Role: sim.User, Content: strings.Repeat("W", 1000) + strings.Repeat(" word", 200)}, sim.Message{Role: sim.Assistant, Content: "Oh."})
		in.Report.Turns = append(in.Report.Turns, sim.TurnScore{Turn: i, Delta: 1, Score: i})
	}
	a, err := withWords().attachment(in)
	require.NoError(t, err)
	opens(t, a.Data)
	text := pdfText(t, a.Data)
	assert.Equal(t, 50*1000, strings.Count(text, "W")-strings.Count(text, "What"), "nothing is cut off")
	assert.Equal(t, 50*200, strings.Count(text, "word")-strings.Count(text, "words"))
	assert.Contains(t, text, "Turn 50")
}

// Every line lies on its page: what is too wide would be cut off by the printer.
func TestNothingLeavesThePaper(t *testing.T) {
	in := sampleRun()
	in.Scenario = strings.Repeat("Scenario", 20)
	in.Report.CoachSummary = strings.Repeat("W", 3000)
	in.Report.Criteria[0].Title = strings.Repeat("@", 500)
	a, err := withWords().attachment(in)
	require.NoError(t, err)
	for _, at := range regexp.MustCompile(`BT ([\d.-]+) ([\d.-]+) Td`).FindAllStringSubmatch(streams(t, a.Data), -1) {
		var x, y float64
		_, err := fmt.Sscan(at[1]+" "+at[2], &x, &y)
		require.NoError(t, err)
		assert.True(t, x > 30 && x < 565 && y > 25 && y < 842, "%v", at)
	}
}

func TestAttachmentName(t *testing.T) {
	for slug, want := range map[string]string{
		"corporate-sales": "simora-report-corporate-sales.pdf", "": "simora-report-scenario.pdf", "../../etc": "simora-report-etc.pdf",
		"a\r\nb": "simora-report-a-b.pdf", "Äöü": "simora-report-scenario.pdf", strings.Repeat("a", 500): "simora-report-" + strings.Repeat("a", 60) + ".pdf",
	} {
		assert.Equal(t, want, attachmentName("Simora", slug))
	}
}

// No words make a report fail.
func FuzzAttachment(f *testing.F) {
	f.Add("Hi", "Hello", 1, 50, -3)
	f.Add("👩🏽‍⚕️\x00\xff", strings.Repeat("W", 2000), 50, 1000, 0)
	f.Add("\\)(\r\n {nb} {pages}", "Привет \u202e", -1, -5, 7)
	f.Fuzz(func(t *testing.T, a, b string, turn, score, delta int) {
		in := sampleRun()
		in.Scenario, in.Slug, in.Messages[1].Content, in.Messages[2].Content = a, b, b, a
		r := &in.Report
		r.CoachSummary, r.Overall, r.Note, r.Details[0].Name, r.Details[0].Score = b, score, a, b, score
		r.Highlights[0].Quote, r.Highlights[0].Turn, r.Criteria[0].Title, r.Criteria[1].Dimension = a, turn, b, a
		r.Criteria[0].Evidence[0] = sim.Evidence{Turn: turn, Quote: a}
		r.Turns[0] = sim.TurnScore{Turn: turn, Delta: delta, Score: score}
		for _, l := range []Letters{letters(), withWords()} {
			l.Brand = a
			file, err := l.attachment(in)
			require.NoError(t, err)
			assert.True(t, bytes.HasPrefix(file.Data, []byte("%PDF-")) && bytes.HasSuffix(bytes.TrimSpace(file.Data), []byte("%%EOF")))
			assert.True(t, utf8.ValidString(pdfText(t, file.Data)))
		}
	})
}

func attached(t *testing.T, l store.Letter) string {
	t.Helper()
	require.Len(t, l.Attachments, 1)
	assert.Equal(t, "application/pdf", l.Attachments[0].Type)
	return pdfText(t, l.Attachments[0].Data)
}

// pdfText is the text of a file, a line for each piece in the order of writing.
func pdfText(t *testing.T, data []byte) string {
	t.Helper()
	var text strings.Builder
	for _, found := range regexp.MustCompile(`(?s)\(((?:[^\\()]|\\.)*)\)\s*Tj`).FindAllStringSubmatch(streams(t, data), -1) {
		wide := regexp.MustCompile(`(?s)\\(.)`).ReplaceAllStringFunc(found[1], func(escaped string) string {
			if escaped == `\r` {
				return "\r"
			}
			return escaped[1:]
		})
		require.Zero(t, len(wide)%2)
		line, err := unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM).NewDecoder().String(wide)
		require.NoError(t, err)
		text.WriteString(line + "\n")
	}
	return text.String()
}

// streams are the unpacked contents of all pages.
func streams(t *testing.T, data []byte) string {
	t.Helper()
	var all strings.Builder
	begin := regexp.MustCompile(`/Length (\d+)>>\nstream\n`)
	for at := begin.FindSubmatchIndex(data); at != nil; at = begin.FindSubmatchIndex(data) {
		length, err := strconv.Atoi(string(data[at[2]:at[3]]))
		require.NoError(t, err)
		packed := data[at[1] : at[1]+length]
		data = data[at[1]+length:]
		r, err := zlib.NewReader(bytes.NewReader(packed))
		if err != nil {
			continue // a table of characters, not packed
		}
		plain, err := io.ReadAll(r)
		require.NoError(t, err)
		if bytes.Contains(plain, []byte(" Tf ")) { // a page, no font
			all.Write(plain)
		}
	}
	return all.String()
}

// opens asks another program for its opinion, where there is one.
func opens(t *testing.T, data []byte) {
	t.Helper()
	assert.True(t, bytes.HasPrefix(data, []byte("%PDF-")))
	info, err := exec.LookPath("pdfinfo")
	if err != nil {
		return
	}
	path := filepath.Join(t.TempDir(), "report.pdf")
	require.NoError(t, os.WriteFile(path, data, 0o600))
	out, err := exec.Command(info, path).CombinedOutput()
	require.NoError(t, err, string(out))
}

func BenchmarkAttachment(b *testing.B) {
	for b.Loop() {
		if _, err := withWords().attachment(sampleRun()); err != nil {
			b.Fatal(err)
		}
	}
}
