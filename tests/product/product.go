// Package product runs the real binary for tests, as its own process with its
// own data directory.
package product

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
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
)

// Build compiles the binary once per test process and returns its path.
var Build = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "simora")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "simora")
	out, err := exec.Command("go", "build", "-o", path, "simora").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build: %w\n%s", err, out)
	}
	return path, nil
})

// Server is one running process.
type Server struct {
	URL    string
	Key    string // the public key
	Banner string // what it printed at its start

	command *exec.Cmd
	log     *bytes.Buffer
	client  *http.Client
}

// Start runs the binary on a free port and waits until it is ready.
func Start(t testing.TB, dir string, env ...string) *Server {
	t.Helper()
	return started(t, dir, env, nil)
}

// StartTLS is Start of a server that speaks HTTPS; trust is how to speak with
// it.
func StartTLS(t testing.TB, trust *tls.Config, dir string, env ...string) *Server {
	t.Helper()
	return started(t, dir, env, trust)
}

// StartTraced is Start under strace, which writes to file what the process
// connects to.
func StartTraced(t testing.TB, file, dir string, env ...string) *Server {
	t.Helper()
	return started(t, dir, env, nil, "strace", "--daemonize", "--follow-forks", "--seccomp-bpf", "--trace=connect", "--quiet=all", "--output="+file)
}

func started(t testing.TB, dir string, env []string, trust *tls.Config, under ...string) *Server {
	t.Helper()
	s, err := try(dir, env, trust, under...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Kill)
	return s
}

// TryStart is Start for a start that may fail.
func TryStart(dir string, env ...string) (*Server, error) { return try(dir, env, nil) }

const (
	attempts    = 150 // for a server that gets a certificate first
	connections = 64  // kept open for the next call
)

func try(dir string, env []string, trust *tls.Config, under ...string) (*Server, error) {
	path, err := Build()
	if err != nil {
		return nil, err
	}
	s := &Server{log: &bytes.Buffer{}, client: &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: connections, TLSClientConfig: trust}}}
	line := append(under, path, "serve")
	s.command = exec.Command(line[0], line[1:]...)
	s.command.Env = append(os.Environ(), append([]string{"SIMORA_DATA=" + dir, "SIMORA_LISTEN=127.0.0.1:0", "SIMORA_LIMIT_FACTOR=100000"}, env...)...)
	s.command.Stderr = s.log
	s.command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	stdout, err := s.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := s.command.Start(); err != nil {
		return nil, err
	}
	if err := s.readBanner(stdout); err != nil {
		s.Kill()
		return nil, fmt.Errorf("%w\n%s", err, s.log)
	}
	for range attempts {
		if err = s.readConfig(); err == nil || trust == nil {
			break
		}
		time.Sleep(200 * time.Millisecond) // it may still be getting its certificate
	}
	if err != nil {
		s.Kill()
		return nil, fmt.Errorf("%w\n%s", err, s.log)
	}
	return s, nil
}

// readBanner learns the address from the first lines.
func (s *Server) readBanner(stdout io.Reader) error {
	lines := bufio.NewScanner(stdout)
	for lines.Scan() {
		s.Banner += lines.Text() + "\n"
		if _, address, ok := strings.Cut(lines.Text(), "Simora is ready:"); ok {
			s.URL = strings.TrimSpace(address)
		}
		if strings.HasPrefix(lines.Text(), "Its data lies in:") {
			break
		}
	}
	if s.URL == "" {
		return errors.New("the server did not say where it is")
	}
	go func() {
		for lines.Scan() { // keep the pipe empty
		}
	}()
	return nil
}

func (s *Server) readConfig() error {
	response, err := s.client.Get(s.URL + "/config.json")
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	var c struct {
		PublicKey string `json:"publicKey"`
	}
	err = json.NewDecoder(response.Body).Decode(&c)
	s.Key = c.PublicKey
	return err
}

// Call makes one function call and decodes a 2xx answer into out. The status
// is 0 when there was no answer.
func (s *Server) Call(ctx context.Context, function, idempotencyKey string, in, out any) (status int, err error) {
	body, err := json.Marshal(in)
	if err != nil {
		return 0, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+"/functions/v1/"+function, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Apikey", s.Key)
	r.Header.Set("Authorization", "Bearer "+s.Key)
	if idempotencyKey != "" {
		r.Header.Set("Idempotency-Key", idempotencyKey)
	}
	response, err := s.client.Do(r)
	if err != nil {
		return 0, err
	}
	defer func() { _ = response.Body.Close() }()
	raw, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, err // half an answer is no answer
	}
	if response.StatusCode/100 != 2 {
		return response.StatusCode, fmt.Errorf("%s: %d %s", function, response.StatusCode, raw)
	}
	return response.StatusCode, json.Unmarshal(raw, out)
}

// Via is a client of the same product under another address, such as a proxy's.
// It is no process.
func (s *Server) Via(url string) *Server {
	return &Server{URL: url, Key: s.Key, client: &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: connections}}}
}

// From is a client of the same server at another address of this machine, such
// as 127.0.0.2. It is no process.
func (s *Server) From(address string) *Server {
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}
	return &Server{URL: s.URL, Key: s.Key, client: &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{DialContext: dialer.DialContext}}}
}

// PID is the process's number.
func (s *Server) PID() int { return s.command.Process.Pid }

// Kill ends the process as a power switch would end it.
func (s *Server) Kill() {
	_ = s.command.Process.Kill()
	_ = s.command.Wait()
	s.client.CloseIdleConnections()
}

// Stop asks the process to finish and returns its exit code.
func (s *Server) Stop() int {
	_ = s.command.Process.Signal(syscall.SIGTERM)
	_ = s.command.Wait()
	return s.command.ProcessState.ExitCode()
}

// Memory is what the process has in RAM (resident set), in bytes.
func (s *Server) Memory() (int64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.command.Process.Pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(status)) {
		var kilobytes int64
		if _, err := fmt.Sscanf(line, "VmRSS: %d kB", &kilobytes); err == nil {
			return kilobytes << 10, nil
		}
	}
	return 0, errors.New("the process has no memory: it has ended")
}

// Log is what the process wrote to its log. Read it after Kill or Stop.
func (s *Server) Log() string { return s.log.String() }

// Goroutines is how many a process has that shows its metrics at an address.
func Goroutines(t testing.TB, address string) (n int) {
	t.Helper()
	response, err := http.Get("http://" + address + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	lines := bufio.NewScanner(response.Body)
	for lines.Scan() {
		if _, err := fmt.Sscanf(lines.Text(), "go_goroutines %d", &n); err == nil {
			return n
		}
	}
	t.Fatal("no goroutines are counted at ", address)
	return 0
}
