package scenario_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"simora/scenarios"
	"simora/server/scenario"
)

func TestOwnPackages(t *testing.T) {
	packages, err := scenario.Load(scenarios.Files)
	require.NoError(t, err)
	require.Len(t, packages, 3)
	least := map[string]int{"healthcare-emergency": 60, "aviation-cabin-crew": 25, "corporate-sales": 25}
	for _, p := range packages {
		assert.GreaterOrEqual(t, len(p.Acts), least[p.Header.Slug], p.Header.Slug)
		assert.NotEmpty(t, p.Header.Sources, p.Header.Slug)
	}
}

// copyPackage writes a package to a folder with one file changed.
func copyPackage(t *testing.T, file string, change func(string) string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "corporate-sales")
	require.NoError(t, os.MkdirAll(dir, 0o755))
	names, err := fs.Glob(scenarios.Files, "corporate-sales/*.yaml")
	require.NoError(t, err)
	for _, name := range names {
		raw, err := fs.ReadFile(scenarios.Files, name)
		require.NoError(t, err)
		text := string(raw)
		if filepath.Base(name) == file {
			text = change(text)
			require.NotEqual(t, string(raw), text, "the change must change something")
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, filepath.Base(name)), []byte(text), 0o644))
	}
	return dir
}

func replace(old, with string) func(string) string {
	return func(s string) string { return strings.Replace(s, old, with, 1) }
}

// Each mistake is reported with its file, its line and its field.
func TestMistakesAreFound(t *testing.T) {
	for _, c := range []struct {
		name, file string
		change     func(string) string
		says       []string
	}{
		{"unknown field", "scenario.yaml", replace("max_turns:", "max_turn:"), []string{"scenario.yaml", "max_turn"}},
		{"too many turns", "scenario.yaml", replace("max_turns: 8", "max_turns: 51"), []string{"scenario.yaml", "max_turns", "50"}},
		{"unknown industry", "scenario.yaml", replace("industry: corporate", "industry: farming"), []string{"industry", "'healthcare', 'airlines', 'corporate'"}},
		{"unknown act in a rule", "rules.yaml", replace("rules:\n", "rules:\n  - when: {act: no.such_act}\n    say: [\"x\"]\n"), []string{"rules.yaml", "no.such_act"}},
		{"unknown act in the rubric", "rubric.yaml", replace("acts: [", "acts: [no.such_act, "), []string{"rubric.yaml", "no.such_act"}},
		{"unknown variable", "state.yaml", replace("mood: {", "mood: {luck: 1, "), []string{"state.yaml", "luck"}},
		{"not YAML", "facts.yaml", func(s string) string { return s + "\n  - : :\n[" }, []string{"facts.yaml"}},
		{"empty file", "acts.yaml", func(string) string { return "" }, []string{"acts.yaml"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			problems := scenario.Check(copyPackage(t, c.file, c.change))
			require.NotEmpty(t, problems)
			var all strings.Builder
			for _, p := range problems {
				fmt.Fprintln(&all, p)
			}
			for _, text := range c.says {
				assert.Contains(t, all.String(), text)
			}
			if c.name != "empty file" {
				assert.Regexp(t, c.file+`:\d+`, all.String(), "with its line")
			}
		})
	}
}

func TestMissingFileIsNamed(t *testing.T) {
	dir := copyPackage(t, "state.yaml", func(s string) string { return s + "\n" })
	require.NoError(t, os.Remove(filepath.Join(dir, "state.yaml")))
	assert.Contains(t, fmt.Sprint(scenario.Check(dir)), "state.yaml")
}
