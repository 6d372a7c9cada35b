package store

import (
	"encoding/json"
	"fmt"
	"strings"

	"simora/server/keyring"
)

func (s *Store) seal(table, column, row string, plain []byte) ([]byte, error) {
	return s.keys.Seal(keyring.Place{Table: table, Column: column, Row: row}, plain)
}

func (s *Store) open(table, column, row string, sealed []byte) ([]byte, error) {
	return s.keys.Open(keyring.Place{Table: table, Column: column, Row: row}, sealed)
}

func (s *Store) sealJSON(table, column, row string, v any) ([]byte, error) {
	plain, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode %s.%s: %w", table, column, err)
	}
	return s.seal(table, column, row, plain)
}

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
