package keyring_test

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"simora/server/keyring"
)

func load(t *testing.T, path string) *keyring.Keyring {
	t.Helper()
	k, err := keyring.Load(path)
	require.NoError(t, err)
	return k
}

func TestSealedValueOpensOnlyAtItsPlace(t *testing.T) {
	k := load(t, filepath.Join(t.TempDir(), keyring.FileName))
	place := keyring.Place{Table: "messages", Column: "content", Row: "a"}
	sealed, err := k.Seal(place, []byte("my chest hurts"))
	require.NoError(t, err)
	assert.NotContains(t, string(sealed), "chest")

	plain, err := k.Open(place, sealed)
	require.NoError(t, err)
	assert.Equal(t, "my chest hurts", string(plain))

	for _, other := range []keyring.Place{
		{Table: "outbox", Column: "content", Row: "a"},
		{Table: "messages", Column: "meta", Row: "a"},
		{Table: "messages", Column: "content", Row: "b"},
	} {
		_, err := k.Open(other, sealed)
		assert.Error(t, err, "moved to %v", other)
	}
}

func TestKeysSurviveAReload(t *testing.T) {
	path := filepath.Join(t.TempDir(), keyring.FileName)
	place := keyring.Place{Table: "t", Column: "c", Row: "r"}
	first := load(t, path)
	sealed, err := first.Seal(place, []byte("x"))
	require.NoError(t, err)
	before, err := first.Index("email", "a@b.c")
	require.NoError(t, err)

	second := load(t, path)
	plain, err := second.Open(place, sealed)
	require.NoError(t, err)
	assert.Equal(t, "x", string(plain))
	after, err := second.Index("email", "a@b.c")
	require.NoError(t, err)
	assert.Equal(t, before, after)
	other, err := second.Index("ip", "a@b.c")
	require.NoError(t, err)
	assert.NotEqual(t, after, other, "domains are apart")
}

func TestKeyFileIsPrivate(t *testing.T) {
	path := filepath.Join(t.TempDir(), keyring.FileName)
	load(t, path)
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())

	require.NoError(t, os.Chmod(path, 0o644))
	_, err = keyring.Load(path)
	assert.ErrorContains(t, err, "0644")
}

func TestDamagedFileIsRefusedAndKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), keyring.FileName)
	require.NoError(t, os.WriteFile(path, []byte("{"), 0o600))
	_, err := keyring.Load(path)
	assert.ErrorContains(t, err, path)
	raw, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "{", string(raw))
}

func TestTwoStartsAtOnceShareTheKeys(t *testing.T) {
	path := filepath.Join(t.TempDir(), keyring.FileName)
	digests := make([]string, 8)
	var wg sync.WaitGroup
	for i := range digests {
		wg.Go(func() {
			k, err := keyring.Load(path)
			if !assert.NoError(t, err) {
				return
			}
			d, err := k.Index("d", "v")
			assert.NoError(t, err)
			digests[i] = string(d)
		})
	}
	wg.Wait()
	for _, d := range digests {
		assert.Equal(t, digests[0], d)
	}
}
