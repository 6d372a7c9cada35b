package functions

import (
	"context"
	"net/http"

	"simora/server/privacy"
	"simora/server/store"
	"simora/server/wire"
)

// AddressInput names somebody by their mail address.
type AddressInput struct {
	Email string `json:"email"`
}

// LinkInput is the token of a mailed link.
type LinkInput struct {
	Token string `json:"token"`
}

// PrivacyRequest mails a link to an address, by which its owner sees and
// deletes what is kept about it.
func (f Functions) PrivacyRequest(ctx context.Context, _ wire.Caller, in AddressInput) (Success, error) {
	return Success{true}, f.Rights.Ask(ctx, in.Email)
}

// PrivacyData shows the owner of a mailed link everything about them.
func (f Functions) PrivacyData(ctx context.Context, _ wire.Caller, in LinkInput) (privacy.Copy, error) {
	return f.Rights.OwnCopy(ctx, in.Token)
}

// PrivacyErase deletes everything about the owner of a mailed link.
func (f Functions) PrivacyErase(ctx context.Context, _ wire.Caller, in LinkInput) (store.Erased, error) {
	return f.Rights.EraseOwn(ctx, in.Token)
}

// AdminExportPerson shows everything about an address.
func (f Functions) AdminExportPerson(ctx context.Context, _ wire.Caller, in AddressInput) (privacy.Copy, error) {
	return f.Rights.Export(ctx, in.Email)
}

// AdminErasePerson deletes everything about an address.
func (f Functions) AdminErasePerson(ctx context.Context, _ wire.Caller, in AddressInput) (store.Erased, error) {
	return f.Rights.Erase(ctx, in.Email)
}

// PrivacyStatus tells everybody how the claims of the privacy page stand.
func (f Functions) PrivacyStatus(w http.ResponseWriter, r *http.Request, _ wire.Call) error {
	return wire.WriteJSON(w, http.StatusOK, f.Claims.Status(r.Context()))
}
