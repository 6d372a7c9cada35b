package mail

import (
	"bytes"
	"crypto"
	"crypto/ed25519"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/emersion/go-msgauth/dkim"
	gomail "github.com/wneessen/go-mail"
)

// signedHeaders are named once more than a letter has them, so that nobody can
// add another (RFC 6376 §5.4.2).
var signedHeaders = []string{
	"From", "From", "To", "To", "Subject", "Subject", "Date", "Date", "Message-ID", "Message-ID", "Reply-To", "Reply-To",
	"MIME-Version", "MIME-Version", "Content-Type", "Content-Type", "Content-Transfer-Encoding", "Content-Transfer-Encoding", "Auto-Submitted",
}

// minRSABits is what receivers accept without a complaint (RFC 8301 §3.2).
const minRSABits = 2048

// Signature proves that a letter is ours (DKIM, RFC 6376).
type Signature struct {
	Domain, Selector string

	key crypto.Signer
}

// ReadSignature reads the private key from a PEM file.
func ReadSignature(domain, selector, file string) (*Signature, error) {
	text, err := os.ReadFile(file) //nolint:gosec // the operator's own choice
	if err != nil {
		return nil, err
	}
	key, err := parseKey(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return &Signature{Domain: domain, Selector: selector, key: key}, nil
}

func parseKey(text []byte) (crypto.Signer, error) {
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, errors.New("no key in PEM form found")
	}
	if block.Type == "RSA PRIVATE KEY" {
		key, err := x509.ParsePKCS1PrivateKey(block.Bytes)
		if err != nil {
			return nil, err
		}
		return longEnough(key)
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, err
	}
	switch key := parsed.(type) {
	case *rsa.PrivateKey:
		return longEnough(key)
	case ed25519.PrivateKey:
		return key, nil
	}
	return nil, errors.New("found a key that is neither RSA nor Ed25519")
}

func longEnough(key *rsa.PrivateKey) (crypto.Signer, error) {
	if bits := key.N.BitLen(); bits < minRSABits {
		return nil, fmt.Errorf("found an RSA key of %d bits, allowed are %d and more", bits, minRSABits)
	}
	return key, nil
}

// Record is the DNS name and the text to publish under it.
func (s *Signature) Record() (name, text string, err error) {
	kind, public := "ed25519", []byte(nil)
	switch key := s.key.Public().(type) {
	case ed25519.PublicKey:
		public = key
	default:
		kind = "rsa"
		if public, err = x509.MarshalPKIXPublicKey(key); err != nil {
			return "", "", err
		}
	}
	return s.Selector + "._domainkey." + s.Domain, "v=DKIM1; k=" + kind + "; p=" + base64.StdEncoding.EncodeToString(public), nil
}

// sign adds the header to a finished message, which is written the same way
// each time.
func (s *Signature) sign(m *gomail.Msg) error {
	var raw bytes.Buffer
	if _, err := m.WriteTo(&raw); err != nil {
		return fmt.Errorf("write letter: %w", err)
	}
	signer, err := dkim.NewSigner(&dkim.SignOptions{
		Domain: s.Domain, Selector: s.Selector, Signer: s.key, HeaderKeys: signedHeaders,
		HeaderCanonicalization: dkim.CanonicalizationRelaxed, BodyCanonicalization: dkim.CanonicalizationRelaxed,
	})
	if err != nil {
		return fmt.Errorf("sign letter: %w", err)
	}
	_, err = signer.Write(raw.Bytes())
	if err := errors.Join(err, signer.Close()); err != nil {
		return fmt.Errorf("sign letter: %w", err)
	}
	name, value, _ := strings.Cut(strings.TrimSuffix(signer.Signature(), "\r\n"), ": ")
	m.SetGenHeaderPreformatted(gomail.Header(name), value)
	return nil
}
