package config

import "simora/server/keyring"

// Sealing are the settings of the keys that personal data is sealed with.
type Sealing struct {
	KeysURL   string     `env:"SIMORA_KEYS_URL" placeholder:"URL" help:"Where the keys lie that personal data is sealed with: file:///dir or s3://key:secret@host/bucket/folder, shared by all instances; empty: the keys folder of the data directory."`
	MasterKey MasterKeys `env:"SIMORA_MASTER_KEY" placeholder:"KEY" help:"Opens the keys, as printed by \"simora keys new\"; the one before after a comma while it is being replaced; empty: the key file in the data directory."`
}

// Outbox are the settings of letters that are written as files.
type Outbox struct {
	OutboxPlaintext bool `env:"SIMORA_OUTBOX_PLAINTEXT" help:"Write letters as readable .eml files, for development. Without it they are sealed: simora outbox list."`
}

// MasterKeys are keys from keyring.NewMasterKey with commas between them.
type MasterKeys string

// UnmarshalText checks the value and does not repeat it.
func (m *MasterKeys) UnmarshalText(text []byte) error {
	if len(text) > 0 {
		if err := keyring.CheckMasterKeys(string(text)); err != nil {
			return err
		}
	}
	*m = MasterKeys(text)
	return nil
}
