package app

import (
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"simora/server/config"
	"simora/server/llm"
	"simora/server/mail"
	"simora/server/media"
	"simora/server/outbound"
	"simora/server/shelf"
	"simora/server/store"
)

const acmeLink = "acme"

// wayOut is a link with the setting that names it.
type wayOut struct {
	outbound.Link

	setting string
	remedy  string // what makes it safe
	allow   string // the setting that lets it be unsafe
	allowed bool
}

// check refuses what would cross a network readable, or to somebody who does
// not prove who they are.
func (w wayOut) check() error {
	if w.Verified || w.Local() || w.allowed {
		return nil
	}
	what := "is not encrypted"
	if w.Encrypted {
		what = "is encrypted, but whoever answers there need not prove its name"
	}
	return fmt.Errorf("%s: the connection to %s %s: %s, or set %s=true", w.setting, w.Address, what, w.remedy, w.allow)
}

// dataNetwork leads to the data and its keys only, which is all that a command
// needs.
func dataNetwork(d config.Data) (*outbound.Network, error) {
	ways, err := dataWays(d)
	if err != nil {
		return nil, err
	}
	return connect(d, ways)
}

func connect(d config.Data, ways []wayOut) (*outbound.Network, error) {
	roots, err := outbound.ReadRoots(d.CAFile)
	if err != nil {
		return nil, fmt.Errorf("SIMORA_CA_FILE: %w", err)
	}
	var links []outbound.Link
	for _, w := range ways {
		if err := w.check(); err != nil {
			return nil, err
		}
		links = append(links, w.Link)
	}
	return outbound.New(roots, links...), nil
}

func dataWays(d config.Data) ([]wayOut, error) {
	ways, err := databaseWays(d)
	if err != nil {
		return nil, err
	}
	link, far, err := shelf.Link(d.KeysURL)
	if err != nil {
		return nil, fmt.Errorf("SIMORA_KEYS_URL: %w", err)
	}
	if far {
		ways = append(ways, wayOut{link, "SIMORA_KEYS_URL", "use s3://", "SIMORA_ALLOW_INSECURE_KEYS", d.AllowInsecureKeys})
	}
	return ways, nil
}

func databaseWays(d config.Data) ([]wayOut, error) {
	if d.DatabaseURL == "" {
		return nil, nil
	}
	links, err := store.Links("database", d.DatabaseURL)
	if err != nil {
		return nil, fmt.Errorf("SIMORA_DATABASE_URL: %w", err)
	}
	var ways []wayOut
	for _, link := range links {
		ways = append(ways, wayOut{link, "SIMORA_DATABASE_URL", "add sslmode=verify-full to it", "SIMORA_ALLOW_INSECURE_DATABASE", d.AllowInsecureDatabase})
	}
	return ways, nil
}

