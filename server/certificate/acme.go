package certificate

import (
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/crypto/acme"
	"golang.org/x/crypto/acme/autocert"

	"simora/server/outbound"
)

// requestTime bounds one request to the authority.
const requestTime = 30 * time.Second

// Order is what to get, and where.
type Order struct {
	Domains   []string
	Email     string // may be empty
	Directory string // the authority's address
	Dir       string // keys and certificates are kept here, mode 0600
	Network   *outbound.Network
	Log       *slog.Logger
}

// Authority gets certificates when they are asked for, and renews them when a
// third of their life is left, 30 days at most.
type Authority struct {
	order   Order
	manager *autocert.Manager
	expires atomic.Pointer[time.Time]
}

// NewAuthority prepares; nothing is sent yet. Using it means agreeing to the
// authority's terms.
func NewAuthority(o Order) *Authority {
	return &Authority{order: o, manager: &autocert.Manager{
		Prompt: autocert.AcceptTOS, Cache: autocert.DirCache(o.Dir), HostPolicy: o.ours, Email: o.Email,
		Client: &acme.Client{DirectoryURL: o.Directory, UserAgent: "simora", HTTPClient: &http.Client{Transport: o.Network.Transport(), Timeout: requestTime}},
	}}
}

// ours refuses names that are not ordered. The authority's own question comes
// with a port where a forwarder keeps it.
func (o Order) ours(_ context.Context, host string) error {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if !slices.Contains(o.Domains, strings.ToLower(host)) {
		return fmt.Errorf("no certificate for %q", host)
	}
	return nil
}

// Certificate is that of the name which is asked for.
func (a *Authority) Certificate(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	if err := a.order.ours(context.Background(), strings.TrimSuffix(hello.ServerName, ".")); err != nil {
		return nil, err // anybody can ask for anything: not worth a line in the log
	}
	found, err := a.manager.GetCertificate(hello)
	if err != nil {
		a.order.Log.Warn("no certificate from the ACME authority", "domain", hello.ServerName, "error", err)
		return nil, err
	}
	if !slices.Contains(hello.SupportedProtos, acme.ALPNProto) && found.Leaf != nil {
		a.expires.Store(&found.Leaf.NotAfter)
	}
	return found, nil
}

// Protocols has the one that the authority looks for the answer with.
func (*Authority) Protocols() []string { return []string{acme.ALPNProto} }

// Expires is when the certificate served last ends; the zero time before the
// first.
func (a *Authority) Expires() time.Time {
	if t := a.expires.Load(); t != nil {
		return *t
	}
	return time.Time{}
}

// Challenges answers the authority's questions over plain HTTP, and leaves the
// rest to next.
func (a *Authority) Challenges(next http.Handler) http.Handler { return a.manager.HTTPHandler(next) }

// Prepare gets what is not there yet, so that no visitor waits for it, and
// renewal starts with it. It ends with ctx.
func (a *Authority) Prepare(ctx context.Context) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		for _, name := range a.order.Domains {
			// As a browser of today asks, for the kind of key that it prefers.
			_, _ = a.Certificate(&tls.ClientHelloInfo{ServerName: name, CipherSuites: []uint16{tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256}}) // logged there
		}
	}()
	select {
	case <-done:
	case <-ctx.Done():
	}
}
