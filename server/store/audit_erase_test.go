package store

import (
	"log/slog"
	"path/filepath"
	"testing"
	"time"

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
		n, err := tx.eraseAudit(index, time.Now())
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

// The erasure is repeated at every start; what the log has of a later time,
// such as wrong passwords for an account with that address, is not erased.
func TestRepeatedErasureLeavesLaterEntries(t *testing.T) {
	dir := t.TempDir()
	keys, err := keyring.Load(filepath.Join(dir, keyring.FileName))
	require.NoError(t, err)
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	s, err := Open(t.Context(), Options{Dir: dir, Keyring: keys, Log: slog.New(slog.DiscardHandler), Now: func() time.Time { return now }})
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	wrongPassword := sim.Event{Action: sim.SignInFailed, Person: "eve@x.example", Detail: map[string]string{"email": "eve@x.example"}}
	require.NoError(t, s.Audit(t.Context(), wrongPassword))
	traces, err := s.TracesOf(t.Context(), "eve@x.example", now.Add(-time.Second)) // by a clock that is a little behind
	require.NoError(t, err)
	_, err = s.Erase(t.Context(), traces)
	require.NoError(t, err)
	now = now.Add(time.Hour)
	require.NoError(t, s.Audit(t.Context(), wrongPassword))
	_, err = s.Erase(t.Context(), traces)
	require.NoError(t, err)
	list, err := s.AuditEntries(t.Context(), AuditFilter{Limit: 9})
	require.NoError(t, err)
	require.Len(t, list, 3, "a repetition that erases nothing leaves no entry")
	assert.Equal(t, "eve@x.example", list[0].Detail["email"])
	assert.True(t, list[2].Erased)
}
