package auth_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/oauth2-proxy/mockoidc"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"simora/server/auth"
	"simora/server/oidc"
	"simora/server/sim"
	"simora/server/store"
)

// person is somebody at the provider; their claims replace the provider's own.
type person map[string]any

func (p person) ID() string                        { return "subject-1" }
func (p person) Userinfo([]string) ([]byte, error) { return json.Marshal(p) }
func (p person) Claims(_ []string, base *mockoidc.IDTokenClaims) (jwt.Claims, error) {
	claims := jwt.MapClaims{}
	raw, err := json.Marshal(base)
	if err == nil {
		err = json.Unmarshal(raw, &claims)
	}
	maps.Copy(claims, p)
	return claims, err
}

// provider is a real identity provider on this machine. Its ID tokens pass
// through forge, when there is one.
type provider struct {
	*mockoidc.MockOIDC

	forge func(idToken string) string
}

func runProvider(t *testing.T) *provider {
	idp, err := mockoidc.NewServer(nil)
	require.NoError(t, err)
	p := &provider{MockOIDC: idp}
	require.NoError(t, idp.AddMiddleware(p.rewrite))
	server := httptest.NewUnstartedServer(nil)
	require.NoError(t, idp.Start(server.Listener, nil))
	t.Cleanup(func() { _ = idp.Shutdown() })
	return p
}

func (p *provider) rewrite(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if p.forge == nil || r.URL.Path != mockoidc.TokenEndpoint {
			next.ServeHTTP(w, r)
			return
		}
		answer := httptest.NewRecorder()
		next.ServeHTTP(answer, r)
		var body map[string]any
		if json.Unmarshal(answer.Body.Bytes(), &body) == nil && body["id_token"] != nil {
			body["id_token"] = p.forge(body["id_token"].(string))
			raw, _ := json.Marshal(body)
			answer.Body = bytes.NewBuffer(raw)
		}
		maps.Copy(w.Header(), answer.Header())
		w.Header().Del("Content-Length")
		w.WriteHeader(answer.Code)
		_, _ = io.Copy(w, answer.Body)
	})
}

func (p *provider) options(h *house) oidc.Options {
	return oidc.Options{Issuer: p.Issuer(), ClientID: p.ClientID, ClientSecret: p.ClientSecret, RedirectURL: "http://simora.test/auth/v1/callback", Scopes: []string{"groups"}, Now: h.now}
}

const secret = "the secret of this browser, 43 characters long"

func challengeOf(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// visit goes to the provider as a browser does, and returns what it brings back.
func (p *provider) visit(t *testing.T, h *house, who person) (state, code string) {
	t.Helper()
	p.QueueUser(who)
	to, err := h.SendAway(t.Context(), challengeOf(secret))
	require.NoError(t, err)
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, to, nil)
	require.NoError(t, err)
	answer, err := client.Do(request)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	back, err := url.Parse(answer.Header.Get("Location"))
	require.NoError(t, err)
	require.Equal(t, "/auth/v1/callback", back.Path)
	return back.Query().Get("state"), back.Query().Get("code")
}

func verified(email string, more ...any) person {
	p := person{"email": email, "email_verified": true}
	for i := 0; i < len(more); i += 2 {
		p[more[i].(string)] = more[i+1]
	}
	return p
}

func TestSingleSignOn(t *testing.T) {
	onBoth(t, func(t *testing.T, h *house) {
		p := runProvider(t)
		h.Provider = oidc.New(p.options(h))
		state, given := p.visit(t, h, verified("Owner@Simora.test"))
		code, err := h.ComeBack(t.Context(), state, given)
		require.NoError(t, err)
		_, err = h.ComeBack(t.Context(), state, given)
		require.Error(t, err, "what the provider gave is good once")
		tokens, err := h.SignInWithCode(t.Context(), code, secret, auth.Visit{Address: "203.0.113.7"})
		require.NoError(t, err)
		assert.Equal(t, owner, tokens.As.User.Email)
		assert.True(t, h.as(tokens).Admin)
		_, methods := claimsOf(t, tokens.Access)
		assert.Equal(t, []string{"oauth"}, methods)
		_, err = h.SignInWithCode(t.Context(), code, secret, auth.Visit{})
		require.ErrorIs(t, err, sim.ErrSignInCode, "so is the code")

		state, given = p.visit(t, h, person{"email": "renamed@simora.test"})
		code, err = h.ComeBack(t.Context(), state, given)
		require.NoError(t, err, "known by issuer and subject, whatever the address is now")
		_, err = h.SignInWithCode(t.Context(), code, "the secret of another browser", auth.Visit{})
		require.ErrorIs(t, err, sim.ErrSignInCode)
		_, err = h.SignInWithCode(t.Context(), code, secret, auth.Visit{})
		require.ErrorIs(t, err, sim.ErrSignInCode, "a wrong answer uses it up")

		state, given = p.visit(t, h, verified(owner))
		code, err = h.ComeBack(t.Context(), state, given)
		require.NoError(t, err)
		h.clock = h.clock.Add(2 * time.Minute)
		_, err = h.SignInWithCode(t.Context(), code, secret, auth.Visit{})
		require.ErrorIs(t, err, sim.ErrSignInCode, "too late")
		h.clock = h.clock.Add(-2 * time.Minute)

		_, _ = h.enrol()
		state, given = p.visit(t, h, verified(owner))
		code, err = h.ComeBack(t.Context(), state, given)
		require.NoError(t, err)
		tokens, err = h.SignInWithCode(t.Context(), code, secret, auth.Visit{})
		require.NoError(t, err)
		assert.True(t, h.as(tokens).NeedsSecond, "the provider does not stand in for the second factor")
	})
}

