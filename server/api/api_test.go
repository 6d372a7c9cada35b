package api_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"simora/server/api"
	"simora/server/api/accounts"
	"simora/server/api/functions"
	"simora/server/api/objects"
	"simora/server/api/tables"
	"simora/server/guard"
	"simora/server/sim"
	"simora/server/store"
	"simora/server/wire"
)

const key = "sb_publishable_for_the_tests"

// budget refuses what it is told to and counts the rest.
type budget struct {
	refuse  wire.LimitBy
	refuses bool
	taken   atomic.Int32
}

func (b *budget) Allow(_ context.Context, _ string, l wire.Limit, _ string) error {
	b.taken.Add(1)
	if b.refuses && l.By == b.refuse {
		return sim.ErrRateLimited.After(90 * time.Second)
	}
	return nil
}

type message struct {
	SessionID string `json:"sessionId"`
	Fail      string `json:"fail"`
}

func (m message) Session() string { return m.SessionID }

// nobody holds a token.
func nobody(context.Context, string) (store.SignedIn, error) {
	return store.SignedIn{}, sim.ErrInvalidToken
}

// echo is a surface of one function that notes whether it was reached.
func echo(limiter api.Limiter, reached *atomic.Int32) http.Handler {
	call := wire.Function(func(_ context.Context, _ wire.Caller, in message) (message, error) {
		reached.Add(1)
		switch in.Fail {
		case "known":
			return message{}, sim.ErrSessionCompleted
		case "unknown":
			return message{}, io.ErrUnexpectedEOF
		}
		return in, nil
	})
	return api.Handler(api.Options{Keys: []string{key, "sb_the_other_key"}, Origins: wire.Origins{"https://friend.example"}, Limiter: limiter, Log: slog.New(slog.DiscardHandler), Identify: nobody},
		[]wire.Route{{Method: http.MethodPost, Path: "/functions/v1/echo", Access: wire.Key, Body: 1024, Serve: call,
			Limits: []wire.Limit{{By: wire.ByAddress, Count: 1, Per: time.Minute, Burst: 1}, {By: wire.BySession, Count: 1, Per: time.Minute, Burst: 1}}}})
}

type request struct {
	method, path, body string
	header             map[string]string
}

func (r request) to(h http.Handler) *httptest.ResponseRecorder {
	if r.method == "" {
		r.method = http.MethodPost
	}
	if r.path == "" {
		r.path = "/functions/v1/echo"
	}
	req := httptest.NewRequest(r.method, r.path, strings.NewReader(r.body))
	all := map[string]string{"Apikey": key, "Authorization": "Bearer " + key, "Content-Type": "application/json"}
	for name, value := range r.header {
		all[name] = value
	}
	for name, value := range all {
		if value != "" {
			req.Header.Set(name, value)
		}
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, req)
	return w
}

// A refusal has the status and code of the contract, and the call behind it
// was not reached.
func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		name    string
		request request
		budget  *budget
		status  int
		code    string
	}{
		{"no key", request{header: map[string]string{"Apikey": ""}}, &budget{}, 401, "invalid_api_key"},
		{"unknown key", request{header: map[string]string{"Apikey": "sb_nonsense_sb_nonsense"}}, &budget{}, 401, "invalid_api_key"},
		{"no authorization", request{header: map[string]string{"Authorization": ""}}, &budget{}, 401, "UNAUTHORIZED_NO_AUTH_HEADER"},
		{"not a bearer", request{header: map[string]string{"Authorization": "Basic x"}}, &budget{}, 401, "UNAUTHORIZED_INVALID_JWT"},
		{"garbage token", request{header: map[string]string{"Authorization": "Bearer garbage"}}, &budget{}, 401, "UNAUTHORIZED_INVALID_JWT"},
		{"unsigned token", request{header: map[string]string{"Authorization": "Bearer eyJhbGciOiJub25lIn0.eyJyb2xlIjoiYWRtaW4ifQ."}}, &budget{}, 401, "UNAUTHORIZED_INVALID_JWT"},
		{"unknown function", request{path: "/functions/v1/nothing"}, &budget{}, 404, "NOT_FOUND"},
		{"function of another name", request{path: "/functions/v1/echo/more"}, &budget{}, 404, "NOT_FOUND"},
		{"wrong method", request{method: http.MethodGet}, &budget{}, 405, "method_not_allowed"},
		{"cross-site page", request{body: "{}", header: map[string]string{"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"}}, &budget{}, 403, "cross_site"},
		{"form post", request{body: "a=b", header: map[string]string{"Content-Type": "text/plain"}}, &budget{}, 415, "unsupported_media_type"},
		{"no body", request{}, &budget{}, 400, "bad_request"},
		{"wrong type", request{body: `{"sessionId":["a"]}`}, &budget{}, 400, "bad_request"},
		{"too large", request{body: `{"sessionId":"` + strings.Repeat("a", 2000) + `"}`}, &budget{}, 400, "bad_request"},
		{"hostile idempotency key", request{body: "{}", header: map[string]string{"Idempotency-Key": strings.Repeat("k", 256)}}, &budget{}, 400, "bad_request"},
		{"address over its budget", request{body: "{}"}, &budget{refuses: true, refuse: wire.ByAddress}, 429, "rate_limited"},
		{"session over its budget", request{body: `{"sessionId":"s"}`}, &budget{refuses: true, refuse: wire.BySession}, 429, "rate_limited"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var reached atomic.Int32
			w := c.request.to(echo(c.budget, &reached))
			assert.Equal(t, c.status, w.Code)
			var body map[string]string
			require.NoError(t, json.Unmarshal(w.Body.Bytes(), &body), w.Body.String())
			assert.Equal(t, c.code, body["code"])
			assert.NotEmpty(t, body["message"])
			assert.Equal(t, "application/json", w.Header().Get("Content-Type"))
			assert.Zero(t, reached.Load())
			if c.status == 429 {
				assert.Equal(t, "90", w.Header().Get("Retry-After"))
			}
			if c.status == 401 || c.status == 404 {
				assert.Zero(t, c.budget.taken.Load(), "who may not call uses nobody's budget up")
			}
		})
	}
}