// outward leads to everything that is configured. It is an error when a
// link is unsafe or leads into a region that is not allowed.
func (c serveCommand) outward() (*outbound.Network, error) {
	ways, err := dataWays(c.Data)
	if err != nil {
		return nil, err
	}
	if c.DatabaseReplicaURL != "" {
		links, err := store.Links("replica", c.DatabaseReplicaURL)
		if err != nil {
			return nil, fmt.Errorf("SIMORA_DATABASE_REPLICA_URL: %w", err)
		}
		for _, link := range links {
			ways = append(ways, wayOut{link, "SIMORA_DATABASE_REPLICA_URL", "add sslmode=verify-full to it", "SIMORA_ALLOW_INSECURE_DATABASE", c.AllowInsecureDatabase})
		}
	}
	for _, s := range []struct {
		wayOut

		address string
		link    func(string) (outbound.Link, error)
	}{
		{wayOut{setting: "SIMORA_SMTP_URL", remedy: "leave out ?tls=none", allow: "SIMORA_ALLOW_INSECURE_SMTP", allowed: c.AllowInsecureSMTP}, c.SMTPURL, mail.Link},
		{wayOut{setting: "SIMORA_MEDIA_URL", remedy: "use s3://", allow: "SIMORA_ALLOW_INSECURE_MEDIA", allowed: c.AllowInsecureMedia}, c.MediaURL, media.Link},
		{wayOut{setting: "SIMORA_LLM_BASE_URL", remedy: "use https://", allow: "SIMORA_ALLOW_INSECURE_LLM", allowed: c.AllowInsecureLLM}, string(c.LLMBaseURL), llm.Link},
		{wayOut{setting: "SIMORA_XAPI_ENDPOINT", remedy: "use https://", allow: "SIMORA_HOOKS_PRIVATE", allowed: c.HooksPrivate}, string(c.XAPIEndpoint), recordsLink},
	} {
		if s.address == "" {
			continue
		}
		if s.Link, err = s.link(s.address); err != nil {
			return nil, fmt.Errorf("%s: %w", s.setting, err)
		}
		ways = append(ways, s.wayOut)
	}
	for i := range ways {
		ways[i].Region = c.Regions[ways[i].Name]
	}
	if err := c.checkRegions(ways); err != nil {
		return nil, err
	}
	if len(c.ACMEDomains) > 0 { // learns our names, and nothing of a visitor
		directory, err := url.Parse(string(c.ACMEDirectory))
		if err != nil {
			return nil, fmt.Errorf("SIMORA_ACME_DIRECTORY: %w", err)
		}
		ways = append(ways, wayOut{Link: outbound.HTTP(acmeLink, directory)})
	}
	if c.OTLPURL != "" { // gets no visitor's data
		collector, err := url.Parse(string(c.OTLPURL))
		if err != nil {
			return nil, fmt.Errorf("SIMORA_OTLP_URL: %w", err)
		}
		ways = append(ways, wayOut{Link: outbound.HTTP("otlp", collector), allowed: true})
	}
	if c.OIDCIssuer != "" { // learns who of ours signs in, and nothing of a visitor
		issuer, err := url.Parse(string(c.OIDCIssuer))
		if err != nil {
			return nil, fmt.Errorf("SIMORA_OIDC_ISSUER: %w", err)
		}
		ways = append(ways, wayOut{Link: outbound.HTTP("oidc", issuer), setting: "SIMORA_OIDC_ISSUER", remedy: "use https://"})
	}
	return connect(c.Data, ways)
}

// recordsLink is the way to the learning record store.
func recordsLink(address string) (outbound.Link, error) {
	u, err := url.Parse(address)
	if err != nil {
		return outbound.Link{}, err
	}
	return outbound.HTTP("xapi", u), nil
}

// checkRegions compares the operator's own labels; where a host really stands
// no program can know.
func (c serveCommand) checkRegions(ways []wayOut) error {
	if len(c.AllowedRegions) == 0 {
		return nil
	}
	check := func(what, region, setting string) error {
		if region == "" {
			return fmt.Errorf("%s has no region, and SIMORA_ALLOWED_REGIONS is set: name it in %s", what, setting)
		}
		if !slices.Contains(c.AllowedRegions, region) {
			return fmt.Errorf("%s is in the region %s (%s), allowed is %s (SIMORA_ALLOWED_REGIONS)", what, region, setting, strings.Join(c.AllowedRegions, ", "))
		}
		return nil
	}
	if err := check("this installation", c.Region, "SIMORA_REGION"); err != nil {
		return err
	}
	for _, w := range ways {
		if err := check(w.setting, w.Region, "SIMORA_REGIONS as "+w.Name+"=…"); err != nil {
			return err
		}
	}
	for what, region := range c.Regions { // what other machinery of the operator uses, such as a replica
		if err := check(what, region, "SIMORA_REGIONS"); err != nil {
			return err
		}
	}
	return nil
}

// acmeDir is where the authority's certificates are kept.
func (c serveCommand) acmeDir() string { return filepath.Join(c.Data.Data, "acme") }
