package specification

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	goTest      = regexp.MustCompile("`((?:tests|server)/[a-z0-9]+)\\.(Test\\w+)`")
	browserTest = regexp.MustCompile("`([a-z.]+\\.spec\\.ts)`: ([^|\n]+?)( \\||\\.?\n)")
)

func TestEveryTestThatSecurityNamesExists(t *testing.T) {
	text, err := os.ReadFile("../../docs/security.md")
	require.NoError(t, err)
	named := goTest.FindAllStringSubmatch(string(text), -1)
	require.Greater(t, len(named), 80)
	for _, n := range named {
		files, err := filepath.Glob(filepath.Join("../..", n[1], "*_test.go"))
		require.NoError(t, err)
		found := false
		for _, file := range files {
			source, err := os.ReadFile(file)
			require.NoError(t, err)
			found = found || strings.Contains(string(source), "func "+n[2]+"(")
		}
		assert.True(t, found, "%s.%s", n[1], n[2])
	}
	browser := browserTest.FindAllStringSubmatch(string(text), -1)
	require.Len(t, browser, 3)
	for _, b := range browser {
		source, err := os.ReadFile(filepath.Join("../e2e", b[1]))
		require.NoError(t, err)
		assert.Contains(t, string(source), b[2], b[1])
	}
}
