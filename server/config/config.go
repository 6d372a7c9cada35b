// Package config is the table of settings: one field a setting, with its
// environment name, default, help, and a type that checks its value.
//
// A flag wins over the environment, the environment over the file, the file
// over the default.
package config

import (
	"errors"
	"fmt"
	"math"
	"net"
	"net/mail"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"
	"github.com/joho/godotenv"
)

// Data are the settings that every command needs which touches the data.
type Data struct {
	Data        string `env:"SIMORA_DATA" default:"./data" placeholder:"DIR" help:"Directory for everything embedded: database, media, outbox, keys. Default: ${default}."`
	DatabaseURL string `env:"SIMORA_DATABASE_URL" placeholder:"URL" help:"postgres://…; empty: SQLite in the data directory."`

	Sealing
	Database
}

// Serve are the settings of the server.
type Serve struct {
	Data

	Listen    Address   `env:"SIMORA_LISTEN" default:"127.0.0.1:8080" placeholder:"HOST:PORT" help:"Address to listen on. Default: ${default}."`
	PublicURL PublicURL `env:"SIMORA_PUBLIC_URL" placeholder:"URL" help:"Absolute address for links, canonical and mail; empty: the listen address."`

	SMTPURL   string      `name:"smtp-url" env:"SIMORA_SMTP_URL" placeholder:"URL" help:"smtp://user:pass@host:587 or smtps://…; empty: files in the data directory's outbox."`
	MailFrom  MailAddress `env:"SIMORA_MAIL_FROM" default:"Simora <reports@localhost>" placeholder:"ADDRESS" help:"Sender of every letter. Default: ${default}."`
	ContactTo MailAddress `env:"SIMORA_CONTACT_TO" placeholder:"ADDRESS" help:"Mailbox that contact messages go to; empty: the site file's contactEmail."`

	Outbox

	ReportWords bool `env:"SIMORA_REPORT_WORDS" help:"Put what the visitor typed into the mailed PDF, too. Anybody can then have words of their own mailed to any address."`

	PublicKey     Keys   `env:"SIMORA_PUBLIC_KEY" placeholder:"KEY" help:"Public anonymous key; a second one after a comma while it is being replaced; empty: generated and kept in the database."`
	AdminEmail    string `env:"SIMORA_ADMIN_EMAIL" default:"admin@localhost" placeholder:"ADDRESS" help:"Address of the first admin, made when there is none. Default: ${default}."`
	AdminPassword string `env:"SIMORA_ADMIN_PASSWORD" placeholder:"PASSWORD" help:"Password of the first admin; empty: generated and printed once."`

	AllowedOrigins Origins  `env:"SIMORA_ALLOWED_ORIGINS" placeholder:"ORIGIN,…" help:"Other origins whose pages may call the API."`
	TrustedProxies Prefixes `env:"SIMORA_TRUSTED_PROXIES" placeholder:"CIDR,…" help:"Proxies whose X-Forwarded-For is believed."`

	LLM
	DKIM
	Transport
	Outward
	Audit
	Instances
	Observe
	SignIn
	Hooks

	Retention        Age    `env:"SIMORA_RETENTION" default:"90d" placeholder:"AGE" help:"Age at which demo sessions are deleted. Default: ${default}."`
	ContactRetention Age    `env:"SIMORA_CONTACT_RETENTION" default:"365d" placeholder:"AGE" help:"Age at which contact messages are deleted. Default: ${default}."`
	MediaURL         string `env:"SIMORA_MEDIA_URL" placeholder:"URL" help:"s3://key:secret@host/bucket?region=…; empty: the media folder of the data directory."`
	GeoIPDB          string `name:"geoip-db" env:"SIMORA_GEOIP_DB" type:"existingfile" placeholder:"FILE" help:"City database in MaxMind's format; empty: sessions have no location."`
	LimitFactor      Factor `env:"SIMORA_LIMIT_FACTOR" default:"1" placeholder:"N" help:"Multiplies every rate limit, for load tests. Default: ${default}."`
	SiteFile         string `env:"SIMORA_SITE_FILE" type:"existingfile" placeholder:"FILE" help:"Brand, contact address and texts of the owner; empty: the embedded default."`
}

