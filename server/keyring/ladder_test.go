package keyring_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tink-crypto/tink-go/v2/aead"
	"github.com/tink-crypto/tink-go/v2/insecurecleartextkeyset"
	"github.com/tink-crypto/tink-go/v2/keyset"

	"simora/server/keyring"
	"simora/server/shelf"
)

var (
	noon  = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
	place = keyring.Place{Table: "t", Column: "c", Row: "r"}
)

const oneDay = 24 * time.Hour

// installation is a data directory with keys.
type installation struct{ dir string }

func (i installation) shelf(t *testing.T) shelf.Shelf {
	t.Helper()
	s, err := shelf.Open(t.Context(), "", filepath.Join(i.dir, keyring.FolderName), nil)
	require.NoError(t, err)
	return s
}

func (i installation) open(t *testing.T, masterKey string) (*keyring.Keyring, error) {
	t.Helper()
	return keyring.Open(t.Context(), keyring.Options{
		File: filepath.Join(i.dir, keyring.FileName), MasterKey: masterKey, Shelf: i.shelf(t), Now: func() time.Time { return noon },
	})
}

func (i installation) keys(t *testing.T) *keyring.Keyring {
	t.Helper()
	k, err := i.open(t, "")
	require.NoError(t, err)
	return k
}

func sealFor(t *testing.T, k *keyring.Keyring, d keyring.Day) []byte {
	t.Helper()
	sealed, err := k.SealFor(d, place, []byte("plain"))
	require.NoError(t, err)
	return sealed
}

func opens(t *testing.T, k *keyring.Keyring, sealed []byte) {
	t.Helper()
	plain, err := k.Open(place, sealed)
	require.NoError(t, err)
	require.Equal(t, "plain", string(plain))
}

func TestProcessesShareDayKeys(t *testing.T) {
	at := installation{t.TempDir()}
	keys := []*keyring.Keyring{at.keys(t), at.keys(t), at.keys(t), at.keys(t)}
	sealed := make([][]byte, len(keys))
	var wg sync.WaitGroup
	for i, k := range keys {
		wg.Go(func() { sealed[i] = sealFor(t, k, keyring.Day{Kind: keyring.Sessions, At: noon}) })
	}
	wg.Wait()
	for _, k := range keys {
		for _, value := range sealed {
			opens(t, k, value)
		}
	}
}

func TestValueIsBoundToItsKey(t *testing.T) {
	k := installation{t.TempDir()}.keys(t)
	a, b := sealFor(t, k, keyring.Day{Kind: keyring.Sessions, At: noon}), sealFor(t, k, keyring.Day{Kind: keyring.Sessions, At: noon.Add(oneDay)})
	assert.NotEqual(t, a[:4], b[:4])
	copy(a, b[:4])
	_, err := k.Open(place, a)
	require.ErrorContains(t, err, "wrong key")
	for _, sealed := range [][]byte{nil, {2}, a[:20], append([]byte{2, 9, 0, 0}, a[4:]...)} {
		_, err := k.Open(place, sealed)
		require.Error(t, err)
		require.NotErrorIs(t, err, keyring.ErrDestroyed)
	}
}

