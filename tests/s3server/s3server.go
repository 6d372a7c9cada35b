// Package s3server starts a real S3 server for tests.
package s3server

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

const (
	key    = "testkey"
	secret = "testsecret"
	bucket = "media"
)

// Start runs a versitygw over a temporary folder until the test ends, and
// returns the address of an empty bucket for SIMORA_MEDIA_URL. Without the
// program the test fails and says how to get it.
func Start(t testing.TB) string { return "s3+http://" + run(t) }

// Encrypted is Start of a server that speaks TLS with this certificate.
func Encrypted(t testing.TB, certFile, keyFile string) string {
	return "s3://" + run(t, "--cert", certFile, "--key", keyFile)
}

func run(t testing.TB, more ...string) string {
	t.Helper()
	_, here, _, _ := runtime.Caller(0)
	program := filepath.Join(filepath.Dir(here), "..", ".bin", "versitygw")
	if _, err := os.Stat(program); err != nil {
		t.Fatalf("the S3 server for tests is not there (%s): run make setup", program)
	}
	dir, metadata := t.TempDir(), t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, bucket), 0o700); err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), program, append(append([]string{"--port", address, "--access", key, "--secret", secret, "--quiet"}, more...), "posix", "--sidecar", metadata, dir)...)
	command.Stderr, command.Stdout = os.Stderr, os.Stderr
	if err := command.Start(); err != nil {
		t.Fatalf("start the S3 server: %v", err)
	}
	t.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait()
	})
	for range 100 {
		if c, err := net.DialTimeout("tcp", address, time.Second); err == nil {
			_ = c.Close()
			return fmt.Sprintf("%s:%s@%s/%s", key, secret, address, bucket)
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatal("the S3 server does not answer")
	return ""
}
