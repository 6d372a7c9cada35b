package config

import (
	"errors"
	"net/netip"
	"net/url"
	"strings"
)

// SignIn are the settings of the console's sign-in.
type SignIn struct {
	RequireSecondFactor bool `env:"SIMORA_REQUIRE_SECOND_FACTOR" help:"Admins without a second factor can only set one up."`

	OIDCIssuer       Issuer  `name:"oidc-issuer" env:"SIMORA_OIDC_ISSUER" placeholder:"URL" help:"OpenID Connect issuer, such as https://login.example.com; empty: passwords only."`
	OIDCClientID     string  `name:"oidc-client-id" env:"SIMORA_OIDC_CLIENT_ID" placeholder:"ID" help:"What the provider calls this product. Its redirect address is <public URL>/auth/v1/callback."`
	OIDCClientSecret string  `name:"oidc-client-secret" env:"SIMORA_OIDC_CLIENT_SECRET" placeholder:"SECRET" help:"Secret of the client."`
	OIDCName         string  `name:"oidc-name" env:"SIMORA_OIDC_NAME" default:"single sign-on" placeholder:"NAME" help:"Ends the words on the button: Sign in with NAME. Default: ${default}."`
	OIDCScopes       Words   `name:"oidc-scopes" env:"SIMORA_OIDC_SCOPES" placeholder:"SCOPE,…" help:"Scopes beside openid, email and profile, such as groups."`
	OIDCDomains      Domains `name:"oidc-domains" env:"SIMORA_OIDC_DOMAINS" placeholder:"DOMAIN,…" help:"Only verified mail addresses of these domains sign in."`
	OIDCAdmins       Claim   `name:"oidc-admins" env:"SIMORA_OIDC_ADMINS" placeholder:"CLAIM=VALUE,…" help:"Only people with this claim sign in, such as groups=simora-admins."`
	OIDCViewers      Claim   `name:"oidc-viewers" env:"SIMORA_OIDC_VIEWERS" placeholder:"CLAIM=VALUE,…" help:"People with this claim sign in, too, as viewers; then each sign-in gives the role that the claims say."`
	OIDCProvision    bool    `name:"oidc-provision" env:"SIMORA_OIDC_PROVISION" help:"Who is let in and has no account gets one; empty: only accounts that exist."`
}

func (s SignIn) check() error {
	switch {
	case s.OIDCIssuer == "" && (s.OIDCClientID != "" || s.OIDCClientSecret != "" || s.OIDCProvision || len(s.OIDCDomains) > 0 || s.OIDCAdmins.Name != "" || s.OIDCViewers.Name != ""):
		return errors.New("SIMORA_OIDC_ISSUER: found nothing, but another SIMORA_OIDC_ setting is set; give the issuer, such as https://login.example.com")
	case s.OIDCIssuer == "":
		return nil
	case s.OIDCClientID == "" || s.OIDCClientSecret == "":
		return errors.New("SIMORA_OIDC_CLIENT_ID, SIMORA_OIDC_CLIENT_SECRET: found nothing, but SIMORA_OIDC_ISSUER is set; give both as the provider shows them")
	case s.OIDCProvision && len(s.OIDCDomains) == 0 && s.OIDCAdmins.Name == "" && s.OIDCViewers.Name == "":
		return errors.New("SIMORA_OIDC_PROVISION: everybody whom the provider knows would become an admin; set SIMORA_OIDC_DOMAINS or SIMORA_OIDC_ADMINS, too")
	}
	return nil
}

// Issuer is the address of an identity provider, exactly as it names itself;
// empty is allowed.
type Issuer string

// UnmarshalText checks the value.
func (i *Issuer) UnmarshalText(text []byte) error {
	const allowed = "an https address such as https://login.example.com, or an http one on this machine"
	u, err := url.Parse(string(text))
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return wrong(string(text), allowed)
	}
	ip, err := netip.ParseAddr(u.Hostname())
	here := u.Hostname() == "localhost" || err == nil && ip.IsLoopback()
	if u.Scheme != "https" && (u.Scheme != "http" || !here) {
		return wrong(string(text), allowed)
	}
	*i = Issuer(text)
	return nil
}

// Words are short values without spaces.
type Words []string

// UnmarshalText checks the value.
func (w *Words) UnmarshalText(text []byte) error {
	*w = list(string(text))
	for _, word := range *w {
		if strings.ContainsAny(word, " \t") {
			return wrong(word, "a list of words with commas between them")
		}
	}
	return nil
}

// Domains are domains of mail addresses, lower case.
type Domains []string

// UnmarshalText checks the value.
func (d *Domains) UnmarshalText(text []byte) error {
	*d = list(strings.ToLower(string(text)))
	for _, domain := range *d {
		if strings.ContainsAny(domain, " \t@/") {
			return wrong(domain, "a list of domains such as example.com, example.org")
		}
	}
	return nil
}

// Claim is a claim of an ID token that must be, or list, one of Values.
type Claim struct {
	Name   string
	Values []string
}

// UnmarshalText checks the value.
func (c *Claim) UnmarshalText(text []byte) error {
	name, values, _ := strings.Cut(string(text), "=")
	c.Name, c.Values = strings.TrimSpace(name), list(values)
	if c.Name == "" || len(c.Values) == 0 {
		return wrong(string(text), "a claim and its values, such as groups=simora-admins,simora-owners")
	}
	return nil
}
