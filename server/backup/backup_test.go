package backup_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"simora/server/backup"
	"simora/server/keyring"
	"simora/server/store"
	"simora/tests/pgserver"
)

func TestMain(m *testing.M) { pgserver.Main(m) }

const passphrase = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

func open(t *testing.T, dir, url string) *store.Store {
	t.Helper()
	keys, err := keyring.Load(filepath.Join(dir, keyring.FileName))
	require.NoError(t, err)
	s, err := store.Open(t.Context(), store.Options{URL: url, Dir: dir, Keyring: keys, Log: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	return s
}

func write(t *testing.T, s *store.Store, text string) {
	_, _, err := s.AddContact(context.Background(), store.NewContact{
		Message: store.ContactMessage{ID: uuid.NewString(), ReceivedAt: time.Now(), Reason: "demo", ContactBody: store.ContactBody{Name: "N", Email: "n@example.com", Message: text}},
		Letter:  store.Letter{To: "c@example.com"},
	})
	assert.NoError(t, err)
}

func medium(t *testing.T, dir string, bytes []byte) {
	t.Helper()
	folder := filepath.Join(dir, "media", "healthcare")
	require.NoError(t, os.MkdirAll(folder, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "1_a.png"), bytes, 0o600))
	incoming := filepath.Join(dir, "media", ".incoming") // where package media keeps what is not published yet
	require.NoError(t, os.MkdirAll(incoming, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(incoming, "DRAFT"), []byte("half"), 0o600))
}

func TestBackupComesBackWhole(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, "")
	for range 200 {
		write(t, s, "canary")
	}
	picture := bytes.Repeat([]byte("picture"), 100_000)
	medium(t, dir, picture)

	// Others go on writing meanwhile.
	stop := make(chan struct{})
	var others sync.WaitGroup
	others.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				write(t, s, "later")
			}
		}
	})
	var file bytes.Buffer
	made, err := backup.Write(t.Context(), &file, backup.Source{Store: s, Dir: dir, Version: "test", At: time.Now()}, passphrase)
	close(stop)
	others.Wait()
	require.NoError(t, err)
	require.NoError(t, s.Close())
	assert.GreaterOrEqual(t, made.Database.Tables["contact_messages"].Rows, 200)
	assert.NotContains(t, file.String(), "canary")
	assert.NotContains(t, file.String(), "SQLite format")

	target := t.TempDir()
	key, err := os.ReadFile(filepath.Join(dir, keyring.FileName))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(target, keyring.FileName), key, 0o600))
	require.NoError(t, os.CopyFS(filepath.Join(target, keyring.FolderName), os.DirFS(filepath.Join(dir, keyring.FolderName))))
	restored, err := backup.Restore(t.Context(), bytes.NewReader(file.Bytes()), passphrase, target)
	require.NoError(t, err)
	assert.Equal(t, made.Database, restored.Database)
	got, err := os.ReadFile(filepath.Join(target, "media", "healthcare", "1_a.png"))
	require.NoError(t, err)
	assert.Equal(t, picture, got)
	assert.NoFileExists(t, filepath.Join(target, "media", ".incoming", "DRAFT"), "what was on its way in")

	again := open(t, target, "")
	messages, err := again.ContactMessages(t.Context(), 10_000)
	require.NoError(t, err)
	assert.Len(t, messages, made.Database.Tables["contact_messages"].Rows)
	require.NoError(t, again.Close())
	left, err := filepath.Glob(filepath.Join(target, "restore-*"))
	require.NoError(t, err)
	assert.Empty(t, left)

	_, err = backup.Restore(t.Context(), bytes.NewReader(file.Bytes()), passphrase, target)
	require.ErrorContains(t, err, "is there already", "a second time nothing is overwritten")
}

func TestDamageIsFound(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, "")
	write(t, s, "one")
	medium(t, dir, []byte("picture"))
	var file bytes.Buffer
	_, err := backup.Write(t.Context(), &file, backup.Source{Store: s, Dir: dir, At: time.Now()}, passphrase)
	require.NoError(t, err)
	require.NoError(t, s.Close())
	whole := file.Bytes()
	_, err = backup.Verify(t.Context(), bytes.NewReader(whole), passphrase, dir)
	require.NoError(t, err)

	for at := 0; at < len(whole); at += len(whole)/23 + 1 {
		flipped := bytes.Clone(whole)
		flipped[at] ^= 1
		for what, in := range map[string]io.Reader{"flipped": bytes.NewReader(flipped), "cut": bytes.NewReader(whole[:at])} {
			_, err := backup.Verify(t.Context(), in, passphrase, dir)
			require.Error(t, err, "%s at %d", what, at)
			target := t.TempDir()
			_, err = backup.Restore(t.Context(), bytes.NewReader(flipped), passphrase, target)
			require.Error(t, err)
			entries, err := os.ReadDir(target)
			require.NoError(t, err)
			require.Empty(t, entries, "nothing of it stays")
		}
	}
	_, err = backup.Verify(t.Context(), bytes.NewReader(whole), "another passphrase", dir)
	require.ErrorContains(t, err, "other keys")
}

func TestPostgreSQLHasItsOwnTools(t *testing.T) {
	if testing.Short() {
		t.Skip("needs PostgreSQL")
	}
	dir := t.TempDir()
	s := open(t, dir, pgserver.Database(t))
	t.Cleanup(func() { _ = s.Close() })
	_, err := backup.Write(t.Context(), io.Discard, backup.Source{Store: s, Dir: dir, At: time.Now()}, passphrase)
	require.ErrorIs(t, err, store.ErrNotEmbedded)
}