func TestAnswers(t *testing.T) {
	var reached atomic.Int32
	h := echo(&budget{}, &reached)
	for name, header := range map[string]map[string]string{
		"plain":                    nil,
		"second key while rotated": {"Apikey": "sb_the_other_key", "Authorization": "Bearer sb_the_other_key"},
		"no content type":          {"Content-Type": ""},
		"lower case scheme":        {"Authorization": "bearer " + key},
		"same-origin page":         {"Sec-Fetch-Site": "same-origin"},
		"friendly origin":          {"Sec-Fetch-Site": "cross-site", "Origin": "https://friend.example"},
	} {
		w := request{body: `{"sessionId":"s","unknown":1}`, header: header}.to(h)
		assert.Equal(t, 200, w.Code, name)
		assert.JSONEq(t, `{"sessionId":"s","fail":""}`, w.Body.String(), name)
		assert.Equal(t, "no-store", w.Header().Get("Cache-Control"), name)
	}
	known := request{body: `{"fail":"known"}`}.to(h)
	assert.Equal(t, 409, known.Code)
	assert.Equal(t, "session_completed", known.Header().Get("Sb-Error-Code"))
	unknown := request{body: `{"fail":"unknown"}`}.to(h)
	assert.Equal(t, 500, unknown.Code)
	assert.NotContains(t, unknown.Body.String(), "EOF")
}

func TestForeignOrigins(t *testing.T) {
	var reached atomic.Int32
	h := echo(&budget{}, &reached)
	preflight := func(origin, path string) *httptest.ResponseRecorder {
		return request{method: http.MethodOptions, path: path, header: map[string]string{"Origin": origin, "Apikey": "", "Authorization": "", "Access-Control-Request-Method": "POST"}}.to(h)
	}
	for _, path := range []string{"/functions/v1/echo", "/auth/v1/token", "/rest/v1/scenarios", "/storage/v1/object/x"} {
		w := preflight("https://friend.example", path)
		assert.Equal(t, 204, w.Code)
		assert.Equal(t, "https://friend.example", w.Header().Get("Access-Control-Allow-Origin"))
		for _, needed := range []string{"apikey", "authorization", "content-type", "x-client-info", "x-retry-count", "x-supabase-api-version", "idempotency-key"} {
			assert.Contains(t, w.Header().Get("Access-Control-Allow-Headers"), needed)
		}
		assert.Empty(t, w.Header().Get("Access-Control-Allow-Credentials"))
	}
	for _, origin := range []string{"https://evil.example", "null", "https://friend.example.evil.example", "https://notfriend.example", "http://friend.example", "https://friend.example:444", ""} {
		assert.Empty(t, preflight(origin, "/functions/v1/echo").Header().Get("Access-Control-Allow-Origin"), origin)
	}
	// Errors carry the headers too, or the page's script can't read them.
	w := request{header: map[string]string{"Apikey": "", "Origin": "https://friend.example"}}.to(h)
	assert.Equal(t, 401, w.Code)
	assert.Equal(t, "https://friend.example", w.Header().Get("Access-Control-Allow-Origin"))
	assert.Contains(t, w.Header().Get("Access-Control-Expose-Headers"), "retry-after")
}

