package network_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"simora/tests/product"
)

// What would cross a network readable, or to somebody who need not prove who
// they are, stops the start, with the setting that mends it and no password.
func TestUnsafeLinksStopTheStart(t *testing.T) {
	const (
		database = "SIMORA_DATABASE_URL=postgres://app:canary@db.invalid/simora"
		smtp     = "SIMORA_SMTP_URL=smtp://app:canary@mail.invalid:25"
		bucket   = "SIMORA_MEDIA_URL=s3+http://canary:canary@s3.invalid/media"
		model    = "SIMORA_LLM_BASE_URL=http://llm.invalid/v1"
	)
	unsafe := map[string][]string{
		"SIMORA_ALLOW_INSECURE_DATABASE=true": {database, database + "?sslmode=disable", database + "?sslmode=prefer", database + "?sslmode=require", database + "?sslmode=verify-ca"},
		"SIMORA_ALLOW_INSECURE_SMTP=true":     {smtp + "?tls=none"},
		"SIMORA_ALLOW_INSECURE_MEDIA=true":    {bucket},
		"SIMORA_ALLOW_INSECURE_LLM=true":      {model},
	}
	for allow, settings := range unsafe {
		for _, setting := range settings {
			t.Run(setting, func(t *testing.T) {
				t.Parallel()
				name, _, _ := strings.Cut(setting, "=")
				_, err := product.TryStart(t.TempDir(), setting, "SIMORA_LLM_MODEL="+modelFor(setting))
				require.ErrorContains(t, err, name+": the connection to ")
				require.ErrorContains(t, err, allow)
				assert.NotContains(t, err.Error(), "canary")

				allowed, err := product.TryStart(t.TempDir(), setting, "SIMORA_LLM_MODEL="+modelFor(setting), allow)
				if err == nil {
					allowed.Kill()
					return
				}
				require.Equal(t, "SIMORA_DATABASE_URL", name, "only the database is asked at the start: %v", err)
				assert.Contains(t, err.Error(), "db.invalid")
				assert.NotContains(t, err.Error(), allow)
			})
		}
	}
	t.Run("safe, or on this machine", func(t *testing.T) {
		for _, settings := range [][]string{
			{smtp, "SIMORA_MEDIA_URL=s3://canary:canary@s3.invalid/media", "SIMORA_LLM_BASE_URL=https://llm.invalid/v1", "SIMORA_LLM_MODEL=m"},
			{"SIMORA_SMTP_URL=smtp://127.0.0.1:25?tls=none", "SIMORA_MEDIA_URL=s3+http://a:b@localhost:9000/media", "SIMORA_LLM_BASE_URL=http://[::1]:11434/v1", "SIMORA_LLM_MODEL=m"},
		} {
			server := product.Start(t, t.TempDir(), settings...)
			server.Kill()
			assert.NotContains(t, server.Log(), "canary")
			for _, name := range []string{`"smtp"`, `"media"`, `"llm"`} {
				assert.Contains(t, server.Log(), `"Name":`+name)
			}
		}
	})
}

func modelFor(setting string) string {
	if strings.HasPrefix(setting, "SIMORA_LLM") {
		return "m"
	}
	return ""
}

// With a list of allowed regions, everything has a label and is on the list.
func TestRegions(t *testing.T) {
	endpoints := []string{"SIMORA_SMTP_URL=smtps://mail.invalid", "SIMORA_MEDIA_URL=s3://a:b@s3.invalid/media", "SIMORA_LLM_BASE_URL=https://llm.invalid/v1", "SIMORA_LLM_MODEL=m"}
	for _, c := range []struct {
		name     string
		settings []string
		want     string // of the error; empty: it starts
	}{
		{"no list, no labels", nil, ""},
		{"no list, any label", []string{"SIMORA_REGION=x", "SIMORA_REGIONS=smtp=moon"}, ""},
		{"all at home", []string{"SIMORA_ALLOWED_REGIONS=eu-a,eu-b", "SIMORA_REGION=eu-a", "SIMORA_REGIONS=smtp=eu-a,media=eu-b,llm=eu-a"}, ""},
		{"installation without a label", []string{"SIMORA_ALLOWED_REGIONS=eu-a", "SIMORA_REGIONS=smtp=eu-a,media=eu-a,llm=eu-a"}, "SIMORA_REGION"},
		{"installation elsewhere", []string{"SIMORA_ALLOWED_REGIONS=eu-a", "SIMORA_REGION=us-a", "SIMORA_REGIONS=smtp=eu-a,media=eu-a,llm=eu-a"}, "this installation is in the region us-a"},
		{"endpoint without a label", []string{"SIMORA_ALLOWED_REGIONS=eu-a", "SIMORA_REGION=eu-a", "SIMORA_REGIONS=smtp=eu-a,media=eu-a"}, "SIMORA_LLM_BASE_URL has no region"},
		{"endpoint elsewhere", []string{"SIMORA_ALLOWED_REGIONS=eu-a", "SIMORA_REGION=eu-a", "SIMORA_REGIONS=smtp=eu-a,media=us-a,llm=eu-a"}, "SIMORA_MEDIA_URL is in the region us-a"},
		{"replica elsewhere", []string{"SIMORA_ALLOWED_REGIONS=eu-a", "SIMORA_REGION=eu-a", "SIMORA_REGIONS=smtp=eu-a,media=eu-a,llm=eu-a,replica=us-a"}, "replica is in the region us-a"},
		{"unknown word", []string{"SIMORA_REGIONS=mail=eu-a"}, "of database, replica, keys, media, smtp, llm and xapi"},
		{"no region", []string{"SIMORA_REGIONS=smtp"}, "SIMORA_REGIONS"},
		{"twice", []string{"SIMORA_REGIONS=smtp=eu-a,smtp=us-a"}, "one region for each"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			server, err := product.TryStart(t.TempDir(), append(c.settings, endpoints...)...)
			if c.want != "" {
				require.ErrorContains(t, err, c.want)
				return
			}
			require.NoError(t, err)
			server.Kill()
		})
	}
	_, err := product.TryStart(t.TempDir(), "SIMORA_DATABASE_URL=postgres://app@db.invalid/simora?sslmode=verify-full", "SIMORA_ALLOWED_REGIONS=eu-a", "SIMORA_REGION=eu-a")
	require.ErrorContains(t, err, "SIMORA_DATABASE_URL has no region", "before anything is connected to")
}
