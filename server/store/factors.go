package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"simora/server/sim"
)

// Factor is the second factor of a user: a secret shared with their phone.
type Factor struct {
	ID         string
	UserID     string
	Name       string
	Secret     string // base32
	CreatedAt  time.Time
	VerifiedAt time.Time // zero: not yet in use
}

// Verified reports whether the factor is in use.
func (f Factor) Verified() bool { return !f.VerifiedAt.IsZero() }

// ErrNoFactor is returned to whom has none.
var ErrNoFactor = errors.New("no second factor")

// AddFactor stores a factor that is not yet in use, instead of an earlier one
// that never was. Errors: sim.ErrFactorExists.
func (s *Store) AddFactor(ctx context.Context, f Factor) error {
	secret, err := s.seal("factors", "secret", f.ID, []byte(f.Secret))
	if err != nil {
		return err
	}
	return s.inTx(ctx, durable, "add second factor", func(tx *Tx) error {
		n, err := tx.exec(`INSERT INTO factors (id, user_id, name, secret, last_step, created_at, verified_at) VALUES ($1,$2,$3,$4,0,$5,0)
			ON CONFLICT (user_id) DO UPDATE SET id = $1, name = $3, secret = $4, last_step = 0, created_at = $5 WHERE factors.verified_at = 0`,
			f.ID, f.UserID, f.Name, secret, millis(f.CreatedAt))
		if err == nil && n == 0 {
			return sim.ErrFactorExists
		}
		return err
	})
}

// Factor finds the one of a user. Errors: ErrNoFactor.
func (s *Store) Factor(ctx context.Context, userID string) (Factor, error) {
	f := Factor{UserID: userID}
	var secret []byte
	var created, verified int64
	err := s.row(ctx, "SELECT id, name, secret, created_at, verified_at FROM factors WHERE user_id = $1", userID).Scan(&f.ID, &f.Name, &secret, &created, &verified)
	if errors.Is(err, sql.ErrNoRows) {
		return f, ErrNoFactor
	}
	if err != nil {
		return f, unavailable(fmt.Errorf("read second factor: %w", err))
	}
	plain, err := s.open("factors", "secret", f.ID, secret)
	f.Secret, f.CreatedAt, f.VerifiedAt = string(plain), fromMillis(created), fromZeroMillis(verified)
	return f, err
}

// fromZeroMillis takes 0 for never.
func fromZeroMillis(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return fromMillis(ms)
}

// RemoveFactor deletes the second factor of a user with its recovery codes.
func (s *Store) RemoveFactor(ctx context.Context, userID string) error {
	return s.inTx(ctx, durable, "remove second factor", func(tx *Tx) error {
		if err := tx.removeFactor(userID); err != nil {
			return err
		}
		return tx.audit(sim.Event{Action: sim.SecondFactorOff, Object: "user " + userID})
	})
}

// TurnOffFactor is RemoveFactor for a code that it uses up. Errors:
// sim.ErrWrongCode (used before).
func (s *Store) TurnOffFactor(ctx context.Context, use CodeUse) error {
	return s.inTx(ctx, durable, "turn off second factor", func(tx *Tx) error {
		if err := tx.takeCode(use); err != nil {
			return err
		}
		if err := tx.removeFactor(use.Factor.UserID); err != nil {
			return err
		}
		return tx.audit(sim.Event{Action: sim.SecondFactorOff, Object: "user " + use.Factor.UserID})
	})
}

func (t *Tx) removeFactor(userID string) error {
	for _, text := range []string{
		"DELETE FROM factors WHERE user_id = $1", "DELETE FROM recovery_codes WHERE user_id = $1",
		"UPDATE auth_sessions SET second_method = '', second_at = 0 WHERE user_id = $1",
	} {
		if _, err := t.exec(text, userID); err != nil {
			return err
		}
	}
	return nil
}

// SetRecoveryCodes replaces the recovery codes of a user; each is a blind
// index.
func (s *Store) SetRecoveryCodes(ctx context.Context, userID string, codes [][]byte) error {
	return s.inTx(ctx, durable, "set recovery codes", func(tx *Tx) error {
		if _, err := tx.exec("DELETE FROM recovery_codes WHERE user_id = $1", userID); err != nil {
			return err
		}
		for _, code := range codes {
			if _, err := tx.exec("INSERT INTO recovery_codes (user_id, code_index) VALUES ($1,$2)", userID, code); err != nil {
				return err
			}
		}
		return tx.audit(sim.Event{Action: sim.RecoveryCodesMade, Object: "user " + userID})
	})
}

// CountRecoveryCodes says how many are left.
func (s *Store) CountRecoveryCodes(ctx context.Context, userID string) (n int, err error) {
	if err := s.row(ctx, "SELECT count(*) FROM recovery_codes WHERE user_id = $1", userID).Scan(&n); err != nil {
		return 0, unavailable(fmt.Errorf("count recovery codes: %w", err))
	}
	return n, nil
}

// CodeUse is a right code, about to be used up.
type CodeUse struct {
	Factor    Factor
	SessionID string
	Step      int64  // of a TOTP code
	Recovery  []byte // blind index of a recovery code; nil: a TOTP code
	At        time.Time
}

// takeCode uses up a code. The first one of a factor puts it in use. Errors:
// sim.ErrWrongCode (used before).
func (t *Tx) takeCode(use CodeUse) error {
	var n int64
	var err error
	if use.Recovery != nil {
		n, err = t.exec("DELETE FROM recovery_codes WHERE user_id = $1 AND code_index = $2", use.Factor.UserID, use.Recovery)
	} else {
		n, err = t.exec(`UPDATE factors SET last_step = $2, verified_at = CASE verified_at WHEN 0 THEN $3 ELSE verified_at END
			WHERE id = $1 AND last_step < $2`, use.Factor.ID, use.Step, millis(use.At))
	}
	if err == nil && n == 0 {
		return sim.ErrWrongCode
	}
	return err
}

// UseCode uses up a code and lifts the sign-in. The first code of a factor ends
// the user's other sign-ins, which were made without it. Refresh tokens from
// before are worth nothing any more: a copy of one must not be lifted, too.
//
// Errors: sim.ErrWrongCode (used before), ErrSignedOut.
func (s *Store) UseCode(ctx context.Context, use CodeUse) (counter int64, err error) {
	err = s.inTx(ctx, durable, "use code", func(tx *Tx) error {
		if err := tx.takeCode(use); err != nil {
			return err
		}
		if !use.Factor.Verified() {
			if _, err := tx.exec("DELETE FROM auth_sessions WHERE user_id = $1 AND id <> $2", use.Factor.UserID, use.SessionID); err != nil {
				return err
			}
		}
		method := "totp"
		if use.Recovery != nil {
			method = "recovery"
		}
		err := tx.row(`UPDATE auth_sessions SET second_method = $3, second_at = $4, used_at = $4, counter = counter + 1, rotated_at = 0
			WHERE id = $1 AND user_id = $2 RETURNING counter`, use.SessionID, use.Factor.UserID, method, millis(use.At)).Scan(&counter)
		if errors.Is(err, sql.ErrNoRows) {
			return sim.ErrSignedOut
		}
		if err != nil {
			return err
		}
		var events []sim.Event
		if !use.Factor.Verified() {
			events = append(events, sim.Event{Action: sim.SecondFactorOn, Object: "user " + use.Factor.UserID})
		}
		if use.Recovery != nil {
			events = append(events, sim.Event{Action: sim.RecoveryCodeUsed, Object: "user " + use.Factor.UserID})
		}
		return tx.audit(events...)
	})
	return counter, err
}
