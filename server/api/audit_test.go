package api_test

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
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
	"simora/server/guard"
	"simora/server/keyring"
	"simora/server/media"
	"simora/server/sim"
	"simora/server/store"
	"simora/server/wire"
)

const peer = "203.0.113.77"

// desk is the surface with an admin and a viewer signed in, and one finished
// session in which everything personal says canary.
type desk struct {
	http.Handler

	t       *testing.T
	dir     string
	store   *store.Store
	bearer  map[string]string
	user    map[string]string // ids
	session string
	message string // of the contact form
}

func openDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{t: t, dir: t.TempDir(), bearer: map[string]string{"visitor": key}, user: map[string]string{}}
	keys, err := keyring.Load(filepath.Join(d.dir, keyring.FileName))
	require.NoError(t, err)
	log := slog.New(slog.DiscardHandler)
	d.store, err = store.Open(t.Context(), store.Options{Dir: d.dir, Keyring: keys, Log: log, Exclusive: true})
	require.NoError(t, err)
	t.Cleanup(func() { _ = d.store.Close() })
	files, err := media.Open(filepath.Join(d.dir, "media"), "", nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = files.Close() })
	door, err := auth.NewAuthenticator(d.store, "http://simora.test", time.Now)
	require.NoError(t, err)
	desk := &console.Console{Store: d.store, Now: time.Now, NewID: uuid.NewString, Trail: audit.Trail{Store: d.store, Dir: d.dir, Now: time.Now, Log: log}}
	d.Handler = api.Handler(api.Options{Keys: []string{key}, Limiter: guard.NewLimits(1000), Log: log, Identify: door.Identify},
		api.Table(accounts.Accounts{Auth: door}, functions.Functions{Console: desk}, tables.Tables{Store: d.store, Now: time.Now, NewID: uuid.NewString}, objects.Objects{Media: files, Audit: d.store.Audit}))
	people := auth.Accounts{Store: d.store, Now: time.Now}
	for _, role := range []string{auth.RoleAdmin, auth.RoleViewer} {
		_, err := people.Create(t.Context(), role+"@simora.test", "correct horse battery", role)
		require.NoError(t, err)
		tokens, err := door.SignIn(t.Context(), role+"@simora.test", "correct horse battery", auth.Visit{})
		require.NoError(t, err)
		d.bearer[role], d.user[role] = tokens.Access, tokens.As.User.ID
	}
	d.fill()
	return d
}

func (d *desk) fill() {
	ctx, now := d.t.Context(), time.Now()
	sc := sim.Scenario{ID: uuid.NewString(), Title: "Chest pain", Slug: "chest-pain", Industry: sim.Healthcare, SystemPrompt: "canary prompt", Rubric: []byte(`{"canary":1}`), MaxTurns: 3, IsPublic: true, CreatedAt: now, UpdatedAt: now}
	require.NoError(d.t, d.store.SeedScenario(ctx, sc))
	sc, version, err := d.store.ScenarioBySlug(ctx, sc.Slug, false)
	require.NoError(d.t, err)
	d.session = uuid.NewString()
	_, err = d.store.CreateSession(ctx, store.NewSession{
		ID: d.session, Scenario: sc, Version: version, StartedAt: now, Opening: sim.Opening{Message: "canary opening"},
		Visitor: store.Visitor{IP: "198.51.100.9", UserAgent: "canary agent", City: "canary city", Country: "canary country"},
	}, store.Once{}, nil)
	require.NoError(d.t, err)
	run, _, err := d.store.BeginTurn(ctx, d.session, store.Once{}, now)
	require.NoError(d.t, err)
	require.NoError(d.t, d.store.CommitTurn(ctx, run, store.Turn{Learner: "canary learner", Reply: sim.Reply{Text: "canary reply", Engine: sim.BuiltIn}, At: now}))
	run, err = d.store.BeginReport(ctx, d.session, now)
	require.NoError(d.t, err)
	require.NoError(d.t, d.store.CommitReport(ctx, run, sim.Report{
		Overall: 71, Dimensions: map[string]int{"Empathy": 71}, CoachSummary: "canary coach", WhatWentWell: []string{"canary well"}, WhatToImprove: []string{"canary improve"},
		Details:    []sim.DimensionResult{{Name: "Empathy", Score: 71, Summary: "canary summary"}},
		Highlights: []sim.Highlight{{Kind: "well", Title: "canary", Quote: "canary", Text: "canary"}},
		Criteria: []sim.CriterionResult{{ID: "greets", Dimension: "Empathy", Title: "Greets by name", Verdict: sim.Met, Points: 5, MaxPoints: 5,
			Evidence: []sim.Evidence{{Turn: 1, End: 6, Quote: "canary"}}, Feedback: "canary feedback", Improvement: "canary improvement"}},
		Turns: []sim.TurnScore{{Turn: 1, Delta: 71, Score: 71}}, Note: "canary note", Engine: sim.BuiltIn,
	}))
	_, _, err = d.store.QueueReportMail(ctx, store.ReportMail{OutboxID: uuid.NewString(), SessionID: d.session, Letter: store.Letter{To: "canary@x.example"}, PerRecipient: 9, Now: now})
	require.NoError(d.t, err)
	d.message = uuid.NewString()
	_, _, err = d.store.AddContact(ctx, store.NewContact{Message: store.ContactMessage{ID: d.message, ReceivedAt: now, ContactBody: store.ContactBody{Name: "canary", Email: "canary@x.example"}}, Letter: store.Letter{To: "c@x.example"}})
	require.NoError(d.t, err)
}

