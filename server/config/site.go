package config

import (
	"fmt"
	"net/mail"
	"os"
	"strings"

	"github.com/goccy/go-yaml"
)

// Site is what the owner says about the company. A site file need only name
// what differs from the default.
type Site struct {
	Brand        string `yaml:"brand"`        // the company's name
	ContactEmail string `yaml:"contactEmail"` // shown on the pages
}

// DefaultSite is used for all that a site file leaves out.
func DefaultSite() Site {
	return Site{Brand: "Simora", ContactEmail: "hello@simora.example"}
}

const maxBrand = 60

// LoadSite reads a site file; an empty path is the default.
func LoadSite(path string) (Site, error) {
	site := DefaultSite()
	if path == "" {
		return site, nil
	}
	raw, err := os.ReadFile(path) //nolint:gosec // the operator's own file
	if err != nil {
		return site, fmt.Errorf("site file: %w", err)
	}
	if err := yaml.UnmarshalWithOptions(raw, &site, yaml.Strict()); err != nil {
		return site, fmt.Errorf("site file %s: %s", path, yaml.FormatError(err, false, true))
	}
	if site.Brand = strings.TrimSpace(site.Brand); site.Brand == "" || len(site.Brand) > maxBrand {
		return site, fmt.Errorf("site file %s: brand: found %q, allowed is a name of 1 to %d bytes", path, site.Brand, maxBrand)
	}
	if a, err := mail.ParseAddress(site.ContactEmail); err != nil || a.Address != site.ContactEmail {
		return site, fmt.Errorf("site file %s: contactEmail: found %q, allowed is one plain mail address", path, site.ContactEmail)
	}
	return site, nil
}
