package faults_test

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	_ "modernc.org/sqlite"

	"simora/server/session"
	"simora/tests/product"
)

// say takes one turn, or repeats the one that was not acknowledged, and returns
// the status.
func (l *learner) say(ctx context.Context, t *testing.T, s *product.Server) int {
	if l.id == "" {
		var out session.Started
		status, err := s.Call(ctx, "session-start", "", session.StartInput{ScenarioSlug: "healthcare-emergency"}, &out)
		if err != nil {
			return status
		}
		l.id = out.SessionID
	}
	if l.pending == nil {
		n := len(l.acked) + 1
		l.pending = &session.TurnInput{SessionID: l.id, UserMessage: fmt.Sprintf("Message %d: where does it hurt?", n)}
		l.key = fmt.Sprintf("%s-%d", l.id, n)
	}
	var out session.TurnOutput
	status, err := s.Call(ctx, "session-turn", l.key, l.pending, &out)
	if err == nil {
		l.acked = append(l.acked, exchange{l.pending.UserMessage, out.NPCMessage, out.TurnCount})
		l.pending, l.done = nil, out.IsComplete
	}
	return status
}

const boss, password = "boss@example.com", "correct horse battery"

// A full disk is told as such, serves what needs none, takes nothing half, and
// all goes on when there is room again.
func TestDiskIsFull(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root may mount the small disk that this test fills")
	}
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=24m"); err != nil {
		t.Skip("this machine lets nobody mount: ", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
	server := product.Start(t, dir, "SIMORA_ADMIN_EMAIL="+boss, "SIMORA_ADMIN_PASSWORD="+password)
	warm(t, server)
	token := signIn(t, server)
	before := &learner{}
	require.Equal(t, http.StatusOK, before.say(t.Context(), t, server))

	filler := filepath.Join(dir, "filler")
	file, err := os.Create(filler)
	require.NoError(t, err)
	for size := 1 << 20; size > 0; size /= 4 {
		for err = nil; err == nil; {
			_, err = file.Write(make([]byte, size))
		}
		require.ErrorIs(t, err, syscall.ENOSPC)
	}
	require.NoError(t, file.Close())

	all := []*learner{before}
	refused := 0
	for i := 0; i < 500 && refused < 20; i++ { // the log has some room of its own left
		l := &learner{}
		all = append(all, l)
		switch status := l.say(t.Context(), t, server); status {
		case http.StatusOK:
		case http.StatusServiceUnavailable:
			refused++
		default:
			t.Fatalf("%d", status)
		}
	}
	assert.Equal(t, 20, refused)
	assert.Equal(t, http.StatusOK, get(t, server.URL+"/industries/healthcare"))
	assert.Equal(t, http.StatusOK, get(t, server.URL+"/livez"))
	status, said := upload(t, server, token, 1)
	assert.GreaterOrEqual(t, status, 400, "%s", said)
	assert.NotContains(t, said, dir)

	require.NoError(t, os.Remove(filler))
	for _, l := range all {
		require.Eventually(t, func() bool { return l.pending == nil && l.id != "" || l.say(t.Context(), t, server) == http.StatusOK }, 20*time.Second, 50*time.Millisecond)
	}
	status, said = upload(t, server, token, 1)
	assert.Equal(t, http.StatusOK, status, said)
	server.Kill()
	t.Logf("%d turns, %d refused", examine(t, dir, "", all), refused)
}

// What the disk did not confirm is not acknowledged, and is not there later;
// when the disk works again, so does everything.
func TestDiskFails(t *testing.T) {
	if _, err := exec.LookPath("strace"); err != nil || testing.Short() {
		t.Skip("lets system calls fail with strace")
	}
	for name, fault := range map[string]string{
		"sync fails":   "fsync,fdatasync:error=EIO",
		"no more room": "pwrite64,write:error=ENOSPC",
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			server := product.Start(t, dir)
			warm(t, server)
			l := &learner{}
			require.Equal(t, http.StatusOK, l.say(t.Context(), t, server))
			mend := inject(t, server, dir, fault)
			for range 5 {
				require.Equal(t, http.StatusServiceUnavailable, l.say(t.Context(), t, server))
			}
			assert.Equal(t, http.StatusOK, get(t, server.URL+"/livez"))
			mend()
			require.Eventually(t, func() bool { return l.say(t.Context(), t, server) == http.StatusOK }, 20*time.Second, 50*time.Millisecond)
			server.Kill()
			require.Equal(t, 2, examine(t, dir, "", []*learner{l}))
		})
	}
}

