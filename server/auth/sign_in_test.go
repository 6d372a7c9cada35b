package auth_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"simora/server/auth"
	"simora/server/keyring"
	"simora/server/sim"
	"simora/server/store"
	"simora/tests/pgserver"
)

func TestMain(m *testing.M) { pgserver.Main(m) }

const (
	owner    = "owner@simora.test"
	password = "correct horse battery"
)

// house is a database with one admin, and a clock.
type house struct {
	*auth.Authenticator

	t     *testing.T
	store *store.Store
	dir   string
	clock time.Time
}

func onBoth(t *testing.T, promise func(t *testing.T, h *house)) {
	t.Run("sqlite", func(t *testing.T) { promise(t, open(t, "")) })
	t.Run("postgres", func(t *testing.T) { promise(t, open(t, pgserver.Database(t))) })
}

func open(t *testing.T, url string) *house {
	h := &house{t: t, dir: t.TempDir(), clock: time.Now().Truncate(time.Millisecond)}
	keys, err := keyring.Load(filepath.Join(h.dir, keyring.FileName))
	require.NoError(t, err)
	h.store, err = store.Open(t.Context(), store.Options{URL: url, Dir: h.dir, Keyring: keys, Log: slog.New(slog.DiscardHandler), Exclusive: url == ""})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, h.store.Close()) })
	h.Authenticator, err = auth.NewAuthenticator(h.store, "http://simora.test", h.now)
	require.NoError(t, err)
	_, err = h.accounts().Create(t.Context(), owner, password, auth.RoleAdmin)
	require.NoError(t, err)
	return h
}

func (h *house) now() time.Time          { return h.clock }
func (h *house) accounts() auth.Accounts { return auth.Accounts{Store: h.store, Now: h.now} }

func (h *house) signIn(from auth.Visit) auth.Tokens {
	h.t.Helper()
	tokens, err := h.SignIn(h.t.Context(), owner, password, from)
	require.NoError(h.t, err)
	return tokens
}

// as is who the server takes the holder of a token for.
func (h *house) as(tokens auth.Tokens) store.SignedIn {
	h.t.Helper()
	in, err := h.Identify(h.t.Context(), tokens.Access)
	require.NoError(h.t, err)
	return in
}

// code is what the phone shows, some steps from now.
func (h *house) code(secret string, steps int) string {
	h.t.Helper()
	code, err := totp.GenerateCode(secret, h.clock.Add(time.Duration(steps)*30*time.Second))
	require.NoError(h.t, err)
	return code
}

func (h *house) answer(tokens auth.Tokens, f store.Factor, code string) (auth.Tokens, error) {
	h.t.Helper()
	challenge, _, err := h.Challenge(h.t.Context(), tokens.As, f.ID)
	require.NoError(h.t, err)
	return h.Verify(h.t.Context(), tokens.As, f.ID, challenge, code, auth.Visit{Device: tokens.Device})
}

// enrol turns the second factor on.
func (h *house) enrol() (auth.Tokens, store.Factor) {
	h.t.Helper()
	tokens := h.signIn(auth.Visit{})
	made, err := h.Enrol(h.t.Context(), tokens.As, "phone")
	require.NoError(h.t, err)
	lifted, err := h.answer(tokens, made.Factor, h.code(made.Factor.Secret, 0))
	require.NoError(h.t, err)
	h.clock = h.clock.Add(2 * time.Minute) // the code has been used
	return lifted, made.Factor
}

func claimsOf(t *testing.T, access string) (aal string, methods []string) {
	raw, err := base64.RawURLEncoding.DecodeString(strings.Split(access, ".")[1])
	require.NoError(t, err)
	var c struct {
		AAL string
		AMR []struct{ Method string }
	}
	require.NoError(t, json.Unmarshal(raw, &c))
	for _, m := range c.AMR {
		methods = append(methods, m.Method)
	}
	return c.AAL, methods
}

