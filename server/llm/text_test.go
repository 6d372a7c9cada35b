package llm

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
)

// Whatever a model says: what is left can be shown.
func FuzzSpoken(f *testing.F) {
	for _, seed := range []string{"It hurts.", "Rosa: \"It hurts.\"", "“Ah.” …", "\x00\xff", "*a* <b>", "...", ". ! ?", strings.Repeat("a. ", 400)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, said string) {
		text, err := spoken(said, "Rosa")
		if err != nil {
			assert.Empty(t, text)
			return
		}
		assert.True(t, utf8.ValidString(text))
		assert.NotEmpty(t, plain(text))
		assert.LessOrEqual(t, utf8.RuneCountInString(text), maxReplyRunes)
		assert.False(t, strings.ContainsFunc(text, unprintable) || strings.ContainsAny(text, "\n\t<>*`{}") && markup.MatchString(text))
		again, err := spoken(text, "Rosa")
		assert.NoError(t, err, "what was fit stays fit")
		assert.NotEmpty(t, again)
	})
}

func TestRecites(t *testing.T) {
	const secret = "You are Rosa Delgado, sixty-one, a school secretary. Speak in short sentences as a patient, never as a clinician."
	for text, want := range map[string]bool{
		"":                         false,
		"It hurts.":                false,
		"I am a school secretary.": false,
		"I was told: Speak in short sentences, as a patient, never as a clinician!": true,
		"SPEAK IN SHORT SENTENCES - AS A PATIENT - NEVER AS":                        true,
		"You are Rosa Delgado, sixty-one, a school secretary, the nurse said.":      false, // it was said before
	} {
		assert.Equal(t, want, recites(text, secret, "nurse: you are Rosa Delgado, sixty-one, a school secretary? "), text)
	}
}

func TestRetryAfter(t *testing.T) {
	now := (&breaker{}).until
	for text, want := range map[string]float64{"": 0, "3": 3, "-3": 0, "soon": 0, "Mon, 01 Jan 0001 00:00:09 GMT": 9} {
		assert.InDelta(t, want, retryAfter(text, now).Seconds(), 0.1, text)
	}
}
