package app

import (
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"simora/server/audit"
	"simora/server/config"
	"simora/server/keyring"
	"simora/server/privacy"
	"simora/server/store"
)

func testStore(t *testing.T) *store.Store { return testStoreAt(t, time.Now) }

func testStoreAt(t *testing.T, now func() time.Time) *store.Store {
	t.Helper()
	dir := t.TempDir()
	keys, err := keyring.Load(filepath.Join(dir, keyring.FileName))
	require.NoError(t, err)
	s, err := store.Open(t.Context(), store.Options{Dir: dir, Keyring: keys, Log: slog.New(slog.DiscardHandler), Now: now})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

// Whoever else learns of a visitor is named on the privacy page.
func TestReceiversAreNamed(t *testing.T) {
	s := testStore(t)
	said := func(set func(*serveCommand)) string {
		var c serveCommand
		set(&c)
		var err error
		c.network, err = c.outward()
		require.NoError(t, err)
		_, facts, err := c.sharing(t.Context(), s)
		require.NoError(t, err)
		return facts[len(facts)-1].Text
	}
	records := func(c *serveCommand) { c.XAPIEndpoint = "https://lrs.example/xapi" }
	none := func(*serveCommand) {}
	assert.Contains(t, said(none), "no other machine")
	assert.Contains(t, said(records), "learning record store")

	_, err := s.AddHook(t.Context(), store.Hook{ID: "h", Target: store.HookTarget{URL: "https://crm.example/x"}, Events: []string{"contact.received"}, CreatedAt: time.Now()}, 9)
	require.NoError(t, err)
	assert.Contains(t, said(none), "no other machine", "the hook is off")
	require.NoError(t, s.SwitchHook(t.Context(), "h", true))
	assert.Contains(t, said(none), "systems of the owner's")
	assert.NotContains(t, said(none), "crm.example")
}

// A record store is an endpoint like the others where regions are limited.
func TestRecordStoreHasARegion(t *testing.T) {
	var c serveCommand
	c.XAPIEndpoint, c.Region, c.AllowedRegions = "https://lrs.example/xapi", "eu-a", config.Regions{"eu-a"}
	_, err := c.outward()
	require.ErrorContains(t, err, "SIMORA_XAPI_ENDPOINT has no region")
	require.NoError(t, c.Regions.UnmarshalText([]byte("xapi=us-a")))
	_, err = c.outward()
	require.ErrorContains(t, err, "SIMORA_XAPI_ENDPOINT is in the region us-a")
	require.NoError(t, c.Regions.UnmarshalText([]byte("xapi=eu-a")))
	network, err := c.outward()
	require.NoError(t, err)
	assert.Len(t, network.Links(), 1, "it is in the list of connections")
}

// A verification of long ago says nothing about today.
func TestAuditLogThatIsNotVerifiedFails(t *testing.T) {
	for age, want := range map[time.Duration]privacy.State{time.Hour: privacy.Active, 25 * time.Hour: privacy.Active, 72 * time.Hour: privacy.Failing} {
		s := testStoreAt(t, func() time.Time { return time.Now().Add(-age) })
		trail := audit.Trail{Store: s, Dir: t.TempDir(), Log: slog.New(slog.DiscardHandler)}
		_, err := trail.Verify(t.Context())
		require.NoError(t, err)
		state, _, err := accessControl(t.Context(), trail)
		require.NoError(t, err)
		assert.Equal(t, want, state, age)
	}
}
