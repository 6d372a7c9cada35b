package config

// Audit are the settings of the audit log.
type Audit struct {
	AuditRetention Age `env:"SIMORA_AUDIT_RETENTION" default:"730d" placeholder:"AGE" help:"Age at which entries of the audit log are removed; what stays is still proven. Default: ${default}."`
}
