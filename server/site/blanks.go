package site

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"path"
	"text/template"
)

// The built pages are templates: what the owner configures is not known to the
// build. `{% … %}` means nothing in HTML, JSON and XML.
const leftDelimiter, rightDelimiter = "{%", "%}"

// blanks is what a page can name. Every text is escaped for HTML and XML;
// inside of a JSON string it goes through `json`, which takes that back.
type blanks struct {
	Brand         string
	Tagline       []string
	ContactEmail  string
	Company       Company
	Institutions  []institutionBlanks
	URL           string
	Year          int
	RetentionDays int
}

type institutionBlanks struct {
	Name string
	Kind string // empty with a logo
	Logo string // its address
}

func (o Options) blanks(year int) blanks {
	owner := o.Owner
	b := blanks{
		Brand: html.EscapeString(owner.Brand), ContactEmail: html.EscapeString(owner.ContactEmail), URL: html.EscapeString(o.PublicURL),
		Company: Company{
			LegalName: html.EscapeString(owner.Company.LegalName), Address: html.EscapeString(owner.Company.Address),
			Registration: html.EscapeString(owner.Company.Registration), Phone: html.EscapeString(owner.Company.Phone),
		},
		Year: year, RetentionDays: o.RetentionDays,
	}
	for _, sentence := range owner.Tagline {
		b.Tagline = append(b.Tagline, html.EscapeString(sentence))
	}
	for _, one := range owner.Institutions {
		filled := institutionBlanks{Name: html.EscapeString(one.Name), Kind: one.Kind}
		if one.Logo != "" {
			digest := sha256.Sum256(one.Picture)
			filled.Kind, filled.Logo = "", logos+hex.EncodeToString(digest[:8])+path.Ext(one.Logo)
		}
		b.Institutions = append(b.Institutions, filled)
	}
	return b
}

// hasBlanks tells pages from plain files.
func hasBlanks(name string) bool {
	switch path.Ext(name) {
	case ".html", ".xml", ".webmanifest":
		return true
	}
	return name == "robots.txt"
}

func parsePage(name string, raw []byte) (*template.Template, error) {
	functions := template.FuncMap{"json": jsonText}
	page, err := template.New(name).Delims(leftDelimiter, rightDelimiter).Funcs(functions).Option("missingkey=error").Parse(string(raw))
	if err != nil {
		return nil, fmt.Errorf("page %s: %w", name, err)
	}
	return page, nil
}

// jsonText escapes a blank for the inside of a JSON string, also of one in a
// script element.
func jsonText(escaped string) (string, error) {
	quoted, err := json.Marshal(html.UnescapeString(escaped))
	if err != nil {
		return "", fmt.Errorf("escape for JSON: %w", err)
	}
	return string(quoted[1 : len(quoted)-1]), nil
}
