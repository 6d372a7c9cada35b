package keyring_test

import (
	"context"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"simora/server/keyring"
	"simora/server/shelf"
)

// remote is a shelf that counts reads, and that hangs when it is told to.
type remote struct {
	shelf.Shelf

	gets  atomic.Int64
	hangs atomic.Bool
}

func (r *remote) Get(ctx context.Context, name string) ([]byte, error) {
	r.gets.Add(1)
	if r.hangs.Load() {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return r.Shelf.Get(ctx, name)
}

func (r *remote) List(ctx context.Context, prefix string) ([]string, error) {
	if r.hangs.Load() {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return r.Shelf.List(ctx, prefix)
}

func onRemote(t *testing.T) (*keyring.Keyring, *remote) {
	t.Helper()
	at := installation{t.TempDir()}
	r := &remote{Shelf: at.shelf(t)}
	k, err := keyring.Open(t.Context(), keyring.Options{File: filepath.Join(at.dir, keyring.FileName), Shelf: r, Now: func() time.Time { return noon }})
	require.NoError(t, err)
	return k, r
}

// A year of keys in a bucket is not read one by one to say how many there are.
func TestExtentReadsNoKeys(t *testing.T) {
	k, r := onRemote(t)
	for day := range 30 {
		sealFor(t, k, keyring.Day{Kind: keyring.Sessions, At: noon.AddDate(0, 0, -day)})
	}
	require.NoError(t, k.Rotate(t.Context()))
	all, err := k.List(t.Context())
	require.NoError(t, err)
	r.gets.Store(0)
	n, since, err := k.Extent(t.Context())
	require.NoError(t, err)
	assert.Equal(t, len(all), n)
	assert.Equal(t, noon, since)
	assert.LessOrEqual(t, r.gets.Load(), int64(2))
}

// While a job waits for a shelf that hangs, others wait no longer than it takes
// to give it up.
func TestHangingShelfHoldsNobody(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for it")
	}
	k, r := onRemote(t)
	r.hangs.Store(true)
	refreshed, sealed := make(chan error, 1), make(chan error, 1)
	go func() { refreshed <- k.Refresh(t.Context()) }()
	go func() {
		_, err := k.SealFor(keyring.Day{Kind: keyring.Sessions, At: noon}, place, nil)
		sealed <- err
	}()
	for _, done := range []chan error{refreshed, sealed} {
		select {
		case err := <-done:
			require.Error(t, err)
		case <-time.After(20 * time.Second):
			t.Fatal("still waiting")
		}
	}
}
