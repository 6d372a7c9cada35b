// Package auth knows who may sign in.
package auth

import (
	"crypto/rand"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/alexedwards/argon2id"
	"golang.org/x/text/unicode/norm"
)

// Password length in characters: 15 for a single factor (NIST SP 800-63B-4,
// section 3.1.1.2), and a cap that keeps hashing cheap to refuse.
const (
	minPassword = 15
	maxPassword = 1024
)

// hashing costs 19 MiB and two passes, the OWASP minimum for Argon2id.
var hashing = &argon2id.Params{Memory: 19 * 1024, Iterations: 2, Parallelism: 1, SaltLength: 16, KeyLength: 32}

// HashPassword checks a new password and returns its PHC string.
func HashPassword(password string) (string, error) {
	password = norm.NFKC.String(password)
	switch n := utf8.RuneCountInString(password); {
	case n < minPassword:
		return "", fmt.Errorf("the password has %d characters, allowed are %d to %d", n, minPassword, maxPassword)
	case n > maxPassword:
		return "", fmt.Errorf("the password has over %d characters, allowed are %d to %d", maxPassword, minPassword, maxPassword)
	case len(strings.Trim(password, string([]rune(password)[:1]))) == 0:
		return "", fmt.Errorf("the password is one character repeated; use several words instead")
	}
	hash, err := argon2id.CreateHash(password, hashing)
	if err != nil {
		return "", fmt.Errorf("hash password: %w", err)
	}
	return hash, nil
}

// PasswordMatches reports whether password is the one behind hash.
func PasswordMatches(password, hash string) (bool, error) {
	ok, err := argon2id.ComparePasswordAndHash(norm.NFKC.String(password), hash)
	if err != nil {
		return false, fmt.Errorf("check password: %w", err)
	}
	return ok, nil
}

// NewPassword makes one of 130 random bits, in groups that can be read aloud.
func NewPassword() string {
	text := strings.ToLower(rand.Text())
	var groups []string
	for len(text) > 5 {
		groups, text = append(groups, text[:5]), text[5:]
	}
	return strings.Join(append(groups, text), "-")
}