// ask makes a call and returns its status and body.
func (d *desk) ask(who, method, path, body string) (int, string) {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	if body == "" {
		r.Body, r.ContentLength = http.NoBody, 0
	}
	r.Header.Set("Apikey", key)
	r.Header.Set("Authorization", "Bearer "+d.bearer[who])
	if strings.HasPrefix(body, "{") || strings.HasPrefix(body, "[") {
		r.Header.Set("Content-Type", "application/json")
	}
	w := httptest.NewRecorder()
	d.ServeHTTP(w, r.WithContext(wire.WithAddress(r.Context(), peer)))
	return w.Code, w.Body.String()
}

func (d *desk) call(who, name, body string) (int, string) {
	return d.ask(who, http.MethodPost, "/functions/v1/"+name, body)
}

// veiled is the id that a viewer knows the session by.
func (d *desk) veiled() string {
	var list struct{ Sessions []struct{ ID string } }
	_, said := d.call("viewer", "admin-get-sessions", "")
	require.NoError(d.t, json.Unmarshal([]byte(said), &list))
	return list.Sessions[0].ID
}

func (d *desk) entries() []sim.Entry {
	list, err := d.store.AuditEntries(d.t.Context(), store.AuditFilter{Limit: 1000})
	require.NoError(d.t, err)
	return list
}