var (
	admins  = oidc.Claim{Name: "groups", Values: []string{"admins"}}
	viewers = oidc.Claim{Name: "groups", Values: []string{"staff"}}
)

func TestWhoMaySignInThroughTheProvider(t *testing.T) {
	for _, c := range []struct {
		name      string
		rule      oidc.Options
		provision bool
		who       person
		want      error
	}{
		{"an account with this verified address", oidc.Options{}, false, verified(owner), nil},
		{"the address is not verified", oidc.Options{}, false, person{"email": owner, "email_verified": false}, auth.ErrNoSuchAdmin},
		{"nothing is said of its being verified", oidc.Options{}, false, person{"email": owner}, auth.ErrNoSuchAdmin},
		{"verified in words", oidc.Options{}, false, person{"email": owner, "email_verified": "yes"}, auth.ErrNoSuchAdmin},
		{"no account", oidc.Options{}, false, verified("new@simora.test"), auth.ErrNoSuchAdmin},
		{"no account, one is made", oidc.Options{Domains: []string{"simora.test"}}, true, verified("new@simora.test"), nil},
		{"no account, unverified", oidc.Options{Admins: admins}, true, person{"email": "new@simora.test", "groups": []string{"admins"}}, auth.ErrNoSuchAdmin},
		{"another domain", oidc.Options{Domains: []string{"simora.test"}}, true, verified("new@evil.test"), oidc.ErrNotAllowed},
		{"a domain that ends alike", oidc.Options{Domains: []string{"simora.test"}}, true, verified("new@notsimora.test"), oidc.ErrNotAllowed},
		{"a domain below", oidc.Options{Domains: []string{"simora.test"}}, true, verified("new@simora.test.evil.test"), oidc.ErrNotAllowed},
		{"two signs", oidc.Options{Domains: []string{"simora.test"}}, true, verified("new@evil.test@simora.test"), oidc.ErrNotAllowed},
		{"in the group", oidc.Options{Admins: admins}, false, verified(owner, "groups", []string{"staff", "admins"}), nil},
		{"the claim is one word", oidc.Options{Admins: oidc.Claim{Name: "role", Values: []string{"admin"}}}, false, verified(owner, "role", "admin"), nil},
		{"not in the group", oidc.Options{Admins: admins}, false, verified(owner, "groups", []string{"staff"}), oidc.ErrNotAllowed},
		{"no such claim", oidc.Options{Admins: admins}, false, verified(owner), oidc.ErrNotAllowed},
		{"in the group, of another domain", oidc.Options{Admins: admins, Domains: []string{"other.test"}}, false, verified(owner, "groups", []string{"admins"}), oidc.ErrNotAllowed},
	} {
		t.Run(c.name, func(t *testing.T) {
			h, p := open(t, ""), runProvider(t)
			o := p.options(h)
			o.Domains, o.Admins = c.rule.Domains, c.rule.Admins
			h.Provider, h.Provision = oidc.New(o), c.provision
			state, given := p.visit(t, h, c.who)
			code, err := h.ComeBack(t.Context(), state, given)
			if c.want != nil {
				require.ErrorIs(t, err, c.want)
				return
			}
			require.NoError(t, err)
			tokens, err := h.SignInWithCode(t.Context(), code, secret, auth.Visit{})
			require.NoError(t, err)
			assert.Equal(t, c.who["email"], tokens.As.User.Email)
			assert.True(t, tokens.As.Admin)
		})
	}
}

