package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"simora/server/sim"
)

// User is somebody who can sign in.
type User struct {
	ID           string
	Email        string // lower case
	PasswordHash string // PHC string; empty: none, the identity provider alone signs them in
	CreatedAt    time.Time
}

// ErrUserExists is returned when the address is taken, ErrNoUser when it is
// unknown, ErrLastAdmin when nobody would be left to run the product.
var (
	ErrUserExists = errors.New("a user with this address exists already")
	ErrNoUser     = errors.New("no user has this address")
	ErrLastAdmin  = errors.New("this is the only admin: make another one first")
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
		return tx.audit(sim.Event{Action: sim.UserCreated, Object: "user " + u.ID, Person: u.Email, Detail: map[string]string{"email": u.Email, "roles": strings.Join(roles, " ")}})
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
		var id string
		err := tx.row("UPDATE users SET password_hash = $2, updated_at = $3 WHERE email_index = $1 RETURNING id", index, hash, millis(now)).Scan(&id)
		if errors.Is(err, sql.ErrNoRows) {
			return ErrNoUser
		}
		if err != nil {
			return err
		}
		// Whoever is signed in with the old password is not any more.
		if _, err = tx.exec("DELETE FROM auth_sessions WHERE user_id = $1", id); err != nil {
			return err
		}
		return tx.audit(sim.Event{Action: sim.PasswordChanged, Object: "user " + id})
	})
}

// ChangePassword replaces the password hash of a user and ends their sign-ins
// but this one.
func (s *Store) ChangePassword(ctx context.Context, userID, hash, sessionID string, now time.Time) error {
	return s.inTx(ctx, durable, "change password", func(tx *Tx) error {
		if _, err := tx.exec("UPDATE users SET password_hash = $2, updated_at = $3 WHERE id = $1", userID, hash, millis(now)); err != nil {
			return err
		}
		if _, err := tx.exec("DELETE FROM auth_sessions WHERE user_id = $1 AND id <> $2", userID, sessionID); err != nil {
			return err
		}
		return tx.audit(sim.Event{Action: sim.PasswordChanged, Object: "user " + userID})
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

// SetRole makes role the only one of the user with this address; an empty role
// takes all away. It counts from the user's next request on.
//
// Errors: ErrNoUser, ErrLastAdmin.
func (s *Store) SetRole(ctx context.Context, email, role string) error {
	index, err := emailIndex(s, email)
	if err != nil {
		return err
	}
	return s.inTx(ctx, durable, "set role", func(tx *Tx) error {
		var id string
		err := tx.row("SELECT id FROM users WHERE email_index = $1", index).Scan(&id)
		if errors.Is(err, sql.ErrNoRows) {
			return ErrNoUser
		}
		if err != nil {
			return err
		}
		return tx.setRole(id, role)
	})
}

// SetRoleOf is SetRole for a user's id. It does nothing, and leaves no entry,
// when role is the one they have.
func (s *Store) SetRoleOf(ctx context.Context, userID, role string) error {
	return s.inTx(ctx, durable, "set role", func(tx *Tx) error {
		var all, this int
		if err := tx.row("SELECT count(*), count(CASE WHEN role = $2 THEN 1 END) FROM roles WHERE user_id = $1", userID, role).Scan(&all, &this); err != nil {
			return err
		}
		if all == 1 && this == 1 {
			return nil
		}
		return tx.setRole(userID, role)
	})
}

func (t *Tx) setRole(userID, role string) error {
	// Before the count: it makes role changes wait for each other.
	if err := t.audit(sim.Event{Action: sim.RoleChanged, Object: "user " + userID, Detail: map[string]string{"role": role}}); err != nil {
		return err
	}
	if _, err := t.exec("DELETE FROM roles WHERE user_id = $1", userID); err != nil {
		return err
	}
	if role != "" {
		if _, err := t.exec("INSERT INTO roles (user_id, role) VALUES ($1, $2)", userID, role); err != nil {
			return err
		}
	}
	var admins int
	if err := t.row("SELECT count(*) FROM roles WHERE role = 'admin'").Scan(&admins); err != nil {
		return err
	}
	if admins == 0 {
		return ErrLastAdmin
	}
	return nil
}

// Users lists everybody who can sign in, the oldest first.
func (s *Store) Users(ctx context.Context) (list []User, err error) {
	err = s.each(ctx, "SELECT id, email, created_at FROM users ORDER BY created_at, id", func(scan func(...any) error) error {
		var u User
		var email []byte
		var created int64
		if err := scan(&u.ID, &email, &created); err != nil {
			return err
		}
		plain, err := s.open("users", "email", u.ID, email)
		u.Email, u.CreatedAt = string(plain), fromMillis(created)
		list = append(list, u)
		return err
	})
	return list, err
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
		var id string
		err := tx.row("DELETE FROM users WHERE email_index = $1 RETURNING id", index).Scan(&id)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		return tx.audit(sim.Event{Action: sim.UserDeleted, Object: "user " + id})
	})
}
