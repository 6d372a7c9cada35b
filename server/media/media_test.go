package media_test

import (
	"bytes"
	"context"
	"errors"
	"hash/crc32"
	"image"
	"image/png"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"simora/server/media"
	"simora/tests/s3server"
)

// onBoth holds every kind of library to a promise.
func onBoth(t *testing.T, promise func(t *testing.T, l *media.Library, dir string)) {
	for name, address := range map[string]func(t *testing.T) string{
		"disk": func(*testing.T) string { return "" },
		"s3":   func(t *testing.T) string { return s3server.Start(t) },
	} {
		t.Run(name, func(t *testing.T) {
			if name == "s3" && testing.Short() {
				t.Skip("needs an S3 server")
			}
			dir := t.TempDir()
			l, err := media.Open(dir, address(t), nil)
			require.NoError(t, err)
			t.Cleanup(func() { _ = l.Close() })
			promise(t, l, dir)
		})
	}
}

func picture(t *testing.T, width, height int) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, png.Encode(&b, image.NewGray(image.Rect(0, 0, width, height))))
	return b.Bytes()
}

const name = "healthcare/1700000000000_abc.png"

func TestObjectsAreKept(t *testing.T) {
	onBoth(t, func(t *testing.T, l *media.Library, dir string) {
		ctx := context.Background()
		_, err := l.Get(ctx, name)
		require.ErrorIs(t, err, fs.ErrNotExist)
		want := picture(t, 30, 20)
		require.NoError(t, l.Put(ctx, name, bytes.NewReader(want)))
		object, err := l.Get(ctx, name)
		require.NoError(t, err)
		assert.Equal(t, int64(len(want)), object.Size)
		assert.False(t, object.ModTime.IsZero())
		_, err = object.Seek(3, io.SeekStart)
		require.NoError(t, err)
		got, err := io.ReadAll(object)
		require.NoError(t, err)
		assert.Equal(t, want[3:], got)
		require.NoError(t, object.Close())

		require.ErrorIs(t, l.Put(ctx, name, bytes.NewReader(picture(t, 1, 1))), media.ErrExists, "nothing is overwritten")
		was, err := l.Remove(ctx, name)
		require.NoError(t, err)
		assert.True(t, was)
		was, err = l.Remove(ctx, name)
		require.NoError(t, err)
		assert.False(t, was)
		_, err = l.Get(ctx, name)
		require.ErrorIs(t, err, fs.ErrNotExist)
		drafts, err := os.ReadDir(filepath.Join(dir, ".incoming"))
		require.NoError(t, err)
		assert.Empty(t, drafts, "no draft is left")
	})
}

// endless never stops giving the beginning of a film.
type endless struct{ head *bytes.Reader }

func (e endless) Read(p []byte) (int, error) {
	if n, _ := e.head.Read(p); n > 0 {
		return n, nil
	}
	return len(p), nil
}

type broken struct{ io.Reader }

func (b broken) Read(p []byte) (int, error) {
	if n, err := b.Reader.Read(p); err == nil {
		return n, nil
	}
	return 0, errors.New("the line broke")
}