// Every call that changes something or shows personal data leaves exactly the
// entries that it should, with who made it and from where.
func TestCallsLeaveEntries(t *testing.T) {
	d := openDesk(t)
	const scenario = `"title":"T","slug":"%s","industry":"corporate","short_description":"","system_prompt":"p","rubric":{},"max_turns":3,"is_public":true,"thumbnail_url":""`
	_, body := d.call("admin", "admin-create-scenario", "{"+fmt.Sprintf(scenario, "made-before")+"}")
	var made struct{ Scenario struct{ ID string } }
	require.NoError(t, json.Unmarshal([]byte(body), &made))
	id := made.Scenario.ID
	medium := uuid.NewString()
	require.NoError(t, d.store.AddMedia(t.Context(), store.Medium{ID: medium, FileName: "a.png", FilePath: "healthcare/1_a.png", FileType: "image", Industry: "healthcare", CreatedAt: time.Now()}))
	const functions, gallery, file = "/functions/v1/", "/rest/v1/gallery_media", "/storage/v1/object/industry-media"
	var picture bytes.Buffer
	require.NoError(t, png.Encode(&picture, image.NewGray(image.Rect(0, 0, 2, 2))))
	for _, c := range []struct {
		who, method, path, body string
		status                  int
		leaves                  []string
	}{
		{"visitor", "POST", "/auth/v1/token?grant_type=password", `{"email":"admin@simora.test","password":"correct horse battery"}`, 200, []string{"auth.signed_in sign-in"}},
		{"visitor", "POST", "/auth/v1/token?grant_type=password", `{"email":"Admin@simora.test","password":"wrong"}`, 400, []string{"auth.sign_in_failed user " + d.user["admin"]}},
		{"visitor", "POST", "/auth/v1/token?grant_type=password", `{"email":"nobody@simora.test","password":"wrong"}`, 400, []string{"auth.sign_in_failed an unknown address"}},
		{"admin", "POST", functions + "admin-get-overview", "", 200, []string{"sessions.listed the dashboard's"}},
		{"admin", "POST", functions + "admin-get-sessions", "", 200, []string{"sessions.listed sessions"}},
		{"admin", "POST", functions + "admin-get-session-detail", `{"sessionId":"` + d.session + `"}`, 200, []string{"sessions.viewed session " + d.session}},
		{"admin", "POST", functions + "admin-get-session-detail", `{"sessionId":"` + uuid.NewString() + `"}`, 404, nil},
		{"admin", "POST", functions + "admin-export-sessions", "", 200, []string{"sessions.exported sessions"}},
		{"admin", "POST", functions + "admin-get-contact-messages", "", 200, []string{"contact.viewed contact messages"}},
		{"admin", "POST", functions + "admin-export-contact-messages", "", 200, []string{"contact.exported contact messages"}},
		{"admin", "POST", functions + "admin-mark-contact-message", `{"id":"` + d.message + `","answered":true}`, 200, []string{"contact.answered contact message " + d.message}},
		{"admin", "POST", functions + "admin-mark-contact-message", `{"id":"nothing","answered":true}`, 404, nil},
		{"admin", "POST", functions + "admin-get-scenarios", "", 200, nil},
		{"admin", "POST", functions + "admin-create-scenario", "{" + fmt.Sprintf(scenario, "another") + "}", 200, []string{"scenario.created scenario"}},
		{"admin", "POST", functions + "admin-create-scenario", "{" + fmt.Sprintf(scenario, "another") + "}", 409, nil},
		{"admin", "POST", functions + "admin-update-scenario", `{"id":"` + id + `","title":"Another"}`, 200, []string{"scenario.updated scenario " + id}},
		{"admin", "POST", functions + "admin-delete-scenario", `{"id":"` + id + `"}`, 200, []string{"scenario.deleted scenario " + id}},
		{"admin", "POST", functions + "admin-delete-scenario", `{"id":"` + id + `"}`, 404, nil},
		{"admin", "POST", functions + "admin-arrange-gallery", `{"industry":"healthcare","ids":["` + medium + `"]}`, 200, []string{"media.arranged gallery healthcare"}},
		{"admin", "GET", gallery, "", 200, nil},
		{"admin", "PATCH", gallery + "?id=eq." + medium, `{"caption":"x","display_order":3}`, 204, []string{"media.captioned medium " + medium, "media.arranged medium " + medium}},
		{"admin", "POST", gallery, `{"file_name":"b.png","file_path":"healthcare/2_b.png","file_type":"image","industry":"healthcare","display_order":1}`, 201, []string{"media.published medium"}},
		{"admin", "DELETE", gallery + "?id=eq." + medium, "", 204, []string{"media.withdrawn medium " + medium}},
		{"admin", "DELETE", gallery + "?id=eq." + medium, "", 204, nil},
		{"admin", "POST", file + "/healthcare/3_c.png", picture.String(), 200, []string{"media.uploaded file healthcare/3_c.png"}},
		{"admin", "POST", file + "/healthcare/3_d.png", "<html>", 400, nil},
		{"admin", "DELETE", file, `{"prefixes":["healthcare/3_c.png"]}`, 200, []string{"media.deleted file healthcare/3_c.png"}},
		{"admin", "POST", functions + "admin-get-audit", "", 200, []string{"audit.viewed audit log"}},
		{"admin", "POST", functions + "admin-export-audit", "", 200, []string{"audit.exported audit log"}},
		{"admin", "POST", functions + "admin-verify-audit", "", 200, []string{"audit.verified audit log"}},
		{"viewer", "POST", functions + "admin-get-overview", "", 200, nil},
		{"viewer", "POST", functions + "admin-get-sessions", "", 200, nil},
		{"viewer", "POST", functions + "admin-get-session-detail", `{"sessionId":"` + d.veiled() + `"}`, 200, nil},
		{"viewer", "POST", "/auth/v1/logout", "", 204, []string{"auth.signed_out sign-in"}},
	} {
		name := c.who + " " + c.method + " " + c.path + " " + c.body[:min(len(c.body), 60)]
		before := len(d.entries())
		status, said := d.ask(c.who, c.method, c.path, c.body)
		require.Equal(t, c.status, status, "%s: %s", name, said)
		fresh := d.entries()
		fresh = fresh[:len(fresh)-before]
		slices.Reverse(fresh)
		if !assert.Len(t, fresh, len(c.leaves), name) {
			continue
		}
		for i, e := range fresh {
			assert.True(t, strings.HasPrefix(string(e.Action)+" "+e.Object, c.leaves[i]), "%s left %s %s", name, e.Action, e.Object)
			want := sim.Actor{Kind: sim.ByUser, ID: d.user[c.who], Address: peer}
			if c.who == "visitor" {
				want = sim.Actor{Kind: sim.ByVisitor, Address: peer}
			}
			if e.Action == sim.SignedIn {
				want = sim.Actor{Kind: sim.ByUser, ID: d.user["admin"], Address: peer}
			}
			assert.Equal(t, want, e.Actor, name)
		}
	}
	check, err := d.store.VerifyAudit(t.Context(), nil)
	require.NoError(t, err)
	assert.Empty(t, check.Problems)
}

