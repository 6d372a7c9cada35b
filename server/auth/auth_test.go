package auth_test

import (
	"context"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"simora/server/auth"
	"simora/server/keyring"
	"simora/server/store"
)

func TestPasswordRules(t *testing.T) {
	for password, fine := range map[string]bool{
		"correct horse battery":                     true,
		strings.Repeat("many words on a wall ", 48): true,
		"passwordpassword1":                         false,
		"qwertyuiop12345":                           false,
		"iloveyouiloveyou":                          false,
		"123456789012345":                           false,
		"simora-admin-2026":                         false,
		"fourteen chars":                            false,
		"":                                          false,
		strings.Repeat("a", 30):                     false,
		strings.Repeat("many words on a wall ", 50): false,
		"ééééééééééééé😀x":                           true,
	} {
		_, err := auth.HashPassword(password, "simora", "admin")
		assert.Equal(t, fine, err == nil, "%q: %v", password, err)
	}
}

func TestLongPasswordsAreNotCut(t *testing.T) {
	long := strings.Repeat("many words on a wall, ", 6)
	hash, err := auth.HashPassword(long)
	require.NoError(t, err)
	for password, want := range map[string]bool{long: true, long[:100] + "#" + long[101:]: false} {
		ok, err := auth.PasswordMatches(password, hash)
		require.NoError(t, err)
		assert.Equal(t, want, ok)
	}
}

func TestFirstAdminIsMadeOnce(t *testing.T) {
	dir, ctx := t.TempDir(), context.Background()
	keys, err := keyring.Load(filepath.Join(dir, keyring.FileName))
	require.NoError(t, err)
	s, err := store.Open(ctx, store.Options{Dir: dir, Keyring: keys, Log: slog.Default()})
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	a := auth.Accounts{Store: s, Now: time.Now}

	shown, made, err := a.FirstAdmin(ctx, "Admin@Example.com", "")
	require.NoError(t, err)
	assert.True(t, made)
	u, err := s.UserByEmail(ctx, "admin@example.com")
	require.NoError(t, err)
	ok, err := auth.PasswordMatches(shown, u.PasswordHash)
	require.NoError(t, err)
	assert.True(t, ok, "the shown password works")

	_, made, err = a.FirstAdmin(ctx, "other@example.com", "")
	require.NoError(t, err)
	assert.False(t, made)

	again, err := a.ResetPassword(ctx, "admin@example.com", "")
	require.NoError(t, err)
	assert.NotEqual(t, shown, again)
	_, err = a.Create(ctx, "Admin <admin2@example.com>", "correct horse battery", auth.RoleAdmin)
	assert.ErrorContains(t, err, "plain mail address")
}
