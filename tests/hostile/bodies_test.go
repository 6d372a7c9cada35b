package hostile_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"

	"simora/server/api"
	"simora/server/api/accounts"
	"simora/server/api/functions"
	"simora/server/api/objects"
	"simora/server/api/tables"
	"simora/server/media"
)

const nobodysID = "0f0e0d0c-0b0a-4908-8706-050403020100"

type object map[string]any

// wellFormed is a body that each call could take, for its fields to be spoilt
// one by one. What must not happen to the admin who attacks is kept from it by a
// wrong field.
func wellFormed(session string) map[string]object {
	scenario := object{"id": nobodysID, "title": "Ward", "slug": "ward", "industry": "healthcare", "short_description": "A ward.", "system_prompt": "You are a patient.", "rubric": object{}, "max_turns": 5, "is_public": false, "thumbnail_url": "https://example.com/a.png"}
	fresh := maps.Clone(scenario)
	delete(fresh, "id")
	period := object{"from": "2026-01-01", "to": "2026-12-31"}
	return map[string]object{
		"session-start":                 {"scenarioSlug": "healthcare-emergency", "browserMeta": object{"width": 1, "height": 1, "language": "en", "userAgent": "x"}},
		"session-turn":                  {"sessionId": session, "userMessage": "Hello"},
		"session-complete":              {"sessionId": nobodysID},
		"send-report-email":             {"sessionId": nobodysID, "userEmail": "a@example.com"},
		"send-contact-email":            {"name": "A", "email": "a@example.com", "organization": "", "reason": "demo", "message": "Hello", "reference": ""},
		"privacy-request":               {"email": "a@example.com"},
		"privacy-data":                  {"token": "x"},
		"privacy-erase":                 {"token": "x"},
		"admin-create-scenario":         fresh,
		"admin-update-scenario":         scenario,
		"admin-delete-scenario":         {"id": nobodysID},
		"admin-get-sessions":            {"search": "a", "industry": "healthcare", "status": "complete", "from": "2026-01-01", "to": "2026-12-31", "minScore": 1, "maxScore": 9, "sort": "started_at", "ascending": true, "limit": 5, "offset": 0},
		"admin-export-sessions":         {"search": "a", "sort": "started_at"},
		"admin-get-session-detail":      {"sessionId": nobodysID},
		"admin-get-overview":            period,
		"admin-get-contact-messages":    {"limit": 5},
		"admin-export-contact-messages": {"limit": 5},
		"admin-mark-contact-message":    {"id": nobodysID, "answered": true},
		"admin-preview":                 {"scenario": scenario, "messages": []string{"Hello"}, "finish": false},
		"admin-arrange-gallery":         {"industry": "healthcare", "ids": []string{nobodysID}},
		"admin-get-audit":               {"action": "", "actor": "", "from": "2026-01-01", "to": "2026-12-31", "before": 5},
		"admin-export-audit":            {"action": "", "from": "2026-01-01"},
		"admin-retry-letter":            {"id": nobodysID},
		"admin-create-hook":             {"url": "https://hooks.example.com/x", "events": []string{"session.completed"}, "personal": false},
		"admin-switch-hook":             {"id": nobodysID, "enabled": true},
		"admin-delete-hook":             {"id": nobodysID},
		"admin-test-hook":               {"id": nobodysID},
		"admin-resend-delivery":         {"id": nobodysID},
		"admin-export-person":           {"email": "a@example.com"},
		"admin-erase-person":            {"email": "a@example.com"},
		"admin-end-sign-in":             {"id": nobodysID},
		"admin-set-up-second-factor":    {"password": ""},
		"admin-turn-off-second-factor":  {"password": "", "code": ""},
		"token":                         {"email": "a@example.com", "refresh_token": "x"},
		"user":                          {"password": "", "current_password": ""},
		"factors":                       {"friendly_name": "x", "factor_type": "totp"},
		"factors/{id}/verify":           {"challenge_id": nobodysID, "code": "000000"},
		"rpc/has_role":                  {"_user_id": nobodysID, "_role": "admin"},
		"gallery_media":                 {"file_path": "healthcare/1_a.png", "file_name": "a.png", "file_type": "image", "caption": "x", "industry": "healthcare", "display_order": 1},
		"industry-media":                {"prefixes": []string{"healthcare/none.png"}},
	}
}

