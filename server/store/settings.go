package store

import (
	"context"
	"database/sql"
	"encoding/base64"
	"errors"
	"fmt"

	"simora/server/keyring"
)

// Setting returns the value kept under name. The first caller's fresh value is
// kept for good; every later one, also of another process, gets that value.
func (s *Store) Setting(ctx context.Context, name, fresh string) (string, error) {
	var value string
	err := s.row(ctx, "SELECT value FROM settings WHERE name = $1", name).Scan(&value)
	if err == nil || !errors.Is(err, sql.ErrNoRows) {
		return value, unavailable(err)
	}
	err = s.inTx(ctx, durable, "keep setting "+name, func(tx *Tx) error {
		if _, err := tx.exec("INSERT INTO settings (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING", name, fresh); err != nil {
			return err
		}
		return tx.row("SELECT value FROM settings WHERE name = $1", name).Scan(&value)
	})
	return value, err
}

const settingsTable, settingsColumn, keyringCheck = "settings", "value", "keyring_check"

// checkKeyring fails when the database was sealed with other keys: better no
// start than a start that cannot read and would write what nobody can read.
func (s *Store) checkKeyring(ctx context.Context) error {
	const known = "simora"
	place := keyring.Place{Table: settingsTable, Column: settingsColumn, Row: keyringCheck}
	sealed, err := s.keys.Seal(place, []byte(known))
	if err != nil {
		return err
	}
	kept, err := s.Setting(ctx, keyringCheck, base64.StdEncoding.EncodeToString(sealed))
	if err != nil {
		return fmt.Errorf("check keyring: %w", err)
	}
	wrong := func(err error) error {
		return fmt.Errorf("these are not the keys that the database was used with: put back %s and the folder %s of the data directory, or give the SIMORA_MASTER_KEY and the SIMORA_KEYS_URL that belong to it (%w)", keyring.FileName, keyring.FolderName, err)
	}
	raw, err := base64.StdEncoding.DecodeString(kept)
	if err == nil {
		_, err = s.keys.Open(place, raw)
	}
	if errors.Is(err, keyring.ErrUnreachable) {
		return fmt.Errorf("check keyring: %w", err)
	}
	if err != nil {
		return wrong(err)
	}
	// The key file alone may be right: it opens values from before there were
	// day keys.
	id, err := s.Setting(ctx, "keyring_id", s.keys.ID())
	if err != nil {
		return fmt.Errorf("check keyring: %w", err)
	}
	if id != s.keys.ID() {
		return wrong(errors.New("all instances share one SIMORA_KEYS_URL"))
	}
	return nil
}
