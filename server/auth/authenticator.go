package auth

import (
	"context"
	"crypto/hmac"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"

	"simora/server/oidc"
	"simora/server/sim"
	"simora/server/store"
)

const (
	accessLife   = 15 * time.Minute
	refreshGrace = time.Minute // for a lost answer and for other tabs
	leeway       = 30 * time.Second
	maxToken     = 4096

	audience = "authenticated"
	hashers  = 4 // at once; each takes 19 MiB
)

// life of a sign-in.
var life = store.SessionLife{Idle: Idle, Absolute: 7 * 24 * time.Hour}

// Idle is how long a sign-in lasts without a refresh.
const Idle = 24 * time.Hour

// Rules are what the operator says about sign-ins.
type Rules struct {
	SecondFactor bool           // every admin needs one
	Provider     *oidc.Provider // nil: passwords only
	ProviderName string         // for people
	Provision    bool           // whom the provider lets in gets an account
	Brand        string         // names the account in an authenticator app
	Tries        float64        // multiplies how many are free
}

// Authenticator signs people in and tells who holds a token.
type Authenticator struct {
	Rules

	store  *store.Store
	now    func() time.Time
	issuer string
	secret []byte // signs access tokens
	decoy  string // a hash that no password matches, checked for unknown addresses
	gate   chan struct{}
}

// NewAuthenticator derives its secrets from the keyring, so that every
// instance takes every other's tokens.
func NewAuthenticator(s *store.Store, publicURL string, now func() time.Time) (*Authenticator, error) {
	secret, err := s.Derive("access token", "1")
	if err != nil {
		return nil, fmt.Errorf("access token key: %w", err)
	}
	decoy, err := HashPassword(NewPassword())
	if err != nil {
		return nil, err
	}
	return &Authenticator{Rules: Rules{Brand: "Simora", Tries: 1}, store: s, now: now, issuer: publicURL + "/auth/v1", secret: secret, decoy: decoy, gate: make(chan struct{}, hashers)}, nil
}

// Tokens are what a client gets.
type Tokens struct {
	Access  string
	Refresh string
	Expires time.Time // of the access token
	Life    time.Duration
	As      store.SignedIn
	Device  string // proof for the next sign-in from here; empty: keep the one there is
}

// Visit is where a sign-in comes from.
type Visit struct {
	Address   string
	UserAgent string
	Device    string // what Tokens said at an earlier sign-in; empty: none
}

func (v Visit) device() store.Device {
	return store.Device{IP: v.Address, UserAgent: sim.Cut(v.UserAgent, sim.MaxMetaBytes)}
}

// SignIn checks the password and starts a sign-in. An unknown address takes as
// long as a wrong password, and gets the same error.
//
// Errors: sim.ErrInvalidCredentials, ErrRateLimited.
func (a *Authenticator) SignIn(ctx context.Context, email, password string, from Visit) (Tokens, error) {
	email = strings.ToLower(strings.TrimSpace(email))
	user, err := a.checkPassword(ctx, email, password, from.Device)
	if err != nil {
		return Tokens{}, err
	}
	return a.start(ctx, user.ID, "password", from)
}

func (a *Authenticator) start(ctx context.Context, userID, method string, from Visit) (Tokens, error) {
	id := uuid.NewString()
	err := a.store.StartAuthSession(ctx, store.NewSignIn{ID: id, UserID: userID, Method: method, From: from.device(), At: a.now()})
	if err != nil {
		return Tokens{}, err
	}
	tokens, err := a.tokens(ctx, id, 1)
	if err == nil && !tokens.As.NeedsSecond {
		tokens.Device, err = a.newDevice(tokens.As.User.Email, "")
	}
	return tokens, err
}

