// Package certificate provides what the server proves its name with: a pair of
// files that may be exchanged while it runs, or certificates that it gets from
// an ACME authority and renews.
package certificate

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// Source finds the certificate for a handshake. *Files and *Authority are the
// two there are.
type Source interface {
	Certificate(hello *tls.ClientHelloInfo) (*tls.Certificate, error)
	Protocols() []string // beside HTTP's, for ALPN
	Expires() time.Time  // of the certificate in use; zero: there was none yet
}

// Config is TLS 1.2 and 1.3 with authenticated encryption only (ASVS 12.1.2:
// no CBC, no RSA key exchange).
func Config(s Source) *tls.Config {
	return &tls.Config{
		GetCertificate: s.Certificate, NextProtos: append([]string{"h2", "http/1.1"}, s.Protocols()...), MinVersion: tls.VersionTLS12,
		CipherSuites: []uint16{ // of TLS 1.2; those of 1.3 are all of the kind
			tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, tls.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
			tls.TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, tls.TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
			tls.TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, tls.TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
		},
	}
}

// Files are a certificate with its chain, and its key, both PEM.
type Files struct {
	cert, key string
	log       *slog.Logger

	mu      sync.Mutex
	seen    string // what the files looked like when they were last read
	current atomic.Pointer[tls.Certificate]
}

// Open reads the pair.
func Open(cert, key string, log *slog.Logger) (*Files, error) {
	f := &Files{cert: cert, key: key, log: log}
	if err := f.read(); err != nil {
		return nil, err
	}
	return f, nil
}

// Certificate is the pair as it is in the files now. Files that do not fit
// together, as in the moment between two copies, leave the one before in use.
func (f *Files) Certificate(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	if err := f.read(); err != nil {
		f.log.Warn("new certificate can't be used, the one before stays", "error", err)
	}
	return f.current.Load(), nil
}

// Protocols are none.
func (*Files) Protocols() []string { return nil }

// Expires is when the certificate in use ends.
func (f *Files) Expires() time.Time { return f.current.Load().Leaf.NotAfter }

// read looks at the files, which costs microseconds, and reads them when they
// changed. An error comes once for each change.
func (f *Files) read() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	cert, err1 := os.Stat(f.cert)
	key, err2 := os.Stat(f.key)
	looks := look(cert) + look(key)
	if looks == f.seen {
		return nil
	}
	f.seen = looks
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	pair, err := tls.LoadX509KeyPair(f.cert, f.key)
	if err != nil {
		return fmt.Errorf("certificate %s with key %s: %w", f.cert, f.key, err)
	}
	f.current.Store(&pair)
	return nil
}

func look(info fs.FileInfo) string {
	if info == nil {
		return "none"
	}
	return fmt.Sprint(info.Size(), info.ModTime().UnixNano(), " ")
}