func TestSecondFactorLiftsTheSignIn(t *testing.T) {
	onBoth(t, func(t *testing.T, h *house) {
		ctx := t.Context()
		before, elsewhere := h.signIn(auth.Visit{}), h.signIn(auth.Visit{})
		made, err := h.Enrol(ctx, before.As, "phone")
		require.NoError(t, err)
		assert.NotContains(t, made.QR, "#", "the stock client puts it into a data URL")
		assert.Contains(t, made.URI, "issuer=Simora")
		assert.True(t, h.as(before).Admin, "a factor that no code was given for changes nothing")

		lifted, err := h.answer(before, made.Factor, h.code(made.Factor.Secret, 0))
		require.NoError(t, err)
		aal, methods := claimsOf(t, lifted.Access)
		assert.Equal(t, "aal2", aal)
		assert.Equal(t, []string{"password", "totp"}, methods)
		assert.True(t, h.as(lifted).Admin)

		old := h.as(before)
		assert.False(t, old.Admin, "a token from before is no token of two factors")
		assert.True(t, old.NeedsSecond)
		_, err = h.Identify(ctx, elsewhere.Access)
		require.ErrorIs(t, err, sim.ErrSignedOut, "sign-ins without the new factor end")

		again, err := h.Refresh(ctx, lifted.Refresh)
		require.NoError(t, err)
		assert.True(t, h.as(again).Admin, "a refresh keeps both factors")
		_, err = h.Refresh(ctx, before.Refresh)
		require.ErrorIs(t, err, sim.ErrRefreshTokenUsed, "a copy of the token from before is not lifted")

		alone := h.signIn(auth.Visit{})
		aal, methods = claimsOf(t, alone.Access)
		assert.Equal(t, "aal1", aal)
		assert.Equal(t, []string{"password"}, methods)
		assert.False(t, h.as(alone).Admin)
		_, err = h.Enrol(ctx, alone.As, "the thief's")
		require.ErrorIs(t, err, sim.ErrFactorExists)
		require.ErrorIs(t, h.RemoveFactor(ctx, alone.As, made.Factor.ID), sim.ErrSecondFactorNeeded)
		require.ErrorIs(t, h.ChangePassword(ctx, alone.As, password, "another horse battery", ""), sim.ErrSecondFactorNeeded)
	})
}

func TestCodes(t *testing.T) {
	onBoth(t, func(t *testing.T, h *house) {
		h.Tries = 100
		lifted, f := h.enrol()
		recovery, err := h.NewRecoveryCodes(t.Context(), lifted.As)
		require.NoError(t, err)
		require.Len(t, recovery, 10)
		used := h.code(f.Secret, 0)
		_, err = h.answer(h.signIn(auth.Visit{}), f, used)
		require.NoError(t, err)
		for _, c := range []struct {
			name, code string
			want       error
		}{
			{"used a moment ago", used, sim.ErrWrongCode},
			{"from before the last one used", h.code(f.Secret, -1), sim.ErrWrongCode},
			{"two steps early", h.code(f.Secret, 2), sim.ErrWrongCode},
			{"of another secret", h.code("JBSWY3DPEHPK3PXP", 1), sim.ErrWrongCode},
			{"empty", "", sim.ErrWrongCode},
			{"not digits", "abcdef", sim.ErrWrongCode},
			{"too long", strings.Repeat("1", 5000), sim.ErrWrongCode},
			{"a recovery code that never was", "aaaaa-aaaaa", sim.ErrWrongCode},
			{"one step early, as from a fast clock", h.code(f.Secret, 1), nil},
			{"a recovery code", recovery[3], nil},
			{"the same recovery code", recovery[3], sim.ErrWrongCode},
			{"another, typed without its hyphen", strings.ToUpper(strings.ReplaceAll(recovery[4], "-", "")), nil},
		} {
			_, err := h.answer(h.signIn(auth.Visit{}), f, c.code)
			if c.want == nil {
				assert.NoError(t, err, c.name)
			} else {
				assert.ErrorIs(t, err, c.want, c.name)
			}
		}
		left, err := h.RecoveryCodesLeft(t.Context(), lifted.As)
		require.NoError(t, err)
		assert.Equal(t, 8, left)
	})
}

func TestOneCodeAtOnceCountsOnce(t *testing.T) {
	onBoth(t, func(t *testing.T, h *house) {
		_, f := h.enrol()
		code := h.code(f.Secret, 0)
		var taken atomic.Int32
		var wg sync.WaitGroup
		for range 8 {
			tokens := h.signIn(auth.Visit{})
			wg.Go(func() {
				if _, err := h.answer(tokens, f, code); err == nil {
					taken.Add(1)
				}
			})
		}
		wg.Wait()
		assert.EqualValues(t, 1, taken.Load())
	})
}

