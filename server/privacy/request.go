package privacy

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"simora/server/mail"
	"simora/server/sim"
	"simora/server/store"
)

const (
	linkLife     = 24 * time.Hour
	linksPerDay  = 3 // to one address
	mailDeadline = 15 * time.Second
)

// ErrLink is the answer to a link that is not ours, or too old.
var ErrLink = &sim.Error{Kind: sim.Invalid, Code: "link_expired", Message: "This link is not valid any more. Ask for a new one."}

// link proves who reads an address's mail.
type link struct {
	Email string    `json:"email"`
	Until time.Time `json:"until"`
}

// Ask mails a link to an address, by which its owner can see and delete what is
// kept about it. The answer is the same whether anything is.
//
// Errors: validation_failed.
func (r *Rights) Ask(ctx context.Context, email string) error {
	email, err := mail.ParseAddress(email)
	if err != nil {
		return err
	}
	token, err := r.token(email)
	if err != nil {
		return err
	}
	id := r.NewID()
	letter, err := r.Letters.Personal(mail.PersonalInput{To: email, ID: id, Token: token, Hours: int(linkLife.Hours())})
	if err != nil {
		return err
	}
	queued, err := r.Store.QueuePersonalLetter(ctx, store.PersonalLetter{ID: id, Letter: letter, PerRecipient: linksPerDay, Now: r.Now()})
	if errors.Is(err, sim.ErrRateLimited) {
		return nil // the letters of today are enough; saying so would tell that there are some
	}
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), mailDeadline)
	defer cancel()
	if _, err := r.Mail.Deliver(ctx, queued); err != nil {
		// The lease runs out and the postman takes the letter up again.
		r.Log.ErrorContext(ctx, "letter not recorded", "outbox", queued.ID, "error", err)
	}
	return nil
}

func (r *Rights) token(email string) (string, error) {
	plain, err := json.Marshal(link{email, r.Now().Add(linkLife)})
	if err != nil {
		return "", fmt.Errorf("encode link: %w", err)
	}
	sealed, err := r.Store.SealLink(plain)
	if err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(sealed), nil
}

// owner is the address that a token was mailed to, or ErrLink.
func (r *Rights) owner(token string) (string, error) {
	sealed, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil {
		return "", ErrLink
	}
	plain, err := r.Store.OpenLink(sealed)
	if err != nil {
		return "", ErrLink
	}
	var l link
	if err := json.Unmarshal(plain, &l); err != nil {
		return "", fmt.Errorf("decode link: %w", err)
	}
	if r.Now().After(l.Until) {
		return "", ErrLink
	}
	return l.Email, nil
}

// OwnCopy exports what is kept about the owner of a mailed link. Errors: ErrLink.
func (r *Rights) OwnCopy(ctx context.Context, token string) (Copy, error) {
	email, err := r.owner(token)
	if err != nil {
		return Copy{}, err
	}
	return r.Export(ctx, email)
}

// EraseOwn deletes what is kept about the owner of a mailed link. Errors: ErrLink.
func (r *Rights) EraseOwn(ctx context.Context, token string) (store.Erased, error) {
	email, err := r.owner(token)
	if err != nil {
		return store.Erased{}, err
	}
	return r.Erase(ctx, email)
}
