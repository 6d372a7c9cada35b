package auth

import (
	"context"

	"simora/server/sim"
	"simora/server/store"
)

// ChangePassword gives the user a new password and ends their other sign-ins.
//
// Errors: sim.ErrSecondFactorNeeded, WeakPassword, and those of confirm.
func (a *Authenticator) ChangePassword(ctx context.Context, in store.SignedIn, current, password, device string) error {
	if in.NeedsSecond {
		return sim.ErrSecondFactorNeeded
	}
	if err := a.confirm(ctx, in, current, device); err != nil {
		return err
	}
	hash, err := hashFor(in.User.Email, password)
	if err != nil {
		return sim.WeakPassword(err)
	}
	return a.store.ChangePassword(ctx, in.User.ID, hash, in.SessionID, a.now())
}

// SignIns lists those of the user.
func (a *Authenticator) SignIns(ctx context.Context, in store.SignedIn) ([]store.SignInOfUser, error) {
	return a.store.SignInsOf(ctx, in.User.ID, life, a.now())
}

// EndSignIn ends one of the user's.
func (a *Authenticator) EndSignIn(ctx context.Context, in store.SignedIn, id string) error {
	return a.store.EndSignInOf(ctx, in.User.ID, id)
}
