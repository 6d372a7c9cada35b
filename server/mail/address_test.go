package mail

import (
	stdmail "net/mail"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAddresses(t *testing.T) {
	for in, want := range map[string]string{
		"a@b.co":                             "a@b.co",
		" sam@Hospital.Example ":             "sam@hospital.example",
		"Sam.O'Hara+er@sub.hospital.example": "Sam.O'Hara+er@sub.hospital.example",
		"x_y-z@a-b.example":                  "x_y-z@a-b.example",
		"1@2.example":                        "1@2.example",
		"a@xn--bcher-kva.example":            "a@xn--bcher-kva.example",
	} {
		got, err := ParseAddress(in)
		require.NoError(t, err, in)
		assert.Equal(t, want, got)
	}
	for _, in := range []string{
		"", " ", "@", "a", "a@", "@b.co", "a@b", "a@localhost", "a@@b.co", "a@b@c.co", "a b@c.co", "a@b c.co", "a@b..co", "a@.b.co", "a@b.co.", "a@-b.co", "a@b-.co",
		".a@b.co", "a.@b.co", "a..b@c.co", "a@b.co,c@d.co", "a@b.co;c@d.co", "a@b.co c@d.co", "a@b.co\r\nBcc: c@d.co", "a@b.co\n", "a\r@b.co", "a@b.co\x00", "a\x00@b.co",
		"<a@b.co>", "A <a@b.co>", "\"a b\"@c.co", "\"a@evil>\"@b.co", "a(comment)@b.co", "a@b.co(comment)", "group:a@b.co;", "a@[127.0.0.1]", "a@[IPv6:::1]", "a@127.0.0.1", "a@1.2.3.4",
		"a@b.c,o", "a@b_c.co", "ä@b.co", "a@bü.co", "a@b.co>", "<a@b.co", "a@b.co?x=1", "a@b.co/x", "mailto:a@b.co", "a%40b.co", "a\\@b.co", "a@b.co%0aBcc:c@d.co", "=?utf-8?q?a?=@b.co\r\n",
		"a\u200b@b.co", "a@b\u3002co", "a@\u202eb.co", strings.Repeat("a", 65) + "@b.co", "a@" + strings.Repeat("b", 64) + ".co", "a@" + strings.Repeat("b.", 130) + "co", strings.Repeat("a", 64<<10),
	} {
		if strings.TrimSpace(in) == "a@b.co" {
			continue // white space around an address is nobody's attack
		}
		_, err := ParseAddress(in)
		assert.Error(t, err, "%q", in)
	}
}

func FuzzParseAddress(f *testing.F) {
	f.Add("a@b.co")
	f.Add("\"a b\"@c.co")
	f.Fuzz(func(t *testing.T, in string) {
		out, err := ParseAddress(in)
		if err != nil {
			return
		}
		parsed, err := stdmail.ParseAddress(out)
		require.NoError(t, err)
		assert.Equal(t, out, parsed.Address)
		assert.False(t, strings.ContainsAny(out, "\r\n\t <>,;:\"()[]\\"), out)
		again, err := ParseAddress(out)
		require.NoError(t, err)
		assert.Equal(t, out, again)
	})
}
