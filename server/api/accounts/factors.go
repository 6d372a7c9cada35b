package accounts

import (
	"net/http"
	"time"

	"simora/server/auth"
	"simora/server/sim"
	"simora/server/store"
	"simora/server/wire"
)

// factorOutput is a second factor as the stock client lists it.
type factorOutput struct {
	ID        string    `json:"id"`
	Name      string    `json:"friendly_name"`
	Type      string    `json:"factor_type"`
	Status    string    `json:"status"` // unverified or verified
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
}

func factorsOf(factors []store.Factor) []factorOutput {
	out := []factorOutput{}
	for _, f := range factors {
		one := factorOutput{ID: f.ID, Name: f.Name, Type: "totp", Status: "unverified", CreatedAt: f.CreatedAt.UTC(), UpdatedAt: f.CreatedAt.UTC()}
		if f.Verified() {
			one.Status, one.UpdatedAt = "verified", f.VerifiedAt.UTC()
		}
		out = append(out, one)
	}
	return out
}

// Enrol makes a second factor that waits for its first code.
func (a Accounts) Enrol(w http.ResponseWriter, r *http.Request, c wire.Call) error {
	var in struct {
		Name string `json:"friendly_name"`
		Type string `json:"factor_type"`
	}
	if err := wire.ReadJSON(w, r, c.Route.Body, &in); err != nil {
		return badJSON(err)
	}
	if in.Type != "totp" {
		return sim.ValidationFailed("factor_type must be totp")
	}
	made, err := a.Auth.Enrol(r.Context(), *c.SignedIn, in.Name)
	if err != nil {
		return err
	}
	return writeEnrolment(w, made)
}

func writeEnrolment(w http.ResponseWriter, made auth.Enrolment) error {
	return wire.WriteJSON(w, http.StatusOK, map[string]any{
		"id": made.Factor.ID, "type": "totp", "friendly_name": made.Factor.Name,
		"totp": map[string]string{"qr_code": made.QR, "secret": made.Factor.Secret, "uri": made.URI},
	})
}

// Challenge opens the time in which a code is taken.
func (a Accounts) Challenge(w http.ResponseWriter, r *http.Request, c wire.Call) error {
	id, until, err := a.Auth.Challenge(r.Context(), *c.SignedIn, r.PathValue("id"))
	if err != nil {
		return err
	}
	return wire.WriteJSON(w, http.StatusOK, map[string]any{"id": id, "type": "totp", "expires_at": until.Unix()})
}

// Verify takes a code and answers with tokens of two factors.
func (a Accounts) Verify(w http.ResponseWriter, r *http.Request, c wire.Call) error {
	var in struct {
		ChallengeID string `json:"challenge_id"`
		Code        string `json:"code"`
	}
	if err := wire.ReadJSON(w, r, c.Route.Body, &in); err != nil {
		return badJSON(err)
	}
	tokens, err := a.Auth.Verify(r.Context(), *c.SignedIn, r.PathValue("id"), in.ChallengeID, in.Code, visit(r, c))
	if err != nil {
		return err
	}
	return a.writeTokens(w, r, tokens)
}

// Unenrol removes a second factor.
func (a Accounts) Unenrol(w http.ResponseWriter, r *http.Request, c wire.Call) error {
	id := r.PathValue("id")
	if err := a.Auth.RemoveFactor(r.Context(), *c.SignedIn, id); err != nil {
		return err
	}
	return wire.WriteJSON(w, http.StatusOK, map[string]string{"id": id})
}
