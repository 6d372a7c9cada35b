package config_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"simora/server/config"
)

func parse(t *testing.T, args ...string) (config.Serve, error) {
	t.Helper()
	var c struct{ config.Serve }
	parser, err := kong.New(&c, kong.Exit(func(int) {}))
	require.NoError(t, err)
	_, err = parser.Parse(args)
	return c.Serve, err
}

// A wrong value names the setting, what was found and what is allowed,
// wherever it came from.
func TestWrongValues(t *testing.T) {
	for _, c := range []struct{ flag, env, value, allowed string }{
		{"--listen", "SIMORA_LISTEN", "8080", "host:port"},
		{"--listen", "SIMORA_LISTEN", "localhost:99999", "0 to 65535"},
		{"--public-url", "SIMORA_PUBLIC_URL", "simora.example", "https://"},
		{"--public-url", "SIMORA_PUBLIC_URL", "https://simora.example/path", "without a path"},
		{"--public-url", "SIMORA_PUBLIC_URL", "javascript:alert(1)", "https://"},
		{"--mail-from", "SIMORA_MAIL_FROM", "nobody", "mail address"},
		{"--public-key", "SIMORA_PUBLIC_KEY", "short", "at least 16"},
		{"--allowed-origins", "SIMORA_ALLOWED_ORIGINS", "https://a.example/", "without a path"},
		{"--allowed-origins", "SIMORA_ALLOWED_ORIGINS", "*", "origins"},
		{"--trusted-proxies", "SIMORA_TRUSTED_PROXIES", "10.0.0.0/99", "10.0.0.0/8"},
		{"--retention", "SIMORA_RETENTION", "90 days", "90d"},
		{"--retention", "SIMORA_RETENTION", "0d", "positive"},
		{"--limit-factor", "SIMORA_LIMIT_FACTOR", "0", "above 0"},
		{"--limit-factor", "SIMORA_LIMIT_FACTOR", "NaN", "above 0"},
		{"--llm-calls-per-day", "SIMORA_LLM_CALLS_PER_DAY", "0", "above 0"},
		{"--llm-tokens-per-day", "SIMORA_LLM_TOKENS_PER_DAY", "5e6", "whole number"},
		{"--llm-concurrency", "SIMORA_LLM_CONCURRENCY", "-1", "above 0"},
		{"--acme-domains", "SIMORA_ACME_DOMAINS", "*.example.com", "without wildcards"},
		{"--acme-domains", "SIMORA_ACME_DOMAINS", "localhost", "training.example.com"},
		{"--acme-directory", "SIMORA_ACME_DIRECTORY", "letsencrypt", "address"},
		{"--http-listen", "SIMORA_HTTP_LISTEN", "80", "host:port"},
		{"--regions", "SIMORA_REGIONS", "mail=eu-a", "smtp"},
		{"--allowed-regions", "SIMORA_ALLOWED_REGIONS", "eu a", "eu-central"},
		{"--site-file", "SIMORA_SITE_FILE", "/nowhere.yaml", "nowhere.yaml"},
	} {
		t.Run(c.env+"="+c.value, func(t *testing.T) {
			_, err := parse(t, c.flag+"="+c.value)
			require.ErrorContains(t, err, c.flag)
			require.ErrorContains(t, err, c.allowed)

			t.Setenv(c.env, c.value)
			_, err = parse(t)
			require.ErrorContains(t, err, c.env)
			require.ErrorContains(t, err, c.value)
			require.ErrorContains(t, err, c.allowed)
		})
	}
}

func TestPasswordInADatabaseURLIsNotRepeated(t *testing.T) {
	t.Setenv("SIMORA_DATABASE_URL", "postgre://app:canary@db/x")
	_, err := parse(t)
	require.ErrorContains(t, err, "SIMORA_DATABASE_URL")
	require.ErrorContains(t, err, "postgres://user:password@host")
	assert.NotContains(t, err.Error(), "canary")
}

func TestDefaultsAndOrder(t *testing.T) {
	c, err := parse(t)
	require.NoError(t, err)
	assert.Equal(t, "./data", c.Data.Data)
	assert.EqualValues(t, "127.0.0.1:8080", c.Listen)

	file := filepath.Join(t.TempDir(), "simora.env")
	require.NoError(t, os.WriteFile(file, []byte("# production\nSIMORA_LISTEN=:1\nSIMORA_RETENTION=30d\nSIMORA_LIMIT_FACTOR=3\n"), 0o600))
	t.Setenv("SIMORA_RETENTION", "60d")
	for _, name := range []string{"SIMORA_LISTEN", "SIMORA_LIMIT_FACTOR"} { // unset now, restored after the test
		t.Setenv(name, "")
		require.NoError(t, os.Unsetenv(name))
	}
	require.NoError(t, config.LoadFile(file, config.ProcessEnvironment))
	c, err = parse(t, "--limit-factor=5")
	require.NoError(t, err)
	assert.EqualValues(t, ":1", c.Listen, "the file beats the default")
	assert.EqualValues(t, 60*24*3600*1e9, c.Retention, "the environment beats the file")
	assert.EqualValues(t, 5, c.LimitFactor, "a flag beats the file")
}

