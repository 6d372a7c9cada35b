// Package mail writes letters and hands them over.
//
//	Letters ─▶ store's outbox ─▶ Postman ─▶ Sender (.eml files or SMTP)
//
// A letter is stored in the transaction that promises it. The postman tries
// until it is handed over or given up.
package mail

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"

	gomail "github.com/wneessen/go-mail"

	"simora/server/keyring"
	"simora/server/outbound"
	"simora/server/store"
)

// Sender hands one letter over. A Refused error is for good; any other may be
// tried again.
type Sender interface {
	Send(ctx context.Context, l store.Letter) error
}

// Refused is a permanent refusal. Its text names no recipient.
type Refused struct{ Reason string }

func (r *Refused) Error() string { return "refused: " + r.Reason }

// SenderOptions say how letters leave.
type SenderOptions struct {
	SMTPURL   string            // empty: files in Dir
	Keys      *keyring.Keyring  // the files are sealed with; nil: they are readable
	Dir       string            // of the files
	From      string            // sender of every letter
	Network   *outbound.Network // the way to the server; nil: one with this server only
	Signature *Signature        // nil: none; files are never signed
}

// NewSender returns the sender for an SMTP address, or for an empty one the
// sender that writes files.
func NewSender(o SenderOptions) (Sender, error) {
	if o.SMTPURL == "" {
		return newFiles(o.Dir, o.From, o.Keys)
	}
	return newSMTP(o)
}

// Check speaks with the mail server as for a letter: connection, encryption,
// sign-in. Nothing is sent.
func Check(ctx context.Context, o SenderOptions) error {
	s, err := newSMTP(o)
	if err != nil {
		return err
	}
	return s.check(ctx)
}

// message builds the MIME message. All addresses and headers go through the
// library, which refuses line breaks in them.
func message(l store.Letter, from string) (*gomail.Msg, error) {
	m := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	if err := m.From(from); err != nil {
		return nil, fmt.Errorf("sender address: %w", err)
	}
	if err := m.To(l.To); err != nil {
		return nil, &Refused{"the recipient address can't be used in a message"}
	}
	if l.ReplyTo != "" {
		if err := m.ReplyTo(l.ReplyTo); err != nil {
			return nil, &Refused{"the reply address can't be used in a message"}
		}
	}
	m.SetGenHeader(gomail.HeaderSubject, strings.ReplaceAll(l.Subject, "=?", "= ?")) // what begins an encoded word would be decoded by the reader
	m.SetMessageIDWithValue(strings.Trim(l.MessageID, "<>"))
	m.SetDate()
	m.SetGenHeader("Auto-Submitted", "auto-generated")
	m.SetBodyString(gomail.TypeTextPlain, l.Text)
	m.AddAlternativeString(gomail.TypeTextHTML, l.HTML)
	for _, a := range l.Attachments {
		if err := m.AttachReader(a.Name, bytes.NewReader(a.Data), gomail.WithFileContentType(gomail.ContentType(a.Type))); err != nil {
			return nil, fmt.Errorf("attach %s: %w", a.Name, err)
		}
	}
	return m, nil
}

// smtpAddress is what a URL says of an SMTP server.
type smtpAddress struct {
	host     string
	port     int
	implicit bool // TLS from the first byte
	plain    bool // no TLS at all, asked for
	user     *url.Userinfo
}

// Link is the way to the mail server of an SMTP address.
func Link(smtpURL string) (outbound.Link, error) {
	a, err := parseSMTPURL(smtpURL)
	return a.link(), err
}

func (a smtpAddress) link() outbound.Link {
	return outbound.Link{Name: "smtp", Address: net.JoinHostPort(a.host, strconv.Itoa(a.port)), Encrypted: !a.plain, Verified: !a.plain}
}

// parseSMTPURL reads smtp://user:pass@host:587 (STARTTLS required) and
// smtps://… (TLS at once). ?tls=none asks for no encryption. No error repeats
// the address: it may hold a password.
func parseSMTPURL(text string) (smtpAddress, error) {
	wrong := errors.New("found an address that is not of the form smtp://user:password@host:587 or smtps://user:password@host:465 (smtp://…?tls=none sends unencrypted)")
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" || strings.Trim(u.Path, "/") != "" {
		return smtpAddress{}, wrong
	}
	a := smtpAddress{host: u.Hostname(), user: u.User}
	switch {
	case u.Scheme == "smtps" && u.RawQuery == "":
		a.implicit = true
	case u.Scheme == "smtp" && u.RawQuery == "tls=none":
		a.plain = true
	case u.Scheme == "smtp" && u.RawQuery == "":
	default:
		return smtpAddress{}, wrong
	}
	switch port, err := strconv.ParseUint(u.Port(), 10, 16); {
	case u.Port() == "" && a.implicit:
		a.port = 465
	case u.Port() == "":
		a.port = 587
	case err != nil || port == 0:
		return smtpAddress{}, wrong
	default:
		a.port = int(port)
	}
	return a, nil
}
