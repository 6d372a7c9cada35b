// Package hostile_test throws what attackers and broken clients send at every
// call of the real binary, and at the calls that it must not have. Everything
// is answered with a short refusal, changes nothing, and tells nothing of what
// is inside.
package hostile_test

import (
	"bufio"
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	_ "modernc.org/sqlite"

	"simora/tests/pgserver"
	"simora/tests/product"
)

func TestMain(m *testing.M) { pgserver.Main(m) }

const (
	email    = "boss@example.com"
	password = "correct horse battery"

	fewest     = 1300     // cases, so that no edit of a table loses many unseen
	shortError = 700      // bytes of a refusal
	longPage   = 64 << 10 // bytes of a page, where no call is below the path
	drift      = 96 << 20 // bytes that the process may have grown; signing in alone takes some of them for a while
)

// attack is one request. It is written to the connection as it is, so that no
// client library mends it.
type attack struct {
	name, method, target string
	header               []string // whole lines beside the usual ones; "" as the first: no usual ones
	body                 string
	as                   bearer
	want                 outcome
}

type bearer int

const (
	admin bearer = iota
	visitor
)

// outcome is what an answer may be beside "no 5xx and no leak".
type outcome int

const (
	any4xx    outcome = iota // refused
	tolerated                // refused, or taken as inert text
	absent                   // 401, 403, 404, 405: no such thing here
	nobody                   // 401 or 403: not let in
)

func (o outcome) allows(status int) bool {
	switch o {
	case absent:
		return status == 401 || status == 403 || status == 404 || status == 405
	case nobody:
		return status == 401 || status == 403
	case tolerated:
		return status < 500
	case any4xx:
	}
	return status >= 400 && status < 500
}

// leak is what only the inside of the program, the database or the machine says.
var leak = regexp.MustCompile(`goroutine |\.go:\d|SELECT |INSERT INTO|SQLSTATE|panic|runtime error|/home/|/root/|/tmp/|sqlite|pgx|postgres|nil pointer|simora/server|json: `)

// grows is how many rows more there are after a call that was taken.
var grows = map[string]map[string]int{
	"POST /functions/v1/session-start":         {"sessions": 1, "messages": 1},
	"POST /functions/v1/session-turn":          {"messages": 2},
	"POST /functions/v1/send-contact-email":    {"contact_messages": 1},
	"POST /functions/v1/admin-create-scenario": {"scenarios": 1},
	"POST /functions/v1/admin-create-hook":     {"hooks": 1},
	"POST /rest/v1/gallery_media":              {"gallery_media": 1},
}

var counted = []string{"sessions", "messages", "contact_messages", "scenarios", "hooks", "gallery_media", "users", "roles"}

func TestHostileInput(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) { besiege(t, "") })
	t.Run("postgres", func(t *testing.T) {
		if testing.Short() {
			t.Skip("needs PostgreSQL")
		}
		besiege(t, pgserver.Database(t))
	})
}

type siege struct {
	*product.Server
	address string
	token   string
}

func besiege(t *testing.T, url string) {
	dir := t.TempDir()
	env := []string{"SIMORA_ADMIN_EMAIL=" + email, "SIMORA_ADMIN_PASSWORD=" + password, "GOGC=25"} // what it holds, not what it has not yet given back
	if url != "" {
		env = append(env, "SIMORA_DATABASE_URL="+url)
	}
	s := &siege{Server: product.Start(t, dir, env...)}
	s.address = strings.TrimPrefix(s.URL, "http://")
	s.signIn(t)
	session := s.startSession(t)

	attacks := all(session, forgeries(s.token))
	names := map[string]bool{}
	for _, a := range attacks {
		require.False(t, names[a.name], "two cases are called %s", a.name)
		names[a.name] = true
	}
	require.GreaterOrEqual(t, len(attacks), fewest)

	before, size := rowCounts(t, dir, url), 0
	for i, a := range attacks {
		if i == len(attacks)/4 {
			size = resident(t, s.PID()) // by now all that is made once is there
		}
		t.Run(a.name, func(t *testing.T) {
			status := s.strike(t, a)
			if status/100 != 2 {
				return
			}
			for table, rows := range grows[a.method+" "+a.target] {
				before[table] += rows
			}
			if strings.HasSuffix(a.target, "/logout") {
				s.signIn(t)
			}
		})
	}
	grown := resident(t, s.PID()) - size
	assert.Less(t, grown, drift)

	status, _, err := s.send(attack{method: "GET", target: "/readyz"})
	require.NoError(t, err)
	assert.Equal(t, http.StatusOK, status)
	s.Kill()
	assert.NotContains(t, s.Log(), "panic")
	assert.NotContains(t, s.Log(), `"level":"ERROR"`)
	assert.Equal(t, before, rowCounts(t, dir, url), "what was refused left something behind")
	t.Logf("%d cases, %d kB grown", len(attacks), grown>>10)
}

