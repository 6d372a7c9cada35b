// Package deploy_test looks at the files that deploy the product. The module in
// check renders them with the tools' own code (make deployment).
package deploy_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"simora/server/config"
)

// Every setting that a file names exists.
func TestManifestsNameKnownSettings(t *testing.T) {
	known := append(config.Variables(), config.FileVariable)
	name := regexp.MustCompile(`SIMORA_[A-Z0-9_]+`)
	files := 0
	require.NoError(t, filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) == ".go" {
			return err
		}
		raw, err := os.ReadFile(path)
		require.NoError(t, err)
		for _, found := range name.FindAllString(string(raw), -1) {
			files++
			assert.Contains(t, known, found, path)
		}
		return nil
	}))
	require.Greater(t, files, 20, "the manifests were found")
}

// systemd understands the units and every hardening directive in them.
func TestUnitsAreUnderstood(t *testing.T) {
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("no systemd-analyze on this machine")
	}
	dir := t.TempDir()
	binary, err := exec.LookPath("true") // verify wants the program to be there
	require.NoError(t, err)
	var units []string
	for _, name := range []string{"simora.service", "simora.socket"} {
		raw, err := os.ReadFile(name)
		require.NoError(t, err)
		unit := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(unit, []byte(strings.ReplaceAll(string(raw), "/usr/local/bin/simora", binary)), 0o600))
		units = append(units, unit)
	}
	out, err := exec.Command(analyze, append([]string{"verify"}, units...)...).CombinedOutput()
	require.NoError(t, err, string(out))
	require.Empty(t, string(out), "a warning is a directive that does nothing")
	out, err = exec.Command(analyze, "security", "--offline=true", "--threshold=20", units[0]).CombinedOutput()
	require.NoError(t, err, "exposure is 2.0 at most: %s", out)
}
