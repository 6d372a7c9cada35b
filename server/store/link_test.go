package store_test

import (
	"context"
	"log/slog"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"simora/server/keyring"
	"simora/server/outbound"
	"simora/server/store"
	"simora/tests/authority"
	"simora/tests/pgserver"
)

// What counts is what pgx would do, not what the address calls it.
func TestLinks(t *testing.T) {
	for mode, want := range map[string][2]bool{ // encrypted, verified
		"":                     {false, false},
		"?sslmode=disable":     {false, false},
		"?sslmode=allow":       {false, false},
		"?sslmode=prefer":      {false, false},
		"?sslmode=require":     {true, false},
		"?sslmode=verify-ca":   {true, false},
		"?sslmode=verify-full": {true, true},
		"?sslrootcert=system":  {true, true},
	} {
		links, err := store.Links("database", "postgres://app:canary@db.example/simora"+mode)
		require.NoError(t, err, mode)
		assert.Equal(t, []outbound.Link{{Name: "database", Address: "db.example:5432", Encrypted: want[0], Verified: want[1]}}, links, mode)
	}
	links, err := store.Links("database", "postgres://app@one.example:1,two.example:2/simora?sslmode=verify-full")
	require.NoError(t, err)
	require.Len(t, links, 2)
	assert.Equal(t, "two.example:2", links[1].Address)
	links, err = store.Links("database", "postgres://app@/simora?host=/run/postgresql")
	require.NoError(t, err)
	assert.True(t, links[0].Local())
	_, err = store.Links("database", "postgres://app:canary@db.example/simora?sslmode=canary-mode&sslrootcert=/nowhere")
	require.Error(t, err)
	assert.NotContains(t, err.Error(), "app:")
}

// A real PostgreSQL proves its name, or is not spoken with.
func TestDatabaseProvesItsName(t *testing.T) {
	if testing.Short() {
		t.Skip("PostgreSQL is left out of the short run")
	}
	ours, theirs := authority.New(t), authority.New(t)
	roots, err := outbound.ReadRoots(ours.File)
	require.NoError(t, err)
	for _, c := range []struct {
		name, of, want string
		issuer         *authority.Authority
	}{
		{"good", "127.0.0.1", "", ours},
		{"of another name", "evil.example", "127.0.0.1", ours},
		{"of another authority", "127.0.0.1", "unknown authority", theirs},
	} {
		t.Run(c.name, func(t *testing.T) {
			url := pgserver.Encrypted(t, c.issuer, c.of) + "?sslmode=verify-full"
			links, err := store.Links("database", url)
			require.NoError(t, err)
			keys, err := keyring.Load(filepath.Join(t.TempDir(), keyring.FileName))
			require.NoError(t, err)
			open := func(network *outbound.Network) error {
				s, err := store.Open(context.Background(), store.Options{URL: url, Keyring: keys, Log: slog.New(slog.DiscardHandler), Network: network})
				if err == nil {
					err = s.Close()
				}
				return err
			}
			err = open(outbound.New(roots, links...))
			if c.want == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, c.want)
			}
			require.ErrorIs(t, open(outbound.New(roots)), outbound.ErrForbidden, "a database that is not configured")
		})
	}
}
