package guard_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"simora/server/guard"
	"simora/server/sim"
	"simora/server/wire"
)

func TestClientAddress(t *testing.T) {
	proxies := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("2001:db8::/32")}
	for _, c := range []struct {
		name, peer string
		forwarded  []string
		want       string
	}{
		{"no proxy", "203.0.113.9:1", nil, "203.0.113.9"},
		{"spoofed without a proxy", "203.0.113.9:1", []string{"198.51.100.1"}, "203.0.113.9"},
		{"behind a proxy", "10.1.1.1:1", []string{"198.51.100.1"}, "198.51.100.1"},
		{"spoofed on the left", "10.1.1.1:1", []string{"1.1.1.1, 198.51.100.1"}, "198.51.100.1"},
		{"two proxies", "10.1.1.1:1", []string{"198.51.100.1, 10.2.2.2"}, "198.51.100.1"},
		{"several header lines", "10.1.1.1:1", []string{"1.1.1.1", "198.51.100.1"}, "198.51.100.1"},
		{"broken list", "10.1.1.1:1", []string{"198.51.100.1, unknown"}, "10.1.1.1"},
		{"only proxies", "10.1.1.1:1", []string{"10.2.2.2"}, "10.2.2.2"},
		{"mapped address", "[::ffff:203.0.113.9]:1", nil, "203.0.113.9"},
		{"mapped in the list", "10.1.1.1:1", []string{"::ffff:198.51.100.1"}, "198.51.100.1"},
		{"IPv6 proxy", "[2001:db8::1]:1", []string{"2a00::5"}, "2a00::5"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodGet, "/", nil)
			r.RemoteAddr = c.peer
			for _, line := range c.forwarded {
				r.Header.Add("X-Forwarded-For", line)
			}
			for _, other := range []string{"X-Real-IP", "Forwarded", "True-Client-IP", "CF-Connecting-IP", "X-Client-IP"} {
				r.Header.Set(other, "9.9.9.9")
			}
			assert.Equal(t, c.want, guard.ClientAddress(r, proxies))
		})
	}
}

func TestLimits(t *testing.T) {
	ctx := context.Background()
	limit := wire.Limit{By: wire.ByAddress, Count: 1, Per: time.Hour, Burst: 3}
	l := guard.NewLimits(1)
	for range 3 {
		require.NoError(t, l.Allow(ctx, "/a", limit, "203.0.113.9"))
	}
	err := l.Allow(ctx, "/a", limit, "203.0.113.9")
	require.ErrorIs(t, err, sim.ErrRateLimited)
	assert.Greater(t, sim.AsError(err).RetryAfter, 50*time.Minute)
	assert.NoError(t, l.Allow(ctx, "/a", limit, "203.0.113.10"), "another address")
	assert.NoError(t, l.Allow(ctx, "/b", limit, "203.0.113.9"), "another budget")

	for i := range 3 {
		require.NoError(t, l.Allow(ctx, "/a", limit, "2001:db8::"+string(rune('1'+i))))
	}
	assert.ErrorIs(t, l.Allow(ctx, "/a", limit, "2001:db8::ffff"), sim.ErrRateLimited, "one /64 is one caller")
	assert.NoError(t, l.Allow(ctx, "/a", limit, "2001:db8:0:1::1"))

	wide := guard.NewLimits(2)
	for range 6 {
		require.NoError(t, wide.Allow(ctx, "/a", limit, "203.0.113.9"))
	}
	assert.ErrorIs(t, wide.Allow(ctx, "/a", limit, "203.0.113.9"), sim.ErrRateLimited)
}