func TestDestroyedDay(t *testing.T) {
	at := installation{t.TempDir()}
	k, other := at.keys(t), at.keys(t)
	midnight := noon.Truncate(oneDay)
	old := sealFor(t, k, keyring.Day{Kind: keyring.Sessions, At: midnight.Add(-time.Millisecond)})
	kept := [][]byte{
		sealFor(t, k, keyring.Day{Kind: keyring.Sessions, At: midnight}), sealFor(t, k, keyring.Day{Kind: keyring.Contact, At: midnight.Add(-oneDay)}), sealFor(t, k, keyring.Day{}),
	}
	opens(t, other, old)
	n, err := k.DestroyBefore(t.Context(), keyring.Sessions, noon) // the day of noon is not over
	require.NoError(t, err)
	assert.Equal(t, 1, n)
	require.NoError(t, other.Refresh(t.Context()))
	for _, k := range []*keyring.Keyring{k, other, at.keys(t)} {
		_, err := k.Open(place, old)
		require.ErrorIs(t, err, keyring.ErrDestroyed)
		for _, value := range kept {
			opens(t, k, value)
		}
		_, err = k.SealFor(keyring.Day{Kind: keyring.Sessions, At: noon.Add(-oneDay)}, place, nil)
		require.ErrorIs(t, err, keyring.ErrDestroyed, "a day that is gone gets no new key")
	}
	n, err = k.DestroyBefore(t.Context(), keyring.Sessions, noon.Add(-10*oneDay))
	require.NoError(t, err)
	assert.Zero(t, n)
	_, err = at.keys(t).Open(place, old)
	require.ErrorIs(t, err, keyring.ErrDestroyed, "the mark does not go back")
}

// A key that is not there although nobody destroyed it is a fault, not the end
// of a retention.
func TestMissingKeyIsNotDestroyed(t *testing.T) {
	at := installation{t.TempDir()}
	sealed := sealFor(t, at.keys(t), keyring.Day{Kind: keyring.Sessions, At: noon})
	require.NoError(t, at.shelf(t).Delete(t.Context(), "day/sessions/2026-06-01"))
	_, err := at.keys(t).Open(place, sealed)
	require.ErrorContains(t, err, "SIMORA_KEYS_URL")
	require.NotErrorIs(t, err, keyring.ErrDestroyed)
}

// What the first release sealed opens, also without its key file once a master
// key has taken over.
func TestValuesOfTheFirstFormatOpen(t *testing.T) {
	at := installation{t.TempDir()}
	first := at.keys(t)
	raw, err := os.ReadFile(filepath.Join(at.dir, keyring.FileName))
	require.NoError(t, err)
	var file struct{ Seal json.RawMessage }
	require.NoError(t, json.Unmarshal(raw, &file))
	handle, err := insecurecleartextkeyset.Read(keyset.NewJSONReader(bytes.NewReader(file.Seal)))
	require.NoError(t, err)
	tink, err := aead.New(handle)
	require.NoError(t, err)
	sealed, err := tink.Encrypt([]byte("plain"), []byte("t\x00c\x00r"))
	require.NoError(t, err)
	opens(t, first, sealed)

	// The same installation as the first release left it: no shelf.
	require.NoError(t, os.RemoveAll(filepath.Join(at.dir, keyring.FolderName)))
	second := at.keys(t)
	opens(t, second, sealed)
	a, err := first.Index("email", "a@b.test")
	require.NoError(t, err)
	b, err := second.Index("email", "a@b.test")
	require.NoError(t, err)
	assert.Equal(t, a, b)

	master := keyring.NewMasterKey()
	_, err = at.open(t, master)
	require.NoError(t, err)
	require.NoError(t, os.Remove(filepath.Join(at.dir, keyring.FileName)))
	third, err := at.open(t, master)
	require.NoError(t, err)
	opens(t, third, sealed)
	b, err = third.Index("email", "a@b.test")
	require.NoError(t, err)
	assert.Equal(t, a, b)
}

