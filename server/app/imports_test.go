package app_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// mayImport says what each room may import of ours. Imports point down: a room
// imports only rooms above it in this list.
var mayImport = map[string][]string{
	"server/sim":           {},
	"server/bucket":        {"server/outbound"},
	"server/shelf":         {"server/bucket", "server/outbound"},
	"server/keyring":       {"server/shelf"},
	"server/config":        {},
	"server/outbound":      {},
	"server/certificate":   {"server/outbound"},
	"server/wire":          {"server/sim", "server/store"},
	"server/scenario":      {"server/sim"},
	"server/understand":    {"server/sim", "server/scenario"},
	"server/engine":        {"server/sim", "server/scenario", "server/understand"},
	"server/score":         {"server/sim", "server/scenario", "server/understand", "server/engine"},
	"server/observe":       {},
	"server/llm":           {"server/sim", "server/store", "server/scenario", "server/engine", "server/score", "server/outbound", "server/observe"},
	"server/store":         {"server/sim", "server/keyring", "server/outbound"},
	"server/xapi":          {"server/sim", "server/store"},
	"server/hooks":         {"server/sim", "server/store", "server/xapi", "server/outbound"},
	"server/mail":          {"server/sim", "server/keyring", "server/store", "server/hooks", "server/outbound", "server/observe"},
	"server/health":        {"server/sim", "server/store"},
	"server/metrics":       {"server/sim", "server/wire", "server/health"},
	"server/oidc":          {},
	"server/auth":          {"server/sim", "server/store", "server/oidc"},
	"server/audit":         {"server/sim", "server/keyring", "server/store"},
	"server/jobs":          {"server/sim", "server/keyring", "server/store", "server/auth", "server/mail", "server/media"},
	"server/canary":        {},
	"server/guard":         {"server/sim", "server/wire", "server/store"},
	"server/site":          {"server/sim"},
	"server/contact":       {"server/sim", "server/store", "server/hooks", "server/mail"},
	"server/console":       {"server/sim", "server/store", "server/hooks", "server/mail", "server/session", "server/audit"},
	"server/session":       {"server/sim", "server/store", "server/hooks", "server/mail", "server/observe"},
	"server/backup":        {"server/store"},
	"server/privacy":       {"server/sim", "server/store", "server/mail", "server/shelf"},
	"server/api/functions": {"server/sim", "server/wire", "server/store", "server/session", "server/contact", "server/console", "server/health", "server/privacy"},
	"server/media":         {"server/bucket", "server/outbound"},
	"server/geo":           {},
	"server/api/accounts":  {"server/sim", "server/wire", "server/store", "server/auth", "server/oidc"},
	"server/api/tables":    {"server/sim", "server/wire", "server/store"},
	"server/api/objects":   {"server/sim", "server/wire", "server/media"},
	"server/api":           {"server/sim", "server/wire", "server/store", "server/media", "server/api/accounts", "server/api/functions", "server/api/tables", "server/api/objects"},
	"server/app":           {"*"},
	"server/fakes/smtp":    {},
	"server/fakes/llm":     {},
	"scenarios":            {},
	"web":                  {},

	"server/fakes/lrs":      {},
	"server/fakes/receiver": {},
}

func TestImportsPointDown(t *testing.T) {
	const root = "../.."
	for _, top := range []string{"server", "scenarios", "web"} {
		err := filepath.WalkDir(filepath.Join(root, top), func(path string, d fs.DirEntry, err error) error {
			if d != nil && d.IsDir() && (d.Name() == "node_modules" || d.Name() == "testdata") {
				return filepath.SkipDir
			}
			if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
				return err
			}
			relative, err := filepath.Rel(root, filepath.Dir(path))
			require.NoError(t, err)
			checkImports(t, filepath.ToSlash(relative), path)
			return nil
		})
		require.NoError(t, err)
	}
}

func checkImports(t *testing.T, room, path string) {
	allowed, known := mayImport[room]
	if !assert.True(t, known, "room %s is not on the list of server/app/imports_test.go: say what it may import", room) {
		return
	}
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
	require.NoError(t, err)
	for _, spec := range file.Imports {
		name := strings.Trim(spec.Path.Value, `"`)
		switch ours, isOurs := strings.CutPrefix(name, "simora/"); {
		case isOurs:
			assert.True(t, slices.Contains(allowed, ours) || slices.Contains(allowed, "*"), "%s imports %s; it may import %v", path, ours, allowed)
		case room == "server/sim":
			assert.NotContains(t, strings.Split(name, "/")[0], ".", "%s: the language uses the standard library only", path)
		}
	}
}
