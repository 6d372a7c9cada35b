package network_test

import (
	"bytes"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"simora/tests/acmeserver"
	"simora/tests/authority"
	"simora/tests/product"
)

// door is a server that speaks HTTPS with a certificate of the test's
// authority.
type door struct {
	*product.Server

	address, plain string // where it speaks HTTPS, and HTTP
	cert, key      string // its files
	trust          *tls.Config
}

func encrypted(t *testing.T, settings ...string) door {
	t.Helper()
	own := authority.New(t)
	d := door{plain: acmeserver.FreeAddress(t), trust: &tls.Config{RootCAs: own.Roots}}
	d.cert, d.key = own.Issue(t, "localhost", "127.0.0.1", domain)
	d.Server = product.StartTLS(t, d.trust, t.TempDir(), append([]string{"SIMORA_TLS_CERT=" + d.cert, "SIMORA_TLS_KEY=" + d.key, "SIMORA_HTTP_LISTEN=" + d.plain}, settings...)...)
	d.address = strings.TrimPrefix(d.URL, "https://")
	return d
}

// Every version and every suite that Go can speak is offered, one by one.
func TestOnlyStrongTLS(t *testing.T) {
	d := encrypted(t)
	offer := func(version, suite uint16) bool {
		conn, err := net.Dial("tcp", d.address)
		require.NoError(t, err)
		defer func() { _ = conn.Close() }()
		config := d.trust.Clone()
		config.ServerName, config.MinVersion, config.MaxVersion = "localhost", version, version
		if suite != 0 {
			config.CipherSuites = []uint16{suite}
		}
		return tls.Client(conn, config).HandshakeContext(t.Context()) == nil
	}
	assert.False(t, offer(tls.VersionTLS10, 0), "TLS 1.0")
	assert.False(t, offer(tls.VersionTLS11, 0), "TLS 1.1")
	assert.True(t, offer(tls.VersionTLS12, 0), "TLS 1.2")
	assert.True(t, offer(tls.VersionTLS13, 0), "TLS 1.3")
	accepted := 0
	for _, suite := range append(tls.CipherSuites(), tls.InsecureCipherSuites()...) {
		if suite.SupportedVersions[0] == tls.VersionTLS13 {
			continue
		}
		strong := strings.HasPrefix(suite.Name, "TLS_ECDHE_") && (strings.Contains(suite.Name, "_GCM_") || strings.Contains(suite.Name, "POLY1305"))
		fits := strong && strings.Contains(suite.Name, "ECDSA") // as the certificate's key
		assert.Equal(t, fits, offer(tls.VersionTLS12, suite.ID), suite.Name)
		if fits {
			accepted++
		}
	}
	assert.Equal(t, 3, accepted)
}

// Browsers find their way from http to https; a call that came in the clear is
// refused and goes nowhere.
func TestPlainHTTPBesideHTTPS(t *testing.T) {
	const public = "https://" + domain
	d := encrypted(t, "SIMORA_PUBLIC_URL="+public)
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for _, c := range []struct {
		method, path, host string
		status             int // of the storage, 400 with 403 in the body, as its protocol wants
		location           string
	}{
		{http.MethodGet, "/platform?x=1", domain, 301, public + "/platform?x=1"},
		{http.MethodHead, "/", domain, 301, public + "/"},
		{http.MethodGet, "/", "evil.example", 301, public + "/"},
		{http.MethodGet, "//evil.example/x", domain, 301, public + "//evil.example/x"},
		{http.MethodPost, "/contact", domain, 403, ""},
		{http.MethodPost, "/functions/v1/session-start", domain, 403, ""},
		{http.MethodOptions, "/functions/v1/session-start", domain, 403, ""},
		{http.MethodGet, "/rest/v1/scenarios", domain, 403, ""},
		{http.MethodGet, "/storage/v1/object/public/industry-media/x", domain, 400, ""},
		{http.MethodGet, "/auth/v1/user", domain, 403, ""},
		{http.MethodTrace, "/", domain, 405, ""},
	} {
		r, err := http.NewRequestWithContext(t.Context(), c.method, "http://"+d.plain+c.path, strings.NewReader("{}"))
		require.NoError(t, err)
		r.Host = c.host
		r.Header.Set("Apikey", d.Key)
		response, err := client.Do(r)
		require.NoError(t, err)
		body, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		_ = response.Body.Close()
		assert.Equal(t, c.status, response.StatusCode, c.method+c.path)
		assert.Equal(t, c.location, response.Header.Get("Location"), c.path)
		assert.Empty(t, response.Header.Get("Strict-Transport-Security"), "means nothing in the clear")
		assert.NotContains(t, string(body), "evil.example\"")
	}
	for raw, status := range map[string]int{
		"GET http://evil.example/x HTTP/1.1\r\nHost: evil.example\r\n\r\n": 301,
		"GET x:@evil.example HTTP/1.1\r\nHost: " + domain + "\r\n\r\n":     403,
		"GET x:.evil.example HTTP/1.1\r\nHost: " + domain + "\r\n\r\n":     403,
	} {
		statuses, _ := ask(t, d.plain, raw)
		assert.Equal(t, []int{status}, statuses, raw)
	}
	secure := &http.Client{Transport: &http.Transport{TLSClientConfig: d.trust, ForceAttemptHTTP2: true}}
	response, err := secure.Get(d.URL + "/")
	require.NoError(t, err)
	_ = response.Body.Close()
	assert.Equal(t, 2, response.ProtoMajor)
	assert.Equal(t, "max-age=63072000; includeSubDomains", response.Header.Get("Strict-Transport-Security"))

	response, err = http.Get("http" + strings.TrimPrefix(d.URL, "https") + "/")
	require.NoError(t, err)
	_ = response.Body.Close()
	assert.Equal(t, http.StatusBadRequest, response.StatusCode, "plain words at the encrypted door")
}