// LLM are the settings of the language model. Without a base URL there is none.
type LLM struct {
	LLMBaseURL         Endpoint `name:"llm-base-url" env:"SIMORA_LLM_BASE_URL" placeholder:"URL" help:"OpenAI-compatible endpoint with its version, such as https://api.openai.com/v1; empty: the built-in engine."`
	LLMAPIKey          string   `name:"llm-api-key" env:"SIMORA_LLM_API_KEY" placeholder:"KEY" help:"Key of the endpoint; empty: none is sent."`
	LLMModel           string   `name:"llm-model" env:"SIMORA_LLM_MODEL" placeholder:"NAME" help:"Model that plays and judges."`
	LLMCallsPerSession Count    `name:"llm-calls-per-session" env:"SIMORA_LLM_CALLS_PER_SESSION" default:"60" placeholder:"N" help:"Requests to the model for one session. Default: ${default}."`
	LLMCallsPerAddress Count    `name:"llm-calls-per-address" env:"SIMORA_LLM_CALLS_PER_ADDRESS" default:"300" placeholder:"N" help:"Requests to the model for one address per day (UTC). Default: ${default}."`
	LLMCallsPerDay     Count    `name:"llm-calls-per-day" env:"SIMORA_LLM_CALLS_PER_DAY" default:"5000" placeholder:"N" help:"Requests to the model per day (UTC). Default: ${default}."`
	LLMTokensPerDay    Count    `name:"llm-tokens-per-day" env:"SIMORA_LLM_TOKENS_PER_DAY" default:"5000000" placeholder:"N" help:"Tokens per day (UTC). Default: ${default}."`
	LLMConcurrency     Count    `name:"llm-concurrency" env:"SIMORA_LLM_CONCURRENCY" default:"8" placeholder:"N" help:"Requests to the model at once. Default: ${default}."`
}

// Connected reports whether a model is configured.
func (l LLM) Connected() bool { return l.LLMBaseURL != "" }

func (l LLM) check() error {
	switch {
	case l.Connected() && l.LLMModel == "":
		return errors.New("SIMORA_LLM_MODEL: found nothing, but SIMORA_LLM_BASE_URL is set; name the model to use")
	case !l.Connected() && (l.LLMModel != "" || l.LLMAPIKey != ""):
		return errors.New("SIMORA_LLM_BASE_URL: found nothing, but SIMORA_LLM_MODEL or SIMORA_LLM_API_KEY is set; give the endpoint, such as https://api.openai.com/v1")
	case strings.ContainsFunc(l.LLMAPIKey, func(r rune) bool { return r <= ' ' || r > '~' }):
		return errors.New("SIMORA_LLM_API_KEY: found a key with spaces or other characters that no key has") // the key itself is not repeated
	}
	return nil
}

// Validate checks what one setting alone cannot tell.
func (s Serve) Validate() error {
	return errors.Join(s.Data.Validate(), s.LLM.check(), s.SignIn.check(), s.Hooks.check(), s.DKIM.check(), s.Transport.check(s.PublicURL), s.Instances.check(s.Data))
}

// Variables are the environment names of all settings, in order.
func Variables() []string {
	var names []string
	for _, flag := range (parserFor(&struct{ Serve }{})).Model.Flags {
		names = append(names, flag.Envs...)
	}
	sort.Strings(names)
	return names
}

func parserFor(v any) *kong.Kong { return kong.Must(v, kong.Exit(func(int) {})) }

// prefix is what all environment names start with; FileVariable names the
// optional file of settings.
const (
	prefix       = "SIMORA_"
	FileVariable = prefix + "CONFIG"
)

