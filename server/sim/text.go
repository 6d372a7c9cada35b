package sim

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// CleanMessage returns a learner's message as it is stored and judged: without
// surrounding white space and control characters. A blank or overlong one is
// an Error.
func CleanMessage(text string) (string, error) {
	text = strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return r
		}
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\r\n", "\n"))
	text = strings.TrimSpace(text)
	switch {
	case text == "":
		return "", ValidationFailed("Please type a message")
	case utf8.RuneCountInString(text) > MaxMessageRunes:
		return "", ValidationFailed("A message can have up to 2000 characters")
	}
	return text, nil
}

// Cut returns the longest valid prefix of hostile text of at most max bytes,
// without control characters.
func Cut(text string, max int) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
	if len(text) <= max {
		return text
	}
	for max > 0 && !utf8.RuneStart(text[max]) {
		max--
	}
	return text[:max]
}

var slugForm = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// IsSlug reports whether text can be the slug of a scenario.
func IsSlug(text string) bool { return len(text) <= 80 && slugForm.MatchString(text) }

var idForm = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)

// IsID reports whether text can be the id of anything we store: a UUID in its
// canonical form.
func IsID(text string) bool { return idForm.MatchString(text) }
