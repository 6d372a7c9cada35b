package faults_test

import (
	"fmt"
	"log/slog"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"simora/server/contact"
	"simora/server/fakes/smtp"
	"simora/server/keyring"
	"simora/server/store"
	"simora/tests/pgserver"
	"simora/tests/product"
)

const contactKills = 5

// A contact message that was acknowledged is there after the power switch, once
// for its key, although no letter could be handed over.
func TestAcknowledgedContactMessageSurvivesAKill(t *testing.T) {
	if testing.Short() {
		t.Skip("kills processes for a while")
	}
	t.Run("sqlite", func(t *testing.T) { killAfterContact(t, "") })
	t.Run("postgres", func(t *testing.T) { killAfterContact(t, pgserver.Database(t)) })
}

func killAfterContact(t *testing.T, url string) {
	dir := t.TempDir()
	mailServer := &smtp.Server{Recipient: smtp.Temporary}
	mailServer.Start(t, "")
	env := []string{"SIMORA_SMTP_URL=smtp://127.0.0.1:" + mailServer.Port + "?tls=none"}
	if url != "" {
		env = append(env, "SIMORA_DATABASE_URL="+url)
	}
	var answer struct{ Success bool }
	for i := range contactKills {
		in := contact.Input{Name: fmt.Sprint("Visitor ", i), Email: "visitor@example.com", Reason: "demo", Message: "Please call."}
		key := fmt.Sprint("k-", i)
		server := product.Start(t, dir, env...)
		_, err := server.Call(t.Context(), "send-contact-email", key, in, &answer)
		server.Kill()
		require.NoError(t, err)

		server = product.Start(t, dir, env...)
		_, err = server.Call(t.Context(), "send-contact-email", key, in, &answer)
		server.Kill()
		require.NoError(t, err, "the repetition is known")
		require.True(t, answer.Success)
	}

	keys, err := keyring.Load(filepath.Join(dir, keyring.FileName))
	require.NoError(t, err)
	s, err := store.Open(t.Context(), store.Options{URL: url, Dir: dir, Keyring: keys, Log: slog.Default()})
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	kept, err := s.ContactMessages(t.Context(), 100)
	require.NoError(t, err)
	require.Len(t, kept, contactKills)
	for i, m := range kept {
		assert.Equal(t, fmt.Sprint("Visitor ", contactKills-1-i), m.Name)
	}
	_, waiting, err := s.NextMailDue(t.Context())
	require.NoError(t, err)
	assert.True(t, waiting, "the letters wait for the mail server")
}
