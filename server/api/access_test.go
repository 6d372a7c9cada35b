package api_test

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"simora/server/api"
	"simora/server/api/accounts"
	"simora/server/api/functions"
	"simora/server/api/objects"
	"simora/server/api/tables"
	"simora/server/audit"
	"simora/server/auth"
	"simora/server/console"
	"simora/server/contact"
	"simora/server/guard"
	"simora/server/health"
	"simora/server/keyring"
	"simora/server/media"
	"simora/server/privacy"
	"simora/server/session"
	"simora/server/store"
	"simora/server/wire"
)

// callers are the columns of the matrix: who calls.
var callers = []string{"no key", "visitor", "user", "viewer", "admin", "signed out", "forged"}

// matrix says for every route and caller whether the door opens ("in": any
// answer but a refusal for who calls) or which refusal is given.
var matrix = map[string]string{
	"POST /functions/v1/session-start":                              "401 in in in in 401 401",
	"POST /functions/v1/session-turn":                               "401 in in in in 401 401",
	"POST /functions/v1/session-complete":                           "401 in in in in 401 401",
	"POST /functions/v1/send-report-email":                          "401 in in in in 401 401",
	"POST /functions/v1/send-contact-email":                         "401 in in in in 401 401",
	"POST /functions/v1/admin-get-scenarios":                        "401 401 403 in in 401 401",
	"POST /functions/v1/admin-create-scenario":                      "401 401 403 403 in 401 401",
	"POST /functions/v1/admin-update-scenario":                      "401 401 403 403 in 401 401",
	"POST /functions/v1/admin-delete-scenario":                      "401 401 403 403 in 401 401",
	"POST /functions/v1/admin-get-sessions":                         "401 401 403 in in 401 401",
	"POST /functions/v1/admin-get-session-detail":                   "401 401 403 in in 401 401",
	"POST /functions/v1/admin-export-sessions":                      "401 401 403 403 in 401 401",
	"POST /functions/v1/admin-get-overview":                         "401 401 403 in in 401 401",
	"POST /functions/v1/admin-get-contact-messages":                 "401 401 403 403 in 401 401",
	"POST /functions/v1/admin-export-contact-messages":              "401 401 403 403 in 401 401",
	"POST /functions/v1/admin-mark-contact-message":                 "401 401 403 403 in 401 401",
	"POST /functions/v1/admin-preview":                              "401 401 403 403 in 401 401",
	"POST /functions/v1/admin-arrange-gallery":                      "401 401 403 403 in 401 401",
	"POST /functions/v1/admin-get-audit":                            "401 401 403 403 in 401 401",
	"POST /functions/v1/admin-export-audit":                         "401 401 403 403 in 401 401",
	"POST /functions/v1/admin-verify-audit":                         "401 401 403 403 in 401 401",
	"POST /functions/v1/admin-get-health":                           "401 401 403 403 in 401 401",
	"POST /functions/v1/admin-retry-letter":                         "401 401 403 403 in 401 401",
	"POST /functions/v1/admin-get-integrations":                     "401 401 403 403 in 401 401",
	"POST /functions/v1/admin-create-hook":                          "401 401 403 403 in 401 401",
	"POST /functions/v1/admin-switch-hook":                          "401 401 403 403 in 401 401",
	"POST /functions/v1/admin-delete-hook":                          "401 401 403 403 in 401 401",
	"POST /functions/v1/admin-test-hook":                            "401 401 403 403 in 401 401",
	"POST /functions/v1/admin-resend-delivery":                      "401 401 403 403 in 401 401",
	"GET /functions/v1/privacy-status":                              "in in in in in in in",
	"HEAD /functions/v1/privacy-status":                             "in in in in in in in",
	"POST /functions/v1/privacy-request":                            "401 in in in in 401 401",
	"POST /functions/v1/privacy-data":                               "401 in in in in 401 401",
	"POST /functions/v1/privacy-erase":                              "401 in in in in 401 401",
	"POST /functions/v1/admin-export-person":                        "401 401 403 403 in 401 401",
	"POST /functions/v1/admin-erase-person":                         "401 401 403 403 in 401 401",
	"POST /auth/v1/token":                                           "401 in in in in 403 403",
	"POST /auth/v1/signup":                                          "401 in in in in 403 403",
	"GET /auth/v1/user":                                             "401 403 in in in 403 403",
	"POST /auth/v1/logout":                                          "401 403 in in in 403 403",
	"GET /auth/v1/.well-known/jwks.json":                            "in in in in in in in",
	"PUT /auth/v1/user":                                             "401 403 in in in 403 403",
	"GET /auth/v1/settings":                                         "in in in in in in in",
	"POST /auth/v1/factors":                                         "401 403 in in in 403 403",
	"POST /auth/v1/factors/{id}/challenge":                          "401 403 in in in 403 403",
	"POST /auth/v1/factors/{id}/verify":                             "401 403 in in in 403 403",
	"DELETE /auth/v1/factors/{id}":                                  "401 403 in in in 403 403",
	"GET /auth/v1/authorize":                                        "in in in in in in in",
	"GET /auth/v1/callback":                                         "in in in in in in in",
	"POST /functions/v1/admin-get-account":                          "401 401 403 in in 401 401",
	"POST /functions/v1/admin-end-sign-in":                          "401 401 403 in in 401 401",
	"POST /functions/v1/admin-make-recovery-codes":                  "401 401 403 in in 401 401",
	"POST /functions/v1/admin-set-up-second-factor":                 "401 401 403 in in 401 401",
	"POST /functions/v1/admin-turn-off-second-factor":               "401 401 403 in in 401 401",
	"POST /rest/v1/rpc/has_role":                                    "401 401 in in in 401 401",
	"GET /rest/v1/scenarios":                                        "401 401 403 403 in 401 401",
	"HEAD /rest/v1/scenarios":                                       "401 401 403 403 in 401 401",
	"POST /rest/v1/scenarios":                                       "401 401 403 403 403 401 401",
	"PATCH /rest/v1/scenarios":                                      "401 401 403 403 403 401 401",
	"DELETE /rest/v1/scenarios":                                     "401 401 403 403 403 401 401",
	"GET /rest/v1/gallery_media":                                    "401 401 403 in in 401 401", // all columns; the public ones have a test of their own
	"HEAD /rest/v1/gallery_media":                                   "401 401 403 in in 401 401",
	"POST /rest/v1/gallery_media":                                   "401 401 403 403 in 401 401",
	"PATCH /rest/v1/gallery_media":                                  "401 401 403 403 in 401 401",
	"DELETE /rest/v1/gallery_media":                                 "401 401 403 403 in 401 401",
	"POST /storage/v1/object/industry-media/{name...}":              "401 403 403 403 in 403 403",
	"DELETE /storage/v1/object/industry-media":                      "401 403 403 403 in 403 403",
	"GET /storage/v1/object/info/industry-media/{name...}":          "401 403 403 in in 403 403",
	"HEAD /storage/v1/object/info/industry-media/{name...}":         "401 403 403 in in 403 403",
	"GET /storage/v1/render/image/public/industry-media/{name...}":  "in in in in in in in",
	"HEAD /storage/v1/render/image/public/industry-media/{name...}": "in in in in in in in",
	"GET /storage/v1/object/public/industry-media/{name...}":        "in in in in in in in",
	"HEAD /storage/v1/object/public/industry-media/{name...}":       "in in in in in in in",
}