// LoadFile reads a file of NAME=value lines and sets those that the
// environment does not have. A name that is no setting is an error: most
// likely a typing mistake.
func LoadFile(path string, environ Environment) error {
	values, err := godotenv.Read(path)
	if err != nil {
		return fmt.Errorf("settings file %s: %w", path, err)
	}
	known := Variables()
	var unknown []string
	for name := range values {
		if !slices.Contains(known, name) {
			unknown = append(unknown, name)
		}
	}
	if len(unknown) > 0 {
		sort.Strings(unknown)
		return fmt.Errorf("settings file %s: found %s; the settings are %s", path, strings.Join(unknown, ", "), strings.Join(known, ", "))
	}
	for name, value := range values {
		if _, there := environ.Lookup(name); there {
			continue
		}
		if err := environ.Set(name, value); err != nil {
			return fmt.Errorf("settings file %s: %w", path, err)
		}
	}
	return nil
}

// Environment is the process's environment.
type Environment struct {
	Lookup func(name string) (string, bool)
	Set    func(name, value string) error
	All    func() []string
}

// ProcessEnvironment is the real one.
var ProcessEnvironment = Environment{os.LookupEnv, os.Setenv, os.Environ}

// UnknownVariables lists the SIMORA_ names in the environment that are no
// setting.
func UnknownVariables(environ Environment) []string {
	known := append(Variables(), FileVariable)
	var unknown []string
	for _, pair := range environ.All() {
		name, _, _ := strings.Cut(pair, "=")
		if strings.HasPrefix(name, prefix) && !strings.HasPrefix(name, prefix+"TEST_") && !slices.Contains(known, name) {
			unknown = append(unknown, name)
		}
	}
	return unknown
}

func wrong(found, allowed string) error {
	return fmt.Errorf("found %q, allowed is %s", found, allowed)
}

// Address is a host (or none) and a port to listen on.
type Address string

// UnmarshalText checks the value.
func (a *Address) UnmarshalText(text []byte) error {
	const allowed = "host:port with a port from 0 to 65535, such as 127.0.0.1:8080 or :8080"
	_, port, err := net.SplitHostPort(string(text))
	if err != nil {
		return wrong(string(text), allowed)
	}
	if n, err := strconv.Atoi(port); err != nil || n < 0 || n > 65535 {
		return wrong(string(text), allowed)
	}
	*a = Address(text)
	return nil
}

// URL is the address under which a browser on this machine reaches a listener
// at bound.
func (a Address) URL(bound net.Addr) string {
	host, port, _ := net.SplitHostPort(bound.String())
	if ip, err := netip.ParseAddr(host); err == nil && (ip.IsUnspecified() || ip.IsLoopback()) {
		host = "localhost"
	}
	return "http://" + net.JoinHostPort(host, port)
}

// PublicURL is an absolute http or https address without a path; empty is
// allowed.
type PublicURL string

// UnmarshalText checks the value.
func (p *PublicURL) UnmarshalText(text []byte) error {
	const allowed = "an address such as https://training.example.com, without a path"
	u, err := url.Parse(string(text))
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.User != nil || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" {
		return wrong(string(text), allowed)
	}
	*p = PublicURL(u.Scheme + "://" + u.Host)
	return nil
}

// Endpoint is an http or https address that may have a path; empty is allowed.
type Endpoint string

// UnmarshalText checks the value. It is not repeated: somebody may have put the
// key into it.
func (e *Endpoint) UnmarshalText(text []byte) error {
	u, err := url.Parse(string(text))
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return errors.New("allowed is an address such as https://api.openai.com/v1, without a user, key or query in it")
	}
	*e = Endpoint(strings.TrimRight(string(text), "/"))
	return nil
}

// Count is a whole number above 0.
type Count int

// UnmarshalText checks the value.
func (c *Count) UnmarshalText(text []byte) error {
	n, err := strconv.Atoi(string(text))
	if err != nil || n < 1 || n > 1e12 {
		return wrong(string(text), "a whole number above 0")
	}
	*c = Count(n)
	return nil
}

// HTTPS reports whether the address is encrypted.
func (p PublicURL) HTTPS() bool { return strings.HasPrefix(string(p), "https://") }

