package mail

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"strconv"
	"time"

	gomail "github.com/wneessen/go-mail"

	"simora/server/store"
)

const dialTime = 4 * time.Second

// smtp hands letters to a mail server, a connection each.
type smtp struct {
	address smtpAddress
	from    string
	roots   *x509.CertPool // nil: the system's
}

func newSMTP(text, from string) (*smtp, error) {
	address, err := parseSMTPURL(text)
	if err != nil {
		return nil, err
	}
	s := &smtp{address: address, from: from}
	if _, err := s.client(); err != nil {
		return nil, err
	}
	return s, nil
}

func (s *smtp) client() (*gomail.Client, error) {
	port, err := strconv.Atoi(s.address.port)
	if err != nil {
		return nil, fmt.Errorf("port: found %q, allowed is a number", s.address.port)
	}
	options := []gomail.Option{
		gomail.WithPort(port), gomail.WithTimeout(dialTime),
		gomail.WithTLSConfig(&tls.Config{ServerName: s.address.host, RootCAs: s.roots, MinVersion: tls.VersionTLS12}),
	}
	switch {
	case s.address.implicit:
		options = append(options, gomail.WithSSL())
	case s.address.plain:
		options = append(options, gomail.WithTLSPolicy(gomail.NoTLS))
	default:
		options = append(options, gomail.WithTLSPolicy(gomail.TLSMandatory))
	}
	if s.address.user != nil {
		password, _ := s.address.user.Password()
		options = append(options, gomail.WithSMTPAuth(gomail.SMTPAuthAutoDiscover), gomail.WithUsername(s.address.user.Username()), gomail.WithPassword(password))
	}
	return gomail.NewClient(s.address.host, options...)
}

// Send talks to the server once.
func (s *smtp) Send(ctx context.Context, l store.Letter) error {
	m, err := message(l, s.from)
	if err != nil {
		return err
	}
	client, err := s.client()
	if err != nil {
		return fmt.Errorf("mail server: %w", err)
	}
	err = client.DialAndSendWithContext(ctx, m)
	if err == nil {
		return nil
	}
	return classify(err)
}

// classify keeps the reply code and drops the server's text, which may repeat
// the recipient's address.
func classify(err error) error {
	var failed *gomail.SendError
	if !errors.As(err, &failed) || failed.ErrorCode() == 0 {
		return fmt.Errorf("mail server: %w", withoutText(err))
	}
	code := fmt.Sprintf("mail server answered %d %s", failed.ErrorCode(), failed.EnhancedStatusCode())
	if failed.IsTemp() || failed.ErrorCode() < 500 {
		return errors.New(code)
	}
	return &Refused{code}
}

// withoutText names the kind of a failure that has no reply code.
func withoutText(err error) error {
	var failed *gomail.SendError
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return errors.New("no answer in time")
	case errors.As(err, &failed):
		return fmt.Errorf("failed at %s", failed.Reason)
	}
	return err
}
