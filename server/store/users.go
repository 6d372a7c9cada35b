package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// User is somebody who can sign in.
type User struct {
	ID           string
	Email        string // lower case
	PasswordHash string // PHC string
	CreatedAt    time.Time
}

// ErrUserExists is returned when the address is taken, ErrNoUser when it is
// unknown.
var (
	ErrUserExists = errors.New("a user with this address exists already")
	ErrNoUser     = errors.New("no user has this address")
)

// CreateUser stores a user with roles.
func (s *Store) CreateUser(ctx context.Context, u User, roles ...string) error {
	index, err := emailIndex(s, u.Email)
	if err != nil {
		return err
	}
	email, err := s.seal("users", "email", u.ID, []byte(u.Email))
	if err != nil {
		return err
	}
	return s.inTx(ctx, durable, "create user", func(tx *Tx) error {
		n, err := tx.exec("INSERT INTO users (id, email, email_index, password_hash, created_at, updated_at) VALUES ($1,$2,$3,$4,$5,$5) ON CONFLICT (email_index) DO NOTHING",
			u.ID, email, index, u.PasswordHash, millis(u.CreatedAt))
		if err != nil {
			return err
		}
		if n == 0 {
			return ErrUserExists
		}
		for _, role := range roles {
			if _, err := tx.exec("INSERT INTO roles (user_id, role) VALUES ($1, $2)", u.ID, role); err != nil {
				return err
			}
		}
		return nil
	})
}

// SetPassword replaces the password hash of the user with this address, and
// ends their sign-ins.
func (s *Store) SetPassword(ctx context.Context, email, hash string, now time.Time) error {
	index, err := emailIndex(s, email)
	if err != nil {
		return err
	}
	return s.inTx(ctx, durable, "set password", func(tx *Tx) error {
		n, err := tx.exec("UPDATE users SET password_hash = $2, updated_at = $3 WHERE email_index = $1", index, hash, millis(now))
		if err != nil {
			return err
		}
		if n == 0 {
			return ErrNoUser
		}
		// Whoever is signed in with the old password is not any more.
		_, err = tx.exec("DELETE FROM auth_sessions WHERE user_id = (SELECT id FROM users WHERE email_index = $1)", index)
		return err
	})
}

// ChangePassword replaces the password hash of a user and ends their sign-ins
// but this one.
func (s *Store) ChangePassword(ctx context.Context, userID, hash, sessionID string, now time.Time) error {
	return s.inTx(ctx, durable, "change password", func(tx *Tx) error {
		if _, err := tx.exec("UPDATE users SET password_hash = $2, updated_at = $3 WHERE id = $1", userID, hash, millis(now)); err != nil {
			return err
		}
		_, err := tx.exec("DELETE FROM auth_sessions WHERE user_id = $1 AND id <> $2", userID, sessionID)
		return err
	})
}

// UserByEmail returns ErrNoUser for an unknown address.
func (s *Store) UserByEmail(ctx context.Context, email string) (User, error) {
	index, err := emailIndex(s, email)
	if err != nil {
		return User{}, err
	}
	u := User{Email: email}
	var created int64
	err = s.row(ctx, "SELECT id, password_hash, created_at FROM users WHERE email_index = $1", index).Scan(&u.ID, &u.PasswordHash, &created)
	if errors.Is(err, sql.ErrNoRows) {
		return User{}, ErrNoUser
	}
	u.CreatedAt = fromMillis(created)
	return u, unavailable(err)
}

// CountInRole says how many users have a role.
func (s *Store) CountInRole(ctx context.Context, role string) (n int, err error) {
	if err := s.row(ctx, "SELECT count(*) FROM roles WHERE role = $1", role).Scan(&n); err != nil {
		return 0, unavailable(fmt.Errorf("count users: %w", err))
	}
	return n, nil
}

// DeleteUser removes the user with this address, if there is one, with their
// roles and sign-ins.
func (s *Store) DeleteUser(ctx context.Context, email string) error {
	index, err := emailIndex(s, email)
	if err != nil {
		return err
	}
	return s.inTx(ctx, durable, "delete user", func(tx *Tx) error {
		_, err := tx.exec("DELETE FROM users WHERE email_index = $1", index)
		return err
	})
}
