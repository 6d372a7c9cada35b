package llm

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"simora/server/engine"
	"simora/server/score"
	"simora/server/sim"
)

const (
	minQuote    = 4   // runes; less shows nothing
	pastedWords = 3   // of a criterion that somebody may say by chance
	sameQuote   = 2   // criteria that one and the same quote may serve
	maxFeedback = 300 // runes
)

// proof holds the model's findings against the transcript.
type proof struct {
	run  engine.Run
	used map[sim.Evidence]int
	harm bool // claims of harm are believed
}

func newProof(run engine.Run) *proof { return &proof{run: run, used: map[sim.Evidence]int{}} }

// check returns the finding as it may go on the sheet, or false: then the
// built-in decision stays.
func (p *proof) check(d score.Decision, f finding) (score.Finding, bool) {
	if d.Verdict == sim.Harmful || d.Verdict == sim.NotReached {
		return score.Finding{}, false // proved by the engine, the model does not lift it
	}
	out := score.Finding{Verdict: f.Verdict, Feedback: p.feedback(f.Feedback)}
	switch f.Verdict {
	case sim.Missed:
		return out, true
	case sim.Harmful:
		if d.Criterion.Harmful == nil || !p.harm {
			return score.Finding{}, false
		}
	case sim.Met, sim.PartlyMet:
		if d.Criterion.Met == nil || (f.Verdict == sim.PartlyMet && d.Criterion.Partly == nil) {
			return score.Finding{}, false
		}
		if limit := d.Criterion.Met.ByTurn; f.Verdict == sim.Met && limit > 0 && f.Turn > limit {
			return score.Finding{}, false // too late is arithmetic
		}
	default:
		return score.Finding{}, false
	}
	evidence, ok := p.quote(f, d.Criterion.Title)
	if !ok {
		return score.Finding{}, false
	}
	out.Evidence = []sim.Evidence{evidence}
	return out, true
}

// quote finds the quoted words in the learner's message of that turn. A message
// that holds the criterion itself is a pasted rubric and shows nothing.
func (p *proof) quote(f finding, criterion string) (sim.Evidence, bool) {
	if f.Turn < 1 || f.Turn > len(p.run.Turns) || utf8.RuneCountInString(strings.TrimSpace(f.Quote)) < minQuote {
		return sim.Evidence{}, false
	}
	turn := p.run.Turns[f.Turn-1]
	at := strings.Index(turn.Message, f.Quote)
	pasted := len(strings.Fields(criterion)) >= pastedWords && strings.Contains(plain(turn.Message), plain(criterion))
	if at < 0 || pasted || turn.Reading.Meta || turn.Reading.Noise {
		return sim.Evidence{}, false
	}
	start := utf8.RuneCountInString(turn.Message[:at])
	e := sim.Evidence{Turn: f.Turn, Start: start, End: start + utf8.RuneCountInString(f.Quote), Quote: f.Quote}
	if p.used[e] >= sameQuote {
		return sim.Evidence{}, false
	}
	p.used[e]++
	return e, true
}

var (
	scoreTalk   = regexp.MustCompile(`(?i)\d+\s*(/|%|out of|of 100|points?\b)|\b(points?|score|full marks)\b`)
	saidInQuote = regexp.MustCompile(`[“"]([^”"]+)[”"]`)
)

// feedback is the model's sentence if it can be shown, otherwise nothing: then
// the package's words are.
func (p *proof) feedback(text string) string {
	text = strings.TrimSpace(text)
	if !utf8.ValidString(text) || utf8.RuneCountInString(text) > maxFeedback || strings.ContainsRune(text, utf8.RuneError) || strings.ContainsFunc(text, unprintable) ||
		markup.MatchString(text) || outOfRole.MatchString(text) || scoreTalk.MatchString(text) || recites(text, examiner, "") {
		return ""
	}
	for _, quoted := range saidInQuote.FindAllStringSubmatch(text, -1) {
		if !p.said(quoted[1]) {
			return ""
		}
	}
	return text
}

func (p *proof) said(words string) bool {
	for _, t := range p.run.Turns {
		if strings.Contains(plain(t.Message), plain(words)) {
			return true
		}
	}
	return false
}
