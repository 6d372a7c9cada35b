package network_test

import (
	"crypto/tls"
	"io/fs"
	"net/http"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"simora/tests/acmeserver"
	"simora/tests/product"
)

const domain = "training.simora.test"

// The binary gets a certificate from a real authority by either challenge,
// keeps it to itself, and does not order another one at the next start.
func TestCertificatesFromAnAuthority(t *testing.T) {
	if testing.Short() {
		t.Skip("needs an ACME authority")
	}
	for _, challenge := range []string{"tls-alpn-01", "http-01"} {
		t.Run(challenge, func(t *testing.T) {
			secure, plain, nobody := acmeserver.FreeAddress(t), acmeserver.FreeAddress(t), acmeserver.FreeAddress(t)
			ports := acmeserver.Ports{TLS: acmeserver.Port(t, secure), HTTP: acmeserver.Port(t, nobody)}
			if challenge == "http-01" {
				ports = acmeserver.Ports{TLS: acmeserver.Port(t, nobody), HTTP: acmeserver.Port(t, plain)}
			}
			authority := acmeserver.Start(t, ports)
			dir := t.TempDir()
			trust := &tls.Config{RootCAs: authority.Roots, ServerName: domain}
			settings := []string{
				"SIMORA_LISTEN=" + secure, "SIMORA_HTTP_LISTEN=" + plain, "SIMORA_ACME_DOMAINS=" + domain, "SIMORA_ACME_EMAIL=ops@simora.test",
				"SIMORA_ACME_DIRECTORY=" + authority.Directory, "SIMORA_CA_FILE=" + authority.CAFile,
			}
			first := product.StartTLS(t, trust, dir, settings...)
			serial := served(t, secure, trust)
			assert.Equal(t, 0, first.Stop())

			files := 0
			require.NoError(t, filepath.WalkDir(filepath.Join(dir, "acme"), func(path string, d fs.DirEntry, err error) error {
				require.NoError(t, err)
				info, err := d.Info()
				require.NoError(t, err)
				if d.IsDir() {
					assert.Equal(t, fs.FileMode(0o700), info.Mode().Perm(), path)
					return nil
				}
				files++
				assert.Equal(t, fs.FileMode(0o600), info.Mode().Perm(), path)
				return nil
			}))
			assert.Equal(t, 2, files, "the account's key and one certificate")

			product.StartTLS(t, trust, dir, settings...)
			assert.Equal(t, serial, served(t, secure, trust))

			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+plain+"/.well-known/acme-challenge/nothing", nil)
			require.NoError(t, err)
			r.Host = domain
			response, err := http.DefaultClient.Do(r)
			require.NoError(t, err)
			_ = response.Body.Close()
			assert.Equal(t, http.StatusNotFound, response.StatusCode)

			_, err = tls.Dial("tcp", secure, &tls.Config{RootCAs: authority.Roots, ServerName: "evil.simora.test"})
			assert.Error(t, err, "no certificate is ordered for a stranger's name")
		})
	}
}

// served is the serial number of the certificate that a visitor gets.
func served(t *testing.T, address string, trust *tls.Config) string {
	t.Helper()
	conn, err := tls.Dial("tcp", address, trust)
	require.NoError(t, err)
	defer func() { _ = conn.Close() }()
	return conn.ConnectionState().PeerCertificates[0].SerialNumber.String()
}