func TestForgedChallenges(t *testing.T) {
	h := open(t, "")
	ctx := t.Context()
	_, f := h.enrol()
	mine, other := h.signIn(auth.Visit{}), h.signIn(auth.Visit{})
	challenge, until, err := h.Challenge(ctx, mine.As, f.ID)
	require.NoError(t, err)
	ofAnother, _, err := h.Challenge(ctx, other.As, f.ID)
	require.NoError(t, err)
	end, proof, _ := strings.Cut(challenge, ".")
	for name, forged := range map[string]string{
		"of another sign-in": ofAnother, "empty": "", "no proof": end + ".", "later end": "z" + end[1:] + "." + proof, "longer": challenge + "A", "garbage": "x.y.z",
	} {
		_, err := h.Verify(ctx, mine.As, f.ID, forged, h.code(f.Secret, 0), auth.Visit{})
		assert.ErrorIs(t, err, sim.ErrChallengeExpired, name)
	}
	_, err = h.Verify(ctx, mine.As, mine.As.User.ID, challenge, h.code(f.Secret, 0), auth.Visit{})
	require.ErrorIs(t, err, sim.ErrFactorNotFound)
	h.clock = until.Add(time.Second)
	_, err = h.Verify(ctx, mine.As, f.ID, challenge, h.code(f.Secret, 0), auth.Visit{})
	require.ErrorIs(t, err, sim.ErrChallengeExpired)
}

func TestTurningTheSecondFactorOff(t *testing.T) {
	onBoth(t, func(t *testing.T, h *house) {
		ctx := t.Context()
		lifted, f := h.enrol()
		require.ErrorIs(t, h.TurnOff(ctx, lifted.As, "wrong wrong wrong", h.code(f.Secret, 0), ""), sim.ErrWrongPassword)
		require.ErrorIs(t, h.TurnOff(ctx, lifted.As, password, "000000", ""), sim.ErrWrongCode)
		h.clock = h.clock.Add(10 * time.Minute)
		require.ErrorIs(t, h.RemoveFactor(ctx, lifted.As, f.ID), sim.ErrSecondFactorNeeded, "the stock call takes a sign-in of just now")
		require.NoError(t, h.TurnOff(ctx, lifted.As, password, h.code(f.Secret, 0), ""))
		assert.True(t, h.as(h.signIn(auth.Visit{})).Admin)

		fresh, f := h.enrol()
		require.NoError(t, h.RemoveFactor(ctx, fresh.As, f.ID))
		assert.True(t, h.as(fresh).Admin)

		lifted, _ = h.enrol()
		require.NoError(t, h.accounts().RemoveSecondFactor(ctx, owner), "a lost phone")
		_, err := h.Identify(ctx, lifted.Access)
		require.ErrorIs(t, err, sim.ErrSignedOut)
		assert.True(t, h.as(h.signIn(auth.Visit{})).Admin)
	})
}

// Who left a browser open does not find a second factor of somebody else's.
func TestSettingTheSecondFactorUpTakesProof(t *testing.T) {
	onBoth(t, func(t *testing.T, h *house) {
		ctx := t.Context()
		in := h.signIn(auth.Visit{})
		h.clock = h.clock.Add(6 * time.Minute)
		_, err := h.Enrol(ctx, in.As, "phone")
		require.ErrorIs(t, err, sim.ErrSignInAgain, "the stock call takes a sign-in of just now")
		_, err = h.SetUp(ctx, in.As, "wrong wrong wrong", "")
		require.ErrorIs(t, err, sim.ErrWrongPassword)
		_, err = h.SetUp(ctx, in.As, "", "")
		require.ErrorIs(t, err, sim.ErrWrongPassword)
		factors, err := h.Factors(ctx, in.As)
		require.NoError(t, err)
		assert.Empty(t, factors)
		made, err := h.SetUp(ctx, in.As, password, "")
		require.NoError(t, err)
		_, err = h.answer(in, made.Factor, h.code(made.Factor.Secret, 0))
		require.NoError(t, err)
	})
}