func TestMasterKeyIsReplaced(t *testing.T) {
	at := installation{t.TempDir()}
	old, fresh, wrong := keyring.NewMasterKey(), keyring.NewMasterKey(), keyring.NewMasterKey()
	k, err := at.open(t, old)
	require.NoError(t, err)
	assert.NoFileExists(t, filepath.Join(at.dir, keyring.FileName))
	sealed := sealFor(t, k, keyring.Day{Kind: keyring.Contact, At: noon})
	refused := func(masterKey string) {
		t.Helper()
		_, err := at.open(t, masterKey)
		require.Error(t, err)
		assert.NotContains(t, err.Error(), masterKey[:12])
	}
	refused(wrong)
	refused(fresh)
	_, err = at.open(t, "")
	require.ErrorContains(t, err, keyring.FileName)
	assert.NoFileExists(t, filepath.Join(at.dir, keyring.FileName), "none is made beside keys that it would not open")

	k, err = at.open(t, fresh+", "+old)
	require.NoError(t, err)
	opens(t, k, sealed)
	for _, one := range []string{old, fresh} {
		k, err = at.open(t, one)
		require.NoError(t, err)
		opens(t, k, sealed)
	}
	require.NoError(t, k.Rotate(t.Context())) // given only the fresh one
	refused(old)
	k, err = at.open(t, fresh)
	require.NoError(t, err)
	opens(t, k, sealed)
}

func TestMasterKeyForm(t *testing.T) {
	at, good := installation{t.TempDir()}, keyring.NewMasterKey()
	for _, text := range []string{"secret", good + ",", good[:42], good + "A", strings.ReplaceAll(good, good[:1], "+")} {
		_, err := at.open(t, text)
		require.ErrorContains(t, err, "SIMORA_MASTER_KEY")
		require.ErrorContains(t, err, "keys new", text)
		assert.NotContains(t, err.Error(), "secret")
	}
}

// Others seal, open and destroy while keys are rotated, each with its own
// memory of the keys; nobody meets an error.
func TestRotationUnderLoad(t *testing.T) {
	at := installation{t.TempDir()}
	admin, sweeper := at.keys(t), at.keys(t)
	stop := make(chan struct{})
	var wg sync.WaitGroup
	var opened atomic.Int64
	var mu sync.Mutex
	var all [][]byte
	for worker := range 3 {
		wg.Go(func() {
			k := at.keys(t)
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				if i%100 == 99 {
					k = at.keys(t) // a process that has just started
				}
				day := keyring.Day{Kind: keyring.Sessions, At: noon.AddDate(0, 0, worker*1000+i%8)}
				if i%5 == 0 {
					day = keyring.Day{}
				}
				sealed, err := k.SealFor(day, place, []byte("plain"))
				if !assert.NoError(t, err) {
					return
				}
				mu.Lock()
				all = append(all, sealed)
				value := all[len(all)/2]
				mu.Unlock()
				plain, err := k.Open(place, value)
				if !assert.NoError(t, err) {
					return
				}
				assert.Equal(t, "plain", string(plain))
				opened.Add(1)
			}
		})
	}
	for i := range 4 {
		require.NoError(t, admin.Rotate(t.Context()))
		sealFor(t, sweeper, keyring.Day{Kind: keyring.Contact, At: noon.AddDate(0, 0, i)})
		_, err := sweeper.DestroyBefore(t.Context(), keyring.Contact, noon.AddDate(0, 0, i+1))
		require.NoError(t, err)
	}
	close(stop)
	wg.Wait()
	assert.Positive(t, opened.Load())

	require.NoError(t, admin.Rotate(t.Context()))
	k := at.keys(t)
	for _, value := range all {
		opens(t, k, value)
	}
	list, err := k.List(t.Context())
	require.NoError(t, err)
	masters := 0
	for _, key := range list {
		assert.NotContains(t, key.Name, "contact", "destroyed and not back")
		if key.Master == 0 {
			masters++
		} else {
			assert.Equal(t, 6, key.Master, key.Name)
		}
	}
	assert.Equal(t, 2, masters, "this one and the last one")
}

// failing is a shelf that breaks after some changes.
type failing struct {
	shelf.Shelf

	left int
}

var errBroken = errors.New("broken")

func (f *failing) change(do func() error) error {
	if f.left == 0 {
		return errBroken
	}
	f.left--
	return do()
}

func (f *failing) Create(ctx context.Context, name string, value []byte) error {
	return f.change(func() error { return f.Shelf.Create(ctx, name, value) })
}

