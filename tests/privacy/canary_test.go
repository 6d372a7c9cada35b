// Package privacy_test runs the real binary and looks for what visitors leave
// behind in it.
package privacy_test

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // the "pgx" driver
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"simora/server/canary"
	"simora/server/contact"
	"simora/server/session"
	"simora/server/sim"
	"simora/tests/pgserver"
	"simora/tests/product"
)

func TestMain(m *testing.M) { pgserver.Main(m) }

// planted is what one visitor and one admin leave behind.
var planted = struct {
	said                                            []string
	report, name, email, organization, message      string
	agent, metaAgent, language, address, proxied    string
	key, admin, password, wrongPassword, adminAgent string
}{
	[]string{"Where is the pain, wombat-turn-one?", "Do you take aspirin, wombat-turn-two?", "I call the doctor now, wombat-turn-three."},
	"wombat-report@canary.test", "Wombat Nameson", "wombat-contact@canary.test", "Wombat Hospital Trust", "We would like wombat-message to be read by nobody.",
	"WombatBrowser/1.0 (agent)", "WombatBrowser/2.0 (meta)", "wombat-language", "203.0.113.77", "198.51.100.42",
	"wombat-idempotency-key", "wombat-admin@canary.test", "correct wombat battery", "wrong-wombat-password", "WombatAdmin/3.0",
}

func canaries() []string {
	p := planted
	all := []string{p.report, p.name, p.email, p.organization, p.message, p.agent, p.metaAgent, p.language, p.address, p.proxied,
		p.key, p.admin, p.password, p.wrongPassword, p.adminAgent, "wombat-report", "wombat-contact", "wombat-turn-one", "wombat-turn-two"}
	return append(all, p.said...)
}

// visit runs a session to its mailed report, writes a contact message, and
// signs an admin in who looks at both.
func visit(t *testing.T, s *product.Server) {
	t.Helper()
	token, calls := s.Key, 0
	call := func(path, agent, address string, in, out any) {
		t.Helper()
		calls++
		status, answer := post(t, s, path, in, map[string]string{
			"Authorization": "Bearer " + token, "User-Agent": agent, "X-Forwarded-For": address,
			"Idempotency-Key": planted.key + strconv.Itoa(calls), "Accept-Language": planted.language,
		})
		if out != nil {
			require.Equal(t, http.StatusOK, status, "%s: %s", path, answer)
			require.NoError(t, json.Unmarshal(answer, out))
		}
	}
	function := func(name string, in, out any) {
		t.Helper()
		call("/functions/v1/"+name, planted.agent, planted.address, in, out)
	}
	var started session.Started
	function("session-start", session.StartInput{
		ScenarioSlug: "healthcare-emergency", BrowserMeta: session.BrowserMeta{UserAgent: planted.metaAgent, Language: planted.language},
	}, &started)
	for _, said := range planted.said {
		function("session-turn", session.TurnInput{SessionID: started.SessionID, UserMessage: said}, new(any))
	}
	var report sim.Report
	function("session-complete", session.CompleteInput{SessionID: started.SessionID}, &report)
	function("send-report-email", session.ReportMailInput{SessionID: started.SessionID, UserEmail: planted.report}, new(any))
	function("send-contact-email", contact.Input{
		Name: planted.name, Email: planted.email, Organization: &planted.organization, Reason: "demo", Message: planted.message,
	}, new(any))

	credentials := map[string]string{"email": planted.admin, "password": planted.wrongPassword}
	call(signInPath, planted.adminAgent, planted.proxied, credentials, nil)
	credentials["password"] = planted.password
	var signedIn signedInAs
	call(signInPath, planted.adminAgent, planted.proxied, credentials, &signedIn)
	token = signedIn.Token
	var detail any
	call("/functions/v1/admin-get-session-detail", planted.adminAgent, planted.proxied, map[string]string{"sessionId": started.SessionID}, &detail)
	seen := fmt.Sprint(detail)
	for _, text := range []string{planted.said[0], planted.report, planted.address, planted.agent} {
		require.Contains(t, seen, text, "what is looked for has been stored")
	}
}

const signInPath = "/auth/v1/token?grant_type=password"

type signedInAs struct {
	Token string `json:"access_token"`
}

func post(t *testing.T, s *product.Server, path string, in any, headers map[string]string) (status int, answer []byte) {
	t.Helper()
	body, err := json.Marshal(in)
	require.NoError(t, err)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+path, bytes.NewReader(body))
	require.NoError(t, err)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Apikey", s.Key)
	r.Header.Set("Authorization", "Bearer "+s.Key)
	for name, value := range headers {
		r.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	answer, err = io.ReadAll(response.Body)
	require.NoError(t, err)
	return response.StatusCode, answer
}