func TestSecondFactorRequired(t *testing.T) {
	h := open(t, "")
	h.SecondFactor = true
	in := h.as(h.signIn(auth.Visit{}))
	assert.True(t, in.NeedsSecond)
	assert.False(t, in.Admin)
	lifted, f := h.enrol()
	assert.True(t, h.as(lifted).Admin)
	require.NoError(t, h.TurnOff(t.Context(), lifted.As, password, h.code(f.Secret, 0), ""))
	assert.False(t, h.as(lifted).Admin, "without one there is nothing but setting it up")
}

// Before the second factor a viewer is as little as an admin is.
func TestAViewerIsNoneBeforeTheSecondFactor(t *testing.T) {
	h := open(t, "")
	lifted, _ := h.enrol()
	_, err := h.accounts().Create(t.Context(), "other@simora.test", "", auth.RoleAdmin)
	require.NoError(t, err)
	require.NoError(t, h.accounts().SetRole(t.Context(), owner, auth.RoleViewer))
	assert.True(t, h.as(lifted).Viewer)
	half := h.as(h.signIn(auth.Visit{}))
	assert.True(t, half.NeedsSecond)
	assert.False(t, half.Viewer)
}

func TestWrongPasswordsFromManyAddresses(t *testing.T) {
	onBoth(t, func(t *testing.T, h *house) {
		ctx := t.Context()
		device := h.signIn(auth.Visit{}).Device
		require.NotEmpty(t, device)
		guess := func(email, device string) error {
			_, err := h.SignIn(ctx, email, "wrong wrong wrong", auth.Visit{Device: device})
			return err
		}
		var refused atomic.Int32
		var wg sync.WaitGroup
		for range 15 { // at once, in forms of the same address
			wg.Go(func() {
				if err := guess(" OWNER@simora.test ", ""); sim.AsError(err).Kind == sim.TooMany {
					refused.Add(1)
				}
			})
		}
		wg.Wait()
		assert.EqualValues(t, 5, refused.Load(), "ten are free, however many come at once")

		waits := []time.Duration{}
		for range 14 {
			known := sim.AsError(guess(owner, ""))
			require.Equal(t, sim.TooMany, known.Kind)
			waits = append(waits, known.RetryAfter)
			h.clock = h.clock.Add(known.RetryAfter)
			require.ErrorIs(t, guess(owner, ""), sim.ErrInvalidCredentials, "after the wait one is free")
		}
		assert.True(t, slices.IsSorted(waits), "%v", waits)
		assert.Equal(t, 2*time.Second, waits[0])
		assert.Equal(t, time.Hour, waits[len(waits)-1], "it grows to this and no further")

		_, err := h.SignIn(ctx, owner, password, auth.Visit{})
		require.ErrorIs(t, err, sim.ErrRateLimited, "even the right password waits on an unknown device")
		_, err = h.SignIn(ctx, owner, password, auth.Visit{Device: device})
		require.NoError(t, err, "the owner's own device does not")
		for name, forged := range map[string]string{"changed": device + "A", "of nobody": "x..y", "without proof": device[:37] + "."} {
			_, err = h.SignIn(ctx, owner, password, auth.Visit{Device: forged})
			require.ErrorIs(t, err, sim.ErrRateLimited, name)
		}
		for range 10 {
			require.ErrorIs(t, guess("nobody@simora.test", device), sim.ErrInvalidCredentials)
		}
		require.ErrorIs(t, guess("nobody@simora.test", device), sim.ErrRateLimited, "an unknown address is slowed down like a known one; a proof is good for one account")

		h.clock = h.clock.Add(25 * time.Hour)
		require.NoError(t, h.store.DeleteTriesBefore(ctx, h.clock.Add(-24*time.Hour)))
		require.NoError(t, errOf(h.SignIn(ctx, owner, password, auth.Visit{})))
	})
}

func errOf(_ auth.Tokens, err error) error { return err }