// checkPassword finds the user with this address and password. Wrong ones are
// counted by account and device.
func (a *Authenticator) checkPassword(ctx context.Context, email, password, device string) (store.User, error) {
	known, _ := a.device(email, device)
	done, err := a.try(ctx, "password", email, known)
	if err != nil {
		return store.User{}, err
	}
	user, err := a.store.UserByEmail(ctx, email)
	if err != nil && !errors.Is(err, store.ErrNoUser) {
		return user, err
	}
	hash := user.PasswordHash
	has := hash != ""
	if !has {
		hash = a.decoy
	}
	matches, err := a.matches(ctx, password, hash)
	if err != nil {
		return user, err
	}
	if !has || !matches {
		return user, a.failed(ctx, user.ID, email)
	}
	return user, done()
}

// failed records a sign-in that failed.
func (a *Authenticator) failed(ctx context.Context, userID, email string) error {
	object := "an unknown address"
	if userID != "" {
		object = "user " + userID
	}
	email = sim.Cut(email, sim.MaxEmailBytes)
	err := a.store.Audit(ctx, sim.Event{Action: sim.SignInFailed, Object: object, Result: sim.Refused, Person: email, Detail: map[string]string{"email": email}})
	if err != nil {
		return err
	}
	return sim.ErrInvalidCredentials
}

// matches hashes a few passwords at a time, so that a flood of sign-ins does
// not take the memory.
func (a *Authenticator) matches(ctx context.Context, password, hash string) (bool, error) {
	if len(password) > 4*maxPassword {
		return false, nil
	}
	select {
	case a.gate <- struct{}{}:
	case <-ctx.Done():
		return false, ctx.Err()
	}
	defer func() { <-a.gate }()
	return PasswordMatches(password, hash)
}

// Refresh exchanges a refresh token for new tokens.
//
// Errors: sim.ErrRefreshTokenNotFound, ErrRefreshTokenUsed, ErrSignInExpired.
func (a *Authenticator) Refresh(ctx context.Context, token string) (Tokens, error) {
	id, counter, ok := a.readRefresh(token)
	if !ok {
		return Tokens{}, sim.ErrRefreshTokenNotFound
	}
	counter, err := a.store.RotateAuthSession(ctx, id, counter, life, refreshGrace, a.now())
	if err != nil {
		return Tokens{}, err
	}
	return a.tokens(ctx, id, counter)
}

// SignOut ends sign-ins of the user.
func (a *Authenticator) SignOut(ctx context.Context, in store.SignedIn, which store.SignOut) error {
	if in.NeedsSecond { // the password alone does not end what the owner does elsewhere
		which = store.SignOutThis
	}
	return a.store.EndAuthSessions(ctx, in.SessionID, in.User.ID, which)
}

// claims are those of an access token that we read back.
type claims struct {
	jwt.RegisteredClaims

	Email     string `json:"email"`
	Phone     string `json:"phone"`
	Role      string `json:"role"`
	AAL       string `json:"aal"`
	AMR       []amr  `json:"amr"`
	SessionID string `json:"session_id"`
	Anonymous bool   `json:"is_anonymous"`
}

// amr is how somebody has shown who they are (RFC 8176, with the names of the
// stock client).
type amr struct {
	Method string `json:"method"`
	At     int64  `json:"timestamp"` // seconds since 1970 UTC
}

// Assurance levels of a sign-in: one factor, or two.
const (
	oneFactor  = "aal1"
	twoFactors = "aal2"
)

// signedIn reads a sign-in. level is what its token says: one from before the
// second factor was given stays what it was.
func (a *Authenticator) signedIn(ctx context.Context, id, level string) (store.SignedIn, error) {
	in, err := a.store.SignedInAs(ctx, id, life, a.now())
	lifted := level == twoFactors && !in.Second.At.IsZero()
	in.NeedsSecond = !lifted && (in.HasFactor || in.Admin && a.SecondFactor)
	in.Admin, in.Viewer = in.Admin && !in.NeedsSecond, in.Viewer && !in.NeedsSecond
	return in, err
}

