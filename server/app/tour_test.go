package app_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var place = regexp.MustCompile("`((?:server|web|scenarios|tests|docs)(?:/[\\w./-]+)?|main\\.go)`")

func TestTourNamesRealPlaces(t *testing.T) {
	text, err := os.ReadFile("../../docs/tour.md")
	require.NoError(t, err)
	found := place.FindAllStringSubmatch(string(text), -1)
	require.Greater(t, len(found), 20)
	for _, match := range found {
		if match[1] == "web/dist" {
			continue // made by the build
		}
		_, err := os.Stat(filepath.Join("../..", match[1]))
		assert.NoError(t, err, match[1])
	}
}
