package auth

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/pquerna/otp"
	"github.com/pquerna/otp/hotp"
	"github.com/pquerna/otp/totp"

	"simora/server/sim"
	"simora/server/store"
)

const (
	step           = 30 // seconds; with SHA-1 and six digits what every authenticator app does (RFC 6238)
	skew           = 1  // steps that a phone's clock may be off
	challengeLife  = 5 * time.Minute
	recoveryCodes  = 10
	recoveryRunes  = 10 // of base32: 50 bits, and tries are counted
	maxFactorName  = 80
	freshlyProofed = 5 * time.Minute
)

// Enrolment is a second factor that waits for its first code.
type Enrolment struct {
	Factor store.Factor
	URI    string // otpauth://
	QR     string // of URI, as SVG
}

// Enrol makes a second factor for a user who has just signed in; it counts from
// its first code on. Errors: sim.ErrSignInAgain, ErrFactorExists.
func (a *Authenticator) Enrol(ctx context.Context, in store.SignedIn, name string) (Enrolment, error) {
	if !a.justSignedIn(in) {
		return Enrolment{}, sim.ErrSignInAgain
	}
	return a.enrol(ctx, in, name)
}

// SetUp is Enrol for a password. Errors: sim.ErrFactorExists, and those of
// confirm.
func (a *Authenticator) SetUp(ctx context.Context, in store.SignedIn, password, device string) (Enrolment, error) {
	if err := a.confirm(ctx, in, password, device); err != nil {
		return Enrolment{}, err
	}
	return a.enrol(ctx, in, "")
}

func (a *Authenticator) enrol(ctx context.Context, in store.SignedIn, name string) (Enrolment, error) {
	key, err := totp.Generate(totp.GenerateOpts{Issuer: a.Brand, AccountName: in.User.Email, Period: step})
	if err != nil {
		return Enrolment{}, fmt.Errorf("make second factor: %w", err)
	}
	e := Enrolment{URI: key.URL(), Factor: store.Factor{
		ID: uuid.NewString(), UserID: in.User.ID, Name: sim.Cut(name, maxFactorName), Secret: key.Secret(), CreatedAt: a.now(),
	}}
	if e.QR, err = drawQR(e.URI); err != nil {
		return Enrolment{}, err
	}
	return e, a.store.AddFactor(ctx, e.Factor)
}

// Factors are the second factors of the user: one or none.
func (a *Authenticator) Factors(ctx context.Context, in store.SignedIn) ([]store.Factor, error) {
	f, err := a.store.Factor(ctx, in.User.ID)
	if errors.Is(err, store.ErrNoFactor) {
		return nil, nil
	}
	return []store.Factor{f}, err
}

func (a *Authenticator) factor(ctx context.Context, in store.SignedIn, id string) (store.Factor, error) {
	f, err := a.store.Factor(ctx, in.User.ID)
	if errors.Is(err, store.ErrNoFactor) || err == nil && f.ID != id {
		return f, sim.ErrFactorNotFound
	}
	return f, err
}

// Challenge opens the time in which a code is taken, for this sign-in only. It
// is not stored: its id says when it ends, and proves that it is ours.
// Errors: sim.ErrFactorNotFound.
func (a *Authenticator) Challenge(ctx context.Context, in store.SignedIn, factorID string) (id string, until time.Time, err error) {
	if _, err := a.factor(ctx, in, factorID); err != nil {
		return "", until, err
	}
	until = a.now().Add(challengeLife)
	id, err = a.challenge(in, factorID, until.Unix())
	return id, until, err
}

func (a *Authenticator) challenge(in store.SignedIn, factorID string, until int64) (string, error) {
	end := strconv.FormatInt(until, 36)
	proof, err := a.store.Derive("challenge", strings.Join([]string{in.SessionID, factorID, end}, "."))
	if err != nil {
		return "", fmt.Errorf("make challenge: %w", err)
	}
	return end + "." + base64.RawURLEncoding.EncodeToString(proof), nil
}

func (a *Authenticator) inTime(in store.SignedIn, factorID, challengeID string) bool {
	end, _, _ := strings.Cut(challengeID, ".")
	until, err := strconv.ParseInt(end, 36, 64)
	if err != nil || until < a.now().Unix() {
		return false
	}
	want, err := a.challenge(in, factorID, until)
	return err == nil && hmac.Equal([]byte(want), []byte(challengeID))
}

// Verify takes a code, or a recovery code, and lifts the sign-in.
//
// Errors: sim.ErrFactorNotFound, ErrChallengeExpired, ErrWrongCode,
// ErrRateLimited.
func (a *Authenticator) Verify(ctx context.Context, in store.SignedIn, factorID, challengeID, code string, from Visit) (Tokens, error) {
	f, err := a.factor(ctx, in, factorID)
	if err != nil {
		return Tokens{}, err
	}
	if !a.inTime(in, factorID, challengeID) {
		return Tokens{}, sim.ErrChallengeExpired
	}
	use, done, err := a.readCode(ctx, in, f, code, from.Device)
	if err != nil {
		return Tokens{}, err
	}
	counter, err := a.store.UseCode(ctx, use)
	if err == nil {
		err = done()
	}
	if err != nil {
		return Tokens{}, err
	}
	tokens, err := a.tokens(ctx, in.SessionID, counter)
	if err == nil {
		tokens.Device, err = a.newDevice(in.User.Email, f.ID)
	}
	return tokens, err
}

