package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"simora/server/sim"
)

// SignedIn is a sign-in with the user it belongs to, as of now.
type SignedIn struct {
	SessionID    string
	User         User
	Admin        bool
	Viewer       bool
	LastSignInAt time.Time
	Counter      int64 // of the refresh token that counts

	StartedAt time.Time
	Method    string // password or oauth
	Second    Second
	HasFactor bool // one in use

	HasPassword bool // not so: the identity provider alone signs them in

	// NeedsSecond says that the user may do nothing yet but give their second
	// factor, or set it up. Package auth decides it.
	NeedsSecond bool
}

// Second is the second factor that a sign-in was lifted with.
type Second struct {
	Method string    // totp or recovery
	At     time.Time // zero: not given
}

// Device is what a sign-in was made from. It is sealed.
type Device struct {
	IP        string `json:"ip"`
	UserAgent string `json:"userAgent"`
}

// NewSignIn is a sign-in about to be stored.
type NewSignIn struct {
	ID     string
	UserID string
	Method string // password or oauth
	From   Device
	At     time.Time
}

// SessionLife is how long a sign-in lasts.
type SessionLife struct {
	Idle     time.Duration // without a refresh
	Absolute time.Duration
}

// over reports whether a sign-in has ended. One that was used so far ahead of
// the clock was so while that was wrong, and would outlast its life.
func (l SessionLife) over(created, used int64, now time.Time) bool {
	return created <= millis(now.Add(-l.Absolute)) || used <= millis(now.Add(-l.Idle)) || used >= millis(now.Add(l.Idle))
}

// StartAuthSession stores a new sign-in.
func (s *Store) StartAuthSession(ctx context.Context, n NewSignIn) error {
	device, err := s.sealJSON("auth_sessions", "device", n.ID, n.From)
	if err != nil {
		return err
	}
	return s.inTx(ctx, durable, "start sign-in", func(tx *Tx) error {
		_, err := tx.exec("INSERT INTO auth_sessions (id, user_id, created_at, used_at, counter, rotated_at, method, device) VALUES ($1,$2,$3,$3,1,$3,$4,$5)",
			n.ID, n.UserID, millis(n.At), n.Method, device)
		if err != nil {
			return err
		}
		if _, err = tx.exec("UPDATE users SET last_sign_in_at = $2 WHERE id = $1", n.UserID, millis(n.At)); err != nil {
			return err
		}
		tx.actor.Kind, tx.actor.ID = sim.ByUser, n.UserID // from now on
		return tx.audit(sim.Event{Action: sim.SignedIn, Object: "sign-in " + n.ID, Detail: map[string]string{"method": n.Method}})
	})
}

// RotateAuthSession exchanges the refresh token with this counter for the next
// one. The token before the one that counts gets that one again for a while:
// a lost answer, or another tab. Any older one ends the sign-in, because
// somebody has a copy of it.
//
// Errors: sim.ErrRefreshTokenNotFound, ErrRefreshTokenUsed, ErrSignInExpired.
func (s *Store) RotateAuthSession(ctx context.Context, id string, counter int64, life SessionLife, grace time.Duration, now time.Time) (next int64, err error) {
	var refused error
	err = s.inTx(ctx, durable, "rotate sign-in", func(tx *Tx) error {
		refused = nil
		err := tx.row(`UPDATE auth_sessions SET counter = counter + 1, used_at = $3, rotated_at = $3
			WHERE id = $1 AND counter = $2 AND created_at > $4 AND used_at > $5 AND used_at < $6 RETURNING counter`,
			id, counter, millis(now), millis(now.Add(-life.Absolute)), millis(now.Add(-life.Idle)), millis(now.Add(life.Idle))).Scan(&next)
		if !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		var current, created, used, rotated int64
		err = tx.row("SELECT counter, created_at, used_at, rotated_at FROM auth_sessions WHERE id = $1", id).Scan(&current, &created, &used, &rotated)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			refused = sim.ErrRefreshTokenNotFound
			return nil
		case err != nil:
			return err
		case life.over(created, used, now):
			refused = sim.ErrSignInExpired
		case counter == current-1 && rotated >= millis(now.Add(-grace)) && rotated <= millis(now.Add(grace)):
			next = current
			return nil
		default:
			refused = sim.ErrRefreshTokenUsed
		}
		var user string
		if err := tx.row("DELETE FROM auth_sessions WHERE id = $1 RETURNING user_id", id).Scan(&user); err != nil {
			return err
		}
		if errors.Is(refused, sim.ErrRefreshTokenUsed) {
			return tx.audit(sim.Event{Action: sim.TokenReused, Object: "user " + user, Result: sim.Refused})
		}
		return nil
	})
	if err == nil {
		err = refused
	}
	return next, err
}

