// Package outbound is the only way out of this process: it dials what is
// configured, and nothing else but the webhooks that admins set up.
//
//	database, mail, media, model, … ─▶ Network ─▶ a configured link, or refused
//	webhooks ─▶ Network.Beyond ─▶ what a guard lets through
//
// Proxies of the environment (HTTP_PROXY and its kin) are not followed.
package outbound

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"syscall"
	"time"
)

const (
	connectTime    = 4 * time.Second
	idleTime       = 90 * time.Second
	idleConns      = 16 // to one host
	maxHeaderBytes = 64 << 10
)

// ErrForbidden is a dial to what no setting names.
var ErrForbidden = errors.New("this server only connects to what is configured")

// Link is one configured way out.
type Link struct {
	Name      string // what it is for: "database", "smtp", "media", "llm", …
	Address   string // host:port, or the path of a Unix socket
	Encrypted bool   // nothing is sent in the clear
	Verified  bool   // and the other side proves its name with a certificate
	Region    string // as the operator labels it; empty: without a label
}

// Local reports whether the link ends on this machine: a Unix socket or the
// loopback interface.
func (l Link) Local() bool {
	if strings.HasPrefix(l.Address, "/") {
		return true
	}
	host := l.Host()
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.Unmap().IsLoopback()
}

// Host is the address without its port; of a Unix socket, its path.
func (l Link) Host() string {
	host, _, err := net.SplitHostPort(l.Address)
	if err != nil {
		return l.Address
	}
	return host
}

// Network dials its links. It does not change and is safe for concurrent use.
type Network struct {
	links  []Link
	roots  *x509.CertPool
	dialer net.Dialer
}

// New returns a network of these links. Certificates are checked against
// roots; nil: the system's.
func New(roots *x509.CertPool, links ...Link) *Network {
	return &Network{links: links, roots: roots, dialer: net.Dialer{Timeout: connectTime}}
}

// ReadRoots are the system's and those of a PEM file; nil without a file, which
// means the system's.
func ReadRoots(file string) (*x509.CertPool, error) {
	if file == "" {
		return nil, nil //nolint:nilnil // as crypto/tls reads it
	}
	text, err := os.ReadFile(file) //nolint:gosec // the operator's own choice
	if err != nil {
		return nil, err
	}
	roots, err := x509.SystemCertPool()
	if err != nil {
		roots = x509.NewCertPool() // a machine without any
	}
	if !roots.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("%s: no certificate in PEM form found", file)
	}
	return roots, nil
}

// Links are those that may be dialled.
func (n *Network) Links() []Link { return append([]Link(nil), n.links...) }

// Roots are the authorities that certificates are checked against; nil: the
// system's.
func (n *Network) Roots() *x509.CertPool { return n.roots }

// With is the network with more links.
func (n *Network) With(links ...Link) *Network {
	return New(n.roots, append(n.Links(), links...)...)
}

// DialContext connects to a link's address. Anything else is ErrForbidden,
// before a name is looked up.
func (n *Network) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	for _, l := range n.links {
		if strings.EqualFold(l.Address, address) {
			return n.dialer.DialContext(ctx, network, address)
		}
	}
	return nil, fmt.Errorf("dial %s: %w", address, ErrForbidden)
}

// TLS is how to speak with a host: it must prove its name.
func (n *Network) TLS(host string) *tls.Config {
	return &tls.Config{ServerName: host, RootCAs: n.roots, MinVersion: tls.VersionTLS12}
}

// Transport speaks HTTP with the links.
func (n *Network) Transport() *http.Transport {
	return &http.Transport{
		DialContext: n.DialContext, TLSClientConfig: &tls.Config{RootCAs: n.roots, MinVersion: tls.VersionTLS12}, TLSHandshakeTimeout: connectTime,
		ForceAttemptHTTP2: true, MaxIdleConnsPerHost: idleConns, IdleConnTimeout: idleTime, MaxResponseHeaderBytes: maxHeaderBytes,
	}
}

// Beyond speaks HTTP with addresses that no setting names. It connects anew for
// each request, and guard judges where that leads: what the name said before
// does not count. A nil guard lets everything through.
func (n *Network) Beyond(guard func(network, address string, c syscall.RawConn) error) *http.Transport {
	dialer := n.dialer
	dialer.Control = guard
	t := n.Transport()
	t.DialContext, t.DisableKeepAlives = dialer.DialContext, true
	return t
}

// HTTP is the link to an http or https address.
func HTTP(name string, address *url.URL) Link {
	secure := address.Scheme == "https"
	port := address.Port()
	switch {
	case port != "":
	case secure:
		port = "443"
	default:
		port = "80"
	}
	return Link{Name: name, Address: net.JoinHostPort(address.Hostname(), port), Encrypted: secure, Verified: secure}
}
