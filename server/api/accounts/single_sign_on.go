package accounts

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"simora/server/auth"
	"simora/server/oidc"
	"simora/server/sim"
	"simora/server/store"
	"simora/server/wire"
)

var errNoProvider = &sim.Error{Kind: sim.NotFound, Code: "provider_disabled", Message: "Single sign-on is not set up here"}

// Settings says how one can sign in.
func (a Accounts) Settings(w http.ResponseWriter, _ *http.Request, _ wire.Call) error {
	return wire.WriteJSON(w, http.StatusOK, map[string]any{
		"external": map[string]bool{"email": true, "oidc": a.Auth.Provider != nil}, "disable_signup": true, "oidc_name": a.Auth.ProviderName,
	})
}

// Authorize sends the browser to the identity provider, as the stock client's
// signInWithOAuth asks for with PKCE. It always comes back to the console:
// redirect_to is not read.
func (a Accounts) Authorize(w http.ResponseWriter, r *http.Request, c wire.Call) error {
	q := r.URL.Query()
	switch {
	case a.Auth.Provider == nil || q.Get("provider") != "oidc":
		return errNoProvider
	case !strings.EqualFold(q.Get("code_challenge_method"), "S256"):
		return sim.ValidationFailed("code_challenge_method must be S256")
	}
	to, err := a.Auth.SendAway(r.Context(), q.Get("code_challenge"))
	var known *sim.Error
	switch {
	case errors.As(err, &known):
		return err
	case err != nil:
		return a.back(w, r, "problem", a.problem(r, err))
	}
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, r, to, http.StatusSeeOther) //nolint:gosec // the provider's own address, out of its discovery
	return nil
}

// Callback takes what the provider says and sends the browser on with a code
// that is good once, for this browser, for a minute. The tokens never are in an
// address.
func (a Accounts) Callback(w http.ResponseWriter, r *http.Request, c wire.Call) error {
	if a.Auth.Provider == nil {
		return errNoProvider
	}
	q := r.URL.Query()
	if refusal := q.Get("error"); refusal != "" {
		return a.back(w, r, "problem", "refused")
	}
	code, err := a.Auth.ComeBack(r.Context(), q.Get("state"), q.Get("code"))
	if err != nil {
		return a.back(w, r, "problem", a.problem(r, err))
	}
	return a.back(w, r, "code", code)
}

// problem is what the sign-in page is told of an error; the rest is for the log.
func (a Accounts) problem(r *http.Request, err error) string {
	switch {
	case errors.Is(err, oidc.ErrNotAllowed):
		return "not-allowed"
	case errors.Is(err, store.ErrLastAdmin):
		return "last-admin"
	case errors.Is(err, auth.ErrNoSuchAdmin):
		return "no-account"
	case errors.Is(err, sim.ErrSignInCode):
		return "expired"
	}
	a.Log.ErrorContext(r.Context(), "single sign-on", "error", err)
	return "provider"
}

func (a Accounts) back(w http.ResponseWriter, r *http.Request, name, value string) error {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Referrer-Policy", "no-referrer")
	http.Redirect(w, r, a.LoginPage+"?"+url.Values{name: {value}, "from": {"provider"}}.Encode(), http.StatusSeeOther)
	return nil
}