// A process that is killed in a commit, at one write or sync or another, has
// lost, halved and doubled nothing.
func TestKilledAtEachWrite(t *testing.T) {
	if _, err := exec.LookPath("strace"); err != nil || testing.Short() {
		t.Skip("kills with strace")
	}
	dir := t.TempDir()
	l := &learner{}
	all := []*learner{l}
	at := []int{1, 3, 8, 30} // counted by strace for each thread
	for _, n := range at {
		server := product.Start(t, dir)
		warm(t, server)
		for l.pending != nil || l.id == "" || len(l.acked) == 0 {
			require.Equal(t, http.StatusOK, l.say(t.Context(), t, server))
		}
		inject(t, server, dir, fmt.Sprintf("pwrite64,fsync,fdatasync:signal=KILL:when=%d", n))
		for turns := 0; l.say(t.Context(), t, server) != 0; turns++ {
			require.Less(t, turns, 500, "it should have been killed by now")
			if l.done {
				l = &learner{}
				all = append(all, l)
			}
		}
		server.Kill()
	}
	server := product.Start(t, dir)
	for _, l := range all {
		for l.id != "" && l.pending != nil {
			require.Equal(t, http.StatusOK, l.say(t.Context(), t, server))
		}
	}
	server.Kill()
	t.Logf("%d kills, %d turns", len(at), examine(t, dir, "", all))
}

// inject lets calls on the database's files fail until mend is called.
func inject(t *testing.T, server *product.Server, dir, fault string) (mend func()) {
	t.Helper()
	calls, _, _ := strings.Cut(fault, ":")
	command := exec.Command("strace", "-f", "-p", fmt.Sprint(server.PID()), "-P", filepath.Join(dir, "simora.db"), "-P", filepath.Join(dir, "simora.db-wal"), "-e", "trace="+calls, "-e", "inject="+fault, "-o", filepath.Join(t.TempDir(), "trace"))
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	var said bytes.Buffer
	command.Stderr = &said
	require.NoError(t, command.Start())
	ended := make(chan struct{})
	go func() {
		_ = command.Wait()
		close(ended)
	}()
	mend = func() {
		_ = command.Process.Signal(syscall.SIGINT)
		<-ended
	}
	t.Cleanup(mend)
	for !traced(server.PID()) {
		select {
		case <-ended:
			t.Skip("strace may not attach here: ", said.String())
		case <-time.After(10 * time.Millisecond):
		}
	}
	return mend
}

// traced reports whether every thread is attached to.
func traced(pid int) bool {
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", pid))
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err == nil && strings.Contains(string(raw), "TracerPid:\t0\n") {
			return false
		}
	}
	return err == nil
}

// Copies of the database, a reader that stays, and another program's lock make
// visitors wait at most; nobody is refused.
func TestOthersAtTheDatabase(t *testing.T) {
	if testing.Short() {
		t.Skip("takes turns for a while")
	}
	dir := t.TempDir()
	server := product.Start(t, dir)
	warm(t, server)
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "simora.db")+"?_pragma=busy_timeout(10000)")
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	reader, err := db.BeginTx(t.Context(), nil)
	require.NoError(t, err)
	require.NoError(t, reader.QueryRowContext(t.Context(), "SELECT count(*) FROM sessions").Scan(new(int)))

	ctx, stop := context.WithCancel(t.Context())
	var mu sync.Mutex
	var all []*learner
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for ctx.Err() == nil {
				l := &learner{}
				mu.Lock()
				all = append(all, l)
				mu.Unlock()
				for ctx.Err() == nil && !l.done {
					if !assert.Equal(t, http.StatusOK, l.say(t.Context(), t, server)) {
						return
					}
				}
			}
		})
	}
	path, err := product.Build()
	require.NoError(t, err)
	for i := range 2 {
		copied := filepath.Join(t.TempDir(), "copy.db")
		_, err := db.ExecContext(t.Context(), "VACUUM INTO $1", copied)
		require.NoError(t, err)
		file := filepath.Join(t.TempDir(), fmt.Sprint(i, ".backup"))
		for _, verb := range []string{"create", "verify"} {
			command := exec.CommandContext(t.Context(), path, "backup", verb, file)
			command.Env = append(os.Environ(), "SIMORA_DATA="+dir)
			out, err := command.CombinedOutput()
			require.NoError(t, err, "%s", out)
		}
	}
	lock, err := db.Conn(t.Context())
	require.NoError(t, err)
	_, err = lock.ExecContext(t.Context(), "BEGIN IMMEDIATE")
	require.NoError(t, err)
	time.Sleep(time.Second)
	_, err = lock.ExecContext(t.Context(), "ROLLBACK")
	require.NoError(t, errors.Join(err, lock.Close(), reader.Rollback()))
	stop()
	wg.Wait()
	server.Kill()
	t.Logf("%d sessions, %d turns", len(all), examine(t, dir, "", all))
}

