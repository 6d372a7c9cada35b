package geo_test

import (
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/maxmind/mmdbwriter"
	"github.com/maxmind/mmdbwriter/mmdbtype"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"simora/server/geo"
)

func cityFile(t *testing.T) string {
	t.Helper()
	tree, err := mmdbwriter.New(mmdbwriter.Options{DatabaseType: "GeoLite2-City", IncludeReservedNetworks: true})
	require.NoError(t, err)
	name := func(text string) mmdbtype.Map {
		return mmdbtype.Map{"names": mmdbtype.Map{"en": mmdbtype.String(text)}}
	}
	_, network, err := net.ParseCIDR("203.0.113.0/24")
	require.NoError(t, err)
	require.NoError(t, tree.Insert(network, mmdbtype.Map{"city": name("Leeds"), "country": name("United Kingdom")}))
	path := filepath.Join(t.TempDir(), "city.mmdb")
	f, err := os.Create(path)
	require.NoError(t, err)
	_, err = tree.WriteTo(f)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	return path
}

func TestLocate(t *testing.T) {
	l, err := geo.Open(cityFile(t))
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	for address, want := range map[string][2]string{
		"203.0.113.9":        {"Leeds", "United Kingdom"},
		"::ffff:203.0.113.9": {"Leeds", "United Kingdom"},
		"198.51.100.1":       {"", ""},
		"":                   {"", ""},
		"not an address":     {"", ""},
	} {
		city, country := l.Locate(address)
		assert.Equal(t, want, [2]string{city, country}, address)
	}
}

func TestWithoutAFileNothingIsKnown(t *testing.T) {
	l, err := geo.Open("")
	require.NoError(t, err)
	city, country := l.Locate("203.0.113.9")
	assert.Empty(t, city+country)
	require.NoError(t, l.Close())
	_, err = geo.Open(filepath.Join(t.TempDir(), "none.mmdb"))
	assert.ErrorContains(t, err, "location file")
}
