package media_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"simora/server/media"
	"simora/tests/s3server"
)

func TestReach(t *testing.T) {
	onBoth(t, func(t *testing.T, l *media.Library, dir string) {
		require.NoError(t, l.Reach(t.Context()))
		left, err := os.ReadDir(filepath.Join(dir, ".incoming"))
		if err == nil {
			assert.Empty(t, left)
		}
	})
}

func TestReachFails(t *testing.T) {
	t.Run("folder is gone", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "media")
		l, err := media.Open(dir, "", nil)
		require.NoError(t, err)
		t.Cleanup(func() { _ = l.Close() })
		require.NoError(t, os.RemoveAll(dir))
		require.Error(t, l.Reach(t.Context()))
	})
	t.Run("no such bucket", func(t *testing.T) {
		if testing.Short() {
			t.Skip("needs an S3 server")
		}
		l, err := media.Open(t.TempDir(), strings.TrimSuffix(s3server.Start(t), "/media")+"/other", nil)
		require.NoError(t, err)
		t.Cleanup(func() { _ = l.Close() })
		err = l.Reach(t.Context())
		require.ErrorContains(t, err, "bucket")
		assert.NotContains(t, err.Error(), "testsecret")
	})
}
