package config

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// Transport are the settings of the server's own encryption. Without any, it
// speaks plain HTTP and a proxy encrypts.
type Transport struct {
	TLSCert string `name:"tls-cert" env:"SIMORA_TLS_CERT" type:"existingfile" placeholder:"FILE" help:"Certificate with its chain (PEM): speak HTTPS. Read again when it changes."`
	TLSKey  string `name:"tls-key" env:"SIMORA_TLS_KEY" type:"existingfile" placeholder:"FILE" help:"The certificate's key (PEM)."`

	ACMEDomains   Hosts    `name:"acme-domains" env:"SIMORA_ACME_DOMAINS" placeholder:"NAME,…" help:"Get and renew certificates for these names, the public address's first: speak HTTPS."`
	ACMEEmail     string   `name:"acme-email" env:"SIMORA_ACME_EMAIL" placeholder:"ADDRESS" help:"Address that the authority may write to."`
	ACMEDirectory Endpoint `name:"acme-directory" env:"SIMORA_ACME_DIRECTORY" default:"https://acme-v02.api.letsencrypt.org/directory" placeholder:"URL" help:"The authority; using it means agreeing to its terms. Default: ${default}."`

	HTTPListen Address `name:"http-listen" env:"SIMORA_HTTP_LISTEN" placeholder:"HOST:PORT" help:"Beside HTTPS, an address for plain HTTP that only sends browsers over to it, such as :80."`
}

// HTTPS reports whether the server encrypts by itself.
func (t Transport) HTTPS() bool { return t.TLSCert != "" || len(t.ACMEDomains) > 0 }

func (t Transport) check(public PublicURL) error {
	switch {
	case (t.TLSCert == "") != (t.TLSKey == ""):
		return errors.New("SIMORA_TLS_CERT and SIMORA_TLS_KEY belong together: found only one of them")
	case t.TLSCert != "" && len(t.ACMEDomains) > 0:
		return errors.New("found both SIMORA_TLS_CERT and SIMORA_ACME_DOMAINS: certificates come from files or from an authority, so leave out one")
	case !t.HTTPS() && t.HTTPListen != "":
		return errors.New("SIMORA_HTTP_LISTEN is for a server that speaks HTTPS itself: set SIMORA_TLS_CERT or SIMORA_ACME_DOMAINS, or use SIMORA_LISTEN")
	case t.HTTPS() && public != "" && !public.HTTPS():
		return fmt.Errorf("SIMORA_PUBLIC_URL: found %q, allowed is an https:// address when the server speaks HTTPS", public)
	case !strings.HasPrefix(string(t.ACMEDirectory), "https://") && len(t.ACMEDomains) > 0:
		return errors.New("SIMORA_ACME_DIRECTORY: allowed is an https:// address")
	case len(t.ACMEDomains) > 0 && public != "" && !slices.Contains(t.ACMEDomains, public.HostName()):
		return fmt.Errorf("SIMORA_ACME_DOMAINS: found %s without %s, the host of SIMORA_PUBLIC_URL", strings.Join(t.ACMEDomains, ","), public.HostName())
	}
	return nil
}

// HostName is the host of the address without a port.
func (p PublicURL) HostName() string {
	u, err := url.Parse(string(p))
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Hostname())
}

// Hosts are names in the DNS.
type Hosts []string

// UnmarshalText checks the value.
func (h *Hosts) UnmarshalText(text []byte) error {
	*h = list(strings.ToLower(string(text)))
	for _, name := range *h {
		if !strings.Contains(strings.Trim(name, "."), ".") || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-.") != "" {
			return wrong(name, "a list of names such as training.example.com, without wildcards")
		}
	}
	return nil
}