// The id of a session is counted before it is known whether there is one: it
// may be as long as a body.
func TestLongKeysAreNotKept(t *testing.T) {
	l, limit := guard.NewLimits(1), wire.Limit{By: wire.BySession, Count: 1, Per: time.Hour, Burst: 1}
	long := strings.Repeat("x", 64<<10)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for i := range 1000 {
		_ = l.Allow(t.Context(), "/a", limit, fmt.Sprint(i, long))
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	assert.Less(t, int64(after.HeapAlloc)-int64(before.HeapAlloc), int64(8<<20))
	assert.NoError(t, l.Allow(t.Context(), "/a", limit, "a session"))
}

func wall(log *bytes.Buffer, h http.HandlerFunc) http.Handler {
	return guard.Wall(guard.Options{
		Log:   slog.New(guard.LogHandler(slog.NewJSONHandler(log, nil))),
		NewID: func() string { return "request-1" }, Now: time.Now, HTTPS: true,
	}, h)
}

func TestPanicBecomesTheServicesError(t *testing.T) {
	var log bytes.Buffer
	h := wall(&log, func(http.ResponseWriter, *http.Request) { panic("secret detail") })
	for path, key := range map[string]string{"/functions/v1/session-turn": "error", "/auth/v1/token": "msg", "/rest/v1/scenarios": "details", "/storage/v1/object/x": "statusCode"} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, path, nil))
		assert.Equal(t, http.StatusInternalServerError, w.Code)
		var body map[string]any
		require.NoError(t, json.Unmarshal(w.Body.Bytes(), &body), path)
		assert.Contains(t, body, key, path)
		assert.NotContains(t, w.Body.String(), "secret")
	}
	assert.Contains(t, log.String(), "secret detail")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/platform", nil))
	assert.Equal(t, http.StatusInternalServerError, w.Code)
}

func TestAccessLogHoldsNoPersonalData(t *testing.T) {
	var log bytes.Buffer
	h := wall(&log, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	r := httptest.NewRequest(http.MethodPost, "/functions/v1/x?email=canary@example.com", strings.NewReader("canary"))
	r.Header.Set("Authorization", "Bearer canary")
	r.Header.Set("User-Agent", "canary")
	r.RemoteAddr = "203.0.113.9:1"
	h.ServeHTTP(httptest.NewRecorder(), r)
	line := log.String()
	assert.NotContains(t, line, "canary")
	assert.NotContains(t, line, "203.0.113.9")
	var fields map[string]any
	require.NoError(t, json.Unmarshal(log.Bytes(), &fields))
	assert.EqualValues(t, http.StatusTeapot, fields["status"])
	assert.Equal(t, "request-1", fields["request"])
}

func TestEveryAnswerIsHardened(t *testing.T) {
	h := wall(&bytes.Buffer{}, func(http.ResponseWriter, *http.Request) {})
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
	for _, name := range []string{"Content-Security-Policy", "X-Content-Type-Options", "Referrer-Policy", "Cross-Origin-Opener-Policy", "Cross-Origin-Resource-Policy", "Permissions-Policy", "Strict-Transport-Security", "X-Request-Id"} {
		assert.NotEmpty(t, w.Header().Get(name), name)
	}
}

// A configured public address is the only name that is served; without one any
// is, so that a first look on a local network works.
func TestOtherHostsAreMisdirected(t *testing.T) {
	ask := func(configured, host, path string) int {
		wall := guard.Wall(guard.Options{Host: configured, Log: slog.New(slog.DiscardHandler), NewID: func() string { return "1" }, Now: time.Now},
			http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) }))
		r := httptest.NewRequest(http.MethodGet, path, nil)
		r.Host = host
		w := httptest.NewRecorder()
		wall.ServeHTTP(w, r)
		assert.NotContains(t, w.Body.String(), "evil")
		assert.Equal(t, "nosniff", w.Header().Get("X-Content-Type-Options"))
		return w.Code
	}
	const public = "training.example.com"
	for _, host := range []string{public, public + ":443", "TRAINING.example.com", public + ".", "localhost:8080", "127.0.0.1:8080", "[::1]:8080"} {
		assert.Equal(t, http.StatusOK, ask(public, host, "/"), host)
	}
	for _, host := range []string{"evil.example", "training.example.com.evil.example", "evil.example:443", "", "10.0.0.1", "nottraining.example.com"} {
		assert.Equal(t, http.StatusMisdirectedRequest, ask(public, host, "/"), host)
	}
	assert.Equal(t, http.StatusOK, ask(public, "10.0.0.1:8080", "/readyz"), "an orchestrator asks by address")
	assert.Equal(t, http.StatusOK, ask("", "anything.example", "/"))
}
