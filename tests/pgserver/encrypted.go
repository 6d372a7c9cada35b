package pgserver

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"testing"

	"simora/tests/authority"
)

// Encrypted starts a server of its own until the test ends, which takes TLS
// connections on the loopback interface, and returns the URL of its database
// without parameters. Its certificate is issued for name.
func Encrypted(t testing.TB, issuer *authority.Authority, name string) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	_ = listener.Close()
	cert, key := issuer.Issue(t, name)
	server, err := start("&port="+port, func(dir string) ([]string, error) {
		settings := []string{"port=" + port, "listen_addresses=127.0.0.1", "ssl=on"}
		for setting, from := range map[string]string{"ssl_cert_file": cert, "ssl_key_file": key} {
			text, err := os.ReadFile(from)
			if err != nil {
				return nil, err
			}
			path := filepath.Join(dir, setting)
			if err := os.WriteFile(path, text, 0o600); err != nil {
				return nil, err
			}
			if err := own(path); err != nil {
				return nil, err
			}
			settings = append(settings, setting+"="+path)
		}
		return settings, nil
	})
	if err != nil {
		t.Fatalf("PostgreSQL for the tests: %v", err)
	}
	t.Cleanup(server.Stop)
	return fmt.Sprintf("postgres://app@127.0.0.1:%s/postgres", port)
}
