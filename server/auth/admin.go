package auth

import (
	"context"
	"fmt"
	"net/mail"
	"strings"
	"time"
	"unicode"

	"github.com/google/uuid"

	"simora/server/store"
)

// The roles. An admin runs the product; a viewer looks on, and sees nothing
// personal.
const (
	RoleAdmin  = "admin"
	RoleViewer = "viewer"
)

// Accounts creates them and resets their passwords.
type Accounts struct {
	Store *store.Store
	Now   func() time.Time
}

// Create stores a new user with a role. An empty password is replaced by a new
// random one, which is returned so that it can be shown once.
func (a Accounts) Create(ctx context.Context, email, password, role string) (shown string, err error) {
	email, err = address(email)
	if err != nil {
		return "", err
	}
	hash, shown, err := hashOrMake(email, password)
	if err != nil {
		return "", err
	}
	u := store.User{ID: uuid.NewString(), Email: email, PasswordHash: hash, CreatedAt: a.Now()}
	return shown, a.Store.CreateUser(ctx, u, role)
}

// ResetPassword gives a user a new password; an empty one as in Create.
func (a Accounts) ResetPassword(ctx context.Context, email, password string) (shown string, err error) {
	email, err = address(email)
	if err != nil {
		return "", err
	}
	hash, shown, err := hashOrMake(email, password)
	if err != nil {
		return "", err
	}
	return shown, a.Store.SetPassword(ctx, email, hash, a.Now())
}

// SetRole gives a user a role in place of the one they had; none with "".
func (a Accounts) SetRole(ctx context.Context, email, role string) error {
	email, err := address(email)
	if err != nil {
		return err
	}
	return a.Store.SetRole(ctx, email, role)
}

// FirstAdmin creates an admin when there is none yet. made says whether it did.
func (a Accounts) FirstAdmin(ctx context.Context, email, password string) (shown string, made bool, err error) {
	n, err := a.Store.CountInRole(ctx, RoleAdmin)
	if err != nil || n > 0 {
		return "", false, err
	}
	shown, err = a.Create(ctx, email, password, RoleAdmin)
	return shown, err == nil, err
}

func hashOrMake(email, password string) (hash, shown string, err error) {
	if password == "" {
		shown = NewPassword()
		password = shown
	}
	hash, err = hashFor(email, password)
	return hash, shown, err
}

func hashFor(email, password string) (string, error) {
	return HashPassword(password, append(strings.FieldsFunc(email, notALetter), "simora", "admin", email)...)
}

// RemoveSecondFactor is for a lost phone: the user signs in with the password
// alone again, everywhere anew.
func (a Accounts) RemoveSecondFactor(ctx context.Context, email string) error {
	email, err := address(email)
	if err != nil {
		return err
	}
	u, err := a.Store.UserByEmail(ctx, email)
	if err != nil {
		return err
	}
	if err := a.Store.RemoveFactor(ctx, u.ID); err != nil {
		return err
	}
	return a.Store.EndAuthSessions(ctx, "", u.ID, store.SignOutAll)
}

// address returns the stored form: lower case.
func address(email string) (string, error) {
	parsed, err := mail.ParseAddress(email)
	if err != nil || parsed.Address != email {
		return "", fmt.Errorf("found %q, allowed is a plain mail address such as admin@example.com", email)
	}
	return strings.ToLower(email), nil
}

func notALetter(r rune) bool { return !unicode.IsLetter(r) }
