package console_test

import (
	"crypto/rand"
	"encoding/base64"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"simora/server/console"
	"simora/server/hooks"
	"simora/server/keyring"
	"simora/server/sim"
	"simora/server/store"
)

func connect(t *testing.T) *console.Integrations {
	t.Helper()
	dir := t.TempDir()
	keys, err := keyring.Load(filepath.Join(dir, keyring.FileName))
	require.NoError(t, err)
	s, err := store.Open(t.Context(), store.Options{Dir: dir, Keyring: keys, Log: slog.Default(), Exclusive: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return &console.Integrations{Store: s, Now: time.Now, NewID: uuid.NewString, Random: rand.Reader}
}

func TestWebhookForm(t *testing.T) {
	good := console.HookInput{URL: "https://example.com/hook", Events: []string{"report.mailed", "run.finished"}}
	for _, c := range []struct {
		name string
		set  func(*console.HookInput)
		says string
	}{
		{"good", func(*console.HookInput) {}, ""},
		{"no https", func(in *console.HookInput) { in.URL = "http://example.com" }, "url: "},
		{"this machine", func(in *console.HookInput) { in.URL = "http://localhost:1" }, "url: "},
		{"no event", func(in *console.HookInput) { in.Events = nil }, "events: "},
		{"unknown event", func(in *console.HookInput) { in.Events = []string{"run.finished", "test"} }, "events: "},
		{"event twice", func(in *console.HookInput) { in.Events = []string{"run.finished", "run.finished"} }, "events: "},
		{"two in one", func(in *console.HookInput) { in.Events = []string{"run.finished report.mailed"} }, "events: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := good
			c.set(&in)
			desk := connect(t)
			h, secret, err := desk.CreateHook(t.Context(), in)
			if c.says != "" {
				require.ErrorContains(t, err, c.says)
				assert.Equal(t, sim.Invalid, sim.AsError(err).Kind)
				return
			}
			require.NoError(t, err)
			key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
			require.NoError(t, err)
			assert.Len(t, key, 32)
			page, err := desk.Connected(t.Context())
			require.NoError(t, err)
			require.Len(t, page.Hooks, 1)
			assert.Equal(t, h.Events, page.Hooks[0].Events)
		})
	}
}

func TestTestsAndLimits(t *testing.T) {
	desk := connect(t)
	in := console.HookInput{URL: "https://example.com/hook", Events: []string{"run.finished"}}
	first, _, err := desk.CreateHook(t.Context(), in)
	require.NoError(t, err)
	for range hooks.MostHooks - 1 {
		_, _, err := desk.CreateHook(t.Context(), in)
		require.NoError(t, err)
	}
	_, secret, err := desk.CreateHook(t.Context(), in)
	require.ErrorContains(t, err, "Delete one first")
	assert.Empty(t, secret, "no secret of a webhook that is not there")

	id := console.IDInput{ID: first.ID}
	require.NoError(t, desk.TestHook(t.Context(), id))
	require.NoError(t, desk.TestHook(t.Context(), id))
	page, err := desk.Connected(t.Context())
	require.NoError(t, err)
	require.Len(t, page.Deliveries, 2, "each test is one of its own, for this webhook alone")
	assert.Equal(t, []any{first.ID, "test", "queued"}, []any{page.Deliveries[0].HookID, page.Deliveries[0].Event, page.Deliveries[0].State})

	require.NoError(t, desk.SwitchHook(t.Context(), console.SwitchInput{ID: first.ID}))
	require.ErrorContains(t, desk.TestHook(t.Context(), id), "off")
	require.NoError(t, desk.DeleteHook(t.Context(), id))
	require.ErrorIs(t, desk.TestHook(t.Context(), id), store.ErrHookNotFound)
	require.ErrorIs(t, desk.SendAgain(t.Context(), console.IDInput{ID: "none"}), store.ErrDeliveryNotFound)
}
