package api

import (
	"net/http"
	"time"

	"simora/server/api/accounts"
	"simora/server/api/functions"
	"simora/server/api/objects"
	"simora/server/api/tables"
	"simora/server/media"
	"simora/server/wire"
)

const (
	tinyBody  = 16 << 10
	smallBody = 64 << 10
	largeBody = 256 << 10
	hour      = time.Hour
	minute    = time.Minute
)

// The budgets leave room for a class of sixty behind one hospital's address,
// who start together and mail themselves their reports together. The built-in
// engine costs next to nothing.
var (
	starts   = []wire.Limit{{By: wire.ByAddress, Count: 300, Per: hour, Burst: 120}}
	turns    = []wire.Limit{{By: wire.BySession, Count: 30, Per: minute, Burst: 10}, {By: wire.ByAddress, Count: 1200, Per: 10 * minute, Burst: 300}}
	endings  = []wire.Limit{{By: wire.BySession, Count: 30, Per: minute, Burst: 10}, {By: wire.ByAddress, Count: 600, Per: hour, Burst: 120}}
	contacts = []wire.Limit{{By: wire.ByAddress, Count: 20, Per: hour, Burst: 10}, {By: wire.ByAll, Count: 500, Per: hour, Burst: 100}}
	reads    = []wire.Limit{{By: wire.ByAddress, Count: 3000, Per: 10 * minute, Burst: 1000, Local: true}}
	signIns  = []wire.Limit{{By: wire.ByAddress, Count: 600, Per: 10 * minute, Burst: 200}, {By: wire.ByAccount, Count: 10, Per: minute, Burst: 10}, {By: wire.BySignIn, Count: 30, Per: minute, Burst: 30}}
	codes    = []wire.Limit{{By: wire.ByAddress, Count: 120, Per: 10 * minute, Burst: 60}}
	lookups  = []wire.Limit{{By: wire.ByAddress, Count: 60, Per: hour, Burst: 30}}
	requests = []wire.Limit{{By: wire.ByAddress, Count: 20, Per: hour, Burst: 10}, {By: wire.ByAll, Count: 300, Per: hour, Burst: 100}}
	mailings = []wire.Limit{{By: wire.ByAddress, Count: 120, Per: hour, Burst: 60}, {By: wire.ByAll, Count: 2000, Per: hour, Burst: 500}}
)

