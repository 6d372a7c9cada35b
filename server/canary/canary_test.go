package canary_test

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"simora/server/canary"
)

const text = "canary?>~é-7f3a"

func utf16le(s string) (b []byte) {
	for _, u := range utf16.Encode([]rune(s)) {
		b = append(b, byte(u), byte(u>>8))
	}
	return b
}

func TestTextIsFoundInEveryEncoding(t *testing.T) {
	for name, content := range map[string][]byte{
		"UTF-8": []byte("x" + text + "y"), "UTF-16": utf16le("a" + text), "hexadecimal": []byte(strings.ToUpper(hex.EncodeToString([]byte("ab" + text)))),
		"base64 0": []byte(base64.StdEncoding.EncodeToString([]byte(text + "tail"))), "base64 1": []byte(base64.StdEncoding.EncodeToString([]byte("a" + text + "tail"))),
		"base64 2": []byte(base64.URLEncoding.EncodeToString([]byte("ab" + text + "b"))),
	} {
		t.Run(name, func(t *testing.T) {
			for _, before := range []int{0, 1<<20 - 5, 1 << 20, 3<<20 + 17} { // also over the border of two windows
				dir := t.TempDir()
				require.NoError(t, os.Mkdir(filepath.Join(dir, "sub"), 0o700))
				file := filepath.Join(dir, "sub", "file")
				require.NoError(t, os.WriteFile(file, append(bytes.Repeat([]byte{'.'}, before), content...), 0o600))
				require.NoError(t, os.WriteFile(filepath.Join(dir, "other"), []byte("canary is not all of it"), 0o600))
				hits, files, err := canary.Scan(dir, []string{"something else", text})
				require.NoError(t, err)
				assert.Equal(t, 2, files)
				require.Len(t, hits, 1, before)
				assert.Equal(t, canary.Hit{File: file, Text: text, Encoding: strings.Fields(name)[0]}, hits[0])
			}
		})
	}
}

func TestShortTextIsRefused(t *testing.T) {
	_, _, err := canary.Scan(t.TempDir(), []string{"Ada"})
	assert.ErrorContains(t, err, "Ada")
	_, _, err = canary.Scan(filepath.Join(t.TempDir(), "nowhere"), []string{text})
	assert.Error(t, err)
}
