package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"simora/server/keyring"
	"simora/server/sim"
)

// forSession and forContact choose the key of what goes with a session or a
// contact message.
func forSession(startedAt time.Time) keyring.Day {
	return keyring.Day{Kind: keyring.Sessions, At: startedAt}
}

func forContact(receivedAt time.Time) keyring.Day {
	return keyring.Day{Kind: keyring.Contact, At: receivedAt}
}

func forAudit(at time.Time) keyring.Day { return keyring.Day{Kind: keyring.Audit, At: at} }

// seal is for what has no retention.
func (s *Store) seal(table, column, row string, plain []byte) ([]byte, error) {
	return s.sealFor(keyring.Day{}, table, column, row, plain)
}

func (s *Store) sealFor(d keyring.Day, table, column, row string, plain []byte) ([]byte, error) {
	return s.keys.SealFor(d, keyring.Place{Table: table, Column: column, Row: row}, plain)
}

func (s *Store) open(table, column, row string, sealed []byte) ([]byte, error) {
	return s.keys.Open(keyring.Place{Table: table, Column: column, Row: row}, sealed)
}

func (s *Store) sealJSON(table, column, row string, v any) ([]byte, error) {
	return s.sealJSONFor(keyring.Day{}, table, column, row, v)
}

func (s *Store) sealJSONFor(d keyring.Day, table, column, row string, v any) ([]byte, error) {
	plain, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode %s.%s: %w", table, column, err)
	}
	return s.sealFor(d, table, column, row, plain)
}

// gone makes of a session whose key has been destroyed one that is not there.
func gone(err error) error {
	if errors.Is(err, keyring.ErrDestroyed) {
		return sim.ErrSessionNotFound
	}
	return err
}

// Keys are the keys that the store seals with.
func (s *Store) Keys() *keyring.Keyring { return s.keys }

func (s *Store) openJSON(table, column, row string, sealed []byte, into any) error {
	plain, err := s.open(table, column, row, sealed)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(plain, into); err != nil {
		return fmt.Errorf("decode %s.%s: %w", table, column, err)
	}
	return nil
}

// emailIndex finds an address however it was capitalised.
func emailIndex(s *Store, email string) ([]byte, error) {
	return s.keys.Index("email", strings.ToLower(email))
}

// Derive makes a secret of the keyring: the same on every instance, and not in
// the database. The domain keeps one use from another.
func (s *Store) Derive(domain, value string) ([]byte, error) { return s.keys.Index(domain, value) }
