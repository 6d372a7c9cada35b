package commands_test

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"simora/server/fakes/smtp"
)

// The check speaks with the server, sends nothing, and prints what to publish.
func TestMailCheck(t *testing.T) {
	_, private, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	der, err := x509.MarshalPKCS8PrivateKey(private)
	require.NoError(t, err)
	key := filepath.Join(t.TempDir(), "dkim.pem")
	require.NoError(t, os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), 0o600))
	server := &smtp.Server{Password: "right"}
	server.Start(t, "")
	settings := func(user string) []string {
		return []string{"SIMORA_DATA=" + t.TempDir(), "SIMORA_MAIL_FROM=Simora <reports@simora.test>", "SIMORA_SMTP_URL=smtp://" + user + "127.0.0.1:" + server.Port + "?tls=none",
			"SIMORA_DKIM_DOMAIN=simora.test", "SIMORA_DKIM_SELECTOR=s1", "SIMORA_DKIM_KEY_FILE=" + key}
	}
	out, log, code := run(t, settings(""), "mail", "check")
	require.Equal(t, 0, code, log)
	for _, want := range []string{"simora.test\n    v=spf1", "s1._domainkey.simora.test\n    v=DKIM1; k=ed25519; p=", "_dmarc.simora.test\n    v=DMARC1", "127.0.0.1:" + server.Port + " answers."} {
		assert.Contains(t, out, want)
	}
	assert.Empty(t, server.Received())

	_, log, code = run(t, settings("us:canary@"), "mail", "check")
	assert.Equal(t, 1, code)
	assert.Contains(t, log, "mail server")
	assert.NotContains(t, log, "canary")
	_, log, code = run(t, settings("")[:2], "mail", "check")
	assert.Equal(t, 1, code)
	assert.Contains(t, log, "SIMORA_SMTP_URL is not set")
	_, log, code = run(t, settings("")[:4], "mail", "check")
	assert.NotEqual(t, 0, code)
	assert.Contains(t, log, "belong together")
}