// What is not on the table answers 404 in its service's shape and says nothing
// about what lies behind.
func TestEverythingElseIsNotFound(t *testing.T) {
	h := echo(&budget{}, new(atomic.Int32))
	shape := map[string][]string{
		"/functions/v1/": {"error", "message", "code"},
		"/auth/v1/":      {"code", "error_code", "message", "msg"},
		"/rest/v1/":      {"code", "details", "hint", "message"},
		"/storage/v1/":   {"statusCode", "error", "message"},
	}
	for prefix, paths := range map[string][]string{
		"/functions/v1/": {"", "admin-get-sessions", "..%2fx", "session-start/"},
		"/auth/v1/":      {"signup", "token?grant_type=password", "admin/users", "settings", "otp", "recover", "user"},
		"/rest/v1/":      {"", "sessions?select=*", "users", "contact_messages", "outbox", "pg_catalog", "rpc/has_role", "scenarios"},
		"/storage/v1/":   {"bucket", "object/list/industry-media", "object/sign/x", "upload/resumable", "render/image/public/x", "s3"},
	} {
		for _, path := range paths {
			for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPatch, http.MethodDelete} {
				w := request{method: method, path: prefix + path}.to(h)
				assert.Equal(t, 404, w.Code, "%s %s", method, path)
				assert.Less(t, w.Body.Len(), 300)
				var body map[string]any
				require.NoError(t, json.Unmarshal(w.Body.Bytes(), &body), path)
				for _, name := range shape[prefix] {
					assert.Contains(t, body, name, prefix+path)
				}
				for _, secret := range []string{"users", "outbox", "contact", "pg_"} {
					assert.NotContains(t, w.Body.String(), secret)
				}
			}
		}
	}
}

// Sixty learners behind one hospital's address start together, play eight turns
// each and mail themselves their reports.
func TestAClassOfSixtyFitsIntoTheBudgets(t *testing.T) {
	limits := guard.NewLimits(1)
	for _, route := range api.Table(accounts.Accounts{}, functions.Functions{}, tables.Tables{}, objects.Objects{}) {
		if !strings.HasPrefix(route.Path, "/functions/v1/session-") && !strings.HasSuffix(route.Path, "send-report-email") {
			continue // no part of a run
		}
		calls := 60
		if strings.HasSuffix(route.Path, "session-turn") {
			calls = 300 // what arrives at once; the rest of the 480 comes over minutes
		}
		for _, limit := range route.Limits {
			if limit.By == wire.BySession {
				continue
			}
			for range calls {
				require.NoError(t, limits.Allow(t.Context(), route.Path, limit, "203.0.113.9"), route.Path)
			}
		}
	}
}

// One address that floods a call uses up its own budget, not everybody's.
func TestOneAddressLeavesTheOthersTheirBudget(t *testing.T) {
	serve := func(w http.ResponseWriter, _ *http.Request, _ wire.Call) error {
		w.WriteHeader(http.StatusOK)
		return nil
	}
	h := api.Handler(api.Options{Keys: []string{key}, Limiter: guard.NewLimits(1), Log: slog.New(slog.DiscardHandler), Identify: nobody},
		[]wire.Route{{Method: http.MethodPost, Path: "/functions/v1/echo", Access: wire.Key, Serve: serve, Limits: []wire.Limit{
			{By: wire.ByAddress, Count: 1, Per: time.Hour, Burst: 1}, {By: wire.ByAll, Count: 1, Per: time.Hour, Burst: 3},
		}}})
	from := func(address string) int {
		r := httptest.NewRequest(http.MethodPost, "/functions/v1/echo", nil)
		r.Header.Set("Apikey", key)
		r.Header.Set("Authorization", "Bearer "+key)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r.WithContext(wire.WithAddress(r.Context(), address)))
		return w.Code
	}
	assert.Equal(t, http.StatusOK, from("203.0.113.9"))
	for range 10 {
		assert.Equal(t, http.StatusTooManyRequests, from("203.0.113.9"))
	}
	assert.Equal(t, http.StatusOK, from("198.51.100.1"))
}

func TestEveryRowOfTheTableIsWhole(t *testing.T) {
	seen := map[string]bool{}
	for _, route := range api.Table(accounts.Accounts{}, functions.Functions{}, tables.Tables{}, objects.Objects{}) {
		name := route.Method + " " + route.Path
		assert.False(t, seen[name], "%s stands twice", name)
		seen[name] = true
		assert.NotNil(t, route.Serve, name)
		if route.Method != http.MethodGet && route.Method != http.MethodHead {
			assert.Positive(t, route.Body, name)
		}
		if route.Access <= wire.Key {
			assert.NotEmpty(t, route.Limits, "%s may be called by anybody and has no limit", name)
		}
		for _, limit := range route.Limits {
			assert.Positive(t, limit.Count, name)
			assert.Positive(t, limit.Per, name)
			assert.Positive(t, limit.Burst, name)
		}
	}
	for _, name := range []string{"session-start", "session-turn", "session-complete", "send-report-email", "send-contact-email"} {
		assert.True(t, seen["POST /functions/v1/"+name], name)
	}
}