// With a claim for viewers, the claims say at each sign-in what somebody is.
func TestClaimsGiveTheRole(t *testing.T) {
	onBoth(t, func(t *testing.T, h *house) {
		const ada = "ada@simora.test"
		p := runProvider(t)
		o := p.options(h)
		o.Admins, o.Viewers = admins, viewers
		h.Provider, h.Provision = oidc.New(o), true
		come := func(email string, groups ...string) (auth.Tokens, error) {
			state, given := p.visit(t, h, verified(email, "groups", groups, "sub", email))
			code, err := h.ComeBack(t.Context(), state, given)
			if err != nil {
				return auth.Tokens{}, err
			}
			return h.SignInWithCode(t.Context(), code, secret, auth.Visit{})
		}
		changes := func() (n int) {
			page, err := h.store.AuditEntries(t.Context(), store.AuditFilter{Action: sim.RoleChanged, Limit: 100})
			require.NoError(t, err)
			return len(page)
		}
		first, err := come(ada, "staff")
		require.NoError(t, err)
		assert.True(t, first.As.Viewer)
		assert.False(t, first.As.Admin)

		both, err := come(ada, "staff", "admins")
		require.NoError(t, err)
		assert.True(t, both.As.Admin, "admin wins")
		assert.False(t, both.As.Viewer)
		assert.True(t, h.as(first).Admin, "a role is the account's, in every sign-in")
		assert.Equal(t, 1, changes())

		again, err := come(ada, "admins")
		require.NoError(t, err)
		assert.True(t, again.As.Admin)
		assert.Equal(t, 1, changes(), "nothing changed")

		lowered, err := come(ada, "staff")
		require.NoError(t, err)
		assert.True(t, lowered.As.Viewer)
		assert.False(t, h.as(both).Admin, "who lost the claim lost the role")

		_, err = come(ada, "others")
		require.ErrorIs(t, err, oidc.ErrNotAllowed)
		_, err = come(owner, "staff")
		require.ErrorIs(t, err, store.ErrLastAdmin)
		in := h.as(h.signIn(auth.Visit{}))
		assert.True(t, in.Admin, "the only admin stays one")
	})
}

// Who has no password shows by a new sign-in that it is still them.
func TestWithoutAPasswordARecentSignInIsTheProof(t *testing.T) {
	onBoth(t, func(t *testing.T, h *house) {
		const ada, next = "ada@simora.test", "another horse battery"
		ctx := t.Context()
		p := runProvider(t)
		h.Provider, h.Provision = oidc.New(p.options(h)), true
		come := func() auth.Tokens {
			state, given := p.visit(t, h, verified(ada, "exp", h.clock.Add(time.Hour).Unix()))
			code, err := h.ComeBack(ctx, state, given)
			require.NoError(t, err)
			tokens, err := h.SignInWithCode(ctx, code, secret, auth.Visit{})
			require.NoError(t, err)
			return tokens
		}
		old := come()
		assert.False(t, old.As.HasPassword)
		for _, guess := range []string{"", next} {
			_, err := h.SignIn(ctx, ada, guess, auth.Visit{})
			require.ErrorIs(t, err, sim.ErrInvalidCredentials)
		}
		h.clock = h.clock.Add(6 * time.Minute)
		_, err := h.SetUp(ctx, old.As, "", "")
		require.ErrorIs(t, err, sim.ErrSignInAgain)
		require.ErrorIs(t, h.ChangePassword(ctx, old.As, "", next, ""), sim.ErrSignInAgain)

		fresh := come()
		made, err := h.SetUp(ctx, fresh.As, "", "")
		require.NoError(t, err)
		lifted, err := h.answer(fresh, made.Factor, h.code(made.Factor.Secret, 0))
		require.NoError(t, err)
		h.clock = h.clock.Add(6 * time.Minute)
		require.ErrorIs(t, h.TurnOff(ctx, lifted.As, "", h.code(made.Factor.Secret, 0), ""), sim.ErrSignInAgain)
		again, err := h.answer(come(), made.Factor, h.code(made.Factor.Secret, 0))
		require.NoError(t, err)
		h.clock = h.clock.Add(time.Minute)
		require.NoError(t, h.TurnOff(ctx, again.As, "", h.code(made.Factor.Secret, 0), ""))

		require.NoError(t, h.ChangePassword(ctx, h.as(again), "", next, ""), "a first password")
		in := h.as(again)
		assert.True(t, in.HasPassword)
		require.ErrorIs(t, h.ChangePassword(ctx, in, "", "a third horse battery", ""), sim.ErrWrongPassword, "from now on it takes that one")
	})
}