// A database that is not what was written is refused, and nothing is written
// over it.
func TestDamagedDatabase(t *testing.T) {
	dir := t.TempDir()
	server := product.Start(t, dir)
	warm(t, server)
	require.Zero(t, server.Stop())
	path := filepath.Join(dir, "simora.db")
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoFileExists(t, path+"-wal")
	const page = 4096
	for name, damage := range map[string]func(raw []byte) []byte{
		"another file":        func([]byte) []byte { return bytes.Repeat([]byte("no database "), 1000) },
		"cut in the middle":   func(raw []byte) []byte { return raw[:len(raw)/2/page*page] },
		"cut within a page":   func(raw []byte) []byte { return raw[:len(raw)-page/2] },
		"schema overwritten":  func(raw []byte) []byte { return overwrite(raw, 100, page) },
		"a tenth overwritten": func(raw []byte) []byte { return overwrite(raw, len(raw)/2, len(raw)/2+len(raw)/10) },
		"every second page":   everySecond,
	} {
		t.Run(name, func(t *testing.T) {
			damaged := damage(bytes.Clone(whole))
			require.NoError(t, os.WriteFile(path, damaged, 0o600))
			_, err := product.TryStart(dir)
			require.Error(t, err)
			assert.Contains(t, err.Error(), "backup restore", "it says what to do")
			left, err := os.ReadFile(path)
			require.NoError(t, err)
			assert.True(t, bytes.Equal(damaged, left), "left as it was found")
		})
	}
	require.NoError(t, os.WriteFile(path, whole, 0o600))
	product.Start(t, dir)
}

func overwrite(raw []byte, from, to int) []byte {
	for i := from; i < to; i++ {
		raw[i] ^= 0x5a
	}
	return raw
}

func everySecond(raw []byte) []byte {
	const page = 4096
	for at := 2 * page; at+page <= len(raw); at += 2 * page {
		raw = overwrite(raw, at, at+page)
	}
	return raw
}

// A process without file descriptors goes on with whom it has, and with
// everybody when some are free again.
func TestFewFileDescriptors(t *testing.T) {
	if _, err := exec.LookPath("prlimit"); err != nil {
		t.Skip("limits the process with prlimit")
	}
	server := product.Start(t, t.TempDir())
	warm(t, server)
	open, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", server.PID()))
	require.NoError(t, err)
	out, err := exec.CommandContext(t.Context(), "prlimit", fmt.Sprintf("--pid=%d", server.PID()), fmt.Sprintf("--nofile=%d", len(open)+20)).CombinedOutput()
	require.NoError(t, err, "%s", out)
	var idle []io.Closer
	for range 100 {
		conn, err := dial(server)
		require.NoError(t, err)
		idle = append(idle, conn)
	}
	l := &learner{}
	require.Equal(t, http.StatusOK, l.say(t.Context(), t, server), "on the connection that it has")
	for _, conn := range idle {
		require.NoError(t, conn.Close())
	}
	require.Eventually(t, func() bool { return get(t, server.URL+"/readyz") == http.StatusOK }, 20*time.Second, 50*time.Millisecond)
	assert.Zero(t, server.Stop())
}

func dial(s *product.Server) (net.Conn, error) {
	return net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
}

func signIn(t *testing.T, s *product.Server) (token string) {
	t.Helper()
	status, answer := send(t, s, "/auth/v1/token?grant_type=password", s.Key, "application/json", []byte(`{"email":"`+boss+`","password":"`+password+`"}`))
	require.Equal(t, http.StatusOK, status, answer)
	var out struct {
		Token string `json:"access_token"`
	}
	require.NoError(t, json.Unmarshal([]byte(answer), &out))
	return out.Token
}

// upload sends a picture of its own number to the gallery's folder.
func upload(t *testing.T, s *product.Server, token string, n int) (status int, answer string) {
	t.Helper()
	var picture bytes.Buffer
	require.NoError(t, png.Encode(&picture, image.NewGray(image.Rect(0, 0, 300, 300))))
	return send(t, s, fmt.Sprintf("/storage/v1/object/industry-media/healthcare/%d_a.png", n), token, "image/png", picture.Bytes())
}

func send(t *testing.T, s *product.Server, path, token, kind string, body []byte) (status int, answer string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+path, bytes.NewReader(body))
	require.NoError(t, err)
	r.Header.Set("Apikey", s.Key)
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", kind)
	response, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	raw, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response.StatusCode, string(raw)
}
