package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// UserOfIdentity finds who has linked this subject of an issuer. Errors:
// ErrNoUser.
func (s *Store) UserOfIdentity(ctx context.Context, issuer, subject string) (id string, err error) {
	index, err := s.identity(issuer, subject)
	if err != nil {
		return "", err
	}
	err = s.row(ctx, "SELECT user_id FROM identities WHERE subject_index = $1", index).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return "", ErrNoUser
	}
	if err != nil {
		return "", unavailable(fmt.Errorf("read identity: %w", err))
	}
	return id, nil
}

// LinkIdentity lets a subject of an issuer sign in as a user. A link that is
// there already stays as it is.
func (s *Store) LinkIdentity(ctx context.Context, issuer, subject, userID string, now time.Time) error {
	index, err := s.identity(issuer, subject)
	if err != nil {
		return err
	}
	return s.inTx(ctx, durable, "link identity", func(tx *Tx) error {
		_, err := tx.exec("INSERT INTO identities (subject_index, user_id, created_at) VALUES ($1,$2,$3) ON CONFLICT (subject_index) DO NOTHING", index, userID, millis(now))
		return err
	})
}

func (s *Store) identity(issuer, subject string) ([]byte, error) {
	return s.Derive("identity", issuer+"\x00"+subject)
}

// AddSignInCode stores a code for a browser that has come back from the
// identity provider.
func (s *Store) AddSignInCode(ctx context.Context, index []byte, userID, challenge string, now time.Time) error {
	return s.inTx(ctx, durable, "add sign-in code", func(tx *Tx) error {
		_, err := tx.exec("INSERT INTO sign_in_codes (code_index, user_id, challenge, created_at) VALUES ($1,$2,$3,$4)", index, userID, challenge, millis(now))
		return err
	})
}

// TakeSignInCode uses up a code, whoever asks. Errors: ErrNoUser.
func (s *Store) TakeSignInCode(ctx context.Context, index []byte, notBefore time.Time) (userID, challenge string, err error) {
	err = s.inTx(ctx, durable, "take sign-in code", func(tx *Tx) error {
		err := tx.row("DELETE FROM sign_in_codes WHERE code_index = $1 AND created_at >= $2 RETURNING user_id, challenge", index, millis(notBefore)).Scan(&userID, &challenge)
		if errors.Is(err, sql.ErrNoRows) {
			userID = ""
			return nil
		}
		return err
	})
	if err == nil && userID == "" {
		err = ErrNoUser
	}
	return userID, challenge, err
}