// What a viewer is given holds no word of a person; an admin is given it.
func TestViewersSeeNothingPersonal(t *testing.T) {
	d := openDesk(t)
	detail := func(id string) string { return `{"sessionId":"` + id + `"}` }
	for name, body := range map[string]string{
		"admin-get-overview": "", "admin-get-sessions": `{"limit":10}`, "admin-get-session-detail": detail(d.session), "admin-get-scenarios": "",
	} {
		_, whole := d.call("admin", name, body)
		assert.Contains(t, whole, "canary", name)
		status, said := d.call("viewer", name, strings.Replace(body, d.session, d.veiled(), 1))
		require.Equal(t, http.StatusOK, status, name)
		assert.NotContains(t, said, "canary", name)
		assert.NotContains(t, said, "198.51.100.9", name)
		assert.Contains(t, said, "Chest pain", name)
	}
	_, said := d.call("viewer", "admin-get-session-detail", detail(d.veiled()))
	for _, kept := range []string{`"score_overall":71`, `"overall":71`, "Greets by name", `"turn_count":1`} {
		assert.Contains(t, said, kept)
	}
	status, _ := d.call("viewer", "admin-get-sessions", `{"search":"canary@x.example"}`)
	assert.Equal(t, http.StatusForbidden, status, "whether a person has been here is personal")
}

// Whoever has a run's id gets its report, so a viewer knows it by another.
func TestViewersGetNoIDOfARun(t *testing.T) {
	d := openDesk(t)
	veiled := d.veiled()
	assert.True(t, sim.IsID(veiled))
	for name, body := range map[string]string{"admin-get-overview": "", "admin-get-sessions": `{"search":"` + veiled + `"}`, "admin-get-session-detail": `{"sessionId":"` + veiled + `"}`} {
		status, said := d.call("viewer", name, body)
		assert.Equal(t, http.StatusOK, status, name)
		assert.Contains(t, said, veiled, name)
		assert.NotContains(t, said, d.session, name)
	}
	status, _ := d.call("viewer", "admin-get-session-detail", `{"sessionId":"`+d.session+`"}`)
	assert.Equal(t, http.StatusNotFound, status)
	status, _ = d.call("admin", "admin-get-session-detail", `{"sessionId":"`+veiled+`"}`)
	assert.Equal(t, http.StatusNotFound, status)
}