func (f *failing) Put(ctx context.Context, name string, value []byte) error {
	return f.change(func() error { return f.Shelf.Put(ctx, name, value) })
}

func (f *failing) Delete(ctx context.Context, name string) error {
	return f.change(func() error { return f.Shelf.Delete(ctx, name) })
}

// Wherever a set-up or a rotation is cut off, everything opens and the next
// try finishes.
func TestCutOffAnywhere(t *testing.T) {
	for changes := 0; ; changes++ {
		at := installation{t.TempDir()}
		options := keyring.Options{
			File: filepath.Join(at.dir, keyring.FileName), Shelf: &failing{at.shelf(t), changes}, Now: func() time.Time { return noon },
		}
		_, err := keyring.Open(t.Context(), options)
		if err == nil {
			break
		}
		require.ErrorIs(t, err, errBroken)
		k := at.keys(t)
		opens(t, at.keys(t), sealFor(t, k, keyring.Day{}))
		require.Less(t, changes, 50)
	}
	for changes := 0; ; changes++ {
		at := installation{t.TempDir()}
		k := at.keys(t)
		var all [][]byte
		for i := range 3 {
			all = append(all, sealFor(t, k, keyring.Day{Kind: keyring.Sessions, At: noon.AddDate(0, 0, i)}), sealFor(t, k, keyring.Day{}))
		}
		require.NoError(t, k.Rotate(t.Context()))
		broken, err := keyring.Open(t.Context(), keyring.Options{
			File: filepath.Join(at.dir, keyring.FileName), Shelf: &failing{at.shelf(t), changes}, Now: func() time.Time { return noon },
		})
		require.NoError(t, err)
		cut := broken.Rotate(t.Context())
		for _, k := range []*keyring.Keyring{k, broken, at.keys(t)} {
			for _, value := range all {
				opens(t, k, value)
			}
		}
		require.NoError(t, at.keys(t).Rotate(t.Context()), "after %d changes", changes)
		for _, value := range all {
			opens(t, at.keys(t), value)
		}
		if cut == nil {
			break
		}
		require.ErrorIs(t, cut, errBroken)
		require.Less(t, changes, 50)
	}
}

func TestUnreachableShelf(t *testing.T) {
	at := installation{t.TempDir()}
	at.keys(t)
	k, err := keyring.Open(t.Context(), keyring.Options{File: filepath.Join(at.dir, keyring.FileName), Shelf: &failing{at.shelf(t), 0}, Now: time.Now})
	require.NoError(t, err)
	_, err = k.SealFor(keyring.Day{Kind: keyring.Sessions, At: noon}, place, nil)
	require.ErrorIs(t, err, keyring.ErrUnreachable)
}

func BenchmarkSealAndOpen(b *testing.B) {
	dir := b.TempDir()
	k, err := keyring.Load(filepath.Join(dir, keyring.FileName))
	require.NoError(b, err)
	raw, err := os.ReadFile(filepath.Join(dir, keyring.FileName))
	require.NoError(b, err)
	var file struct{ Seal json.RawMessage }
	require.NoError(b, json.Unmarshal(raw, &file))
	handle, err := insecurecleartextkeyset.Read(keyset.NewJSONReader(bytes.NewReader(file.Seal)))
	require.NoError(b, err)
	before, err := aead.New(handle)
	require.NoError(b, err)
	text, day := []byte(strings.Repeat("x", 200)), keyring.Day{Kind: keyring.Sessions, At: noon}
	b.Run("before", func(b *testing.B) {
		for b.Loop() {
			data := fmt.Append(nil, place.Table, "\x00", place.Column, "\x00", place.Row)
			sealed, _ := before.Encrypt(text, data)
			if _, err := before.Decrypt(sealed, data); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("day keys", func(b *testing.B) {
		for b.Loop() {
			sealed, _ := k.SealFor(day, place, text)
			if _, err := k.Open(place, sealed); err != nil {
				b.Fatal(err)
			}
		}
	})
}
