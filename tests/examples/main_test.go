package main

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What the site shows as an example is what the engine and the judge make of
// it now. `make generate` brings the file up to date.
func TestShownRunsAreCurrent(t *testing.T) {
	raw, err := os.ReadFile("../../web/src/content/example-runs.json")
	require.NoError(t, err)
	var shown map[string]Run
	require.NoError(t, json.Unmarshal(raw, &shown))
	played, err := play(t.Context())
	require.NoError(t, err)
	assert.Equal(t, played, shown)
}