// Table is THE SURFACE: every call, who may make it, how often, and how large
// it may be.
func Table(a accounts.Accounts, f functions.Functions, t tables.Tables, o objects.Objects) []wire.Route {
	sign := func(method, path string, access wire.Access, limits []wire.Limit, serve wire.Serve) wire.Route {
		return wire.Route{Method: method, Path: "/auth/v1/" + path, Access: access, Limits: limits, Body: tinyBody, Serve: serve}
	}
	read := func(path string, access wire.Access, limits []wire.Limit, serve wire.Serve) []wire.Route {
		get := wire.Route{Method: http.MethodGet, Path: path, Access: access, Limits: limits, Serve: serve}
		head := get
		head.Method = http.MethodHead
		return []wire.Route{get, head}
	}
	call := func(name string, limits []wire.Limit, serve wire.Serve) wire.Route {
		return wire.Route{Method: http.MethodPost, Path: "/functions/v1/" + name, Access: wire.Key, Limits: limits, Body: smallBody, Serve: serve}
	}
	admin := func(name string, serve wire.Serve) wire.Route {
		return wire.Route{Method: http.MethodPost, Path: "/functions/v1/" + name, Access: wire.Admin, Body: largeBody, Serve: serve}
	}
	view := func(name string, serve wire.Serve) wire.Route {
		r := admin(name, serve)
		r.Access = wire.Viewer
		return r
	}
	rest := func(method, path string, serve wire.Serve) wire.Route {
		return wire.Route{Method: method, Path: "/rest/v1/" + path, Access: wire.Key, Limits: reads, Body: smallBody, Serve: serve}
	}
	rows := []wire.Route{
		call("session-start", starts, wire.Function(f.SessionStart)),
		call("session-turn", turns, wire.EventsOr(f.SessionTurnAloud, wire.Function(f.SessionTurn))),
		call("session-complete", endings, wire.Function(f.SessionComplete)),
		call("send-report-email", mailings, wire.Function(f.SendReportEmail)),
		call("send-contact-email", contacts, wire.Function(f.SendContactEmail)),
		call("privacy-request", requests, wire.Function(f.PrivacyRequest)),
		call("privacy-data", lookups, wire.Function(f.PrivacyData)),
		call("privacy-erase", lookups, wire.Function(f.PrivacyErase)),
		view("admin-get-scenarios", wire.Listing(f.AdminGetScenarios)),
		admin("admin-create-scenario", wire.Function(f.AdminCreateScenario)),
		admin("admin-update-scenario", wire.Function(f.AdminUpdateScenario)),
		admin("admin-delete-scenario", wire.Function(f.AdminDeleteScenario)),
		view("admin-get-sessions", wire.Listing(f.AdminGetSessions)),
		view("admin-get-session-detail", wire.Function(f.AdminGetSessionDetail)),
		admin("admin-export-sessions", wire.Listing(f.AdminExportSessions)),
		view("admin-get-overview", wire.Listing(f.AdminGetOverview)),
		admin("admin-get-contact-messages", wire.Listing(f.AdminGetContactMessages)),
		admin("admin-export-contact-messages", wire.Listing(f.AdminExportContactMessages)),
		admin("admin-mark-contact-message", wire.Function(f.AdminMarkContactMessage)),
		admin("admin-preview", wire.Function(f.AdminPreview)),
		admin("admin-arrange-gallery", wire.Function(f.AdminArrangeGallery)),
		admin("admin-get-audit", wire.Listing(f.AdminGetAudit)),
		admin("admin-export-audit", wire.Listing(f.AdminExportAudit)),
		admin("admin-verify-audit", wire.Listing(f.AdminVerifyAudit)),
		admin("admin-get-health", wire.Listing(f.AdminGetHealth)),
		admin("admin-retry-letter", wire.Function(f.AdminRetryLetter)),
		admin("admin-get-integrations", wire.Listing(f.AdminGetIntegrations)),
		admin("admin-create-hook", wire.Function(f.AdminCreateHook)),
		admin("admin-switch-hook", wire.Function(f.AdminSwitchHook)),
		admin("admin-delete-hook", wire.Function(f.AdminDeleteHook)),
		admin("admin-test-hook", wire.Function(f.AdminTestHook)),
		admin("admin-resend-delivery", wire.Function(f.AdminResendDelivery)),
		admin("admin-export-person", wire.Function(f.AdminExportPerson)),
		admin("admin-erase-person", wire.Function(f.AdminErasePerson)),
		sign(http.MethodPost, "token", wire.Key, signIns, a.Token),
		sign(http.MethodPost, "signup", wire.Key, signIns, a.Signup),
		sign(http.MethodGet, "user", wire.User, nil, a.User),
		sign(http.MethodPost, "logout", wire.User, nil, a.Logout),
		sign(http.MethodPut, "user", wire.User, codes, a.ChangeUser),
		sign(http.MethodGet, "settings", wire.Anyone, reads, a.Settings),
		sign(http.MethodPost, "factors", wire.User, codes, a.Enrol),
		sign(http.MethodPost, "factors/{id}/challenge", wire.User, codes, a.Challenge),
		sign(http.MethodPost, "factors/{id}/verify", wire.User, codes, a.Verify),
		sign(http.MethodDelete, "factors/{id}", wire.User, codes, a.Unenrol),
		sign(http.MethodGet, "authorize", wire.Anyone, signIns, a.Authorize),
		sign(http.MethodGet, "callback", wire.Anyone, signIns, a.Callback),
		view("admin-get-account", a.Account),
		view("admin-end-sign-in", a.EndSignIn),
		view("admin-make-recovery-codes", a.MakeRecoveryCodes),
		view("admin-set-up-second-factor", a.SetUp),
		view("admin-turn-off-second-factor", a.TurnOff),
		sign(http.MethodGet, ".well-known/jwks.json", wire.Anyone, reads, a.Keys),
	}
	rows = append(rows,
		// Who may do what with a table is decided in its room: it depends on the columns.
		rest(http.MethodPost, "rpc/has_role", t.HasRole),
		rest(http.MethodPost, "gallery_media", t.InsertGallery),
		rest(http.MethodPatch, "gallery_media", t.UpdateGallery),
		rest(http.MethodDelete, "gallery_media", t.DeleteGallery),
		rest(http.MethodPost, "scenarios", t.Closed),
		rest(http.MethodPatch, "scenarios", t.Closed),
		rest(http.MethodDelete, "scenarios", t.Closed),
		wire.Route{Method: http.MethodPost, Path: "/storage/v1/object/" + media.Bucket + "/{name...}", Access: wire.Admin, Body: media.MaxBytes, Serve: o.Upload},
		wire.Route{Method: http.MethodDelete, Path: "/storage/v1/object/" + media.Bucket, Access: wire.Admin, Body: smallBody, Serve: o.Remove},
	)
	rows = append(rows, read("/functions/v1/privacy-status", wire.Anyone, reads, f.PrivacyStatus)...)
	rows = append(rows, read("/rest/v1/gallery_media", wire.Key, reads, t.ReadGallery)...)
	rows = append(rows, read("/rest/v1/scenarios", wire.Key, reads, t.ReadScenarios)...)
	rows = append(rows, read("/storage/v1/object/info/"+media.Bucket+"/{name...}", wire.Viewer, reads, o.Facts)...)
	rows = append(rows, read("/storage/v1/render/image/public/"+media.Bucket+"/{name...}", wire.Anyone, reads, o.Rendered)...)
	return append(rows, read("/storage/v1/object/public/"+media.Bucket+"/{name...}", wire.Anyone, reads, o.Public)...)
}