// strike makes one attack and looks at its answer.
func (s *siege) strike(t *testing.T, a attack) int {
	status, body, err := s.send(a)
	require.NoError(t, err, "an answer, whatever was asked")
	assert.True(t, a.want.allows(status), "%d %s", status, body)
	if status >= 400 {
		most := shortError
		if bytes.HasPrefix(bytes.ToLower(body), []byte("<!doctype html>")) {
			most = longPage
		}
		assert.LessOrEqual(t, len(body), most)
		if found := leak.FindString(string(body)); found != "" && !strings.Contains(a.target+a.body, found) {
			t.Errorf("%d tells %q: %s", status, found, body)
		}
	}
	return status
}

func (s *siege) send(a attack) (status int, body []byte, err error) {
	token := s.token
	if a.as == visitor {
		token = s.Key
	}
	header := append([]string{"Apikey: " + s.Key, "Authorization: Bearer " + token, "Content-Type: application/json"}, a.header...)
	if len(a.header) > 0 && a.header[0] == "" {
		header = a.header[1:]
	}
	raw := a.method + " " + a.target + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: " + strconv.Itoa(len(a.body)) + "\r\n"
	for _, line := range header {
		raw += strings.NewReplacer("$KEY", s.Key, "$TOKEN", token).Replace(line) + "\r\n"
	}
	conn, err := net.Dial("tcp", s.address)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = conn.Close() }()
	if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		return 0, nil, err
	}
	go func() { _, _ = io.WriteString(conn, raw+"\r\n"+a.body) }() // it may hang up before all is written
	response, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: a.method})
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = response.Body.Close() }()
	body, err = io.ReadAll(response.Body)
	return response.StatusCode, body, err
}

func (s *siege) signIn(t *testing.T) {
	t.Helper()
	status, body, err := s.send(attack{method: "POST", target: "/auth/v1/token?grant_type=password", as: visitor, body: `{"email":"` + email + `","password":"` + password + `"}`})
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, status, string(body))
	var out struct {
		Token string `json:"access_token"`
	}
	require.NoError(t, json.Unmarshal(body, &out))
	s.token = out.Token
}

func (s *siege) startSession(t *testing.T) string {
	t.Helper()
	status, body, err := s.send(attack{method: "POST", target: "/functions/v1/session-start", as: visitor, body: `{"scenarioSlug":"healthcare-emergency"}`})
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, status, string(body))
	var out struct {
		ID string `json:"sessionId"`
	}
	require.NoError(t, json.Unmarshal(body, &out))
	return out.ID
}

func rowCounts(t *testing.T, dir, url string) map[string]int {
	t.Helper()
	driver := "pgx"
	if url == "" {
		driver, url = "sqlite", filepath.Join(dir, "simora.db")
	}
	db, err := sql.Open(driver, url)
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	found := map[string]int{}
	for _, table := range counted {
		var n int
		require.NoError(t, db.QueryRowContext(t.Context(), "SELECT count(*) FROM "+table).Scan(&n), table)
		found[table] = n
	}
	return found
}

// resident is how much memory a process holds, in bytes.
func resident(t *testing.T, pid int) int {
	t.Helper()
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	require.NoError(t, err)
	pages, err := strconv.Atoi(strings.Fields(string(raw))[1])
	require.NoError(t, err)
	return pages * os.Getpagesize()
}
