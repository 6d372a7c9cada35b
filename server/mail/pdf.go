package mail

import (
	"fmt"
	"math"
	"strings"

	"simora/server/sim"
	"simora/server/store"
)

// attachment is the report as a PDF, to keep and to show to others. By default
// it holds what the letter may hold, turn by turn; with OwnWords also what was
// said, the quotes, and the coach's sentences, which repeat them.
func (l Letters) attachment(in ReportInput) (store.Attachment, error) {
	w := reportWriter{paper: newPaper(fmt.Sprintf("%s report: %s", l.Brand, in.Scenario), l.Brand, in.Date.UTC()), letters: l, in: in}
	w.head()
	w.dimensions()
	w.trace()
	w.wentWell()
	w.toImprove()
	w.criteria()
	w.turns()
	w.foot()
	data, err := w.bytes()
	if err != nil {
		return store.Attachment{}, err
	}
	return store.Attachment{Name: attachmentName(l.Brand, in.Slug), Type: "application/pdf", Data: data}, nil
}

// attachmentName is made of letters that every file system and mail program
// takes as they are.
func attachmentName(brand, slug string) string {
	plain := func(text, otherwise string) string {
		words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
		name := strings.Join(words, "-")
		if name == "" {
			return otherwise
		}
		return strings.TrimRight(name[:min(len(name), 60)], "-")
	}
	return plain(brand, "training") + "-report-" + plain(slug, "scenario") + ".pdf"
}

type reportWriter struct {
	*paper
	letters Letters
	in      ReportInput
}

// words is what a model or the visitor wrote, if it may be told; else nothing.
func (w reportWriter) words(text string) string {
	if !w.letters.OwnWords {
		return ""
	}
	return text
}

// given is text that belongs to the scenario: all of it, or what is beyond
// doubt.
func (w reportWriter) given(text string) string {
	if w.letters.OwnWords {
		return text
	}
	return presentable(text)
}

func (w reportWriter) head() {
	w.box(left, w.y+0.6, 2.6, 2.6, inkPen)
	w.aside(left+4.5, styleStrong, w.letters.Brand)
	w.flush(styleQuiet, w.in.Date.UTC().Format("2 January 2006"))
	w.space(12)
	start := w.y
	w.set(style{size: 46, bold: true, ink: inkText})
	overall := fmt.Sprint(w.in.Report.Overall)
	w.f.Text(right-w.f.GetStringWidth(overall), start+13, overall)
	w.y = start + 16
	w.flush(styleQuiet, "Overall score, of 100")
	below := w.y + 8
	w.y = start
	w.column(left, right-48, styleTitle, w.in.Scenario)
	if summary := w.words(w.in.Report.CoachSummary); summary != "" {
		w.space(2)
		w.column(left, right-48, styleBody, summary)
	}
	if w.f.PageNo() == 1 { // a very long summary is on another page by now
		w.y = max(w.y, below)
	}
}

func (w reportWriter) dimensions() {
	w.section("Scores by dimension")
	for _, d := range w.in.Report.Details {
		name := w.given(d.Name)
		if name == "" {
			continue
		}
		w.room(14)
		w.flush(styleStrong, fmt.Sprint(d.Score))
		w.column(left, right-12, styleStrong, name)
		score := math.Max(0, math.Min(100, float64(d.Score)))
		const track = right - left
		w.box(left, w.y+1.2, track, 2, inkTrack)
		w.box(left, w.y+1.2, track*score/100, 2, inkYou)
		w.box(left+(track-0.9)*score/100, w.y+0.6, 0.9, 3.2, inkPen)
		w.space(5)
		w.text(left, styleQuiet, w.words(d.Summary))
		w.space(2)
	}
}

