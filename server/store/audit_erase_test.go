package store

import (
	"log/slog"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"simora/server/keyring"
	"simora/server/sim"
)

// What the log has of a person goes; the chain is whole, and says how many.
func TestErasureLeavesTheChainWhole(t *testing.T) {
	dir := t.TempDir()
	keys, err := keyring.Load(filepath.Join(dir, keyring.FileName))
	require.NoError(t, err)
	s, err := Open(t.Context(), Options{Dir: dir, Keyring: keys, Log: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	for _, email := range []string{"eve@x.example", "bob@x.example", "Eve@X.example"} {
		require.NoError(t, s.Audit(t.Context(), sim.Event{Action: sim.SignInFailed, Person: email, Detail: map[string]string{"email": email}}))
	}
	index, err := emailIndex(s, "eve@x.example")
	require.NoError(t, err)
	require.NoError(t, s.inTx(t.Context(), durable, "erase", func(tx *Tx) error {
		n, err := tx.eraseAudit(index)
		assert.EqualValues(t, 2, n)
		return err
	}))
	check, err := s.VerifyAudit(t.Context(), nil)
	require.NoError(t, err)
	assert.Equal(t, AuditCheck{First: 1, Last: 3, Erased: 2}, check)
	list, err := s.AuditEntries(t.Context(), AuditFilter{Limit: 9})
	require.NoError(t, err)
	assert.True(t, list[0].Erased)
	assert.Nil(t, list[0].Detail)
	assert.Equal(t, "bob@x.example", list[1].Detail["email"])
}
