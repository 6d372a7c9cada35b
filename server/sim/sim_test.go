package sim_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"

	"simora/server/sim"
)

func TestCleanMessage(t *testing.T) {
	for in, want := range map[string]string{
		"  hello \n":              "hello",
		"a\r\nb":                  "a\nb",
		"a\x00b\x1b[31m":          "ab[31m",
		"a\xffb":                  "a\uFFFDb",
		"\u00a0tabs\tstay\u2003":  "tabs\tstay",
		strings.Repeat("é", 2000): strings.Repeat("é", 2000),
	} {
		got, err := sim.CleanMessage(in)
		assert.NoError(t, err)
		assert.Equal(t, want, got)
	}
	for _, in := range []string{"", " \t\n", "\x00\x01", "\u2003\u00a0", strings.Repeat("é", 2001)} {
		_, err := sim.CleanMessage(in)
		assert.ErrorIs(t, err, sim.ValidationFailed(""), "%q", in)
	}
}

func TestCut(t *testing.T) {
	assert.Equal(t, "Mozilla", sim.Cut("Mozilla", 512))
	assert.Equal(t, "ab", sim.Cut("a\r\nb", 512))
	assert.Equal(t, "é", sim.Cut("éé", 3), "never half a character")
}

func FuzzCut(f *testing.F) {
	f.Add("Mozilla/5.0", 7)
	f.Fuzz(func(t *testing.T, text string, limit int) {
		if limit < 0 {
			return
		}
		got := sim.Cut(text, limit)
		assert.LessOrEqual(t, len(got), limit)
		assert.True(t, utf8.ValidString(got))
	})
}

func TestTurnLimit(t *testing.T) {
	for max, want := range map[int]int{0: 6, -1: 6, 51: 6, 1: 1, 8: 8, 50: 50} {
		assert.Equal(t, want, sim.Scenario{MaxTurns: max}.TurnLimit(), "max_turns %d", max)
	}
}

func TestErrorsKeepTheirCauseForTheLogOnly(t *testing.T) {
	err := sim.ErrEmailFailed.Because(io.ErrUnexpectedEOF)
	assert.ErrorIs(t, err, sim.ErrEmailFailed)
	assert.ErrorIs(t, err, io.ErrUnexpectedEOF)
	assert.NotContains(t, err.Message, "EOF")
	unknown := sim.AsError(errors.New("pq: secret table"))
	assert.Equal(t, sim.Internal, unknown.Kind)
	assert.NotContains(t, unknown.Message, "secret")
}

func TestIDsAndSlugs(t *testing.T) {
	assert.True(t, sim.IsID("0b4ec7a5-9a59-4f5f-8d57-1f4c3f1b2a00"))
	for _, bad := range []string{"", "new", "0B4EC7A5-9A59-4F5F-8D57-1F4C3F1B2A00", "0b4ec7a5-9a59-4f5f-8d57-1f4c3f1b2a00\x00"} {
		assert.False(t, sim.IsID(bad), bad)
	}
	assert.True(t, sim.IsSlug("healthcare-emergency"))
	for _, bad := range []string{"", "-a", "a--b", "A", "a_b", "../x", strings.Repeat("a", 81)} {
		assert.False(t, sim.IsSlug(bad), bad)
	}
}