// trace draws the pen's line through the score after each turn, as the page does.
func (w reportWriter) trace() {
	turns := w.in.Report.Turns
	if len(turns) == 0 {
		return
	}
	const height, labels = 22.0, 6.0
	w.room(height + 2*labels + 18) // with its title
	w.section("Score after each turn")
	base := w.y + labels + height
	w.f.SetDrawColor(inkRule[0], inkRule[1], inkRule[2])
	w.f.SetLineWidth(0.2)
	w.f.Line(left, base, right, base)
	step := (right - left - 8) / float64(len(turns))
	every := len(turns)/16 + 1 // so that labels never touch
	x, y := left, base
	for i, turn := range turns {
		nextX := left + step*float64(i+1)
		nextY := base - height*math.Max(0, math.Min(100, float64(turn.Score)))/100
		w.f.SetDrawColor(inkPen[0], inkPen[1], inkPen[2])
		w.f.SetLineWidth(0.6)
		w.f.Line(x, y, nextX, nextY)
		x, y = nextX, nextY
		if (i+1)%every == 0 || i == len(turns)-1 {
			w.f.SetFillColor(inkPen[0], inkPen[1], inkPen[2])
			w.f.Circle(x, y, 0.9, "F")
			w.centred(x, y-2, style{8, true, inkPen}, signed(turn.Delta))
			w.centred(x, base+4, style{8, false, inkQuiet}, fmt.Sprint(turn.Turn))
		}
	}
	w.y = base + labels
}

func (w reportWriter) centred(x, y float64, s style, text string) {
	w.set(s)
	line := w.written(text)
	w.f.Text(x-w.f.GetStringWidth(line)/2, y, line)
}

// signed is a number with its sign, a true minus included.
func signed(n int) string {
	if n > 0 {
		return fmt.Sprintf("+%d", n)
	}
	return strings.Replace(fmt.Sprint(n), "-", "\u2212", 1)
}

// finding is one line of what went well or what to improve.
type finding struct {
	label, points, title, quote, text string
}

const textAt = left + 24 // where the text of a labelled line begins

func (w reportWriter) findings(title string, all []finding, none string) {
	w.section(title)
	for _, f := range all {
		w.room(16)
		w.rule()
		w.aside(left, styleQuiet, f.label)
		start, page := w.y, w.f.PageNo()
		if f.label != "" {
			w.y += styleQuiet.leading()
		}
		w.aside(left, styleStrong, f.points)
		w.y = start
		w.text(textAt, styleStrong, f.title)
		if f.quote != "" {
			w.text(textAt, styleQuote, "“"+f.quote+"”")
		}
		w.text(textAt, styleBody, f.text)
		if w.f.PageNo() == page {
			w.y = max(w.y, start+10)
		}
		w.space(1)
	}
	if len(all) == 0 {
		w.text(left, styleBody, none)
	}
}

// highlights are the page's own findings of that kind.
func (w reportWriter) highlights(kind string) (all []finding) {
	for _, h := range w.in.Report.Highlights {
		if h.Kind != kind {
			continue
		}
		label := "Overall"
		if h.Turn > 0 {
			label = fmt.Sprintf("Turn %d", h.Turn)
		}
		all = append(all, finding{label, signed(h.Points), h.Title, h.Quote, h.Text})
	}
	return all
}

func (w reportWriter) wentWell() {
	all := w.highlights("well")
	if !w.letters.OwnWords {
		all = nil
		for _, c := range w.in.Report.Criteria {
			if title := presentable(c.Title); c.Verdict == sim.Met && title != "" {
				all = append(all, finding{label: turnOf(c), points: "+" + points(c.Points), title: title})
			}
		}
	}
	w.findings("What went well", all, "Nothing in this run could be quoted as done well.")
}

func (w reportWriter) toImprove() {
	all := w.highlights("improve")
	if !w.letters.OwnWords {
		all = nil
		for _, c := range w.in.Report.Criteria {
			if title := presentable(c.Title); title != "" && (c.Verdict == sim.PartlyMet || c.Verdict == sim.Missed || c.Verdict == sim.Harmful) && len(all) < maxAdvice {
				all = append(all, finding{label: turnOf(c), points: verdictWords[c.Verdict], title: title, text: presentable(c.Improvement)})
			}
		}
	}
	w.findings("What to improve", all, "Nothing to add: every criterion that came up was met.")
}

func turnOf(c sim.CriterionResult) string {
	if len(c.Evidence) == 0 {
		return ""
	}
	return fmt.Sprintf("Turn %d", c.Evidence[0].Turn)
}

