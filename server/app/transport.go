package app

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"simora/server/certificate"
	"simora/server/config"
	"simora/server/guard"
	"simora/server/outbound"
)

// secure is the listener as visitors meet it, encrypted when the server does
// that itself, and the jobs that belong to it.
func (c *serveCommand) secure(ctx context.Context, log *slog.Logger, listener net.Listener) (net.Listener, []func(context.Context), error) {
	if !c.HTTPS() {
		c.warnOfPlain(ctx, log)
		return listener, nil, nil
	}
	sendOver := http.Handler(guard.Wall(guard.Options{Proxies: c.TrustedProxies, Log: log, NewID: uuid.NewString, Now: time.Now}, guard.SendOver(string(c.PublicURL))))
	var jobs []func(context.Context)
	if c.TLSCert != "" {
		files, err := certificate.Open(c.TLSCert, c.TLSKey, log)
		if err != nil {
			return nil, nil, fmt.Errorf("SIMORA_TLS_CERT, SIMORA_TLS_KEY: %w", err)
		}
		c.certificates = files
	} else {
		authority := certificate.NewAuthority(certificate.Order{
			Domains: c.ACMEDomains, Email: c.ACMEEmail, Directory: string(c.ACMEDirectory), Dir: c.acmeDir(), Network: c.network, Log: log,
		})
		c.certificates, sendOver = authority, authority.Challenges(sendOver)
		jobs = append(jobs, authority.Prepare)
	}
	if c.HTTPListen != "" {
		plain, err := (&net.ListenConfig{}).Listen(ctx, "tcp", string(c.HTTPListen))
		if err != nil {
			return nil, nil, fmt.Errorf("listen on %s (SIMORA_HTTP_LISTEN): %w", c.HTTPListen, err)
		}
		jobs = append(jobs, func(ctx context.Context) { servePlain(ctx, log, plain, sendOver) })
	}
	return tls.NewListener(listener, certificate.Config(c.certificates)), jobs, nil
}

// warnOfPlain says when nobody seems to encrypt.
func (c *serveCommand) warnOfPlain(ctx context.Context, log *slog.Logger) {
	name := c.PublicURL.HostName()
	switch {
	case c.PublicURL.HTTPS() && len(c.TrustedProxies) == 0:
		log.WarnContext(ctx, "SIMORA_PUBLIC_URL is https, but this server speaks plain HTTP and knows of no proxy that encrypts: set SIMORA_TLS_CERT or SIMORA_ACME_DOMAINS, or name the proxy in SIMORA_TRUSTED_PROXIES")
	case c.host != "" && !c.PublicURL.HTTPS() && name != "localhost" && !strings.HasPrefix(name, "127."):
		log.WarnContext(ctx, "SIMORA_PUBLIC_URL is http: what visitors write crosses the network readable")
	}
}

// connections are the ways in and out, for whoever reports on them.
type connections struct {
	Inward  string    // who encrypts: "server", "proxy" (as the operator says) or "nobody"
	Expires time.Time // of the server's own certificate; zero: none yet, or not its own
	Outward []outbound.Link
}

func (c *serveCommand) connections() connections {
	found := connections{Inward: "nobody", Outward: c.network.Links()}
	switch {
	case c.HTTPS():
		found.Inward, found.Expires = "server", c.certificates.Expires()
	case c.PublicURL.HTTPS() && len(c.TrustedProxies) > 0:
		found.Inward = "proxy"
	}
	return found
}

// address is where a browser on this machine reaches a listener at bound.
func (c *serveCommand) address(bound net.Addr) string {
	address := c.Listen.URL(bound)
	if c.HTTPS() {
		address = "https" + strings.TrimPrefix(address, "http")
	}
	return address
}

// public is the public address, guessed where none is set.
func (c *serveCommand) public(bound net.Addr) config.PublicURL {
	switch {
	case c.PublicURL != "":
		return c.PublicURL
	case len(c.ACMEDomains) > 0:
		return config.PublicURL("https://" + c.ACMEDomains[0])
	}
	return config.PublicURL(c.address(bound))
}

// newHTTPServer has the limits of every listener.
func newHTTPServer(handler http.Handler, logger *slog.Logger) *http.Server {
	lines := slog.NewLogLogger(logger.Handler(), slog.LevelWarn)
	return &http.Server{
		Handler: handler, ReadHeaderTimeout: headerTime, ReadTimeout: requestTime, WriteTimeout: answerTime, IdleTimeout: idleTime,
		MaxHeaderBytes: headerBytes, ErrorLog: log.New(withoutHandshakes{lines.Writer()}, "", 0),
	}
}

// withoutHandshakes drops what every scanner on the net causes, and what names
// its address.
type withoutHandshakes struct{ io.Writer }

func (w withoutHandshakes) Write(line []byte) (int, error) {
	if bytes.Contains(line, []byte("TLS handshake error from")) {
		return len(line), nil
	}
	return w.Writer.Write(line)
}

// servePlain ends with ctx.
func servePlain(ctx context.Context, log *slog.Logger, listener net.Listener, handler http.Handler) {
	h := newHTTPServer(handler, log)
	defer context.AfterFunc(ctx, func() { _ = h.Close() })()
	if err := h.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		log.ErrorContext(ctx, "plain HTTP (SIMORA_HTTP_LISTEN) ended", "error", err)
	}
}
