package app

import (
	"time"

	"simora/server/auth"
	"simora/server/oidc"
)

// setSignIn gives the operator's settings to who signs people in.
func (c serveCommand) setSignIn(a *auth.Authenticator, brand string) {
	a.Rules = auth.Rules{SecondFactor: c.RequireSecondFactor, Provision: c.OIDCProvision, Brand: brand, Tries: float64(c.LimitFactor)}
	if c.OIDCIssuer == "" {
		return
	}
	a.ProviderName = c.OIDCName
	a.Provider = oidc.New(oidc.Options{
		Issuer: string(c.OIDCIssuer), ClientID: c.OIDCClientID, ClientSecret: c.OIDCClientSecret, RedirectURL: string(c.PublicURL) + "/auth/v1/callback", Roots: c.network.Roots(),
		Scopes: c.OIDCScopes, Domains: c.OIDCDomains, Admins: oidc.Claim(c.OIDCAdmins), Viewers: oidc.Claim(c.OIDCViewers), Now: time.Now,
	})
}