func TestMistypedNamesAreFound(t *testing.T) {
	file := filepath.Join(t.TempDir(), "simora.env")
	require.NoError(t, os.WriteFile(file, []byte("SIMORA_LISTENN=:1\n"), 0o600))
	err := config.LoadFile(file, config.ProcessEnvironment)
	require.ErrorContains(t, err, "SIMORA_LISTENN")
	require.ErrorContains(t, err, "SIMORA_LISTEN,")

	t.Setenv("SIMORA_RETENTON", "1d")
	assert.Equal(t, []string{"SIMORA_RETENTON"}, config.UnknownVariables(config.ProcessEnvironment))
}

// The model's settings belong together, and no message repeats a key.
func TestLanguageModelSettings(t *testing.T) {
	for name, c := range map[string]struct {
		args []string
		want string // of the error; empty: accepted
	}{
		"none":               {nil, ""},
		"all":                {[]string{"--llm-base-url=https://llm.example/v1/", "--llm-model=m", "--llm-api-key=canary"}, ""},
		"a local server":     {[]string{"--llm-base-url=http://localhost:11434/v1", "--llm-model=m"}, ""},
		"no model":           {[]string{"--llm-base-url=https://llm.example/v1", "--llm-api-key=canary"}, "SIMORA_LLM_MODEL"},
		"no address":         {[]string{"--llm-model=m"}, "SIMORA_LLM_BASE_URL"},
		"a key alone":        {[]string{"--llm-api-key=canary"}, "SIMORA_LLM_BASE_URL"},
		"a key with a break": {[]string{"--llm-base-url=https://llm.example/v1", "--llm-model=m", "--llm-api-key=canary\nX: y"}, "SIMORA_LLM_API_KEY"},
		"a key in the query": {[]string{"--llm-base-url=https://llm.example/v1?key=canary", "--llm-model=m"}, "--llm-base-url"},
		"a password":         {[]string{"--llm-base-url=https://user:canary@llm.example/v1", "--llm-model=m"}, "without a user"},
		"not an address":     {[]string{"--llm-base-url=canary", "--llm-model=m"}, "https://api.openai.com/v1"},
		"a database as well": {[]string{"--database-url=mysql://x", "--llm-model=m"}, "SIMORA_DATABASE_URL"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := parse(t, c.args...)
			if c.want == "" {
				require.NoError(t, err)
				assert.Equal(t, len(c.args) > 0, got.Connected())
				assert.NotContains(t, string(got.LLMBaseURL)+"|", "/|")
				return
			}
			require.ErrorContains(t, err, c.want)
			assert.NotContains(t, err.Error(), "canary")
		})
	}
}

// The README's table has every setting.
func TestReadmeNamesEverySetting(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	for _, name := range config.Variables() {
		assert.Contains(t, string(readme), "`"+name+"`")
	}
}

func TestSingleSignOnSettings(t *testing.T) {
	whole := []string{"--oidc-issuer=https://login.example.com", "--oidc-client-id=simora", "--oidc-client-secret=very-secret"}
	for _, c := range []struct {
		args []string
		want string // empty: fine
	}{
		{nil, ""},
		{whole, ""},
		{append(whole, "--oidc-provision", "--oidc-domains=Example.com"), ""},
		{append(whole, "--oidc-provision", "--oidc-admins=groups=admins,owners"), ""},
		{append(whole, "--oidc-provision"), "SIMORA_OIDC_PROVISION"},
		{append(whole, "--oidc-provision", "--oidc-viewers=groups=staff"), ""},
		{append(whole, "--oidc-admins=groups"), "allowed is a claim and its values"},
		{append(whole, "--oidc-viewers=groups"), "allowed is a claim and its values"},
		{[]string{"--oidc-viewers=groups=staff"}, "SIMORA_OIDC_ISSUER"},
		{append(whole, "--oidc-domains=somebody@example.com"), "allowed is a list of domains"},
		{whole[:2], "SIMORA_OIDC_CLIENT_SECRET"},
		{whole[1:], "SIMORA_OIDC_ISSUER"},
		{append(whole, "--oidc-issuer=http://login.example.com"), "allowed is an https address"},
		{append(whole, "--oidc-issuer=http://127.0.0.1:5556/dex"), ""},
		{append(whole, "--oidc-issuer=login.example.com"), "allowed is an https address"},
	} {
		_, err := parse(t, c.args...)
		if c.want == "" {
			require.NoError(t, err, "%v", c.args)
			continue
		}
		require.ErrorContains(t, err, c.want, "%v", c.args)
		assert.NotContains(t, err.Error(), "very-secret")
	}
	s, err := parse(t, append(whole, "--oidc-domains=Example.COM, example.org", "--oidc-admins=groups=a,b")...)
	require.NoError(t, err)
	assert.Equal(t, config.Domains{"example.com", "example.org"}, s.OIDCDomains)
	assert.Equal(t, config.Claim{Name: "groups", Values: []string{"a", "b"}}, s.OIDCAdmins)
}
