package mail

import (
	"fmt"
	"html/template"
	"strings"
	text "text/template"

	"simora/server/sim"
	"simora/server/store"
)

// ContactInput is a contact message on its way to the company.
type ContactInput struct {
	To      string
	Message store.ContactMessage
}

const maxSubject = 150 // bytes

var (
	contactText = text.Must(text.ParseFS(letterFiles, "letters/contact.txt"))
	contactHTML = template.Must(template.ParseFS(letterFiles, "letters/contact.html"))
)

// Contact writes the letter that tells the company what a visitor wrote. An
// answer to it goes to the visitor. Nobody else gets it: what a visitor wrote
// is mailed to nobody but the company.
func (l Letters) Contact(in ContactInput) (store.Letter, error) {
	m := in.Message
	view := struct {
		store.ContactMessage
		Brand, Home, Received string
	}{m, l.Brand, l.PublicURL, m.ReceivedAt.UTC().Format("2 January 2006, 15:04 UTC")}
	var plain, rich strings.Builder
	if err := contactText.Execute(&plain, view); err != nil {
		return store.Letter{}, fmt.Errorf("write contact letter: %w", err)
	}
	if err := contactHTML.Execute(&rich, view); err != nil {
		return store.Letter{}, fmt.Errorf("write contact letter: %w", err)
	}
	from := m.Name
	if m.Organization != "" {
		from += ", " + m.Organization
	}
	return store.Letter{
		To: in.To, ReplyTo: m.Email, MessageID: l.messageID(m.ID), Text: plain.String(), HTML: rich.String(),
		Subject: sim.Cut("Contact ("+m.Reason+"): "+from, maxSubject),
	}, nil
}
