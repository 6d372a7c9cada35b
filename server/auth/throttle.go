package auth

import (
	"context"
	"crypto/hmac"
	"encoding/base64"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"simora/server/sim"
	"simora/server/store"
)

// patience is for wrong passwords and codes in a row (NIST SP 800-63B-4,
// section 3.2.2): ten, then waits that grow to an hour, from any number of
// addresses together. A device that has signed in before counts for itself, so
// that nobody elsewhere can keep an owner out.
var patience = store.Patience{Free: 10, First: 2 * time.Second, Longest: time.Hour}

// try counts one, before it is known whether it is right; done is called when
// it was. Errors: sim.ErrRateLimited.
func (a *Authenticator) try(ctx context.Context, what, email, device string) (done func() error, err error) {
	index, err := a.store.Derive("tries", strings.Join([]string{what, sim.Cut(email, sim.MaxEmailBytes), device}, "\x00"))
	if err != nil {
		return nil, fmt.Errorf("count tries: %w", err)
	}
	p := patience
	p.Free = max(1, int(float64(p.Free)*a.Tries))
	wait, err := a.store.Try(ctx, index, p, a.now())
	if err != nil {
		return nil, err
	}
	if wait > 0 {
		return nil, sim.ErrRateLimited.After(wait)
	}
	return func() error { return a.store.Succeeded(ctx, index) }, nil
}

// newDevice is <id>.<factor>.<proof>, for one account. The factor is the one
// that was given with the password, or empty.
func (a *Authenticator) newDevice(email, factorID string) (string, error) {
	return a.deviceProof(email, uuid.NewString()+"."+factorID)
}

func (a *Authenticator) deviceProof(email, body string) (string, error) {
	proof, err := a.store.Derive("device", body+"\x00"+email)
	if err != nil {
		return "", fmt.Errorf("make device proof: %w", err)
	}
	return body + "." + base64.RawURLEncoding.EncodeToString(proof), nil
}

// device reads a proof; an empty id when it is none for this account.
func (a *Authenticator) device(email, device string) (id, factorID string) {
	parts := strings.Split(device, ".")
	if len(device) > maxToken || len(parts) != 3 {
		return "", ""
	}
	want, err := a.deviceProof(email, parts[0]+"."+parts[1])
	if err != nil || !hmac.Equal([]byte(want), []byte(device)) {
		return "", ""
	}
	return parts[0], parts[1]
}
