// Package auth knows who may sign in.
package auth

import (
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/alexedwards/argon2id"
	"github.com/ccojocar/zxcvbn-go"
	"golang.org/x/text/unicode/norm"

	"simora/server/sim"
)

// Password length in characters: 15 for a single factor (NIST SP 800-63B-4,
// section 3.1.1.2), and a cap that keeps hashing cheap to refuse.
const (
	minPassword = 15
	maxPassword = 1024
)

const (
	minStrength = 3   // of zxcvbn's 0 to 4: over a hundred million guesses
	estimated   = 100 // characters; the estimate's cost grows with them
)

// hashing costs 19 MiB and two passes, the OWASP minimum for Argon2id.
var hashing = &argon2id.Params{Memory: 19 * 1024, Iterations: 2, Parallelism: 1, SaltLength: 16, KeyLength: 32}

// HashPassword checks a new password and returns its PHC string. What lists of
// known passwords, keyboards and dates give away is refused, and so is what is
// made of the words around the account.
func HashPassword(password string, around ...string) (string, error) {
	password = norm.NFKC.String(password)
	switch n := utf8.RuneCountInString(password); {
	case n < minPassword:
		return "", fmt.Errorf("the password has %d characters, allowed are %d to %d", n, minPassword, maxPassword)
	case n > maxPassword:
		return "", fmt.Errorf("the password has over %d characters, allowed are %d to %d", maxPassword, minPassword, maxPassword)
	}
	if zxcvbn.PasswordStrength(sim.Cut(password, estimated), around).Score < minStrength {
		return "", errors.New("the password is easy to guess: it is made of well-known passwords, names or sequences; use several unrelated words")
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