func TestRolesAreAskedAbout(t *testing.T) {
	d := openDesk(t)
	for _, c := range []struct {
		who, about, role, want string
	}{
		{"viewer", "viewer", "viewer", "true"},
		{"viewer", "viewer", "admin", "false"},
		{"viewer", "admin", "admin", "false"},
		{"admin", "admin", "admin", "true"},
		{"admin", "admin", "viewer", "false"},
		{"admin", "viewer", "viewer", "true"},
	} {
		_, said := d.ask(c.who, http.MethodPost, "/rest/v1/rpc/has_role", `{"_user_id":"`+d.user[c.about]+`","_role":"`+c.role+`"}`)
		assert.Equal(t, c.want, said, "%+v", c)
	}
	require.NoError(t, d.store.SetRole(t.Context(), "viewer@simora.test", ""))
	status, _ := d.call("viewer", "admin-get-sessions", "")
	assert.Equal(t, http.StatusForbidden, status, "a role that was taken away counts at once")
	require.ErrorIs(t, d.store.SetRole(t.Context(), "admin@simora.test", "viewer"), store.ErrLastAdmin)
	status, _ = d.call("admin", "admin-get-sessions", "")
	assert.Equal(t, http.StatusOK, status)
	require.ErrorIs(t, d.store.SetRole(t.Context(), "nobody@simora.test", "viewer"), store.ErrNoUser)
}

// A write whose answer can't be given as it was asked for is not done.
func TestNothingIsInsertedForAQueryThatIsRefused(t *testing.T) {
	d := openDesk(t)
	const row = `{"file_name":"a.png","file_path":"healthcare/a.png","file_type":"image","industry":"healthcare"}`
	for _, c := range []struct {
		query string
		want  int
	}{{"select=nothing", http.StatusBadRequest}, {"select=id", http.StatusCreated}} {
		r := httptest.NewRequest(http.MethodPost, "/rest/v1/gallery_media?"+c.query, strings.NewReader(row))
		r.Header.Set("Apikey", key)
		r.Header.Set("Authorization", "Bearer "+d.bearer["admin"])
		r.Header.Set("Prefer", "return=representation")
		w := httptest.NewRecorder()
		d.ServeHTTP(w, r)
		assert.Equal(t, c.want, w.Code, w.Body.String())
		_, listed := d.ask("admin", http.MethodGet, "/rest/v1/gallery_media?select=file_path", "")
		assert.Equal(t, c.want == http.StatusCreated, strings.Contains(listed, "healthcare/a.png"), c.query)
	}
}

// What can't be recorded is not shown, and not done.
func TestNothingIsShownThatCannotBeRecorded(t *testing.T) {
	d := openDesk(t)
	db, err := sql.Open("sqlite", filepath.Join(d.dir, "simora.db"))
	require.NoError(t, err)
	t.Cleanup(func() { _ = db.Close() })
	_, err = db.Exec("DELETE FROM audit_head")
	require.NoError(t, err)
	for name, body := range map[string]string{
		"admin-get-overview": "", "admin-get-sessions": "", "admin-get-session-detail": `{"sessionId":"` + d.session + `"}`, "admin-export-sessions": "",
		"admin-get-contact-messages": "", "admin-export-contact-messages": "", "admin-get-audit": "", "admin-export-audit": "",
		"admin-mark-contact-message": `{"id":"` + d.message + `","answered":true}`,
	} {
		status, said := d.call("admin", name, body)
		assert.Equal(t, http.StatusInternalServerError, status, name)
		assert.NotContains(t, said, "canary", name)
	}
	list, err := d.store.ContactMessages(t.Context(), 1)
	require.NoError(t, err)
	assert.Nil(t, list[0].AnsweredAt)
	status, said := d.call("admin", "admin-verify-audit", "")
	assert.Equal(t, http.StatusOK, status)
	assert.Contains(t, said, "head is missing")
}

func TestEveryActionHasWordsInTheConsole(t *testing.T) {
	words, err := os.ReadFile("../../web/src/admin/audit/words.ts")
	require.NoError(t, err)
	for _, action := range sim.Actions() {
		assert.Contains(t, string(words), `"`+string(action)+`": `)
	}
}
