package config

import (
	"slices"
	"strings"
)

// Database are the settings of the way to the database, which every command
// needs that touches the data.
type Database struct {
	CAFile                string `name:"ca-file" env:"SIMORA_CA_FILE" type:"existingfile" placeholder:"FILE" help:"Certificates (PEM) of authorities of your own, trusted beside the system's for every connection outward."`
	AllowInsecureDatabase bool   `env:"SIMORA_ALLOW_INSECURE_DATABASE" help:"Connect to a PostgreSQL elsewhere without sslmode=verify-full."`
	AllowInsecureKeys     bool   `env:"SIMORA_ALLOW_INSECURE_KEYS" help:"Speak unencrypted (s3+http://) with a bucket of keys elsewhere."`
}

// Outward are the settings of the other connections to other machines.
type Outward struct {
	AllowInsecureSMTP  bool `name:"allow-insecure-smtp" env:"SIMORA_ALLOW_INSECURE_SMTP" help:"Send mail unencrypted (?tls=none) to a server elsewhere."`
	AllowInsecureMedia bool `env:"SIMORA_ALLOW_INSECURE_MEDIA" help:"Speak unencrypted (s3+http://) with a bucket elsewhere."`
	AllowInsecureLLM   bool `name:"allow-insecure-llm" env:"SIMORA_ALLOW_INSECURE_LLM" help:"Speak unencrypted (http://) with a language model elsewhere."`

	Region         string  `env:"SIMORA_REGION" placeholder:"NAME" help:"Your name for the region that this installation and its data directory are in."`
	Regions        Labels  `env:"SIMORA_REGIONS" placeholder:"WHAT=NAME,…" help:"The same for each endpoint: database, replica, keys, media, smtp, llm, xapi."`
	AllowedRegions Regions `env:"SIMORA_ALLOWED_REGIONS" placeholder:"NAME,…" help:"The only regions that may be used: the start is refused with anything elsewhere or without a label; empty: no check."`
}

// Regions are names of regions, as the operator calls them.
type Regions []string

// UnmarshalText checks the value.
func (r *Regions) UnmarshalText(text []byte) error {
	*r = list(string(text))
	for _, name := range *r {
		if strings.ContainsAny(name, "= \t") {
			return wrong(name, "a list of names such as eu-central, eu-west")
		}
	}
	return nil
}

// Labels are the regions of endpoints, by what they are for.
type Labels map[string]string

// UnmarshalText checks the value.
func (l *Labels) UnmarshalText(text []byte) error {
	*l = Labels{}
	for _, item := range list(string(text)) {
		what, region, _ := strings.Cut(item, "=")
		if region == "" || strings.ContainsAny(region, "= \t") || !slices.Contains([]string{"database", "replica", "keys", "media", "smtp", "llm", "xapi"}, what) {
			return wrong(item, "a list such as database=eu-central,media=eu-west of database, replica, keys, media, smtp, llm and xapi")
		}
		if _, twice := (*l)[what]; twice {
			return wrong(item, "one region for each")
		}
		(*l)[what] = region
	}
	return nil
}