var verdictWords = map[sim.Verdict]string{sim.Met: "Met", sim.PartlyMet: "Partly met", sim.Missed: "Missed", sim.Harmful: "Harmful", sim.NotReached: "Not reached"}

func (w reportWriter) criteria() {
	if len(w.in.Report.Criteria) == 0 {
		return
	}
	w.section("How the score came about")
	dimension := ""
	for _, c := range w.in.Report.Criteria {
		title := w.given(c.Title)
		if title == "" {
			continue
		}
		if c.Dimension != dimension {
			dimension = c.Dimension
			w.room(16)
			w.space(2)
			w.text(left, styleStrong, w.given(dimension))
			w.space(1)
		}
		w.room(11)
		w.rule()
		score := points(c.Points)
		switch {
		case c.Verdict == sim.NotReached:
			score = "not counted"
		case c.MaxPoints > 0:
			score += " of " + points(c.MaxPoints)
		}
		w.aside(left, styleBody, verdictWords[c.Verdict])
		w.flush(styleQuiet, score)
		w.column(textAt, right-24, styleBody, title)
		for _, e := range c.Evidence {
			if quote := w.words(e.Quote); quote != "" {
				w.column(textAt, right-24, styleQuote, fmt.Sprintf("Turn %d: “%s”", e.Turn, quote))
			}
		}
		w.space(1)
	}
}

// points has one decimal where there is one.
func points(value float64) string {
	return strings.Replace(strings.TrimSuffix(fmt.Sprintf("%.1f", value), ".0"), "-", "\u2212", 1)
}

func (w reportWriter) turns() {
	if len(w.in.Report.Turns) == 0 {
		return
	}
	w.section("Turn by turn")
	said, answers := exchanges(w.in.Messages)
	for _, turn := range w.in.Report.Turns {
		w.room(16)
		w.rule()
		w.aside(left, styleStrong, fmt.Sprintf("Turn %d", turn.Turn))
		w.flush(styleQuiet, fmt.Sprintf("%s, score %d", signed(turn.Delta), turn.Score))
		start, page := w.y, w.f.PageNo()
		const to = right - 30
		if i := turn.Turn - 1; i >= 0 && i < len(said) {
			w.column(textAt, to, styleQuote, w.words(said[i]))
			if answer := w.words(answers[i]); answer != "" {
				w.column(textAt, to, styleQuiet, "Answer: "+answer)
			}
		}
		for _, line := range w.effects(turn.Turn) {
			w.column(textAt, to, styleBody, line)
		}
		if w.y == start && w.f.PageNo() == page {
			w.column(textAt, to, styleQuiet, "No criterion came up.")
		}
		w.space(1)
	}
}

// effects are the criteria for which the turn has evidence.
func (w reportWriter) effects(turn int) (all []string) {
	for _, c := range w.in.Report.Criteria {
		title := w.given(c.Title)
		for _, e := range c.Evidence {
			if e.Turn == turn && title != "" {
				all = append(all, verdictWords[c.Verdict]+": "+title)
				break
			}
		}
	}
	return all
}

// exchanges are the learner's messages, and the answer to each.
func exchanges(messages []sim.Message) (said, answers []string) {
	for _, m := range messages {
		switch {
		case m.Role == sim.User:
			said, answers = append(said, m.Content), append(answers, "")
		case len(answers) > 0:
			answers[len(answers)-1] = m.Content
		}
	}
	return said, answers
}

func (w reportWriter) foot() {
	w.room(24)
	w.space(6)
	w.rule()
	w.text(left, styleQuiet, w.given(w.in.Report.Note))
	w.text(left, styleQuiet, "This was a simulation for training, not medical or professional advice.")
	if !w.letters.OwnWords {
		w.text(left, styleQuiet, "What you wrote is not in this file. The page where you finished the scenario shows it beside each score.")
	}
	if w.lost {
		w.text(left, styleQuiet, "A question mark may stand for a character that this file's font does not have.")
	}
	w.text(left, styleQuiet, w.letters.PublicURL)
}
