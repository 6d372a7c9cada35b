package mail

import (
	"fmt"
	"html/template"
	"strings"
	text "text/template"

	"simora/server/store"
)

// PersonalInput asks for the letter with a link to somebody's own data.
type PersonalInput struct {
	To    string // one address, from ParseAddress
	ID    string // becomes the message id
	Token string
	Hours int // that the link is good for
}

var (
	personalText = text.Must(text.ParseFS(letterFiles, "letters/personal.txt"))
	personalHTML = template.Must(template.ParseFS(letterFiles, "letters/personal.html"))
)

// Personal writes the letter by which its reader sees and deletes what is kept
// about the address. The token stands behind a #, so that no server's log gets
// it.
func (l Letters) Personal(in PersonalInput) (store.Letter, error) {
	view := struct {
		Brand, Home, Link, Privacy string
		Hours                      int
	}{l.Brand, l.PublicURL, l.PublicURL + "/privacy/data#" + in.Token, l.PublicURL + "/privacy", in.Hours}
	var plain, rich strings.Builder
	if err := personalText.Execute(&plain, view); err != nil {
		return store.Letter{}, fmt.Errorf("write personal letter: %w", err)
	}
	if err := personalHTML.Execute(&rich, view); err != nil {
		return store.Letter{}, fmt.Errorf("write personal letter: %w", err)
	}
	return store.Letter{To: in.To, MessageID: l.messageID(in.ID), Text: plain.String(), HTML: rich.String(), Subject: "Your data at " + l.Brand}, nil
}