var signedIn = map[string][]string{"user": nil, "viewer": {auth.RoleViewer}, "admin": {auth.RoleAdmin}}

func TestAccessMatrix(t *testing.T) {
	dir := t.TempDir()
	keys, err := keyring.Load(filepath.Join(dir, keyring.FileName))
	require.NoError(t, err)
	log := slog.New(slog.DiscardHandler)
	s, err := store.Open(t.Context(), store.Options{Dir: dir, Keyring: keys, Log: log, Exclusive: true})
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	files, err := media.Open(filepath.Join(dir, "media"), "", nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = files.Close() })
	door, err := auth.NewAuthenticator(s, "http://simora.test", time.Now)
	require.NoError(t, err)
	routes := api.Table(accounts.Accounts{Auth: door},
		functions.Functions{
			Sessions: &session.Sessions{Store: s, Log: log, Now: time.Now, NewID: uuid.NewString}, Contact: &contact.Messages{Store: s},
			Console: &console.Console{Store: s, Now: time.Now, NewID: uuid.NewString, Trail: audit.Trail{Store: s, Dir: dir, Now: time.Now, Log: log}}, Health: &health.Watch{Store: s, Now: time.Now},
			Integrations: &console.Integrations{Store: s, Now: time.Now, NewID: uuid.NewString},
			Rights:       &privacy.Rights{Store: s, Now: time.Now, NewID: uuid.NewString}, Claims: &privacy.Claims{Now: time.Now, Log: log},
		},
		tables.Tables{Store: s, Now: time.Now, NewID: uuid.NewString}, objects.Objects{Media: files, Audit: s.Audit})
	h := api.Handler(api.Options{Keys: []string{key}, Limiter: guard.NewLimits(1000), Log: log, Identify: door.Identify}, routes)

	hash, err := auth.HashPassword("correct horse battery")
	require.NoError(t, err)
	bearer := map[string]string{"no key": key, "visitor": key, "forged": forged}
	signIn := func(caller string, roles ...string) {
		email := strings.ReplaceAll(caller, " ", "") + "@simora.test"
		require.NoError(t, s.CreateUser(t.Context(), store.User{ID: uuid.NewString(), Email: email, PasswordHash: hash, CreatedAt: time.Now()}, roles...))
		tokens, err := door.SignIn(t.Context(), email, "correct horse battery", auth.Visit{})
		require.NoError(t, err)
		bearer[caller] = tokens.Access
		if caller == "signed out" {
			require.NoError(t, door.SignOut(t.Context(), tokens.As, store.SignOutAll))
		}
	}
	signIn("signed out", auth.RoleAdmin)
	const half = "an admin whose second factor is missing" // may do what a user may
	oneFactor := turnOnFactor(t, s, door, hash)

	cells := 0
	for _, route := range routes {
		name := route.Method + " " + route.Path
		row, there := matrix[name]
		require.True(t, there, "%s is on the table and not in the matrix", name)
		wanted := strings.Fields(row)
		require.Len(t, wanted, len(callers), name)
		for i, caller := range callers {
			if roles, changes := signedIn[caller]; changes { // some calls sign out
				require.NoError(t, s.DeleteUser(t.Context(), caller+"@simora.test"))
				signIn(caller, roles...)
			}
			got := knock(h, route, caller, bearer[caller])
			assert.Equal(t, wanted[i], got, "%s as %s", name, caller)
			cells++
		}
		bearer[half] = oneFactor()
		assert.Equal(t, wanted[slices.Index(callers, "user")], knock(h, route, half, bearer[half]), "%s as %s", name, half)
	}
	assert.Len(t, matrix, len(routes), "the matrix has routes that are not on the table")
	t.Logf("%d routes x %d callers = %d cells", len(routes), len(callers), cells)
}