// A renewed certificate is served without a restart; half a renewal changes
// nothing. Nobody's address is logged because of a failed handshake.
func TestCertificateIsExchangedWhileItRuns(t *testing.T) {
	d := encrypted(t)
	trust := d.trust.Clone()
	trust.ServerName = "localhost"
	first := served(t, d.address, trust)

	next := authority.New(t)
	cert, key := next.Issue(t, "localhost")
	replace := func(from, to string) {
		text, err := os.ReadFile(from)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(to+".new", text, 0o600))
		later := time.Now().Add(time.Second)
		require.NoError(t, os.Chtimes(to+".new", later, later))
		require.NoError(t, os.Rename(to+".new", to))
	}
	replace(cert, d.cert)
	assert.Equal(t, first, served(t, d.address, trust), "the key does not fit yet")
	replace(key, d.key)
	_, err := tls.Dial("tcp", d.address, trust)
	require.ErrorContains(t, err, "unknown authority", "the new one is by another authority")
	assert.NotEqual(t, first, served(t, d.address, &tls.Config{RootCAs: next.Roots, ServerName: "localhost"}))

	require.Equal(t, 0, d.Stop())
	assert.Contains(t, d.Log(), "the one before stays")
	assert.NotContains(t, d.Log(), "handshake")
	assert.NotContains(t, d.Log(), "127.0.0.1:")
}

// Settings that do not belong together stop the start; a server that nobody
// seems to encrypt says so.
func TestTransportSettings(t *testing.T) {
	own := authority.New(t)
	cert, key := own.Issue(t, "localhost")
	_, otherKey := own.Issue(t, "localhost")
	for _, c := range []struct {
		name     string
		settings []string
		want     string
	}{
		{"certificate alone", []string{"SIMORA_TLS_CERT=" + cert}, "belong together"},
		{"key of another", []string{"SIMORA_TLS_CERT=" + cert, "SIMORA_TLS_KEY=" + otherKey}, "SIMORA_TLS_CERT"},
		{"missing file", []string{"SIMORA_TLS_CERT=/nowhere.pem", "SIMORA_TLS_KEY=" + key}, "nowhere.pem"},
		{"both sources", []string{"SIMORA_TLS_CERT=" + cert, "SIMORA_TLS_KEY=" + key, "SIMORA_ACME_DOMAINS=a.example"}, "leave out one"},
		{"http address", []string{"SIMORA_TLS_CERT=" + cert, "SIMORA_TLS_KEY=" + key, "SIMORA_PUBLIC_URL=http://a.example"}, "SIMORA_PUBLIC_URL"},
		{"other domain", []string{"SIMORA_ACME_DOMAINS=a.example", "SIMORA_PUBLIC_URL=https://b.example"}, "without b.example"},
		{"no domain", []string{"SIMORA_ACME_DOMAINS=*.a.example"}, "without wildcards"},
		{"plain authority", []string{"SIMORA_ACME_DOMAINS=a.example", "SIMORA_ACME_DIRECTORY=http://acme.example/"}, "https://"},
		{"redirect to nothing", []string{"SIMORA_HTTP_LISTEN=127.0.0.1:0"}, "SIMORA_HTTP_LISTEN"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := product.TryStart(t.TempDir(), c.settings...)
			require.ErrorContains(t, err, c.want)
		})
	}
	const warning = "knows of no proxy that encrypts"
	for setting, warned := range map[string]bool{"SIMORA_TRUSTED_PROXIES=": true, "SIMORA_TRUSTED_PROXIES=10.0.0.0/8": false} {
		server := product.Start(t, t.TempDir(), "SIMORA_PUBLIC_URL=https://a.example", setting)
		server.Stop()
		assert.Equal(t, warned, bytes.Contains([]byte(server.Log()), []byte(warning)), setting)
	}
}
