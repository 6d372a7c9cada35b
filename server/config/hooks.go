package config

import (
	"errors"
	"strings"
)

// Hooks are the settings of what goes to other systems.
type Hooks struct {
	HooksPrivate bool     `name:"hooks-private" env:"SIMORA_HOOKS_PRIVATE" help:"Let webhooks reach private and loopback addresses, the latter without https, too."`
	XAPIEndpoint Endpoint `name:"xapi-endpoint" env:"SIMORA_XAPI_ENDPOINT" placeholder:"URL" help:"Learning record store, the address before /statements; empty: none."`
	XAPIKey      string   `name:"xapi-key" env:"SIMORA_XAPI_KEY" placeholder:"KEY" help:"User name that the record store knows us by."`
	XAPISecret   string   `name:"xapi-secret" env:"SIMORA_XAPI_SECRET" placeholder:"SECRET" help:"Password that belongs to it."`
	XAPIActor    string   `name:"xapi-actor" env:"SIMORA_XAPI_ACTOR" enum:"pseudonym,mbox_sha1sum,mbox" default:"pseudonym" placeholder:"HOW" help:"How a learner who gave an address is named: pseudonym, mbox_sha1sum or mbox. Default: ${default}."`
	XAPIPass     Count    `name:"xapi-pass" env:"SIMORA_XAPI_PASS" default:"70" placeholder:"N" help:"Overall score from which a run is a success, of 100. Default: ${default}."`
}

func (h Hooks) check() error {
	switch {
	case h.XAPIEndpoint == "" && (h.XAPIKey != "" || h.XAPISecret != ""):
		return errors.New("SIMORA_XAPI_ENDPOINT: found nothing, but SIMORA_XAPI_KEY or SIMORA_XAPI_SECRET is set; give the address of the record store, such as https://lrs.example.com/xapi")
	case h.XAPIEndpoint != "" && (h.XAPIKey == "" || h.XAPISecret == ""):
		return errors.New("SIMORA_XAPI_KEY, SIMORA_XAPI_SECRET: found nothing, but SIMORA_XAPI_ENDPOINT is set; give both")
	case strings.Contains(h.XAPIKey, ":"):
		return errors.New("SIMORA_XAPI_KEY: found a colon, which a user name cannot have")
	case strings.HasPrefix(string(h.XAPIEndpoint), "http://") && !h.HooksPrivate:
		return errors.New("SIMORA_XAPI_ENDPOINT: found an address without https, over which the password would go readable; use https, or set SIMORA_HOOKS_PRIVATE=true for a store in the same private network")
	case h.XAPIPass > 100:
		return errors.New("SIMORA_XAPI_PASS: allowed is a score from 1 to 100")
	}
	return nil
}