// turnOnFactor makes an admin with a second factor, and returns what signs them
// in with their password alone.
func turnOnFactor(t *testing.T, s *store.Store, door *auth.Authenticator, hash string) (signIn func() string) {
	const email = "factor@simora.test"
	id := uuid.NewString()
	require.NoError(t, s.CreateUser(t.Context(), store.User{ID: id, Email: email, PasswordHash: hash, CreatedAt: time.Now()}, auth.RoleAdmin))
	password := func() auth.Tokens {
		tokens, err := door.SignIn(t.Context(), email, "correct horse battery", auth.Visit{})
		require.NoError(t, err)
		return tokens
	}
	f := store.Factor{ID: uuid.NewString(), UserID: id, Secret: "JBSWY3DPEHPK3PXP", CreatedAt: time.Now()}
	require.NoError(t, s.AddFactor(t.Context(), f))
	_, err := s.UseCode(t.Context(), store.CodeUse{Factor: f, SessionID: password().As.SessionID, Step: 1, At: time.Now()})
	require.NoError(t, err)
	return func() string { return password().Access }
}

const forged = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIwMDAwMDAwMC0wMDAwLTQwMDAtODAwMC0wMDAwMDAwMDAwMDAiLCJyb2xlIjoiYXV0aGVudGljYXRlZCJ9.c2lnbmF0dXJl"

// knock makes the call and says how the door answered.
func knock(h http.Handler, route wire.Route, caller, bearer string) string {
	r := httptest.NewRequest(route.Method, strings.Replace(route.Path, "{name...}", "healthcare/none.png", 1), strings.NewReader("{}"))
	if route.Method == http.MethodGet || route.Method == http.MethodHead {
		r.Body = http.NoBody
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+bearer)
	if caller != "no key" {
		r.Header.Set("Apikey", key)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	body, _ := io.ReadAll(w.Body)
	var said struct{ StatusCode string }
	_ = json.Unmarshal(body, &said)
	status := w.Code
	if n, err := strconv.Atoi(said.StatusCode); err == nil {
		status = n
	}
	if status == http.StatusUnauthorized || status == http.StatusForbidden {
		return strconv.Itoa(status)
	}
	return "in"
}
