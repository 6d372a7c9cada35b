// Package acmeserver starts a real ACME authority for tests: Let's Encrypt's
// own Pebble, which refuses a part of what it is sent on purpose.
package acmeserver

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
	"time"

	"simora/tests/authority"
)

// Ports are where the authority looks for the answers to its challenges.
type Ports struct{ TLS, HTTP int }

// Server is a running authority for which every name is on 127.0.0.1.
type Server struct {
	Directory string         // its address
	CAFile    string         // trusts that address
	Roots     *x509.CertPool // of the certificates that it issues
}

// Start runs it until the test ends. Without the program the test fails and
// says how to get it.
func Start(t testing.TB, ports Ports) *Server {
	t.Helper()
	own := authority.New(t)
	cert, key := own.Issue(t, "localhost", "127.0.0.1")
	address, management, names := FreeAddress(t), FreeAddress(t), FreeAddress(t)
	config, err := json.Marshal(map[string]any{"pebble": map[string]any{
		"listenAddress": address, "managementListenAddress": management, "certificate": cert, "privateKey": key, "httpPort": ports.HTTP, "tlsPort": ports.TLS,
		"profiles": map[string]any{"default": map[string]any{"description": "as Let's Encrypt's", "validityPeriod": 90 * 24 * 3600}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "pebble.json")
	if err := os.WriteFile(file, config, 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, nil, "pebble-challtestsrv", "-dnsserver", names, "-defaultIPv4", "127.0.0.1", "-defaultIPv6", "", "-http01", "", "-https01", "", "-tlsalpn01", "", "-doh", "", "-management", FreeAddress(t))
	waitFor(t, names)
	run(t, []string{"PEBBLE_VA_NOSLEEP=1", "PEBBLE_AUTHZREUSE=0"}, "pebble", "-config", file, "-dnsserver", names)

	s := &Server{Directory: "https://" + address + "/dir", CAFile: own.File, Roots: x509.NewCertPool()}
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: own.Roots}}}
	for range 100 {
		if response, err := client.Get("https://" + management + "/roots/0"); err == nil {
			root, _ := io.ReadAll(response.Body)
			_ = response.Body.Close()
			if s.Roots.AppendCertsFromPEM(root) {
				return s
			}
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatal("the ACME authority does not answer")
	return nil
}

func run(t testing.TB, env []string, program string, args ...string) {
	t.Helper()
	_, here, _, _ := runtime.Caller(0)
	path := filepath.Join(filepath.Dir(here), "..", ".bin", program)
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("the ACME authority for tests is not there (%s): run make setup", path)
	}
	command := exec.CommandContext(t.Context(), path, args...)
	command.Env = append(os.Environ(), env...)
	if err := command.Start(); err != nil {
		t.Fatalf("start %s: %v", program, err)
	}
	t.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait()
	})
}

func waitFor(t testing.TB, address string) {
	t.Helper()
	for range 100 {
		if conn, err := net.DialTimeout("tcp", address, time.Second); err == nil {
			_ = conn.Close()
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatal("the name server of the ACME authority does not answer")
}

// FreeAddress is one on the loopback interface that nobody listens on.
func FreeAddress(t testing.TB) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	return listener.Addr().String()
}

// Port is the port of an address.
func Port(t testing.TB, address string) int {
	t.Helper()
	_, text, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	port, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return port
}