// A clock that jumps and comes back makes no token good that is not, lets no
// sign-in outlast its life by more than a day, and keeps nobody out for longer
// than the waits that there are.
func TestClockJumps(t *testing.T) {
	const year = 365 * 24 * time.Hour
	onBoth(t, func(t *testing.T, h *house) {
		ctx := t.Context()
		h.Tries = 0.1 // the first is free
		right := h.clock
		for _, c := range []struct {
			jump    time.Duration
			access  error // of a token from before
			refresh error
		}{
			{-10 * year, sim.ErrInvalidToken, sim.ErrSignInExpired},
			{-time.Hour, sim.ErrInvalidToken, nil},
			{-20 * time.Second, nil, nil},
			{20 * time.Second, nil, nil},
			{2 * time.Hour, sim.ErrTokenExpired, nil},
			{10 * year, sim.ErrTokenExpired, sim.ErrSignInExpired},
		} {
			t.Run(c.jump.String(), func(t *testing.T) {
				h.clock = right
				before := h.signIn(auth.Visit{})
				h.clock = right.Add(c.jump)
				_, err := h.Identify(ctx, before.Access)
				require.ErrorIs(t, err, c.access)
				during, err := h.Refresh(ctx, before.Refresh)
				require.ErrorIs(t, err, c.refresh)
				if c.refresh != nil {
					during = h.signIn(auth.Visit{})
				}
				assert.True(t, h.as(during).Admin, "what was issued since then counts")
				for range 3 {
					_, err = h.SignIn(ctx, owner, "wrong wrong wrong", auth.Visit{})
				}
				require.Equal(t, sim.TooMany, sim.AsError(err).Kind)

				right = right.Add(time.Hour) // enough for the longest wait
				h.clock = right
				back := c.jump - time.Hour // how far ahead the tokens are
				_, err = h.Identify(ctx, during.Access)
				if back > 30*time.Second {
					require.ErrorIs(t, err, sim.ErrInvalidToken)
				} else {
					require.ErrorIs(t, err, sim.ErrTokenExpired)
				}
				after, err := h.Refresh(ctx, during.Refresh)
				if back.Abs() < 24*time.Hour {
					require.NoError(t, err)
					assert.True(t, h.as(after).Admin)
				} else {
					require.ErrorIs(t, err, sim.ErrSignInExpired)
				}
				assert.True(t, h.as(h.signIn(auth.Visit{})).Admin, "the owner gets in")
			})
		}
	})
}

func TestWrongCodesAreSlowedDown(t *testing.T) {
	h := open(t, "")
	early := h.signIn(auth.Visit{}) // a device that knew the password before there was a factor
	lifted, f := h.enrol()
	for i := range 11 {
		_, err := h.answer(h.signIn(auth.Visit{}), f, "000000")
		if i < 10 {
			require.ErrorIs(t, err, sim.ErrWrongCode)
		} else {
			require.ErrorIs(t, err, sim.ErrRateLimited)
		}
	}
	thief := h.signIn(auth.Visit{Device: early.Device})
	thief.Device = early.Device
	_, err := h.answer(thief, f, h.code(f.Secret, 0))
	require.ErrorIs(t, err, sim.ErrRateLimited)
	own := h.signIn(auth.Visit{Device: lifted.Device})
	assert.Empty(t, own.Device, "the password alone earns no new proof")
	own.Device = lifted.Device
	_, err = h.answer(own, f, h.code(f.Secret, 0))
	require.NoError(t, err)
}

func TestChangePassword(t *testing.T) {
	onBoth(t, func(t *testing.T, h *house) {
		ctx := t.Context()
		here, elsewhere := h.signIn(auth.Visit{}), h.signIn(auth.Visit{})
		for _, c := range []struct {
			current, next string
			want          string
		}{
			{"wrong wrong wrong", "another horse battery", "current password is not right"},
			{password, "short", "the password has 5 characters, allowed are 15 to 1024"},
			{password, "", "the password has 0 characters"},
			{password, "owner-simora-2026", "easy to guess"},
		} {
			require.ErrorContains(t, h.ChangePassword(ctx, here.As, c.current, c.next, here.Device), c.want)
		}
		require.NoError(t, h.ChangePassword(ctx, here.As, password, "another horse battery", here.Device))
		h.as(here)
		_, err := h.Identify(ctx, elsewhere.Access)
		require.ErrorIs(t, err, sim.ErrSignedOut)
		_, err = h.Refresh(ctx, elsewhere.Refresh)
		require.ErrorIs(t, err, sim.ErrRefreshTokenNotFound)
		_, err = h.SignIn(ctx, owner, password, auth.Visit{})
		require.ErrorIs(t, err, sim.ErrInvalidCredentials)
		_, err = h.SignIn(ctx, owner, "another horse battery", auth.Visit{})
		require.NoError(t, err)
	})
}

