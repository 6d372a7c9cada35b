package shelf_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"simora/server/shelf"
	"simora/tests/s3server"
)

// onAll runs a test on every kind of shelf; open opens the same one again.
func onAll(t *testing.T, test func(t *testing.T, open func() shelf.Shelf)) {
	addresses := map[string]func(t *testing.T) string{
		"directory": func(t *testing.T) string { return "file://" + filepath.Join(t.TempDir(), "shelf") },
	}
	if !testing.Short() {
		addresses["s3"] = func(t *testing.T) string { return s3server.Start(t) }
		addresses["s3 folder"] = func(t *testing.T) string { return s3server.Start(t) + "/some/folder" }
	}
	for name, address := range addresses {
		t.Run(name, func(t *testing.T) {
			at := address(t)
			test(t, func() shelf.Shelf {
				s, err := shelf.Open(t.Context(), at, "")
				require.NoError(t, err)
				return s
			})
		})
	}
}

func TestRecords(t *testing.T) {
	onAll(t, func(t *testing.T, open func() shelf.Shelf) {
		ctx, s := t.Context(), open()
		_, err := s.Get(ctx, "day/a")
		require.ErrorIs(t, err, fs.ErrNotExist)
		names, err := s.List(ctx, "")
		require.NoError(t, err)
		assert.Empty(t, names)
		require.NoError(t, s.Delete(ctx, "day/a"))

		require.NoError(t, s.Create(ctx, "day/a", []byte("1")))
		require.ErrorIs(t, s.Create(ctx, "day/a", []byte("2")), fs.ErrExist)
		require.NoError(t, s.Put(ctx, "day/b", []byte("3")))
		require.NoError(t, s.Put(ctx, "day/b", []byte("4")))
		require.NoError(t, s.Put(ctx, "daylight", nil))

		other := open()
		for name, want := range map[string]string{"day/a": "1", "day/b": "4", "daylight": ""} {
			value, err := other.Get(ctx, name)
			require.NoError(t, err)
			assert.Equal(t, want, string(value), name)
		}
		for prefix, want := range map[string][]string{"": {"day/a", "day/b", "daylight"}, "day/": {"day/a", "day/b"}, "day/b": {"day/b"}, "x": {}} {
			names, err := other.List(ctx, prefix)
			require.NoError(t, err)
			assert.Equal(t, want, names, prefix)
		}
		require.NoError(t, other.Delete(ctx, "day/a"))
		_, err = s.Get(ctx, "day/a")
		require.ErrorIs(t, err, fs.ErrNotExist)
		require.NoError(t, s.Create(ctx, "day/a", []byte("5")), "a deleted name is free")
	})
}

func TestOneOfManyCreates(t *testing.T) {
	onAll(t, func(t *testing.T, open func() shelf.Shelf) {
		var made atomic.Int32
		var wg sync.WaitGroup
		won := make([]string, 8)
		for i := range won {
			wg.Go(func() {
				s := open()
				err := s.Create(t.Context(), "a/b", fmt.Append(nil, i))
				if err == nil {
					made.Add(1)
				} else {
					assert.ErrorIs(t, err, fs.ErrExist)
				}
				value, err := s.Get(t.Context(), "a/b")
				assert.NoError(t, err)
				won[i] = string(value)
			})
		}
		wg.Wait()
		assert.EqualValues(t, 1, made.Load())
		for _, value := range won {
			assert.Equal(t, won[0], value)
		}
	})
}

// A reader beside a writer never sees half a record.
func TestRecordIsReadWhole(t *testing.T) {
	onAll(t, func(t *testing.T, open func() shelf.Shelf) {
		s, done := open(), make(chan struct{})
		require.NoError(t, s.Put(t.Context(), "a", []byte(strings.Repeat("0", 4000))))
		go func() {
			defer close(done)
			for i := range 20 {
				assert.NoError(t, s.Put(t.Context(), "a", []byte(strings.Repeat(fmt.Sprint(i%10), 4000))))
			}
		}()
		for running := true; running; {
			select {
			case <-done:
				running = false
			default:
			}
			value, err := s.Get(t.Context(), "a")
			require.NoError(t, err)
			require.Equal(t, strings.Repeat(string(value[:1]), 4000), string(value))
		}
	})
}

func TestNamesStayInside(t *testing.T) {
	onAll(t, func(t *testing.T, open func() shelf.Shelf) {
		s := open()
		for _, name := range []string{"", ".", "..", "../a", "a/../b", "/a", "a/", "a//b", ".new-1", "a/.b", "A", "a b", strings.Repeat("a", 201)} {
			_, err := s.Get(t.Context(), name)
			require.ErrorContains(t, err, "name", name)
			require.ErrorContains(t, s.Put(t.Context(), name, nil), "name", name)
			require.ErrorContains(t, s.Create(t.Context(), name, nil), "name", name)
			require.ErrorContains(t, s.Delete(t.Context(), name), "name", name)
		}
	})
}

func TestDirectoryIsPrivate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "keys")
	s, err := shelf.Open(t.Context(), "", dir)
	require.NoError(t, err)
	require.NoError(t, s.Put(t.Context(), "a/b", []byte("x")))
	info, err := os.Stat(filepath.Join(dir, "a", "b"))
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	left, err := os.ReadDir(filepath.Join(dir, "a"))
	require.NoError(t, err)
	assert.Len(t, left, 1, "no draft is left")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a", ".b.new-1"), []byte("x"), 0o600)) // by a killed process
	require.NoError(t, s.Delete(t.Context(), "a/b"))
	left, err = os.ReadDir(filepath.Join(dir, "a"))
	require.NoError(t, err)
	assert.Empty(t, left)

	require.NoError(t, os.Chmod(dir, 0o755)) //nolint:gosec // that is the point
	_, err = shelf.Open(t.Context(), "", dir)
	require.ErrorContains(t, err, "0755")
}

func TestWrongAddresses(t *testing.T) {
	for _, address := range []string{"file://host/dir", "file:relative", "ftp://a", "s3://key:hunter2@host", "s3://host/bucket"} {
		_, err := shelf.Open(t.Context(), address, "")
		require.ErrorContains(t, err, "form", address)
		assert.NotContains(t, err.Error(), "hunter2")
	}
}
