package site

import (
	_ "embed"
	"errors"
	"fmt"
	"net/mail"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
)

// DefaultOwnerFile is the owner file that counts where the owner's says nothing.
// It is the example to copy.
//
//go:embed owner.yaml
var DefaultOwnerFile []byte

// Owner is what the owner says about the company. A site file need only name
// what differs from the default.
type Owner struct {
	Brand        string        `yaml:"brand"`
	Tagline      []string      `yaml:"tagline"`      // two sentences
	ContactEmail string        `yaml:"contactEmail"` // shown on the pages
	Company      Company       `yaml:"company"`
	Institutions []Institution `yaml:"institutions"` // the logo wall
}

// Company are facts that are shown where they are given.
type Company struct {
	LegalName    string `yaml:"legalName"`
	Address      string `yaml:"address"`
	Registration string `yaml:"registration"`
	Phone        string `yaml:"phone"`
}

// Institution is one cell of the logo wall.
type Institution struct {
	Name string `yaml:"name"`
	Kind string `yaml:"kind"` // the drawn mark
	Logo string `yaml:"logo"` // a picture in its place; a path relative to the site file

	Picture []byte `yaml:"-"` // the logo's bytes
}

// Kinds are the marks that are drawn for institutions without a logo.
var Kinds = []string{"university", "technical-university", "airline", "insurer", "pharma", "cloud", "energy", "red-cross", "health", "technology-park"}

const (
	maxBrand        = 60
	maxFact         = 200
	maxInstitutions = 60
	maxLogo         = 100 << 10
	sentences       = 2 // of the tagline
)

// LoadOwner reads a site file; an empty path is the default.
func LoadOwner(path string) (Owner, error) {
	var owner Owner
	if err := yaml.UnmarshalWithOptions(DefaultOwnerFile, &owner, yaml.Strict()); err != nil {
		return owner, fmt.Errorf("default site file: %w", err)
	}
	if path == "" {
		return owner, nil
	}
	raw, err := os.ReadFile(path) //nolint:gosec // the operator's own file
	if err != nil {
		return owner, fmt.Errorf("site file: %w", err)
	}
	if err := yaml.UnmarshalWithOptions(raw, &owner, yaml.Strict()); err != nil {
		return owner, fmt.Errorf("site file %s: %s", path, yaml.FormatError(err, false, true))
	}
	if err := errors.Join(owner.check(), owner.readLogos(filepath.Dir(path))); err != nil {
		return owner, fmt.Errorf("site file %s:\n%w", path, err)
	}
	return owner, nil
}

// check finds everything that is wrong at once.
func (o *Owner) check() error {
	problems := []error{checkLine("brand", o.Brand, 1, maxBrand)}
	if len(o.Tagline) != sentences {
		problems = append(problems, fmt.Errorf("tagline: found %d sentences, allowed are exactly %d", len(o.Tagline), sentences))
	}
	for i, sentence := range o.Tagline {
		problems = append(problems, checkLine(fmt.Sprintf("tagline[%d]", i), sentence, 1, maxBrand))
	}
	if a, err := mail.ParseAddress(o.ContactEmail); err != nil || a.Address != o.ContactEmail {
		problems = append(problems, fmt.Errorf("contactEmail: found %q, allowed is one plain mail address", o.ContactEmail))
	}
	problems = append(problems,
		checkLine("company.legalName", o.Company.LegalName, 0, maxFact), checkLine("company.address", o.Company.Address, 0, maxFact),
		checkLine("company.registration", o.Company.Registration, 0, maxFact), checkLine("company.phone", o.Company.Phone, 0, maxFact))
	if len(o.Institutions) > maxInstitutions {
		problems = append(problems, fmt.Errorf("institutions: found %d, allowed are up to %d", len(o.Institutions), maxInstitutions))
	}
	for i, one := range o.Institutions {
		at := fmt.Sprintf("institutions[%d]", i)
		problems = append(problems, checkLine(at+".name", one.Name, 1, maxBrand))
		if one.Logo == "" && !slices.Contains(Kinds, one.Kind) {
			problems = append(problems, fmt.Errorf("%s.kind: found %q, allowed are %s, or a logo in its place", at, one.Kind, strings.Join(Kinds, ", ")))
		}
	}
	return errors.Join(problems...)
}

func checkLine(field, text string, least, most int) error {
	n := utf8.RuneCountInString(text)
	if text != strings.TrimSpace(text) || n < least || n > most || strings.ContainsFunc(text, unicode.IsControl) {
		return fmt.Errorf("%s: found %q, allowed is one line of %d to %d characters", field, text, least, most)
	}
	return nil
}

func (o *Owner) readLogos(dir string) error {
	var problems []error
	for i := range o.Institutions {
		one := &o.Institutions[i]
		if one.Logo == "" {
			continue
		}
		at := fmt.Sprintf("institutions[%d].logo", i)
		if ext := filepath.Ext(one.Logo); ext != ".svg" && ext != ".png" {
			problems = append(problems, fmt.Errorf("%s: found %q, allowed is an .svg or .png file", at, one.Logo))
			continue
		}
		path := one.Logo
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		raw, err := os.ReadFile(path) //nolint:gosec // the operator's own file
		if err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", at, err))
		} else if len(raw) == 0 || len(raw) > maxLogo {
			problems = append(problems, fmt.Errorf("%s: found %d bytes, allowed are up to %d", at, len(raw), maxLogo))
		}
		one.Picture = raw
	}
	return errors.Join(problems...)
}
