package accounts

import (
	"net/http"
	"time"

	"simora/server/sim"
	"simora/server/wire"
)

// ChangeUser changes the password; nothing else of a user changes here.
func (a Accounts) ChangeUser(w http.ResponseWriter, r *http.Request, c wire.Call) error {
	var in struct {
		Password string `json:"password"`
		Current  string `json:"current_password"`
	}
	if err := wire.ReadJSON(w, r, c.Route.Body, &in); err != nil {
		return badJSON(err)
	}
	if in.Password == "" || in.Current == "" && c.SignedIn.HasPassword {
		return sim.ValidationFailed("only the password can be changed: send password and current_password")
	}
	if err := a.Auth.ChangePassword(r.Context(), *c.SignedIn, in.Current, in.Password, r.Header.Get(deviceHeader)); err != nil {
		return err
	}
	return a.User(w, r, c)
}

type signInOutput struct {
	ID           string    `json:"id"`
	This         bool      `json:"this"`
	StartedAt    time.Time `json:"started_at"`
	UsedAt       time.Time `json:"used_at"`
	Method       string    `json:"method"` // password or oauth
	SecondFactor bool      `json:"second_factor"`
	Address      string    `json:"address"`
	UserAgent    string    `json:"user_agent"`
}

// Account answers with what the account page shows beside the user itself.
func (a Accounts) Account(w http.ResponseWriter, r *http.Request, c wire.Call) error {
	list, err := a.Auth.SignIns(r.Context(), *c.SignedIn)
	if err != nil {
		return err
	}
	left, err := a.Auth.RecoveryCodesLeft(r.Context(), *c.SignedIn)
	if err != nil {
		return err
	}
	out := []signInOutput{}
	for _, in := range list {
		out = append(out, signInOutput{
			ID: in.ID, This: in.ID == c.SignedIn.SessionID, StartedAt: in.StartedAt.UTC(), UsedAt: in.UsedAt.UTC(),
			Method: in.Method, SecondFactor: in.Second, Address: in.From.IP, UserAgent: in.From.UserAgent,
		})
	}
	return wire.WriteJSON(w, http.StatusOK, map[string]any{"sign_ins": out, "recovery_codes_left": left, "has_password": c.SignedIn.HasPassword})
}

// EndSignIn signs one device of the caller out.
func (a Accounts) EndSignIn(w http.ResponseWriter, r *http.Request, c wire.Call) error {
	var in struct {
		ID string `json:"id"`
	}
	if err := wire.ReadJSON(w, r, c.Route.Body, &in); err != nil {
		return err
	}
	if err := a.Auth.EndSignIn(r.Context(), *c.SignedIn, in.ID); err != nil {
		return err
	}
	return wire.WriteJSON(w, http.StatusOK, map[string]bool{"success": true})
}

// MakeRecoveryCodes answers with ten new ones, shown this once.
func (a Accounts) MakeRecoveryCodes(w http.ResponseWriter, r *http.Request, c wire.Call) error {
	codes, err := a.Auth.NewRecoveryCodes(r.Context(), *c.SignedIn)
	if err != nil {
		return err
	}
	return wire.WriteJSON(w, http.StatusOK, map[string][]string{"codes": codes})
}

// SetUp makes a second factor for a password.
func (a Accounts) SetUp(w http.ResponseWriter, r *http.Request, c wire.Call) error {
	var in struct {
		Password string `json:"password"`
	}
	if err := wire.ReadJSON(w, r, c.Route.Body, &in); err != nil {
		return err
	}
	made, err := a.Auth.SetUp(r.Context(), *c.SignedIn, in.Password, r.Header.Get(deviceHeader))
	if err != nil {
		return err
	}
	return writeEnrolment(w, made)
}

// TurnOff removes the second factor, for a password and a code.
func (a Accounts) TurnOff(w http.ResponseWriter, r *http.Request, c wire.Call) error {
	var in struct {
		Password string `json:"password"`
		Code     string `json:"code"`
	}
	if err := wire.ReadJSON(w, r, c.Route.Body, &in); err != nil {
		return err
	}
	if err := a.Auth.TurnOff(r.Context(), *c.SignedIn, in.Password, in.Code, r.Header.Get(deviceHeader)); err != nil {
		return err
	}
	return wire.WriteJSON(w, http.StatusOK, map[string]bool{"success": true})
}
