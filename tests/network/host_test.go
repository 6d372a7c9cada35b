package network_test

import (
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"simora/tests/product"
)

// Whatever name a request claims, in whatever way, comes back as a name in no
// header and no body, and no redirect leads there.
func TestClaimedNamesComeBackNowhere(t *testing.T) {
	const ours = "Host: " + domain + "\r\n"
	server := product.Start(t, t.TempDir(), "SIMORA_PUBLIC_URL=https://"+domain, "SIMORA_TRUSTED_PROXIES=10.0.0.0/8")
	for _, raw := range []string{
		"GET / HTTP/1.1\r\nHost: evil.example\r\n",
		"GET / HTTP/1.1\r\n" + ours + "X-Forwarded-Host: evil.example\r\nX-Forwarded-Proto: http\r\nForwarded: host=evil.example\r\n",
		"GET http://evil.example/ HTTP/1.1\r\n" + ours,
		"GET x:@evil.example HTTP/1.1\r\n" + ours,
		"GET //evil.example/ HTTP/1.1\r\n" + ours,
		"GET //evil.example/.. HTTP/1.1\r\n" + ours,
		"GET /\\evil.example/ HTTP/1.1\r\n" + ours,
		"GET /%2f/evil.example/ HTTP/1.1\r\n" + ours,
		"GET /%5cevil.example/ HTTP/1.1\r\n" + ours,
		"GET /.//evil.example/ HTTP/1.1\r\n" + ours,
		"GET /sitemap.xml HTTP/1.1\r\n" + ours + "X-Original-URL: http://evil.example/\r\n",
		"GET /functions/v1/x HTTP/1.1\r\n" + ours + "Origin: https://evil.example\r\n",
	} {
		t.Run(strings.ReplaceAll(raw, "\r\n", " "), func(t *testing.T) {
			conn, err := net.Dial("tcp", strings.TrimPrefix(server.URL, "http://"))
			require.NoError(t, err)
			defer func() { _ = conn.Close() }()
			require.NoError(t, conn.SetDeadline(time.Now().Add(patience)))
			_, err = io.WriteString(conn, raw+"Connection: close\r\n\r\n")
			require.NoError(t, err)
			answer, err := io.ReadAll(conn)
			require.NoError(t, err)
			require.True(t, strings.HasPrefix(string(answer), "HTTP/1.1 "))
			for _, line := range strings.Split(string(answer), "\r\n") {
				if location, ok := strings.CutPrefix(line, "Location: "); ok {
					assert.Regexp(t, `^(https://`+domain+`)?/([^/\\]|$)`, location)
					continue
				}
				assert.NotRegexp(t, `(//|\\|@|: *)evil\.example`, line) // it may be a path of ours
			}
		})
	}
}
