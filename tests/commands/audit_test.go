package commands_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	_ "modernc.org/sqlite" // the "sqlite" driver
)

// The log of a server's life, as an operator reads and verifies it.
func TestAuditLogOfALife(t *testing.T) {
	dir := t.TempDir()
	data := []string{"SIMORA_DATA=" + dir}
	startAndStop(t, append(data, "SIMORA_SMTP_URL=smtp://user:hunter2@127.0.0.1:1?tls=none", "SIMORA_ADMIN_EMAIL=boss@example.com")...)
	for _, args := range [][]string{
		{"admin", "create", "--role", "viewer", "looker@example.com"},
		{"admin", "role", "looker@example.com", "admin"},
		{"admin", "role", "looker@example.com", "none"},
		{"admin", "reset", "looker@example.com"},
	} {
		_, stderr, code := run(t, data, args...)
		require.Zero(t, code, stderr)
	}
	_, stderr, code := run(t, data, "admin", "role", "boss@example.com", "viewer")
	assert.Equal(t, 1, code)
	assert.Contains(t, stderr, "only admin")
	_, _, code = run(t, data, "admin", "role", "looker@example.com", "king")
	assert.Equal(t, 2, code)

	out, stderr, code := run(t, data, "audit", "verify")
	require.Zero(t, code, stderr)
	assert.Regexp(t, `Entries 1 to \d+ are whole and in order`, out)
	out, stderr, code = run(t, data, "audit", "list", "--since", "1h")
	require.Zero(t, code, stderr)
	at := 0
	for _, text := range []string{
		"scenario.created", "server.started", "mail=SMTP", "user.created", "(done) by system", "email=boss@example.com", "server.stopped",
		"user.created", "by command", "roles=viewer", "user.role_changed", "role=admin", "user.password_changed", "audit.verified",
	} {
		found := strings.Index(out[at:], text)
		require.GreaterOrEqual(t, found, 0, "%q is not behind what comes before it:\n%s", text, out)
		at += found
	}
	assert.NotContains(t, out, "hunter2")
	out, _, _ = run(t, data, "audit", "list", "--action", "user.created")
	assert.Len(t, strings.Split(strings.TrimSpace(out), "\n"), 2)
	_, stderr, code = run(t, data, "audit", "list", "--action", "made.up")
	assert.Equal(t, 1, code)
	assert.Contains(t, stderr, "auth.signed_in")

	raw, err := os.ReadFile(filepath.Join(dir, "audit-head.jsonl"))
	require.NoError(t, err)
	assert.Contains(t, string(raw), `"hash"`)
	db, err := sql.Open("sqlite", filepath.Join(dir, "simora.db"))
	require.NoError(t, err)
	defer func() { _ = db.Close() }()
	_, err = db.Exec("UPDATE audit_log SET actor_kind = 'system' WHERE action = 'user.role_changed'")
	require.NoError(t, err)
	out, stderr, code = run(t, data, "audit", "verify")
	assert.Equal(t, 1, code)
	assert.Regexp(t, `entry \d+: is not as it was written: it was changed`, out)
	assert.Contains(t, stderr, "2 problems")
}
