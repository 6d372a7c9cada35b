// Package specification holds docs/specification.md to the tests it names.
package specification

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var row = regexp.MustCompile("(?m)^\\|.*\\| `([a-z.]+\\.spec\\.ts)`: (.+) \\|$")

func TestEveryNamedTestExists(t *testing.T) {
	table, err := os.ReadFile("../../docs/specification.md")
	require.NoError(t, err)
	rows := row.FindAllStringSubmatch(string(table), -1)
	require.Greater(t, len(rows), 25)
	for _, r := range rows {
		source, err := os.ReadFile(filepath.Join("../e2e", r[1]))
		require.NoError(t, err)
		title := r[2]
		// Some titles are made of a path and the rest.
		title = regexp.MustCompile(`^/industries/\w+: `).ReplaceAllString(title, "")
		assert.Contains(t, string(source), title, r[1])
	}
}
