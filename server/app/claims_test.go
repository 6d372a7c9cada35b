package app

import (
	"fmt"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"simora/server/keyring"
	"simora/server/outbound"
	"simora/server/store"
)

// The privacy page names everybody who is told something about a visitor.
func TestWhoIsToldAboutVisitorsIsNamed(t *testing.T) {
	dir := t.TempDir()
	keys, err := keyring.Load(filepath.Join(dir, keyring.FileName))
	require.NoError(t, err)
	s, err := store.Open(t.Context(), store.Options{Dir: dir, Keyring: keys, Log: slog.New(slog.DiscardHandler), Exclusive: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	said := func(c serveCommand) string {
		_, facts, err := c.sharing(t.Context(), s)
		require.NoError(t, err)
		return fmt.Sprint(facts)
	}
	c := serveCommand{network: outbound.New(nil, outbound.Link{Name: "smtp", Address: "127.0.0.1:25"})}
	assert.Contains(t, said(c), "speaks with no other machine about you")

	c.network = c.network.With(outbound.Link{Name: "llm", Address: "model.example:443"})
	assert.Contains(t, said(c), "uses a language model, which reads the conversation.")

	c.XAPIEndpoint = "https://records.example/xapi"
	hook := store.Hook{ID: "1", Events: []string{"run.finished"}, CreatedAt: time.Now(), Target: store.HookTarget{URL: "https://crm.example", Secret: "x"}}
	_, err = s.AddHook(t.Context(), hook, 9)
	require.NoError(t, err)
	assert.NotContains(t, said(c), "of the owner's", "a webhook that is off")
	require.NoError(t, s.SwitchHook(t.Context(), hook.ID, true))
	assert.Contains(t, said(c), "a language model, which reads the conversation, the owner's learning record store, another system of the owner's, which is told what happens here.")
}
