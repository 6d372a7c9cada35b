// Package smtp is a real mail server for tests, in this process, that fails on
// demand.
package smtp

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	gosmtp "github.com/emersion/go-smtp"
)

// Answer is what the server says to a recipient, or nil to accept.
type Answer = gosmtp.SMTPError

// Temporary and Permanent are usual refusals. Their texts repeat the
// recipient, as real servers do.
func Temporary(to string) *Answer {
	return &Answer{Code: 451, EnhancedCode: gosmtp.EnhancedCode{4, 7, 1}, Message: "greylisted: " + to}
}

// Permanent says that there is no such mailbox.
func Permanent(to string) *Answer {
	return &Answer{Code: 550, EnhancedCode: gosmtp.EnhancedCode{5, 1, 1}, Message: "no such mailbox: " + to}
}

// Received is one message that was accepted.
type Received struct {
	From string
	To   []string
	Data string
}

// Server is a mail server on the loopback interface.
type Server struct {
	Port  string
	Roots *x509.CertPool // trusts its certificate

	// Recipient decides about each RCPT; nil accepts all.
	Recipient func(to string) *Answer
	// BreakAfterData drops the connection when the message has been taken and
	// before that is confirmed.
	BreakAfterData bool
	// Password that AUTH PLAIN must bring, when not empty.
	Password string
	// Implicit TLS, from the first byte, in place of STARTTLS.
	Implicit bool

	mu       sync.Mutex
	received []Received
}

// Start runs the server until the test ends. Options may be set before the
// first connection. With a name, it offers STARTTLS with a certificate for it.
func (s *Server) Start(t testing.TB, name string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, s.Port, _ = net.SplitHostPort(listener.Addr().String())
	server := gosmtp.NewServer(s)
	server.Domain, server.AllowInsecureAuth = "mail.test", true
	server.ReadTimeout, server.WriteTimeout = 5*time.Second, 5*time.Second
	server.ErrorLog = silent{}
	if name != "" {
		certificate, roots, err := certificate(name)
		if err != nil {
			t.Fatal(err)
		}
		s.Roots = roots
		server.TLSConfig = &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12}
	}
	if s.Implicit {
		listener = tls.NewListener(listener, server.TLSConfig)
	}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
}

type silent struct{}

func (silent) Printf(string, ...any) {}
func (silent) Println(...any)        {}

// Received returns what was accepted so far.
func (s *Server) Received() []Received {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Received(nil), s.received...)
}

// NewSession is called by the library for each connection.
func (s *Server) NewSession(c *gosmtp.Conn) (gosmtp.Session, error) {
	return &session{server: s, conn: c}, nil
}

type session struct {
	server *Server
	conn   *gosmtp.Conn
	login  bool
	now    Received
}

func (s *session) AuthMechanisms() []string {
	if s.server.Password == "" {
		return nil
	}
	return []string{sasl.Plain}
}

func (s *session) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, _, password string) error {
		if password != s.server.Password {
			return &gosmtp.SMTPError{Code: 535, EnhancedCode: gosmtp.EnhancedCode{5, 7, 8}, Message: "authentication failed"}
		}
		s.login = true
		return nil
	}), nil
}

func (s *session) Mail(from string, _ *gosmtp.MailOptions) error {
	if s.server.Password != "" && !s.login {
		return gosmtp.ErrAuthRequired
	}
	s.now = Received{From: from}
	return nil
}

func (s *session) Rcpt(to string, _ *gosmtp.RcptOptions) error {
	if s.server.Recipient != nil {
		if answer := s.server.Recipient(to); answer != nil {
			return answer
		}
	}
	s.now.To = append(s.now.To, to)
	return nil
}

func (s *session) Data(r io.Reader) error {
	data, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	s.now.Data = string(data)
	s.server.mu.Lock()
	s.server.received = append(s.server.received, s.now)
	s.server.mu.Unlock()
	if s.server.BreakAfterData {
		_ = s.conn.Conn().Close()
		return errors.New("connection dropped")
	}
	return nil
}

func (s *session) Reset()        {}
func (s *session) Logout() error { return nil }

func certificate(name string) (tls.Certificate, *x509.CertPool, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, nil, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	if ip := net.ParseIP(name); ip != nil {
		template.IPAddresses = []net.IP{ip}
	} else {
		template.DNSNames = []string{name}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return tls.Certificate{}, nil, err
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		return tls.Certificate{}, nil, fmt.Errorf("own certificate: %w", err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(parsed)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, roots, nil
}
