package config

import (
	"errors"
	"time"
)

// Instances are the settings that matter where several processes serve
// together.
type Instances struct {
	DrainDelay         Pause  `env:"SIMORA_DRAIN_DELAY" default:"0s" placeholder:"TIME" help:"How long a stopping process goes on taking requests while /readyz says no, so that proxies notice. Default: ${default}."`
	DatabaseReplicaURL string `env:"SIMORA_DATABASE_REPLICA_URL" placeholder:"URL" help:"postgres://… of a replica that the console's lists and dashboard are read from; empty: the database."`
}

func (i Instances) check(d Data) error {
	switch {
	case i.DatabaseReplicaURL == "":
		return nil
	case !isPostgres(i.DatabaseReplicaURL):
		return errors.New("SIMORA_DATABASE_REPLICA_URL: found an address that is not of the form postgres://user:password@host:5432/database")
	case d.DatabaseURL == "":
		return errors.New("SIMORA_DATABASE_REPLICA_URL: found an address, but SIMORA_DATABASE_URL is not set; name the database that it is a replica of")
	}
	return nil
}

// Pause is a duration that may be zero, up to an hour.
type Pause time.Duration

// UnmarshalText checks the value.
func (p *Pause) UnmarshalText(text []byte) error {
	d, err := time.ParseDuration(string(text))
	if err != nil || d < 0 || d > time.Hour {
		return wrong(string(text), "a time such as 5s or 500ms, 0s for none, an hour at most")
	}
	*p = Pause(d)
	return nil
}
