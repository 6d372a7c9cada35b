// Package accounts is the room of /auth/v1: signing in and out, as the stock
// client speaks it.
package accounts

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"simora/server/auth"
	"simora/server/sim"
	"simora/server/store"
	"simora/server/wire"
)

// Accounts serves them.
type Accounts struct {
	Auth      *auth.Authenticator
	LoginPage string // address of the console's sign-in, for browsers that come back
	Log       *slog.Logger
}

type tokenInput struct {
	Email        string `json:"email"`
	Password     string `json:"password"`
	RefreshToken string `json:"refresh_token"`
	Code         string `json:"auth_code"`
	CodeVerifier string `json:"code_verifier"`
}

type tokenOutput struct {
	AccessToken  string     `json:"access_token"`
	TokenType    string     `json:"token_type"`
	ExpiresIn    int        `json:"expires_in"`
	ExpiresAt    int64      `json:"expires_at"`
	RefreshToken string     `json:"refresh_token"`
	User         userOutput `json:"user"`
}

// userOutput is the user as the client's types want it. It says nothing about
// roles.
type userOutput struct {
	ID           string         `json:"id"`
	Audience     string         `json:"aud"`
	Role         string         `json:"role"`
	Email        string         `json:"email"`
	Phone        string         `json:"phone"`
	ConfirmedAt  time.Time      `json:"email_confirmed_at"`
	LastSignInAt time.Time      `json:"last_sign_in_at"`
	AppMetadata  map[string]any `json:"app_metadata"`
	UserMetadata map[string]any `json:"user_metadata"`
	Identities   []any          `json:"identities"`
	Factors      []factorOutput `json:"factors"`
	CreatedAt    time.Time      `json:"created_at"`
	UpdatedAt    time.Time      `json:"updated_at"`
	IsAnonymous  bool           `json:"is_anonymous"`
}

func (a Accounts) userOf(ctx context.Context, in store.SignedIn) (userOutput, error) {
	factors, err := a.Auth.Factors(ctx, in)
	if err != nil {
		return userOutput{}, err
	}
	return userOutput{
		ID: in.User.ID, Audience: "authenticated", Role: "authenticated", Email: in.User.Email,
		ConfirmedAt: in.User.CreatedAt.UTC(), LastSignInAt: in.LastSignInAt.UTC(), CreatedAt: in.User.CreatedAt.UTC(), UpdatedAt: in.LastSignInAt.UTC(),
		AppMetadata: map[string]any{"provider": "email", "providers": []string{"email"}, "needs_second_factor": in.NeedsSecond}, UserMetadata: map[string]any{}, Identities: []any{}, Factors: factorsOf(factors),
	}, nil
}

// Token signs in with a password or exchanges a refresh token, as the query
// says.
func (a Accounts) Token(w http.ResponseWriter, r *http.Request, c wire.Call) error {
	var in tokenInput
	if err := wire.ReadJSON(w, r, c.Route.Body, &in); err != nil {
		return badJSON(err)
	}
	var tokens auth.Tokens
	var err error
	switch r.URL.Query().Get("grant_type") {
	case "password":
		tokens, err = a.signIn(r, c, in)
	case "pkce":
		if err = c.Allow(r.Context(), wire.BySignIn, c.Address); err == nil {
			tokens, err = a.Auth.SignInWithCode(r.Context(), in.Code, in.CodeVerifier, visit(r, c))
		}
	case "refresh_token":
		tokens, err = a.Auth.Refresh(r.Context(), in.RefreshToken)
	default:
		err = &sim.Error{Kind: sim.Invalid, Code: "invalid_credentials", Message: "unsupported_grant_type"}
	}
	if err != nil {
		return err
	}
	return a.writeTokens(w, r, tokens)
}

func (a Accounts) writeTokens(w http.ResponseWriter, r *http.Request, tokens auth.Tokens) error {
	user, err := a.userOf(r.Context(), tokens.As)
	if err != nil {
		return err
	}
	if tokens.Device != "" {
		w.Header().Set(deviceHeader, tokens.Device)
	}
	return wire.WriteJSON(w, http.StatusOK, tokenOutput{
		AccessToken: tokens.Access, TokenType: "bearer", ExpiresIn: int(tokens.Life.Seconds()), ExpiresAt: tokens.Expires.Unix(),
		RefreshToken: tokens.Refresh, User: user,
	})
}

// deviceHeader carries the proof that a browser has signed in before.
const deviceHeader = "X-Simora-Device"

func visit(r *http.Request, c wire.Call) auth.Visit {
	return auth.Visit{Address: c.Address, UserAgent: c.UserAgent, Device: r.Header.Get(deviceHeader)}
}

func (a Accounts) signIn(r *http.Request, c wire.Call, in tokenInput) (auth.Tokens, error) {
	email := strings.ToLower(strings.TrimSpace(in.Email))
	if email == "" {
		return auth.Tokens{}, sim.ValidationFailed("missing email or phone")
	}
	// Counted by what the server knows: a rotating extra field changes nothing.
	for by, key := range map[wire.LimitBy]string{wire.ByAccount: c.Address + " " + sim.Cut(email, sim.MaxEmailBytes), wire.BySignIn: c.Address} {
		if err := c.Allow(r.Context(), by, key); err != nil {
			return auth.Tokens{}, err
		}
	}
	return a.Auth.SignIn(r.Context(), email, in.Password, visit(r, c))
}

func badJSON(err error) error {
	known := *sim.AsError(err)
	if known.Code == "bad_request" {
		known.Code = "bad_json"
	}
	return &known
}

// User answers who is signed in.
func (a Accounts) User(w http.ResponseWriter, r *http.Request, c wire.Call) error {
	user, err := a.userOf(r.Context(), *c.SignedIn)
	if err != nil {
		return err
	}
	return wire.WriteJSON(w, http.StatusOK, user)
}

// Logout ends sign-ins; the scope says which.
func (a Accounts) Logout(w http.ResponseWriter, r *http.Request, c wire.Call) error {
	which, known := map[string]store.SignOut{"": store.SignOutAll, "global": store.SignOutAll, "local": store.SignOutThis, "others": store.SignOutOthers}[r.URL.Query().Get("scope")]
	if !known {
		return sim.ValidationFailed("scope must be global, local or others")
	}
	if err := a.Auth.SignOut(r.Context(), *c.SignedIn, which); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// Signup is closed: admins are made by a command.
func (a Accounts) Signup(http.ResponseWriter, *http.Request, wire.Call) error {
	return &sim.Error{Kind: sim.Unprocessable, Code: "signup_disabled", Message: "Signups not allowed for this instance"}
}

// Keys lists the public keys of access tokens: none, they are signed with a
// secret one.
func (a Accounts) Keys(w http.ResponseWriter, _ *http.Request, _ wire.Call) error {
	if err := wire.WriteJSON(w, http.StatusOK, map[string]any{"keys": []any{}}); err != nil {
		return err
	}
	return nil
}