// spoilt is what is put where something else is expected: JSON as it is sent.
var spoilt = map[string]string{
	"null": `null`, "number": `1`, "too large a number": `1e309`, "list": `["a"]`, "list of lists": `[[[]]]`, "object": `{"$ne":null}`,
	"text": `"x"`, "zero byte": `"a\u0000b"`, "half a pair": `"a\ud800b"`, "turned around": `"\u202egnp.exe\u2066"`, "not UTF-8": "\"a\xff\xfeb\"",
	"SQL": `"' OR 1=1; DROP TABLE sessions; --"`, "markup": `"<img src=x onerror=alert(1)><script>alert(1)</script>"`, "line breaks": `"a\r\nBcc: victim@example.com\r\n\r\nx"`,
	"path": `"../../../../etc/passwd"`, "own network": `"http://169.254.169.254/latest/meta-data"`, "template": `"{{.}}${7*7}%s%n$(id)"`, "formula": `"=HYPERLINK(\"http://evil.example\")"`,
	"long": `"` + strings.Repeat("A", 20_000) + `"`, "stacked marks": `"` + strings.Repeat(`e\u0301\u0301\u0301\u0301`, 400) + `"`, "prototype": `{"__proto__":{"admin":true}}`,
}

// broken is what is no body of any call.
var broken = map[string]string{
	"nothing": "", "null": "null", "number": "1", "text": `"x"`, "list": "[]", "list of objects": "[{}]", "cut": `{"a":`, "cut text": `{"a":"b`, "two": "{}{}", "comma": `{"a":1,}`,
	"comment": `{/**/}`, "single quotes": `{'a':1}`, "NaN": `{"a":NaN}`, "same name twice": `{"a":1,"a":2}`, "deep": strings.Repeat(`{"a":`, 10_000) + "1" + strings.Repeat("}", 10_000),
	"deep lists": `{"a":` + strings.Repeat("[", 50_000), "not UTF-8": "{\"\xff\":1}", "byte order mark": "\xef\xbb\xbf{}", "UTF-16": "{\x00}\x00", "zero bytes": "\x00\x00\x00", "XML": `<?xml version="1.0"?><!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>`,
	"form": "a=b&c=d", "too large": `{"a":"` + strings.Repeat("A", 256<<10) + `"}`,
}

var otherTypes = []string{"text/plain", "text/xml", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/json; charset=\"", "nonsense", "*/*"}

// heedless calls read no body, or go without one.
var heedless = []string{"/logout", "/challenge", "/admin-verify-audit", "/admin-get-health", "/admin-get-integrations", "/admin-get-account", "/admin-make-recovery-codes", "/admin-get-scenarios"}

func name(path string) string {
	for _, prefix := range []string{"/functions/v1/", "/auth/v1/", "/rest/v1/", "/storage/v1/object/"} {
		path = strings.TrimPrefix(path, prefix)
	}
	return path
}

// bodies are the attacks on what every call of the table reads.
func bodies(session string) (all []attack) {
	forms := wellFormed(session)
	for _, route := range api.Table(accounts.Accounts{}, functions.Functions{}, tables.Tables{}, objects.Objects{}) {
		if route.Method == http.MethodGet || route.Method == http.MethodHead || route.Body == media.MaxBytes {
			continue
		}
		target := strings.ReplaceAll(route.Path, "{id}", nobodysID)
		if route.Path == "/auth/v1/token" {
			target += "?grant_type=password"
		}
		if route.Path == "/rest/v1/gallery_media" && route.Method != http.MethodPost {
			target += "?id=eq." + nobodysID
		}
		add := func(what, body string, want outcome, header ...string) {
			all = append(all, attack{name: route.Method + " " + name(route.Path) + ": " + what, method: route.Method, target: target, header: header, body: body, want: want})
		}
		whole := any4xx
		if route.Method == http.MethodDelete || slices.ContainsFunc(heedless, func(end string) bool { return strings.HasSuffix(target, end) }) {
			whole = tolerated
		}
		for _, what := range slices.Sorted(maps.Keys(broken)) {
			want := whole
			if what == "nothing" && strings.Contains(target, "admin-") || what == "list of objects" && strings.Contains(target, "gallery_media") {
				want = tolerated // a list without a filter; several rows at once
			}
			add("body is "+what, broken[what], want)
		}
		form := forms[name(route.Path)]
		good, err := json.Marshal(form)
		if err != nil {
			panic(err)
		}
		for _, kind := range otherTypes {
			want := whole
			if strings.Contains(target, "gallery_media") {
				want = tolerated // what the client says of it is not asked
			}
			add("sent as "+kind, string(good), want, "", "Apikey: $KEY", "Authorization: Bearer $TOKEN", "Content-Type: "+kind)
		}
		for _, field := range slices.Sorted(maps.Keys(form)) {
			for _, what := range slices.Sorted(maps.Keys(spoilt)) {
				fields := map[string]json.RawMessage{}
				if err := json.Unmarshal(good, &fields); err != nil {
					panic(err)
				}
				delete(fields, field)
				rest, err := json.Marshal(fields)
				if err != nil {
					panic(err)
				}
				body := strings.TrimSuffix(string(rest), "}")
				if len(fields) > 0 {
					body += ","
				}
				add(field+" is "+what, body+`"`+field+`":`+spoilt[what]+"}", tolerated)
			}
		}
	}
	return all
}
