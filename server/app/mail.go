package app

import (
	"context"
	"errors"
	"fmt"
	netmail "net/mail"
	"path/filepath"
	"strings"

	"simora/server/config"
	"simora/server/keyring"
	"simora/server/mail"
)

// post says how letters leave.
func (c serveCommand) post(keys *keyring.Keyring) (mail.SenderOptions, error) {
	o := mail.SenderOptions{SMTPURL: c.SMTPURL, Dir: filepath.Join(c.Data.Data, "outbox"), From: string(c.MailFrom), Network: c.network}
	if !c.OutboxPlaintext {
		o.Keys = keys
	}
	if !c.Signed() {
		return o, nil
	}
	var err error
	if o.Signature, err = mail.ReadSignature(c.DKIMDomain, c.DKIMSelector, c.DKIMKeyFile); err != nil {
		return o, fmt.Errorf("SIMORA_DKIM_KEY_FILE: %w", err)
	}
	return o, nil
}

// mailCheck takes the server's settings, so that it speaks as the server would.
type mailCheck struct{ config.Serve }

// Run prints the records first: they are needed before the server answers, too.
func (c mailCheck) Run(ctx context.Context, p Process) error {
	s := serveCommand{Serve: c.Serve}
	var err error
	if s.network, err = s.outward(); err != nil {
		return err
	}
	post, err := s.post(nil)
	if err != nil {
		return err
	}
	if post.SMTPURL == "" {
		return errors.New("SIMORA_SMTP_URL is not set: letters are written to files, there is no server to check")
	}
	from, err := netmail.ParseAddress(post.From)
	if err != nil {
		return fmt.Errorf("SIMORA_MAIL_FROM: %w", err)
	}
	_, domain, _ := strings.Cut(from.Address, "@")
	link, err := mail.Link(post.SMTPURL)
	if err != nil {
		return fmt.Errorf("SIMORA_SMTP_URL: %w", err)
	}
	p.say("DNS records for letters from %s, each of type TXT:\n\n", from.Address)
	p.say("%s\n    v=spf1 a:%s -all\n    (the servers that deliver for you; with a provider, its include: in place of a:)\n", domain, link.Host())
	if post.Signature != nil {
		name, text, err := post.Signature.Record()
		if err != nil {
			return fmt.Errorf("SIMORA_DKIM_KEY_FILE: %w", err)
		}
		p.say("%s\n    %s\n", name, text)
		if post.Signature.Domain != domain {
			p.say("    (signed for %s, but letters are from %s: receivers want the same)\n", post.Signature.Domain, domain)
		}
	} else {
		p.say("selector._domainkey.%s\n    none: letters are not signed here (SIMORA_DKIM_KEY_FILE); a provider may sign them\n", domain)
	}
	p.say("_dmarc.%s\n    v=DMARC1; p=quarantine; adkim=s; aspf=r\n\n", domain)
	if err := mail.Check(ctx, post); err != nil {
		return err
	}
	p.say("The mail server %s answers", link.Address)
	if link.Encrypted {
		p.say(", encrypted, and proves its name")
	}
	p.say(".\n")
	return nil
}
