package mail

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/textproto"
	"strings"

	gomail "github.com/wneessen/go-mail"

	"simora/server/outbound"
	"simora/server/store"
)

// smtp hands letters to a mail server, a connection each.
type smtp struct {
	address smtpAddress
	from    string
	network *outbound.Network

	signature *Signature // nil: none
}

func newSMTP(o SenderOptions) (*smtp, error) {
	address, err := parseSMTPURL(o.SMTPURL)
	if err != nil {
		return nil, err
	}
	if o.Network == nil {
		o.Network = outbound.New(nil, address.link())
	}
	s := &smtp{address: address, from: o.From, network: o.Network, signature: o.Signature}
	if _, err := gomail.NewClient(address.host, s.options()...); err != nil {
		return nil, err
	}
	return s, nil
}

// Send talks to the server once, for as long as ctx lasts.
func (s *smtp) Send(ctx context.Context, l store.Letter) error {
	m, err := message(l, s.from)
	if err != nil {
		return err
	}
	if s.signature != nil {
		if err := s.signature.sign(m); err != nil {
			return err
		}
	}
	return s.with(ctx, func(ctx context.Context, client *gomail.Client) error {
		err := client.DialAndSendWithContext(ctx, m)
		if m.IsDelivered() { // a server that only fails to say goodbye has the letter
			return nil
		}
		return err
	})
}

func (s *smtp) check(ctx context.Context) error {
	return s.with(ctx, func(ctx context.Context, client *gomail.Client) error {
		if err := client.DialWithContext(ctx); err != nil {
			return err
		}
		_ = client.Close() // it has said all that we wanted to know
		return nil
	})
}

// with connects for one conversation, for as long as ctx lasts.
func (s *smtp) with(ctx context.Context, talk func(context.Context, *gomail.Client) error) error {
	ctx, cancel := context.WithTimeout(ctx, attemptTime)
	defer cancel()
	conn, err := s.dial(ctx)
	if err != nil {
		return classify(ctx, err)
	}
	// The library knows deadlines for its steps only; a slow server must not
	// outlast ctx step by step.
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	defer func() { _ = conn.Close() }() // closed already when all went well
	existing := func(context.Context, string, string) (net.Conn, error) { return conn, nil }
	client, err := gomail.NewClient(s.address.host, append(s.options(), gomail.WithDialContextFunc(existing))...)
	if err != nil {
		return fmt.Errorf("mail server: %w", err)
	}
	if err := talk(ctx, client); err != nil {
		return classify(ctx, err)
	}
	return nil
}

// dial connects, and starts TLS where it comes before SMTP.
func (s *smtp) dial(ctx context.Context) (net.Conn, error) {
	conn, err := s.network.DialContext(ctx, "tcp", s.address.link().Address)
	if err != nil || !s.address.implicit {
		return conn, err
	}
	encrypted := tls.Client(conn, s.tls())
	if err := encrypted.HandshakeContext(ctx); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return encrypted, nil
}

func (s *smtp) tls() *tls.Config { return s.network.TLS(s.address.host) }

func (s *smtp) options() []gomail.Option {
	options := []gomail.Option{
		gomail.WithPort(s.address.port), gomail.WithTimeout(attemptTime), gomail.WithTLSConfig(s.tls()),
		gomail.WithoutNoop(), gomail.WithoutRset(), // one letter a connection has nothing to keep alive or to reset
	}
	switch {
	case s.address.implicit:
		options = append(options, gomail.WithTLSPolicy(gomail.TLSOpportunistic)) // encrypted already; the library asks the connection
	case s.address.plain:
		options = append(options, gomail.WithTLSPolicy(gomail.NoTLS))
	default:
		options = append(options, gomail.WithTLSPolicy(gomail.TLSMandatory))
	}
	if s.address.user != nil {
		password, _ := s.address.user.Password()
		options = append(options, gomail.WithSMTPAuth(gomail.SMTPAuthAutoDiscover), gomail.WithUsername(s.address.user.Username()), gomail.WithPassword(password))
	}
	return options
}

// authenticationRequired is the reply to one who should have signed in first
// (RFC 4954 §6): the operator's to mend, not the recipient's.
const authenticationRequired = 530

// classify tells a refusal of this letter, which is for good, from trouble that
// may pass or that the operator can mend. It keeps reply codes and drops the
// server's text, which may repeat the recipient's address.
func classify(ctx context.Context, err error) error {
	var failed *gomail.SendError
	sending := errors.As(err, &failed)
	switch {
	case sending && failed.ErrorCode() != 0:
		return answered(failed)
	case ctx.Err() != nil, errors.Is(err, context.DeadlineExceeded):
		return errors.New("mail server: no answer in time")
	case sending:
		return fmt.Errorf("mail server: failed at %s", failed.Reason)
	}
	return fmt.Errorf("mail server: %w", beforeSending(err))
}

func answered(failed *gomail.SendError) error {
	code := failed.ErrorCode()
	reply := strings.TrimSpace(fmt.Sprintf("%d %s", code, failed.EnhancedStatusCode()))
	answer := fmt.Sprintf("mail server answered %s when %s", reply, failed.Reason)
	if code < 500 || code == authenticationRequired || failed.Reason == gomail.ErrSMTPMailFrom {
		return errors.New(answer)
	}
	return &Refused{answer}
}

// beforeSending describes a failure to connect, to encrypt or to sign in. At
// that time the server has not heard of the recipient; its text could still
// repeat how we signed in.
func beforeSending(err error) error {
	var reply *textproto.Error
	var garbage textproto.ProtocolError
	switch {
	case errors.As(err, &reply):
		return fmt.Errorf("answered %d before the letter, at connecting or signing in", reply.Code)
	case errors.As(err, &garbage):
		return errors.New("what answers there is no mail server")
	}
	return err
}
