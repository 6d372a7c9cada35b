// Package commands_test uses the binary as an operator does.
package commands_test

import (
	"bytes"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"simora/server/session"
	"simora/tests/product"
)

// run runs one command to its end.
func run(t *testing.T, env []string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	path, err := product.Build()
	require.NoError(t, err)
	cmd := exec.Command(path, args...)
	cmd.Env = append(os.Environ(), env...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	_ = cmd.Run()
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// startAndStop returns all that a server prints in its life.
func startAndStop(t *testing.T, env ...string) (stdout, log string) {
	t.Helper()
	path, err := product.Build()
	require.NoError(t, err)
	cmd := exec.Command(path, "serve")
	cmd.Env = append(os.Environ(), append([]string{"SIMORA_LISTEN=127.0.0.1:0"}, env...)...)
	var errs bytes.Buffer
	out := &watch{text: "Its data lies in", found: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = out, &errs
	require.NoError(t, cmd.Start())
	select {
	case <-out.found:
	case <-time.After(20 * time.Second):
		_ = cmd.Process.Kill()
		t.Fatalf("the server did not start:\n%s", errs.String())
	}
	require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
	require.NoError(t, cmd.Wait(), errs.String())
	return out.buffer.String(), errs.String()
}

// watch keeps what it is written and tells when a text has come by. It is no
// bytes.Buffer itself: a copy would go past Write.
type watch struct {
	buffer bytes.Buffer
	text   string
	found  chan struct{}
	once   sync.Once
}

func (w *watch) Write(b []byte) (int, error) {
	n, err := w.buffer.Write(b)
	if strings.Contains(w.buffer.String(), w.text) {
		w.once.Do(func() { close(w.found) })
	}
	return n, err
}

var password = regexp.MustCompile(`([a-z2-7]{5}-){5}[a-z2-7]`)

func TestPasswordIsPrintedOnce(t *testing.T) {
	data := "SIMORA_DATA=" + t.TempDir()
	first, log := startAndStop(t, data)
	assert.Regexp(t, `http://localhost:\d+`, first)
	assert.Contains(t, first, strings.TrimPrefix(data, "SIMORA_DATA="))
	secret := password.FindString(first)
	require.NotEmpty(t, secret)
	assert.NotContains(t, log, secret)

	second, log := startAndStop(t, data)
	assert.Regexp(t, `http://localhost:\d+`, second)
	assert.NotRegexp(t, password, second+log)
}

func TestFirstAdminFromTheEnvironment(t *testing.T) {
	out, log := startAndStop(t, "SIMORA_DATA="+t.TempDir(), "SIMORA_ADMIN_EMAIL=boss@example.com", "SIMORA_ADMIN_PASSWORD=correct horse battery")
	assert.NotContains(t, out+log, "correct horse")
	_, stderr, code := run(t, []string{"SIMORA_DATA=" + t.TempDir(), "SIMORA_LISTEN=127.0.0.1:0", "SIMORA_ADMIN_PASSWORD=short"}, "serve")
	assert.Equal(t, 1, code)
	assert.Contains(t, stderr, "SIMORA_ADMIN_PASSWORD")
	assert.Contains(t, stderr, "15 to 1024")
}

func TestAdminsBesideARunningServer(t *testing.T) {
	dir := t.TempDir()
	product.Start(t, dir)
	data := []string{"SIMORA_DATA=" + dir}
	out, stderr, code := run(t, data, "admin", "create", "second@example.com")
	require.Zero(t, code, stderr)
	first := password.FindString(out)
	assert.NotEmpty(t, first)
	_, stderr, code = run(t, data, "admin", "create", "second@example.com")
	assert.Equal(t, 1, code)
	assert.Contains(t, stderr, "exists already")
	out, stderr, code = run(t, data, "admin", "reset", "second@example.com")
	require.Zero(t, code, stderr)
	assert.NotEqual(t, first, password.FindString(out))
	out, stderr, code = run(t, data, "admin", "reset", "--second-factor", "second@example.com")
	require.Zero(t, code, stderr)
	assert.Equal(t, "No second factor any more for second@example.com\n", out, "the password stays")
	_, stderr, code = run(t, data, "admin", "reset", "nobody@example.com")
	assert.Equal(t, 1, code)
	assert.Contains(t, stderr, "nobody@example.com")
}

func TestWrongUseIsExplained(t *testing.T) {
	blocked := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(blocked, nil, 0o600))
	for _, c := range []struct {
		name string
		env  []string
		args []string
		says []string
	}{
		{"wrong value", []string{"SIMORA_RETENTION=soon"}, []string{"serve"}, []string{"SIMORA_RETENTION", `"soon"`, "90d"}},
		{"unknown command", nil, []string{"server"}, []string{"server"}},
		{"unknown flag", nil, []string{"serve", "--lisen=:1"}, []string{"--lisen"}},
		{"data is a file", []string{"SIMORA_DATA=" + blocked}, []string{"serve"}, []string{"SIMORA_DATA", blocked}},
		{"no settings file", nil, []string{"serve", "--config=/nowhere"}, []string{"/nowhere"}},
		{"smtp address", []string{"SIMORA_DATA=" + t.TempDir(), "SIMORA_LISTEN=127.0.0.1:0", "SIMORA_SMTP_URL=http://secret@mail"}, []string{"serve"}, []string{"SIMORA_SMTP_URL", "smtps://"}},
		{"no package", nil, []string{"scenario", "check", t.TempDir()}, []string{"scenario.yaml"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			stdout, stderr, code := run(t, c.env, c.args...)
			assert.NotZero(t, code)
			for _, text := range c.says {
				assert.Contains(t, stdout+stderr, text)
			}
			assert.NotContains(t, stdout+stderr, "secret")
			assert.NotContains(t, stderr, "goroutine")
		})
	}
}

func TestOwnPackagesHaveNoMistakes(t *testing.T) {
	dirs, err := filepath.Glob("../../scenarios/*/scenario.yaml")
	require.NoError(t, err)
	require.Len(t, dirs, 3)
	for _, file := range dirs {
		stdout, stderr, code := run(t, nil, "scenario", "check", filepath.Dir(file))
		assert.Zero(t, code, stdout+stderr)
	}
}

// Whoever was let in is served to the end, and the process ends cleanly.
func TestStopFinishesWhatIsInFlight(t *testing.T) {
	s := product.Start(t, t.TempDir())
	var out session.Started
	_, err := s.Call(t.Context(), "session-start", "", session.StartInput{ScenarioSlug: "healthcare-emergency"}, &out)
	require.NoError(t, err)
	var answered, refused atomic.Int32
	var wg sync.WaitGroup
	begun := make(chan struct{}, 1)
	for range 8 {
		wg.Go(func() {
			for {
				var started session.Started
				status, err := s.Call(t.Context(), "session-start", "", session.StartInput{ScenarioSlug: "healthcare-emergency"}, &started)
				if err != nil {
					assert.Zero(t, status, "an error answer while stopping: %v", err)
					refused.Add(1)
					return
				}
				if answered.Add(1) == 50 {
					begun <- struct{}{}
				}
			}
		})
	}
	<-begun
	assert.Zero(t, s.Stop(), s.Log())
	wg.Wait()
	assert.EqualValues(t, 8, refused.Load())
	assert.Contains(t, s.Log(), "stopping")
}

func TestHealth(t *testing.T) {
	s := product.Start(t, t.TempDir())
	for _, path := range []string{"/livez", "/readyz"} {
		response, err := http.Get(s.URL + path)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		assert.Equal(t, http.StatusOK, response.StatusCode, path)
	}
}