// admin makes a call of the console and returns its answer.
func admin(t *testing.T, s *product.Server, function string, in, out any) string {
	t.Helper()
	var as signedInAs
	_, answer := post(t, s, signInPath, map[string]string{"email": planted.admin, "password": planted.password}, nil)
	require.NoError(t, json.Unmarshal(answer, &as))
	status, answer := post(t, s, "/functions/v1/"+function, in, map[string]string{"Authorization": "Bearer " + as.Token})
	if out != nil {
		require.Equal(t, http.StatusOK, status, string(answer))
		require.NoError(t, json.Unmarshal(answer, out))
	}
	return string(answer)
}

func scan(t *testing.T, dir string) []canary.Hit {
	t.Helper()
	hits, files, err := canary.Scan(dir, canaries())
	require.NoError(t, err)
	require.Positive(t, files)
	return hits
}

// start runs a server whose database is SQLite, or PostgreSQL at url.
func start(t *testing.T, dir, url string, more ...string) *product.Server {
	return product.Start(t, dir, append(more, "SIMORA_DATABASE_URL="+url, "SIMORA_TRUSTED_PROXIES=127.0.0.1,::1",
		"SIMORA_ADMIN_EMAIL="+planted.admin, "SIMORA_ADMIN_PASSWORD="+planted.password)...)
}

// Nothing of it stands readable in any file, while the server runs and after
// it was killed; nor in its log, nor in what the database gives out.
func TestNothingPersonalIsReadable(t *testing.T) {
	databases := map[string]func() string{"sqlite": func() string { return "" }}
	if !testing.Short() {
		databases["postgres"] = func() string { return pgserver.Database(t) }
	}
	for name, url := range databases {
		t.Run(name, func(t *testing.T) {
			dir, url := t.TempDir(), url()
			s := start(t, dir, url)
			visit(t, s)
			assert.Empty(t, scan(t, dir), "running")
			s.Kill()
			require.NoError(t, os.WriteFile(filepath.Join(dir, "log"), []byte(s.Log()+s.Banner), 0o600))
			require.Contains(t, s.Log(), "session-turn", "the log tells of the visit")
			if url != "" {
				dump(t, url, filepath.Join(dir, "dump"))
			}
			assert.Empty(t, scan(t, dir), "killed")

			// Whoever holds the keys can read the letters.
			letters, err := os.ReadDir(filepath.Join(dir, "outbox"))
			require.NoError(t, err)
			assert.Len(t, letters, 2)
			list := simora(t, 0, dir, nil, "outbox", "list")
			assert.Contains(t, list, "Your Simora report")
			assert.Contains(t, list, planted.name)
			id, _, _ := strings.Cut(list, " ")
			assert.Contains(t, simora(t, 0, dir, nil, "outbox", "show", id), "@canary.test")
			simora(t, 0, dir, nil, append([]string{"privacy", "scan"}, canaries()...)...)
		})
	}
}

// The same visit, found: the scan would have seen it.
func TestScanSeesWhatIsReadable(t *testing.T) {
	dir := t.TempDir()
	visit(t, start(t, dir, "", "SIMORA_OUTBOX_PLAINTEXT=true"))
	found := map[string]bool{}
	for _, hit := range scan(t, dir) {
		assert.Equal(t, ".eml", filepath.Ext(hit.File))
		found[hit.Text] = true
	}
	for _, text := range []string{planted.report, planted.email, planted.name, planted.organization} {
		assert.True(t, found[text], text)
	}
	assert.Contains(t, simora(t, 1, dir, nil, "privacy", "scan", planted.email), ".eml")
}

// simora runs a command and returns what it prints.
func simora(t *testing.T, code int, dir string, env []string, args ...string) string {
	t.Helper()
	path, err := product.Build()
	require.NoError(t, err)
	command := exec.CommandContext(t.Context(), path, args...)
	command.Env = append(append(os.Environ(), env...), "SIMORA_DATA="+dir)
	var out, errs bytes.Buffer
	command.Stdout, command.Stderr = &out, &errs
	_ = command.Run()
	require.Equal(t, code, command.ProcessState.ExitCode(), errs.String())
	return out.String()
}

// dump writes every row of every table as text.
func dump(t *testing.T, url, path string) {
	t.Helper()
	db, err := sql.Open("pgx", url)
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	column := func(text string) (values []string) {
		rows, err := db.QueryContext(t.Context(), text)
		require.NoError(t, err)
		defer func() { require.NoError(t, rows.Close()) }()
		for rows.Next() {
			var value string
			require.NoError(t, rows.Scan(&value))
			values = append(values, value)
		}
		require.NoError(t, rows.Err())
		return values
	}
	var all []string
	for _, table := range column("SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'") {
		all = append(all, column(`SELECT t::text FROM "`+table+`" t`)...)
	}
	require.Greater(t, len(all), 20)
	require.NoError(t, os.WriteFile(path, []byte(strings.Join(all, "\n")), 0o600))
}