// Without it, accounts keep the role they were given here.
func TestAClaimForAdminsAloneChangesNoRole(t *testing.T) {
	h, p := open(t, ""), runProvider(t)
	const ada = "ada@simora.test"
	_, err := h.accounts().Create(t.Context(), ada, password, auth.RoleViewer)
	require.NoError(t, err)
	o := p.options(h)
	o.Admins = admins
	h.Provider = oidc.New(o)
	state, given := p.visit(t, h, verified(ada, "groups", []string{"admins"}))
	code, err := h.ComeBack(t.Context(), state, given)
	require.NoError(t, err)
	tokens, err := h.SignInWithCode(t.Context(), code, secret, auth.Visit{})
	require.NoError(t, err)
	assert.True(t, tokens.As.Viewer)
}

func TestForgedIDTokens(t *testing.T) {
	signed := func(t *testing.T, method jwt.SigningMethod, key any) func(string) string {
		return func(idToken string) string {
			var claims jwt.MapClaims
			token, _, err := jwt.NewParser().ParseUnverified(idToken, &claims)
			require.NoError(t, err)
			forged := jwt.NewWithClaims(method, claims)
			forged.Header["kid"] = token.Header["kid"]
			text, err := forged.SignedString(key)
			require.NoError(t, err)
			return text
		}
	}
	other, err := mockoidc.RandomKeypair(2048)
	require.NoError(t, err)
	past := time.Now().Add(-time.Hour).Unix()
	for name, c := range map[string]struct {
		who   person
		forge func(*provider) func(string) string
	}{
		"another nonce":      {verified(owner, "nonce", "x"), nil},
		"no nonce":           {verified(owner, "nonce", ""), nil},
		"for another client": {verified(owner, "aud", "somebody-else"), nil},
		"of another issuer":  {verified(owner, "iss", "http://evil.test"), nil},
		"run out":            {verified(owner, "exp", past), nil},
		"without a signature": {verified(owner), func(*provider) func(string) string {
			return signed(t, jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType)
		}},
		"of another key": {verified(owner), func(*provider) func(string) string { return signed(t, jwt.SigningMethodRS256, other.PrivateKey) }},
		"signed with the client's secret": {verified(owner), func(p *provider) func(string) string {
			return signed(t, jwt.SigningMethodHS256, []byte(p.ClientSecret))
		}},
		"missing": {verified(owner), func(*provider) func(string) string { return func(string) string { return "" } }},
	} {
		t.Run(name, func(t *testing.T) {
			h, p := open(t, ""), runProvider(t)
			if c.forge != nil {
				p.forge = c.forge(p)
			}
			h.Provider = oidc.New(p.options(h))
			state, given := p.visit(t, h, c.who)
			_, err := h.ComeBack(t.Context(), state, given)
			require.ErrorContains(t, err, "check ID token")
		})
	}
}

func TestForgedStates(t *testing.T) {
	h, p := open(t, ""), runProvider(t)
	h.Provider = oidc.New(p.options(h))
	state, given := p.visit(t, h, verified(owner))
	parts := strings.Split(state, ".")
	swapped := strings.Join([]string{parts[0], parts[1], challengeOf("the thief's secret"), parts[3]}, ".")
	for name, forged := range map[string]string{"empty": "", "for another browser": swapped, "longer": state + "A", "no proof": strings.Join(parts[:3], ".") + "."} {
		_, err := h.ComeBack(t.Context(), forged, given)
		assert.ErrorIs(t, err, sim.ErrSignInCode, name)
	}
	other, _ := p.visit(t, h, verified(owner))
	_, err := h.ComeBack(t.Context(), other, given)
	require.ErrorContains(t, err, "exchange code", "another visit's state does not fit the code (PKCE)")
	state, given = p.visit(t, h, verified(owner))
	h.clock = h.clock.Add(11 * time.Minute)
	_, err = h.ComeBack(t.Context(), state, given)
	require.ErrorIs(t, err, sim.ErrSignInCode, "too late")
	_, err = h.SendAway(t.Context(), "plain")
	require.ErrorContains(t, err, "code_challenge")
}

func TestPasswordsDoNotNeedTheProvider(t *testing.T) {
	h, p := open(t, ""), runProvider(t)
	o := p.options(h)
	o.Issuer = "http://127.0.0.1:1/oidc"
	h.Provider = oidc.New(o)
	_, err := h.SendAway(t.Context(), challengeOf(secret))
	require.ErrorContains(t, err, "SIMORA_OIDC_ISSUER")
	_, err = h.SignIn(t.Context(), owner, password, auth.Visit{})
	require.NoError(t, err, "passwords do not depend on it")
}
