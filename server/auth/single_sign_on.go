package auth

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"simora/server/oidc"
	"simora/server/sim"
	"simora/server/store"
)

const (
	stateLife = 10 * time.Minute // to sign in at the provider
	codeLife  = time.Minute      // to load the page that brings the code

	challengeBytes = sha256.Size
)

// ErrNoSuchAdmin is somebody the provider knows and we do not.
var ErrNoSuchAdmin = errors.New("no account is linked to this person")

// SendAway says where a browser goes to sign in at the provider. challenge is
// of a secret that only that browser has (PKCE, S256). Nothing is stored: the
// state says all, with proof that it is ours, and the secrets are derived from
// it.
//
// Errors: sim.ValidationFailed.
func (a *Authenticator) SendAway(ctx context.Context, challenge string) (url string, err error) {
	if raw, err := base64.RawURLEncoding.DecodeString(challenge); err != nil || len(raw) != challengeBytes {
		return "", sim.ValidationFailed("code_challenge must be a SHA-256 in base64url")
	}
	body := strings.Join([]string{rand.Text(), strconv.FormatInt(a.now().Add(stateLife).Unix(), 36), challenge}, ".")
	state, nonce, verifier, err := a.state(body)
	if err != nil {
		return "", err
	}
	return a.Provider.URL(ctx, state, nonce, verifier)
}

func (a *Authenticator) state(body string) (state, nonce, verifier string, err error) {
	var made [3]string
	for i, domain := range []string{"oidc state", "oidc nonce", "oidc verifier"} {
		raw, err := a.store.Derive(domain, body)
		if err != nil {
			return "", "", "", fmt.Errorf("make %s: %w", domain, err)
		}
		made[i] = base64.RawURLEncoding.EncodeToString(raw)
	}
	return body + "." + made[0], made[1], made[2], nil
}

// ComeBack takes what the provider says about a browser's user. The code it
// returns starts a sign-in, once, and only with the secret of the browser that
// was sent away.
//
// Errors: sim.ErrSignInCode (not our state, or too old), oidc.ErrNotAllowed,
// ErrNoSuchAdmin, store.ErrLastAdmin (who would become a viewer); any other is
// the provider's.
func (a *Authenticator) ComeBack(ctx context.Context, state, providerCode string) (code string, err error) {
	parts := strings.Split(state, ".")
	if len(state) > maxToken || len(parts) != 4 {
		return "", sim.ErrSignInCode
	}
	want, nonce, verifier, err := a.state(strings.Join(parts[:3], "."))
	if err != nil {
		return "", err
	}
	until, err := strconv.ParseInt(parts[1], 36, 64)
	if err != nil || !hmac.Equal([]byte(want), []byte(state)) || until < a.now().Unix() {
		return "", sim.ErrSignInCode
	}
	person, err := a.Provider.Person(ctx, providerCode, nonce, verifier)
	if err != nil {
		return "", err
	}
	userID, err := a.userOf(ctx, person)
	if err != nil {
		return "", err
	}
	if person.Is != oidc.Unsaid {
		if err := a.store.SetRoleOf(sim.WithActor(ctx, sim.Actor{Kind: sim.BySystem}), userID, roleOf(person)); err != nil {
			return "", err
		}
	}
	code = rand.Text()
	index, err := a.store.Derive("sign-in code", code)
	if err != nil {
		return "", fmt.Errorf("make sign-in code: %w", err)
	}
	return code, a.store.AddSignInCode(ctx, index, userID, parts[2], a.now())
}

// userOf finds the account of a person by issuer and subject. The first time it
// is the one with their verified address, or a new one where that is wanted.
func (a *Authenticator) userOf(ctx context.Context, p oidc.Person) (id string, err error) {
	id, err = a.store.UserOfIdentity(ctx, p.Issuer, p.Subject)
	if !errors.Is(err, store.ErrNoUser) {
		return id, err
	}
	if p.Email == "" {
		return "", ErrNoSuchAdmin
	}
	user, err := a.store.UserByEmail(ctx, p.Email)
	if errors.Is(err, store.ErrNoUser) {
		if !a.Provision {
			return "", ErrNoSuchAdmin
		}
		user, err = a.provision(ctx, p)
	}
	if err != nil {
		return "", err
	}
	return user.ID, a.store.LinkIdentity(ctx, p.Issuer, p.Subject, user.ID, a.now())
}

// provision makes an account without a password.
func (a *Authenticator) provision(ctx context.Context, p oidc.Person) (store.User, error) {
	email, err := address(p.Email)
	if err != nil {
		return store.User{}, err
	}
	err = a.store.CreateUser(ctx, store.User{ID: uuid.NewString(), Email: email, CreatedAt: a.now()}, roleOf(p))
	if err != nil && !errors.Is(err, store.ErrUserExists) {
		return store.User{}, err
	}
	return a.store.UserByEmail(ctx, email)
}

// roleOf is the role of a person who has none here yet, or whose claims decide.
func roleOf(p oidc.Person) string {
	if p.Is == oidc.Viewer {
		return RoleViewer
	}
	return RoleAdmin
}

// SignInWithCode starts a sign-in for a code of ComeBack.
// Errors: sim.ErrSignInCode.
func (a *Authenticator) SignInWithCode(ctx context.Context, code, secret string, from Visit) (Tokens, error) {
	index, err := a.store.Derive("sign-in code", sim.Cut(code, maxToken))
	if err != nil {
		return Tokens{}, fmt.Errorf("read sign-in code: %w", err)
	}
	userID, challenge, err := a.store.TakeSignInCode(ctx, index, a.now().Add(-codeLife))
	if errors.Is(err, store.ErrNoUser) {
		return Tokens{}, sim.ErrSignInCode
	}
	if err != nil {
		return Tokens{}, err
	}
	sum := sha256.Sum256([]byte(secret))
	if !hmac.Equal([]byte(base64.RawURLEncoding.EncodeToString(sum[:])), []byte(challenge)) {
		return Tokens{}, sim.ErrSignInCode
	}
	return a.start(ctx, userID, "oauth", from)
}
