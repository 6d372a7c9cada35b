package commands_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"simora/tests/product"
)

// A backup comes back whole into an empty directory, and who was erased since
// does not come back with it.
func TestRestoreKeepsErasedPeopleErased(t *testing.T) {
	const jane, joe = "jane@example.com", "joe@example.com"
	dir := t.TempDir()
	server := product.Start(t, dir)
	for _, email := range []string{jane, joe} {
		message := map[string]string{"name": "N", "email": email, "reason": "demo", "message": "canary"}
		_, err := server.Call(t.Context(), "send-contact-email", "", message, &struct{}{})
		require.NoError(t, err)
	}
	file := filepath.Join(t.TempDir(), "simora.backup")
	stdout, stderr, code := run(t, []string{"SIMORA_DATA=" + dir}, "backup", "create", file)
	require.Zero(t, code, stderr)
	assert.Contains(t, stdout, "written and verified")
	_, stderr, code = run(t, []string{"SIMORA_DATA=" + dir}, "backup", "create", file)
	assert.Equal(t, 1, code)
	assert.Contains(t, stderr, "is there already")

	stdout, stderr, code = run(t, []string{"SIMORA_DATA=" + dir}, "person", "erase", "JANE@example.com")
	require.Zero(t, code, stderr)
	assert.Contains(t, stdout, "1 contact messages")
	require.Zero(t, server.Stop())

	target := t.TempDir()
	_, stderr, code = run(t, []string{"SIMORA_DATA=" + target}, "backup", "restore", file)
	assert.Equal(t, 1, code, "without keys")
	assert.Contains(t, stderr, "there are no keys")

	target = t.TempDir() // what is kept apart from the database comes first
	require.NoError(t, os.CopyFS(filepath.Join(target, "keys"), os.DirFS(filepath.Join(dir, "keys"))))
	key, err := os.ReadFile(filepath.Join(dir, "keyring.json"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(target, "keyring.json"), key, 0o600))
	stdout, stderr, code = run(t, []string{"SIMORA_DATA=" + target}, "backup", "restore", file)
	require.Zero(t, code, stderr)
	assert.Contains(t, stdout, "restored")
	assert.Equal(t, 1, kept(t, target, jane), "the backup is from before")

	require.Zero(t, product.Start(t, target).Stop())
	assert.Zero(t, kept(t, target, jane))
	assert.Equal(t, 1, kept(t, target, joe))
	stdout, stderr, code = run(t, []string{"SIMORA_DATA=" + target}, "audit", "verify")
	assert.Zero(t, code, stdout+stderr)
}

// kept counts the contact messages of an address.
func kept(t *testing.T, dir, email string) int {
	t.Helper()
	stdout, stderr, code := run(t, []string{"SIMORA_DATA=" + dir}, "person", "export", email)
	require.Zero(t, code, stderr)
	var found struct {
		Contact []any `json:"contact_messages"`
	}
	require.NoError(t, json.Unmarshal([]byte(stdout), &found))
	return len(found.Contact)
}
