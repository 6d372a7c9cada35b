package config

// Sealing are the settings of the keys that personal data is sealed with.
type Sealing struct {
	KeysURL   string `env:"SIMORA_KEYS_URL" placeholder:"URL" help:"Where the keys lie that personal data is sealed with: file:///dir or s3://key:secret@host/bucket/folder, one place for all instances; empty: the keys folder of the data directory."`
	MasterKey string `env:"SIMORA_MASTER_KEY" placeholder:"KEY" help:"Opens the keys, as printed by \"simora keys new\"; the one before after a comma while it is being replaced; empty: the key file in the data directory."`
}

// Outbox are the settings of letters that are written as files.
type Outbox struct {
	OutboxPlaintext bool `env:"SIMORA_OUTBOX_PLAINTEXT" help:"Write letters as readable .eml files, for development. Without it they are sealed: simora outbox list."`
}
