package main

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"

	cdx "github.com/CycloneDX/cyclonedx-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"simora/tests/product"
)

func TestBillNamesWhatIsInTheBinary(t *testing.T) {
	binary, err := product.Build()
	require.NoError(t, err)
	packages, err := exec.Command("npm", "--prefix", "../../web", "sbom", "--sbom-format", "cyclonedx", "--package-lock-only", "--omit", "optional").Output()
	require.NoError(t, err)
	var out bytes.Buffer
	require.NoError(t, write(binary, bytes.NewReader(packages), &out))
	var bom cdx.BOM
	require.NoError(t, cdx.NewBOMDecoder(&out, cdx.BOMFileFormatJSON).Decode(&bom))
	found := map[string]bool{}
	for _, c := range *bom.Components {
		assert.False(t, found[c.BOMRef], "%s twice", c.BOMRef)
		assert.NotEmpty(t, c.Version, c.Name)
		found[c.BOMRef] = true
		name, _, _ := strings.Cut(c.PackageURL, "@v")
		found[name] = true
	}
	for _, name := range []string{"pkg:golang/github.com/jackc/pgx/v5", "pkg:golang/modernc.org/sqlite", "pkg:golang/go.opentelemetry.io/otel"} {
		assert.True(t, found[name], name)
	}
	names := map[string]bool{}
	for _, c := range *bom.Components {
		names[c.Name] = true
	}
	for name, want := range map[string]bool{"react-dom": true, "@supabase/supabase-js": true, "valibot": true, "@typescript/typescript-linux-x64": false, "vitest": false, "github.com/stretchr/testify": false} {
		assert.Equal(t, want, names[name], name)
	}
}

func TestWithoutPackages(t *testing.T) {
	binary, err := product.Build()
	require.NoError(t, err)
	require.ErrorContains(t, write(binary, strings.NewReader("{}"), &bytes.Buffer{}), "npm")
	require.ErrorContains(t, write("main.go", strings.NewReader("{}"), &bytes.Buffer{}), "main.go")
}
