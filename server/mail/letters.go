package mail

import (
	"embed"
	"fmt"
	"html/template"
	"net/url"
	"regexp"
	"strings"
	text "text/template"
	"time"
	"unicode"

	"simora/server/sim"
	"simora/server/store"
)

//go:embed letters
var letterFiles embed.FS

// Letters writes them, in the owner's name.
type Letters struct {
	Brand         string
	PublicURL     string
	RetentionDays int
	// OwnWords: the attached report tells what the visitor typed, too. Without
	// it nobody can make us mail their words to somebody else.
	OwnWords bool
}

// ReportInput is what a report letter is built from: stored data only.
type ReportInput struct {
	To       string // one address, from ParseAddress
	ID       string // becomes the message id
	Scenario string // the scenario's title
	Slug     string
	Date     time.Time // of the run
	Report   sim.Report
	Messages []sim.Message
}

// reportView is what the templates see.
type reportView struct {
	Brand, Scenario, Demo, Privacy, Home string
	Retention                            int
	Overall                              int
	Dimensions                           []sim.DimensionResult
	Met                                  []string
	Improve                              []advice
	Note                                 string
	OwnWords                             bool
}

type advice struct{ Title, Text string }

const maxAdvice = 6

var (
	reportText = text.Must(text.ParseFS(letterFiles, "letters/report.txt"))
	reportHTML = template.Must(template.ParseFS(letterFiles, "letters/report.html"))
)

// Report writes the letter that brings a report. Nothing that the visitor
// typed is in it, so that nobody can make us mail their words to others: it is
// made of scores, of the criteria's titles, and of the advice that belongs to
// each criterion. The same holds for the PDF that comes with it, unless the
// owner chose OwnWords.
func (l Letters) Report(in ReportInput) (store.Letter, error) {
	view := reportView{
		Brand: l.Brand, Scenario: in.Scenario, Home: l.PublicURL, Demo: l.PublicURL + "/contact?reason=demo", Privacy: l.PublicURL + "/privacy",
		Retention: l.RetentionDays, Overall: in.Report.Overall, Note: presentable(in.Report.Note), OwnWords: l.OwnWords,
	}
	for _, d := range in.Report.Details {
		if name := presentable(d.Name); name != "" {
			view.Dimensions = append(view.Dimensions, sim.DimensionResult{Name: name, Score: d.Score})
		}
	}
	for _, c := range in.Report.Criteria {
		title := presentable(c.Title)
		switch {
		case title == "":
		case c.Verdict == sim.Met:
			view.Met = append(view.Met, title)
		case c.Verdict != sim.NotReached && len(view.Improve) < maxAdvice:
			view.Improve = append(view.Improve, advice{title, presentable(c.Improvement)})
		}
	}
	var plain, rich strings.Builder
	if err := reportText.Execute(&plain, view); err != nil {
		return store.Letter{}, fmt.Errorf("write report letter: %w", err)
	}
	if err := reportHTML.Execute(&rich, view); err != nil {
		return store.Letter{}, fmt.Errorf("write report letter: %w", err)
	}
	pdf, err := l.attachment(in)
	if err != nil {
		return store.Letter{}, fmt.Errorf("write report letter: %w", err)
	}
	return store.Letter{
		To: in.To, MessageID: l.messageID(in.ID), Text: plain.String(), HTML: rich.String(), Attachments: []store.Attachment{pdf},
		Subject: fmt.Sprintf("Your %s report: %s, %d of 100", l.Brand, in.Scenario, in.Report.Overall),
	}, nil
}

// messageID stays the same over all attempts, so that a mail program shows a
// letter once that was handed over twice.
func (l Letters) messageID(id string) string {
	host := "localhost"
	if u, err := url.Parse(l.PublicURL); err == nil && u.Hostname() != "" {
		host = u.Hostname()
	}
	return "<" + id + "@" + host + ">"
}

const maxAdviceRunes = 600

// contact is the shape of whatever leads a reader elsewhere. It errs on the
// side of leaving advice out.
var contact = regexp.MustCompile(strings.Join([]string{
	`(?i)[a-z][a-z0-9+.-]*://`,
	`\b(?:tel|sms|mailto|javascript):`,
	`www\.`,
	`[@＠]`,
	`[\p{L}\p{N}_-][.。．｡]\p{L}{2,}`,      // a host, in any alphabet
	`\p{N}(?:\.\p{N}+){3}`,               // an IPv4 address
	`\p{N}(?:[\s().·+\p{Pd}]*\p{N}){6,}`, // a telephone number of seven digits or more
}, "|"))

// presentable returns text that may be in a letter, or nothing: a model may
// have written it under a visitor's influence.
func presentable(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if len([]rune(text)) > maxAdviceRunes || contact.MatchString(text) {
		return ""
	}
	for _, r := range text {
		if unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Me) { // control, bidi and zero width, private, keycaps
			return ""
		}
	}
	return text
}
