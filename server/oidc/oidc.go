// Package oidc asks an identity provider who somebody is: OpenID Connect's
// authorization code flow with PKCE (RFC 7636, RFC 9700).
package oidc

import (
	"context"
	"crypto/subtle"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// patience is for one call to the provider.
const patience = 10 * time.Second

// Options are what the operator agreed with the provider, and whom they let in.
type Options struct {
	Issuer       string
	ClientID     string
	ClientSecret string
	Roots        *x509.CertPool // who proves the provider's name; nil: the system's
	RedirectURL  string
	Scopes       []string // beside openid, email and profile
	Now          func() time.Time

	Domains []string // of the verified mail address, lower case; none: any
	Admins  Claim    // when it is given, or Viewers is, a person has to have one
	Viewers Claim    // when it is given, the claims decide who is what
}

// Claim is a claim of an ID token that is, or lists, one of Values.
type Claim struct {
	Name   string // empty: it is not asked for
	Values []string
}

// Standing is what the claims make of a person.
type Standing int

// The standings. Unsaid leaves it to the account.
const (
	Unsaid Standing = iota
	Viewer
	Admin
)

// Provider is an identity provider. It is asked for its keys and addresses when
// it is first needed: one that is down does not keep the product from starting.
type Provider struct {
	o      Options
	client *http.Client
	found  atomic.Pointer[oidc.Provider]
}

// New makes a Provider.
func New(o Options) *Provider {
	// The provider names further hosts of its own, so they can't be listed before.
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: o.Roots, MinVersion: tls.VersionTLS12}, TLSHandshakeTimeout: patience, ForceAttemptHTTP2: true}
	return &Provider{o: o, client: &http.Client{Transport: transport, Timeout: patience, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

// Person is somebody as the provider knows them. Issuer and subject together
// never change and never belong to another.
type Person struct {
	Issuer  string
	Subject string
	Email   string // lower case; empty unless the provider says that it is verified
	Is      Standing
}

// ErrNotAllowed is a person whom the operator does not let in.
var ErrNotAllowed = errors.New("not among those who may sign in")

func (p *Provider) discover(ctx context.Context) (*oidc.Provider, *oauth2.Config, error) {
	found := p.found.Load()
	if found == nil {
		var err error
		// It reads its keys later, beyond this call.
		if found, err = oidc.NewProvider(context.WithoutCancel(ctx), p.o.Issuer); err != nil {
			return nil, nil, fmt.Errorf("identity provider %s (SIMORA_OIDC_ISSUER): %w", p.o.Issuer, err)
		}
		p.found.Store(found)
	}
	return found, &oauth2.Config{
		ClientID: p.o.ClientID, ClientSecret: p.o.ClientSecret, RedirectURL: p.o.RedirectURL, Endpoint: found.Endpoint(),
		Scopes: append([]string{oidc.ScopeOpenID, "email", "profile"}, p.o.Scopes...),
	}, nil
}

// URL is where a browser is sent to sign in.
func (p *Provider) URL(ctx context.Context, state, nonce, verifier string) (string, error) {
	_, config, err := p.discover(oidc.ClientContext(ctx, p.client))
	if err != nil {
		return "", err
	}
	return config.AuthCodeURL(state, oidc.Nonce(nonce), oauth2.S256ChallengeOption(verifier)), nil
}

// Person exchanges the code that a browser brought back.
//
// Errors: ErrNotAllowed; any other is the provider's or a forgery.
func (p *Provider) Person(ctx context.Context, code, nonce, verifier string) (Person, error) {
	ctx = oidc.ClientContext(ctx, p.client)
	provider, config, err := p.discover(ctx)
	if err != nil {
		return Person{}, err
	}
	tokens, err := config.Exchange(ctx, code, oauth2.VerifierOption(verifier))
	if err != nil {
		return Person{}, fmt.Errorf("identity provider, exchange code: %w", err)
	}
	raw, _ := tokens.Extra("id_token").(string)
	token, err := provider.Verifier(&oidc.Config{ClientID: p.o.ClientID, Now: p.o.Now}).Verify(ctx, raw)
	if err != nil {
		return Person{}, fmt.Errorf("identity provider, check ID token: %w", err)
	}
	if nonce == "" || subtle.ConstantTimeCompare([]byte(token.Nonce), []byte(nonce)) != 1 {
		return Person{}, errors.New("identity provider, check ID token: its nonce is not the one we sent")
	}
	var claims map[string]any
	if err := token.Claims(&claims); err != nil {
		return Person{}, fmt.Errorf("identity provider, read claims: %w", err)
	}
	person := Person{Issuer: token.Issuer, Subject: token.Subject}
	if verified, _ := claims["email_verified"].(bool); verified {
		email, _ := claims["email"].(string)
		person.Email = strings.ToLower(email)
	}
	if _, domain, _ := strings.Cut(person.Email, "@"); len(p.o.Domains) > 0 && !slices.Contains(p.o.Domains, domain) {
		return person, ErrNotAllowed
	}
	person.Is, err = p.standing(claims)
	return person, err
}

// standing is the highest that the claims give. Errors: ErrNotAllowed.
func (p *Provider) standing(claims map[string]any) (Standing, error) {
	admin := p.o.Admins.in(claims)
	switch {
	case p.o.Viewers.Name == "" && (p.o.Admins.Name == "" || admin):
		return Unsaid, nil
	case admin:
		return Admin, nil
	case p.o.Viewers.in(claims):
		return Viewer, nil
	}
	return Unsaid, ErrNotAllowed
}

func (c Claim) in(claims map[string]any) bool {
	switch given := claims[c.Name].(type) {
	case string:
		return slices.Contains(c.Values, given)
	case []any:
		return slices.ContainsFunc(given, func(v any) bool {
			value, ok := v.(string)
			return ok && slices.Contains(c.Values, value)
		})
	}
	return false
}
