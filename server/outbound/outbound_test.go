package outbound_test

import (
	"crypto/x509"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"simora/server/outbound"
	"simora/tests/authority"
)

func link(t *testing.T, address string) outbound.Link {
	t.Helper()
	u, err := url.Parse(address)
	require.NoError(t, err)
	return outbound.HTTP("test", u)
}

// A server must prove the name it is called by, to an authority that we trust.
func TestServersProveTheirNames(t *testing.T) {
	ours, theirs := authority.New(t), authority.New(t)
	roots, err := outbound.ReadRoots(ours.File)
	require.NoError(t, err)
	for _, c := range []struct {
		name   string
		issuer *authority.Authority
		of     string
		roots  *x509.CertPool
		want   string // of the error; empty: it is spoken with
	}{
		{"good", ours, "127.0.0.1", roots, ""},
		{"of another name", ours, "evil.example", roots, "127.0.0.1"},
		{"of another authority", theirs, "127.0.0.1", roots, "unknown authority"},
		{"of our authority, which the system does not know", ours, "127.0.0.1", nil, "unknown authority"},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
			server.TLS = c.issuer.Server(t, c.of)
			server.StartTLS()
			defer server.Close()
			client := http.Client{Transport: outbound.New(c.roots, link(t, server.URL)).Transport()}
			response, err := client.Get(server.URL)
			if c.want != "" {
				require.ErrorContains(t, err, c.want)
				return
			}
			require.NoError(t, err)
			_ = response.Body.Close()
		})
	}
}

// Only links are dialled: not another port, not where a redirect leads, not a
// proxy that the environment names.
func TestNothingElseIsDialled(t *testing.T) {
	var asked []string
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { asked = append(asked, r.Host) }))
	defer other.Close()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, other.URL, http.StatusFound) }))
	defer server.Close()
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "ALL_PROXY"} {
		t.Setenv(name, other.URL)
	}
	network := outbound.New(nil, link(t, server.URL))
	client := http.Client{Transport: network.Transport()}
	for _, address := range []string{server.URL, other.URL, "http://simora.example", strings.Replace(server.URL, "127.0.0.1", "localhost", 1)} {
		_, err := client.Get(address)
		require.ErrorIs(t, err, outbound.ErrForbidden, address)
	}
	assert.Empty(t, asked)

	client.Transport = network.With(link(t, other.URL)).Transport()
	response, err := client.Get(server.URL)
	require.NoError(t, err)
	_ = response.Body.Close()
	assert.Len(t, asked, 1)
	assert.Len(t, network.Links(), 1, "the first network stays as it was")
}

func TestLinks(t *testing.T) {
	for _, c := range []struct {
		url, address string
		secure       bool
	}{
		{"https://llm.example/v1", "llm.example:443", true},
		{"http://llm.example", "llm.example:80", false},
		{"https://llm.example:8443/v1", "llm.example:8443", true},
		{"http://[::1]:11434", "[::1]:11434", false},
	} {
		assert.Equal(t, outbound.Link{Name: "test", Address: c.address, Encrypted: c.secure, Verified: c.secure}, link(t, c.url))
	}
	for address, local := range map[string]bool{
		"localhost:25": true, "127.0.0.1:25": true, "127.8.9.1:25": true, "[::1]:25": true, "[::ffff:127.0.0.1]:25": true, "/run/postgresql/.s.PGSQL.5432": true,
		"10.0.0.1:25": false, "mail.example:25": false, "localhost.example:25": false, "0.0.0.0:25": false, "[fe80::1]:25": false, "127.0.0.1.example:25": false,
	} {
		assert.Equal(t, local, outbound.Link{Address: address}.Local(), address)
	}
}

func TestAuthoritiesOfOnesOwn(t *testing.T) {
	none, err := outbound.ReadRoots("")
	require.NoError(t, err)
	assert.Nil(t, none)
	empty := filepath.Join(t.TempDir(), "empty.pem")
	require.NoError(t, os.WriteFile(empty, []byte("nothing"), 0o600))
	_, err = outbound.ReadRoots(empty)
	require.ErrorContains(t, err, "no certificate in PEM form")
}

func TestUnixSockets(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	listener, err := net.Listen("unix", path)
	require.NoError(t, err)
	defer func() { _ = listener.Close() }()
	conn, err := outbound.New(nil, outbound.Link{Address: path}).DialContext(t.Context(), "unix", path)
	require.NoError(t, err)
	_ = conn.Close()
}