// readCode checks a code, which is counted; done is called when it could also
// be used.
func (a *Authenticator) readCode(ctx context.Context, in store.SignedIn, f store.Factor, code, device string) (use store.CodeUse, done func() error, err error) {
	use = store.CodeUse{Factor: f, SessionID: in.SessionID, At: a.now()}
	known, factorID := a.device(in.User.Email, device)
	if factorID != f.ID { // from before this factor: whoever knew the password could have many
		known = ""
	}
	if done, err = a.try(ctx, "code", in.User.Email, known); err != nil {
		return use, done, err
	}
	code = strings.ToLower(strings.NewReplacer(" ", "", "-", "").Replace(code))
	if len(code) == recoveryRunes && f.Verified() {
		use.Recovery, err = a.recovery(in.User.ID, code)
	} else {
		use.Step, err = stepOf(f.Secret, code, use.At)
	}
	return use, done, err
}

// stepOf says of which time step the code is. Errors: sim.ErrWrongCode.
func stepOf(secret, code string, now time.Time) (int64, error) {
	middle := now.Unix() / step
	for at := middle - skew; at <= middle+skew; at++ {
		ok, err := hotp.ValidateCustom(code, uint64(at), secret, hotp.ValidateOpts{Digits: otp.DigitsSix}) //nolint:gosec // steps since 1970 are positive
		if err != nil && !errors.Is(err, otp.ErrValidateInputInvalidLength) {
			return 0, fmt.Errorf("check code: %w", err)
		}
		if ok {
			return at, nil
		}
	}
	return 0, sim.ErrWrongCode
}

func (a *Authenticator) recovery(userID, code string) ([]byte, error) {
	index, err := a.store.Derive("recovery code", userID+"\x00"+code)
	if err != nil {
		return nil, fmt.Errorf("recovery code: %w", err)
	}
	return index, nil
}

// NewRecoveryCodes makes ten that replace those before. Only what they are
// recognised by is stored. Errors: sim.ErrFactorNotFound.
func (a *Authenticator) NewRecoveryCodes(ctx context.Context, in store.SignedIn) ([]string, error) {
	if !in.HasFactor {
		return nil, sim.ErrFactorNotFound
	}
	var shown []string
	var stored [][]byte
	for range recoveryCodes {
		code := strings.ToLower(rand.Text()[:recoveryRunes])
		index, err := a.recovery(in.User.ID, code)
		if err != nil {
			return nil, err
		}
		shown, stored = append(shown, code[:5]+"-"+code[5:]), append(stored, index)
	}
	return shown, a.store.SetRecoveryCodes(ctx, in.User.ID, stored)
}

// RecoveryCodesLeft counts the unused ones.
func (a *Authenticator) RecoveryCodesLeft(ctx context.Context, in store.SignedIn) (int, error) {
	return a.store.CountRecoveryCodes(ctx, in.User.ID)
}

// RemoveFactor turns the second factor off. One that is in use goes only when
// both password and code were given a moment ago.
//
// Errors: sim.ErrFactorNotFound, ErrSecondFactorNeeded.
func (a *Authenticator) RemoveFactor(ctx context.Context, in store.SignedIn, factorID string) error {
	f, err := a.factor(ctx, in, factorID)
	if err != nil {
		return err
	}
	if f.Verified() && (in.NeedsSecond || in.Second.At.Before(a.lately()) || !a.justSignedIn(in)) {
		return sim.ErrSecondFactorNeeded
	}
	return a.store.RemoveFactor(ctx, in.User.ID)
}

// TurnOff removes the second factor, for a password and a code.
//
// Errors: sim.ErrFactorNotFound, ErrWrongCode, and those of confirm.
func (a *Authenticator) TurnOff(ctx context.Context, in store.SignedIn, password, code, device string) error {
	f, err := a.store.Factor(ctx, in.User.ID)
	if errors.Is(err, store.ErrNoFactor) || err == nil && !f.Verified() {
		return sim.ErrFactorNotFound
	}
	if err != nil {
		return err
	}
	if err := a.confirm(ctx, in, password, device); err != nil {
		return err
	}
	use, done, err := a.readCode(ctx, in, f, code, device)
	if err != nil {
		return err
	}
	if err := a.store.TurnOffFactor(ctx, use); err != nil {
		return err
	}
	return done()
}

// confirm asks somebody who is signed in for proof again: their password, or a
// sign-in of just now when they have none.
//
// Errors: sim.ErrWrongPassword, ErrSignInAgain, ErrRateLimited.
func (a *Authenticator) confirm(ctx context.Context, in store.SignedIn, password, device string) error {
	if !in.HasPassword {
		if !a.justSignedIn(in) {
			return sim.ErrSignInAgain
		}
		return nil
	}
	_, err := a.checkPassword(ctx, in.User.Email, password, device)
	if errors.Is(err, sim.ErrInvalidCredentials) {
		return sim.ErrWrongPassword
	}
	return err
}

func (a *Authenticator) lately() time.Time { return a.now().Add(-freshlyProofed) }

func (a *Authenticator) justSignedIn(in store.SignedIn) bool { return !in.StartedAt.Before(a.lately()) }