// Host is the host of the address, with its port if it names one.
func (p PublicURL) Host() string {
	_, host, _ := strings.Cut(string(p), "://")
	return host
}

// Validate checks the address of the database, here and not in its type, so
// that no message repeats the password in it.
func (d Data) Validate() error {
	if d.DatabaseURL != "" && !isPostgres(d.DatabaseURL) {
		return errors.New("SIMORA_DATABASE_URL: found an address that is not of the form postgres://user:password@host:5432/database")
	}
	return nil
}

func isPostgres(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "postgres" || u.Scheme == "postgresql")
}

// MailAddress is a mailbox with an optional name; empty is allowed.
type MailAddress string

// UnmarshalText checks the value.
func (m *MailAddress) UnmarshalText(text []byte) error {
	if _, err := mail.ParseAddress(string(text)); err != nil {
		return wrong(string(text), "one mail address, such as Simora <reports@example.com>")
	}
	*m = MailAddress(text)
	return nil
}

// Keys are the public keys that are accepted now.
type Keys []string

const minKey = 16

// UnmarshalText checks the value.
func (k *Keys) UnmarshalText(text []byte) error {
	*k = list(string(text))
	if len(*k) > 2 {
		return wrong(string(text), "one key, or two with a comma between them")
	}
	for _, key := range *k {
		if len(key) < minKey || strings.ContainsAny(key, " \t") {
			return wrong(key, "a key of at least 16 characters without spaces")
		}
	}
	return nil
}

// Origins are scheme, host and port of pages elsewhere.
type Origins []string

// UnmarshalText checks the value.
func (o *Origins) UnmarshalText(text []byte) error {
	*o = nil
	for _, item := range list(string(text)) {
		var p PublicURL
		if err := p.UnmarshalText([]byte(item)); err != nil || string(p) != item {
			return wrong(item, "a list of origins such as https://www.example.com, without a path or a slash at the end")
		}
		*o = append(*o, item)
	}
	return nil
}

// Prefixes are address ranges.
type Prefixes []netip.Prefix

// UnmarshalText checks the value.
func (p *Prefixes) UnmarshalText(text []byte) error {
	*p = nil
	for _, item := range list(string(text)) {
		prefix, err := netip.ParsePrefix(item)
		if address, addressErr := netip.ParseAddr(item); addressErr == nil {
			prefix, err = netip.PrefixFrom(address, address.BitLen()), nil
		}
		if err != nil {
			return wrong(item, "a list of addresses or ranges such as 10.0.0.0/8, 192.0.2.7")
		}
		*p = append(*p, prefix)
	}
	return nil
}

// Age is a duration in whole days, hours, minutes or seconds.
type Age time.Duration

// UnmarshalText checks the value.
func (a *Age) UnmarshalText(text []byte) error {
	const allowed = "a positive age such as 90d, 36h or 45m"
	s := string(text)
	if days, ok := strings.CutSuffix(s, "d"); ok {
		n, err := strconv.Atoi(days)
		if err != nil || n <= 0 || n > 36500 {
			return wrong(s, allowed)
		}
		*a = Age(time.Duration(n) * 24 * time.Hour)
		return nil
	}
	d, err := time.ParseDuration(s)
	if err != nil || d <= 0 {
		return wrong(s, allowed)
	}
	*a = Age(d)
	return nil
}

// Days is the age in days, rounded up.
func (a Age) Days() int { return int(math.Ceil(time.Duration(a).Hours() / 24)) }

// Factor is a positive number.
type Factor float64

// UnmarshalText checks the value.
func (f *Factor) UnmarshalText(text []byte) error {
	n, err := strconv.ParseFloat(string(text), 64)
	if err != nil || !(n > 0) || n > 1e6 {
		return wrong(string(text), "a number above 0, up to 1000000")
	}
	*f = Factor(n)
	return nil
}

func list(text string) []string {
	var items []string
	for _, item := range strings.Split(text, ",") {
		if item = strings.TrimSpace(item); item != "" {
			items = append(items, item)
		}
	}
	return items
}