func (a *Authenticator) tokens(ctx context.Context, id string, counter int64) (Tokens, error) {
	now := a.now()
	in, err := a.signedIn(ctx, id, twoFactors)
	if errors.Is(err, sim.ErrSignedOut) {
		return Tokens{}, sim.ErrRefreshTokenNotFound // ended a moment ago
	}
	if err != nil {
		return Tokens{}, err
	}
	expires, level, methods := now.Add(accessLife), oneFactor, []amr{{in.Method, in.StartedAt.Unix()}}
	if !in.Second.At.IsZero() {
		level, methods = twoFactors, append(methods, amr{in.Second.Method, in.Second.At.Unix()})
	}
	access, err := jwt.NewWithClaims(jwt.SigningMethodHS256, claims{
		RegisteredClaims: jwt.RegisteredClaims{
			Issuer: a.issuer, Subject: in.User.ID, Audience: jwt.ClaimStrings{audience},
			ExpiresAt: jwt.NewNumericDate(expires), IssuedAt: jwt.NewNumericDate(now),
		},
		Email: in.User.Email, Role: audience, AAL: level, AMR: methods, SessionID: id,
	}).SignedString(a.secret)
	if err != nil {
		return Tokens{}, fmt.Errorf("sign access token: %w", err)
	}
	refresh, err := a.refreshToken(id, counter)
	if err != nil {
		return Tokens{}, err
	}
	return Tokens{Access: access, Refresh: refresh, Expires: expires, Life: accessLife, As: in}, nil
}

// Identify tells who holds an access token, by what is stored now: a sign-in
// that has ended and a role that was taken away count at once.
//
// Errors: sim.ErrInvalidToken, ErrTokenExpired, ErrSignedOut.
func (a *Authenticator) Identify(ctx context.Context, token string) (store.SignedIn, error) {
	if len(token) > maxToken || strings.Count(token, ".") != 2 {
		return store.SignedIn{}, sim.ErrInvalidToken
	}
	var c claims
	_, err := jwt.ParseWithClaims(token, &c, func(*jwt.Token) (any, error) { return a.secret, nil },
		jwt.WithValidMethods([]string{jwt.SigningMethodHS256.Alg()}), jwt.WithIssuer(a.issuer), jwt.WithAudience(audience),
		jwt.WithExpirationRequired(), jwt.WithIssuedAt(), jwt.WithLeeway(leeway), jwt.WithTimeFunc(a.now), jwt.WithStrictDecoding())
	switch {
	case errors.Is(err, jwt.ErrTokenExpired) && !errors.Is(err, jwt.ErrTokenSignatureInvalid):
		return store.SignedIn{}, sim.ErrTokenExpired
	case err != nil, c.Role != audience, !sim.IsID(c.SessionID), !sim.IsID(c.Subject):
		return store.SignedIn{}, sim.ErrInvalidToken
	}
	in, err := a.signedIn(ctx, c.SessionID, c.AAL)
	if err == nil && in.User.ID != c.Subject {
		err = sim.ErrInvalidToken
	}
	return in, err
}

// refreshToken is <session>.<counter>.<proof>. It is made again when it is
// needed, so that the database holds nothing that can be used.
func (a *Authenticator) refreshToken(id string, counter int64) (string, error) {
	body := strings.ReplaceAll(id, "-", "") + "." + strconv.FormatInt(counter, 36)
	proof, err := a.store.Derive("refresh token", body)
	if err != nil {
		return "", fmt.Errorf("make refresh token: %w", err)
	}
	return body + "." + base64.RawURLEncoding.EncodeToString(proof), nil
}

func (a *Authenticator) readRefresh(token string) (id string, counter int64, ok bool) {
	parts := strings.Split(token, ".")
	if len(token) > maxToken || len(parts) != 3 {
		return "", 0, false
	}
	raw, err := hex.DecodeString(parts[0])
	if err != nil {
		return "", 0, false
	}
	parsed, err := uuid.FromBytes(raw)
	if err != nil {
		return "", 0, false
	}
	counter, err = strconv.ParseInt(parts[1], 36, 64)
	if err != nil || counter < 1 {
		return "", 0, false
	}
	want, err := a.refreshToken(parsed.String(), counter)
	return parsed.String(), counter, err == nil && hmac.Equal([]byte(want), []byte(token))
}
