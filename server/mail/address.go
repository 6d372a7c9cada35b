package mail

import (
	"net/mail"
	"strings"

	"simora/server/sim"
)

// errAddress is the answer to every address that can't be used; which rule it
// broke would help nobody but an attacker.
var errAddress = sim.ValidationFailed("Please enter a valid email address")

// atext are the characters of an unquoted local part (RFC 5322 §3.2.3).
const atext = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!#$%&'*+-/=?^_`{|}~."

// ParseAddress returns the one plain address that text is, its domain in lower
// case. Names, groups, comments, quoted local parts, address literals and
// anything that is not printable ASCII are refused.
func ParseAddress(text string) (string, error) {
	text = strings.TrimSpace(text)
	local, domain, found := strings.Cut(text, "@")
	if !found || len(text) > sim.MaxEmailBytes || len(local) > 64 || local == "" || strings.Trim(local, atext) != "" {
		return "", errAddress
	}
	if strings.HasPrefix(local, ".") || strings.HasSuffix(local, ".") || strings.Contains(local, "..") {
		return "", errAddress
	}
	if strings.Contains(local, "=?") {
		return "", errAddress // reads as an encoded word in a header
	}
	domain = strings.ToLower(domain)
	if !isDomain(domain) {
		return "", errAddress
	}
	address := local + "@" + domain
	if parsed, err := mail.ParseAddress(address); err != nil || parsed.Address != address {
		return "", errAddress
	}
	return address, nil
}

// isDomain wants at least two labels of letters, digits and inner hyphens.
func isDomain(domain string) bool {
	labels := strings.Split(domain, ".")
	if len(labels) < 2 || len(domain) > 253 {
		return false
	}
	for _, label := range labels {
		if label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
		if strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
			return false
		}
	}
	last := labels[len(labels)-1]
	return strings.Trim(last, "0123456789") != "" // an IPv4 address is no domain
}