// What somebody who has taken over a sign-in would do first is in the audit log.
func TestChangesOfASignInLeaveEntries(t *testing.T) {
	h := open(t, "")
	elsewhere := h.signIn(auth.Visit{})
	newest := func() string {
		list, err := h.store.AuditEntries(t.Context(), store.AuditFilter{Limit: 1})
		require.NoError(t, err)
		return string(list[0].Action) + " " + list[0].Object
	}
	here := h.signIn(auth.Visit{})
	require.NoError(t, h.EndSignIn(t.Context(), here.As, elsewhere.As.SessionID))
	assert.Equal(t, "auth.signed_out sign-in "+elsewhere.As.SessionID, newest())
	before := newest()
	require.NoError(t, h.EndSignIn(t.Context(), here.As, elsewhere.As.SessionID))
	assert.Equal(t, before, newest(), "nothing ended")

	lifted, _ := h.enrol()
	_, err := h.NewRecoveryCodes(t.Context(), h.as(lifted))
	require.NoError(t, err)
	assert.Equal(t, "auth.recovery_codes_made user "+lifted.As.User.ID, newest())
}

func TestSignInsAreListedAndEnded(t *testing.T) {
	onBoth(t, func(t *testing.T, h *house) {
		ctx := t.Context()
		first := h.signIn(auth.Visit{Address: "203.0.113.7", UserAgent: "canary-agent"})
		h.clock = h.clock.Add(time.Minute)
		second := h.signIn(auth.Visit{Address: "2001:db8::1"})
		_, err := h.accounts().Create(ctx, "other@simora.test", password, auth.RoleAdmin)
		require.NoError(t, err)
		stranger, err := h.SignIn(ctx, "other@simora.test", password, auth.Visit{})
		require.NoError(t, err)

		list, err := h.SignIns(ctx, second.As)
		require.NoError(t, err)
		require.Len(t, list, 2)
		assert.Equal(t, []string{second.As.SessionID, first.As.SessionID}, []string{list[0].ID, list[1].ID})
		assert.Equal(t, store.Device{IP: "203.0.113.7", UserAgent: "canary-agent"}, list[1].From)

		require.NoError(t, h.EndSignIn(ctx, stranger.As, first.As.SessionID))
		h.as(first) // a stranger's is not ended
		require.NoError(t, h.EndSignIn(ctx, second.As, first.As.SessionID))
		_, err = h.Identify(ctx, first.Access)
		require.ErrorIs(t, err, sim.ErrSignedOut)
		h.clock = h.clock.Add(auth.Idle + time.Minute)
		list, err = h.SignIns(context.Background(), second.As)
		require.NoError(t, err)
		assert.Empty(t, list, "one that has run out is not there any more")
	})
}

func TestNothingOfASignInLiesInTheClear(t *testing.T) {
	h := open(t, "")
	lifted, f := h.enrol()
	codes, err := h.NewRecoveryCodes(t.Context(), lifted.As)
	require.NoError(t, err)
	h.signIn(auth.Visit{Address: "203.0.113.77", UserAgent: "canary-agent", Device: lifted.Device})
	require.NoError(t, h.store.LinkIdentity(t.Context(), "https://canary.test", "canary-subject", lifted.As.User.ID, h.clock))
	files, err := filepath.Glob(filepath.Join(h.dir, "*"))
	require.NoError(t, err)
	read := 0
	for _, name := range files {
		if base := filepath.Base(name); base == keyring.FileName || base == keyring.FolderName {
			continue
		}
		raw, err := os.ReadFile(name)
		require.NoError(t, err)
		read += len(raw)
		for _, secret := range []string{"canary", "203.0.113.77", f.Secret, codes[0], strings.ReplaceAll(codes[0], "-", ""), owner, lifted.Refresh, lifted.Device} {
			assert.NotContains(t, string(raw), secret, name)
		}
	}
	assert.Greater(t, read, 50_000, "the database was among them")
}