func TestWhatIsNotTaken(t *testing.T) {
	onBoth(t, func(t *testing.T, l *media.Library, dir string) {
		ctx := context.Background()
		mp4 := append([]byte("\x00\x00\x00\x20ftypisom\x00\x00\x02\x00isomiso2avc1mp41"), make([]byte, 5000)...)
		for what, c := range map[string]struct {
			name    string
			content io.Reader
			want    error
		}{
			"traversal":         {"healthcare/../x.png", strings.NewReader("x"), media.ErrName},
			"other folder":      {"secret/x.png", strings.NewReader("x"), media.ErrName},
			"hidden":            {"healthcare/.x.png", strings.NewReader("x"), media.ErrName},
			"drawing":           {"healthcare/x.svg", strings.NewReader("<svg/>"), &media.KindError{Found: ".svg"}},
			"page as picture":   {"healthcare/x.png", strings.NewReader("<html><script>alert(1)</script>"), &media.KindError{Found: "text/html; charset=utf-8"}},
			"picture as film":   {"healthcare/x.mp4", bytes.NewReader(picture(t, 9, 9)), &media.KindError{Found: "image/png"}},
			"cut picture":       {"healthcare/x.png", bytes.NewReader(picture(t, 9, 9)[:20]), &media.KindError{Found: "broken image"}},
			"huge picture":      {"healthcare/x.png", bytes.NewReader(withSize(picture(t, 9, 9), 65535, 65535)), &media.KindError{Found: "image/png of 65535 x 65535 pixels"}},
			"nothing":           {"healthcare/x.png", strings.NewReader(""), media.ErrEmpty},
			"larger than 100MB": {"healthcare/x.mp4", endless{bytes.NewReader(mp4)}, media.ErrTooLarge},
		} {
			err := l.Put(ctx, c.name, c.content)
			var kind *media.KindError
			if errors.As(c.want, &kind) {
				assert.EqualError(t, err, c.want.Error(), what)
			} else {
				assert.ErrorIs(t, err, c.want, what)
			}
		}
		require.ErrorContains(t, l.Put(ctx, "healthcare/x.mp4", broken{bytes.NewReader(mp4)}), "the line broke")
		_, err := l.Get(ctx, "healthcare/x.mp4")
		require.ErrorIs(t, err, fs.ErrNotExist, "half a film is no film")
		drafts, err := os.ReadDir(filepath.Join(dir, ".incoming"))
		require.NoError(t, err)
		assert.Empty(t, drafts)
	})
}

// withSize writes another size into a PNG's head; its checksum is made to fit.
func withSize(raw []byte, width, height uint32) []byte {
	out := bytes.Clone(raw)
	put := func(at int, v uint32) {
		out[at], out[at+1], out[at+2], out[at+3] = byte(v>>24), byte(v>>16), byte(v>>8), byte(v)
	}
	put(16, width)
	put(20, height)
	put(29, crc32.ChecksumIEEE(out[12:29]))
	return out
}

func TestOrphansGoAfterADay(t *testing.T) {
	onBoth(t, func(t *testing.T, l *media.Library, dir string) {
		ctx := context.Background()
		for _, name := range []string{"healthcare/shown.png", "airlines/orphan.png"} {
			require.NoError(t, l.Put(ctx, name, bytes.NewReader(picture(t, 1200, 10))))
		}
		cut := filepath.Join(dir, ".incoming", "cut off")
		require.NoError(t, os.WriteFile(cut, []byte("x"), 0o600))
		listed := func(context.Context) (map[string]bool, error) {
			return map[string]bool{"healthcare/shown.png": true}, nil
		}
		removed, err := l.RemoveOrphans(ctx, time.Now().Add(23*time.Hour), listed)
		require.NoError(t, err)
		assert.Zero(t, removed)
		require.FileExists(t, cut)
		removed, err = l.RemoveOrphans(ctx, time.Now().Add(25*time.Hour), listed)
		require.NoError(t, err)
		assert.Equal(t, 1, removed)
		_, err = l.Get(ctx, "healthcare/shown.png")
		require.NoError(t, err)
		_, _, err = l.Thumbnail(ctx, "airlines/orphan.png")
		require.ErrorIs(t, err, fs.ErrNotExist)
		require.NoFileExists(t, cut)
	})
}

func TestAddressesThatAreRefused(t *testing.T) {
	for _, address := range []string{"http://a:b@host/bucket", "s3://host/bucket", "s3://a:b@host", "s3://a:b@host/one/two", "s3://a@host/bucket"} {
		_, err := media.Open(t.TempDir(), address, nil)
		require.ErrorContains(t, err, "s3://key:secret@host/bucket", address)
		assert.NotContains(t, err.Error(), "a:b@")
	}
}
