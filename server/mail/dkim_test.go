package mail

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emersion/go-msgauth/dkim"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	fake "simora/server/fakes/smtp"
)

func keyFile(t *testing.T, key crypto.PrivateKey) string {
	t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "dkim.pem")
	require.NoError(t, os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), 0o600))
	return path
}

// verify checks a letter as a receiver would, with the record that we tell the
// operator to publish.
func verify(t *testing.T, s *Signature, raw string) error {
	t.Helper()
	found, err := dkim.VerifyWithOptions(strings.NewReader(raw), &dkim.VerifyOptions{LookupTXT: func(asked string) ([]string, error) {
		name, text, err := s.Record()
		assert.Equal(t, name, asked)
		return []string{text}, err
	}})
	require.NoError(t, err)
	require.Len(t, found, 1)
	assert.Equal(t, "simora.test", found[0].Domain)
	return found[0].Err
}

func TestLettersAreSigned(t *testing.T) {
	long, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	_, modern, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	attached, err := letters().Report(sampleRun())
	require.NoError(t, err)
	for name, key := range map[string]crypto.PrivateKey{"rsa": long, "ed25519": modern} {
		t.Run(name, func(t *testing.T) {
			signature, err := ReadSignature("simora.test", "s1", keyFile(t, key))
			require.NoError(t, err)
			server := &fake.Server{}
			server.Start(t, "")
			s, err := newSMTP(SenderOptions{SMTPURL: "smtp://127.0.0.1:" + server.Port + "?tls=none", From: from, Signature: signature})
			require.NoError(t, err)
			require.NoError(t, s.Send(t.Context(), letter()))
			require.NoError(t, s.Send(t.Context(), attached))
			received := server.Received()
			require.Len(t, received, 2)
			for _, r := range received {
				require.NoError(t, verify(t, signature, r.Data))
				for what, changed := range map[string]string{
					"another subject":  strings.Replace(r.Data, "Subject: ", "Subject: Fwd: ", 1),
					"a second subject": "Subject: win\r\n" + r.Data,
					"a second sender":  "From: evil@evil.example\r\n" + r.Data,
					"a reply address":  "Reply-To: evil@evil.example\r\n" + r.Data,
					"another kind":     "Content-Type: text/html\r\n" + r.Data,
					"another text":     r.Data + "more",
				} {
					assert.Error(t, verify(t, signature, changed), what)
				}
			}
		})
	}
}

func TestSigningKeys(t *testing.T) {
	short, err := rsa.GenerateKey(rand.Reader, 1024)
	require.NoError(t, err)
	other, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	text := filepath.Join(t.TempDir(), "text")
	require.NoError(t, os.WriteFile(text, []byte("no key"), 0o600))
	for file, want := range map[string]string{keyFile(t, short): "1024 bits", keyFile(t, other): "neither RSA nor Ed25519", text: "no key in PEM form", "/nowhere": "nowhere"} {
		_, err := ReadSignature("simora.test", "s1", file)
		assert.ErrorContains(t, err, want)
	}
}
