package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"time"

	"simora/server/keyring"
	"simora/server/sim"
)

// Once makes a write happen one time for a key: its answer is kept in the
// same transaction, and a repetition gets that answer. The zero value asks
// for nothing.
type Once struct {
	id      string
	request []byte
}

// NewOnce binds a caller's key to one call, one scope (a session id, or empty)
// and one request body.
func NewOnce(call, scope, key string, request []byte) Once {
	if key == "" {
		return Once{}
	}
	id := sha256.Sum256([]byte(call + "\x00" + scope + "\x00" + key))
	body := sha256.Sum256(request)
	return Once{id: hex.EncodeToString(id[:]), request: body[:]}
}

// replay returns the kept answer, or nil when there is none yet.
func (t *Tx) replay(o Once) ([]byte, error) {
	if o.id == "" {
		return nil, nil
	}
	var request, sealed []byte
	err := t.row("SELECT request_hash, response FROM idempotency WHERE id = $1", o.id).Scan(&request, &sealed)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(request, o.request) {
		return nil, sim.ErrKeyReused
	}
	response, err := t.s.open("idempotency", "response", o.id, sealed)
	if errors.Is(err, keyring.ErrDestroyed) {
		_, err := t.exec("DELETE FROM idempotency WHERE id = $1", o.id)
		return nil, err
	}
	return response, err
}

// remember keeps an answer, sealed with the key of the data that it tells of.
// It goes with its subject, a session or contact message, when that is erased.
func (t *Tx) remember(o Once, d keyring.Day, subject string, response []byte, now time.Time) error {
	if o.id == "" {
		return nil
	}
	values, err := t.s.keptValues(o, d, subject, response, now)
	if err != nil {
		return err
	}
	_, err = t.exec("INSERT INTO idempotency ("+keptColumns+") VALUES ($1, $2, $3, $4, $5)", values...)
	return err
}

const keptColumns = "id, request_hash, response, created_at, subject"

// keptValues are the keptColumns of an answer.
func (s *Store) keptValues(o Once, d keyring.Day, subject string, response []byte, now time.Time) ([]any, error) {
	sealed, err := s.sealFor(d, "idempotency", "response", o.id, response)
	if err != nil {
		return nil, err
	}
	return []any{o.id, o.request, sealed, millis(now), subject}, nil
}

// Forget lets a key be used again, because what it was promised has failed.
func (s *Store) Forget(ctx context.Context, o Once) error {
	return s.inTx(ctx, durable, "forget kept answer", func(tx *Tx) error {
		_, err := tx.exec("DELETE FROM idempotency WHERE id = $1", o.id)
		return err
	})
}