// SignedInAs finds a sign-in and what its user may do now.
// Errors: sim.ErrSignedOut.
func (s *Store) SignedInAs(ctx context.Context, sessionID string, life SessionLife, now time.Time) (SignedIn, error) {
	in := SignedIn{SessionID: sessionID}
	var email []byte
	var created, used, started, second int64
	var last sql.NullInt64
	err := s.row(ctx, `SELECT u.id, u.email, u.created_at, u.last_sign_in_at, s.created_at, s.used_at, s.counter,
			s.method, s.second_method, s.second_at, u.password_hash <> '', EXISTS (SELECT 1 FROM factors f WHERE f.user_id = u.id AND f.verified_at > 0),
			EXISTS (SELECT 1 FROM roles r WHERE r.user_id = u.id AND r.role = 'admin'),
			EXISTS (SELECT 1 FROM roles r WHERE r.user_id = u.id AND r.role = 'viewer')
		FROM auth_sessions s JOIN users u ON u.id = s.user_id WHERE s.id = $1`, sessionID).
		Scan(&in.User.ID, &email, &created, &last, &started, &used, &in.Counter, &in.Method, &in.Second.Method, &second, &in.HasPassword, &in.HasFactor, &in.Admin, &in.Viewer)
	if errors.Is(err, sql.ErrNoRows) {
		return in, sim.ErrSignedOut
	}
	if err != nil {
		return in, unavailable(fmt.Errorf("read sign-in: %w", err))
	}
	if life.over(started, used, now) {
		return in, sim.ErrSignedOut
	}
	plain, err := s.open("users", "email", in.User.ID, email)
	if err != nil {
		return in, err
	}
	in.User.Email, in.User.CreatedAt, in.LastSignInAt = string(plain), fromMillis(created), fromMillis(last.Int64)
	in.StartedAt, in.Second.At = fromMillis(started), fromZeroMillis(second)
	return in, nil
}

// SignOut says which sign-ins of a user end.
type SignOut int

// The scopes.
const (
	SignOutAll SignOut = iota
	SignOutThis
	SignOutOthers
)

func (w SignOut) String() string { return [...]string{"all", "this", "others"}[w] }

// EndAuthSessions ends sign-ins of the user who holds this one.
func (s *Store) EndAuthSessions(ctx context.Context, sessionID, userID string, which SignOut) error {
	return s.inTx(ctx, durable, "sign out", func(tx *Tx) error {
		var err error
		switch which {
		case SignOutThis:
			_, err = tx.exec("DELETE FROM auth_sessions WHERE id = $1", sessionID)
		case SignOutOthers:
			_, err = tx.exec("DELETE FROM auth_sessions WHERE user_id = $1 AND id <> $2", userID, sessionID)
		default:
			_, err = tx.exec("DELETE FROM auth_sessions WHERE user_id = $1", userID)
		}
		if err != nil {
			return err
		}
		return tx.audit(sim.Event{Action: sim.SignedOut, Object: "sign-in " + sessionID, Detail: map[string]string{"which": which.String()}})
	})
}

// DeleteAuthSessionsBefore removes sign-ins that have not been used since t.
func (s *Store) DeleteAuthSessionsBefore(ctx context.Context, t time.Time) error {
	return s.inTx(ctx, durable, "delete old sign-ins", func(tx *Tx) error {
		_, err := tx.exec("DELETE FROM auth_sessions WHERE used_at < $1", millis(t))
		return err
	})
}

// HasRole reports whether a user holds a role now.
func (s *Store) HasRole(ctx context.Context, userID, role string) (bool, error) {
	var n int
	if err := s.row(ctx, "SELECT count(*) FROM roles WHERE user_id = $1 AND role = $2", userID, role).Scan(&n); err != nil {
		return false, unavailable(fmt.Errorf("read role: %w", err))
	}
	return n > 0, nil
}

// SignInOfUser is one row of the list of sign-ins.
type SignInOfUser struct {
	ID        string
	StartedAt time.Time
	UsedAt    time.Time
	Method    string
	Second    bool
	From      Device
}

const maxSignIns = 100 // shown

// SignInsOf lists the sign-ins of a user that have not ended, last used first.
func (s *Store) SignInsOf(ctx context.Context, userID string, life SessionLife, now time.Time) ([]SignInOfUser, error) {
	rows, err := s.query(ctx, `SELECT id, created_at, used_at, method, second_at > 0, device FROM auth_sessions
		WHERE user_id = $1 AND created_at > $2 AND used_at > $3 AND used_at < $4 ORDER BY used_at DESC, id LIMIT $5`,
		userID, millis(now.Add(-life.Absolute)), millis(now.Add(-life.Idle)), millis(now.Add(life.Idle)), maxSignIns)
	if err != nil {
		return nil, unavailable(fmt.Errorf("list sign-ins: %w", err))
	}
	defer func() { _ = rows.Close() }()
	list := []SignInOfUser{}
	for rows.Next() {
		var in SignInOfUser
		var started, used int64
		var device []byte
		if err := rows.Scan(&in.ID, &started, &used, &in.Method, &in.Second, &device); err != nil {
			return nil, fmt.Errorf("list sign-ins: %w", err)
		}
		in.StartedAt, in.UsedAt = fromMillis(started), fromMillis(used)
		if device != nil { // those from before the column have none
			if err := s.openJSON("auth_sessions", "device", in.ID, device, &in.From); err != nil {
				return nil, err
			}
		}
		list = append(list, in)
	}
	return list, unavailable(rows.Err())
}

// EndSignInOf ends one sign-in, if it is this user's.
func (s *Store) EndSignInOf(ctx context.Context, userID, id string) error {
	return s.inTx(ctx, durable, "end sign-in", func(tx *Tx) error {
		n, err := tx.exec("DELETE FROM auth_sessions WHERE id = $1 AND user_id = $2", id, userID)
		if err != nil || n == 0 {
			return err
		}
		return tx.audit(sim.Event{Action: sim.SignedOut, Object: "sign-in " + id, Detail: map[string]string{"which": SignOutThis.String()}})
	})
}
