package app

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"simora/server/config"
)

// command runs one on a data directory.
func command(t *testing.T, data string, args ...string) (code int, out string) {
	t.Helper()
	var b strings.Builder
	code = Main(t.Context(), Process{Args: append(args, "--data="+data), Stdout: &b, Stderr: &b, Environment: config.Environment{
		Lookup: func(string) (string, bool) { return "", false }, Set: os.Setenv, All: func() []string { return nil },
	}})
	return code, b.String()
}

// Who forgot to bring the keys is told so, and gets none that are of no use and
// in the way of the right ones.
func TestReadingABackupMakesNoKeys(t *testing.T) {
	from, to := t.TempDir(), filepath.Join(t.TempDir(), "data")
	file := filepath.Join(t.TempDir(), "a.backup")
	code, out := command(t, from, "backup", "create", file)
	require.Zero(t, code, out)
	for _, args := range [][]string{{"backup", "restore", file}, {"backup", "verify", file}, {"backup", "key"}} {
		code, out := command(t, to, args...)
		assert.Equal(t, 1, code, "%v", args)
		assert.Contains(t, out, "there are no keys", "%v", args)
		_ = filepath.WalkDir(to, func(path string, entry fs.DirEntry, _ error) error {
			assert.True(t, entry.IsDir(), "%v: %s", args, path)
			return nil
		})
	}
	require.NoError(t, os.CopyFS(filepath.Join(to, "keys"), os.DirFS(filepath.Join(from, "keys"))))
	require.NoError(t, os.Rename(filepath.Join(from, "keyring.json"), filepath.Join(to, "keyring.json")))
	code, out = command(t, to, "backup", "restore", file)
	require.Zero(t, code, out)
}
