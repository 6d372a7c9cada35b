package store_test

import (
	"bytes"
	"context"
	"database/sql"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"simora/server/keyring"
	"simora/server/sim"
	"simora/server/store"
	"simora/tests/pgserver"
)

func TestReopenKeepsTheData(t *testing.T) {
	for name, url := range databases(t) {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			first, err := tryOpen(t, dir, url())
			require.NoError(t, err)
			id := startSession(t, first)
			begin(t, first, id, start)
			require.NoError(t, first.Close())

			second := openStore(t, dir, url())
			_, err = second.Session(context.Background(), id)
			require.NoError(t, err)
		})
	}
}

// databases gives each case a function that returns the same URL every time.
func databases(t *testing.T) map[string]func() string {
	all := map[string]func() string{"sqlite": func() string { return "" }}
	if !testing.Short() {
		all["postgres"] = sync.OnceValue(func() string { return pgserver.Database(t) })
	}
	return all
}

func TestCrashLeavesNoLeaseBehindOnSQLite(t *testing.T) {
	dir := t.TempDir()
	first, err := tryOpen(t, dir, "")
	require.NoError(t, err)
	id := startSession(t, first)
	begin(t, first, id, start)
	require.NoError(t, first.Close())
	begin(t, openStore(t, dir, ""), id, start)
}

func TestSecondProcessOnOneSQLiteFileIsRefused(t *testing.T) {
	dir := t.TempDir()
	openStore(t, dir, "")
	_, err := tryOpen(t, dir, "")
	require.ErrorContains(t, err, "in use")
	require.ErrorContains(t, err, "SIMORA_DATA")
}

func TestNewerSchemaIsRefusedAndLeftAlone(t *testing.T) {
	for name, url := range databases(t) {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s, err := tryOpen(t, dir, url())
			require.NoError(t, err)
			require.NoError(t, s.Close())
			db := rawDatabase(t, dir, url())
			_, err = db.Exec("INSERT INTO schema_versions (version, name) VALUES (9999, 'from the future')")
			require.NoError(t, err)
			_, err = tryOpen(t, dir, url())
			require.ErrorContains(t, err, "9999")
			require.ErrorContains(t, err, "newer simora")
		})
	}
}

func rawDatabase(t *testing.T, dir, url string) *sql.DB {
	driver := "pgx"
	if url == "" {
		driver, url = "sqlite", filepath.Join(dir, "simora.db")
	}
	db, err := sql.Open(driver, url)
	require.NoError(t, err)
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func TestManyProcessesMigrateAnEmptyDatabaseTogether(t *testing.T) {
	url, dir := pgserver.Database(t), t.TempDir()
	var wg sync.WaitGroup
	for range 5 {
		wg.Go(func() {
			s, err := tryOpen(t, dir, url)
			if assert.NoError(t, err) {
				assert.NoError(t, s.Close())
			}
		})
	}
	wg.Wait()
}

func TestOtherKeysAreRefused(t *testing.T) {
	for name, url := range databases(t) {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s, err := tryOpen(t, dir, url())
			require.NoError(t, err)
			require.NoError(t, s.Close())
			require.NoError(t, os.Rename(filepath.Join(dir, keyring.FileName), filepath.Join(dir, "away")))
			_, err = tryOpen(t, dir, url())
			require.ErrorContains(t, err, keyring.FileName, "keys without their root")

			require.NoError(t, os.Rename(filepath.Join(dir, keyring.FolderName), filepath.Join(dir, "keys-away")))
			_, err = tryOpen(t, dir, url())
			require.ErrorContains(t, err, keyring.FileName, "other keys altogether")

			require.NoError(t, os.Rename(filepath.Join(dir, "away"), filepath.Join(dir, keyring.FileName)))
			require.NoError(t, os.RemoveAll(filepath.Join(dir, keyring.FolderName)))
			_, err = tryOpen(t, dir, url())
			require.ErrorContains(t, err, "SIMORA_KEYS_URL", "the right root without its keys")

			require.NoError(t, os.RemoveAll(filepath.Join(dir, keyring.FolderName)))
			require.NoError(t, os.Rename(filepath.Join(dir, "keys-away"), filepath.Join(dir, keyring.FolderName)))
			s, err = tryOpen(t, dir, url())
			require.NoError(t, err)
			require.NoError(t, s.Close())
		})
	}
}

func TestSettingKeepsItsFirstValue(t *testing.T) {
	onBoth(t, func(t *testing.T, s *store.Store) {
		ctx := context.Background()
		first, err := s.Setting(ctx, "public_key", "a")
		require.NoError(t, err)
		second, err := s.Setting(ctx, "public_key", "b")
		require.NoError(t, err)
		assert.Equal(t, "a", first)
		assert.Equal(t, "a", second)
	})
}

func TestUsers(t *testing.T) {
	onBoth(t, func(t *testing.T, s *store.Store) {
		ctx := context.Background()
		u := store.User{ID: uuid.NewString(), Email: "admin@example.com", PasswordHash: "h1", CreatedAt: start}
		require.NoError(t, s.CreateUser(ctx, u, "admin"))
		u2 := u
		u2.ID = uuid.NewString()
		require.ErrorIs(t, s.CreateUser(ctx, u2, "admin"), store.ErrUserExists)
		n, err := s.CountInRole(ctx, "admin")
		require.NoError(t, err)
		assert.Equal(t, 1, n)
		require.NoError(t, s.SetPassword(ctx, u.Email, "h2", start))
		got, err := s.UserByEmail(ctx, u.Email)
		require.NoError(t, err)
		u.PasswordHash = "h2"
		assert.Equal(t, u, got)
		require.ErrorIs(t, s.SetPassword(ctx, "nobody@example.com", "x", start), store.ErrNoUser)
		_, err = s.UserByEmail(ctx, "nobody@example.com")
		require.ErrorIs(t, err, store.ErrNoUser)
	})
}

// Nothing personal stands readable in any file of the data directory, the
// write-ahead log included.
func TestPersonalDataIsNotReadableOnDisk(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, dir, "")
	ctx := context.Background()
	id := startSession(t, s)
	once := store.NewOnce("session-turn", id, "k", nil)
	sess, _, err := s.BeginTurn(ctx, id, once, start)
	require.NoError(t, err)
	said := turn("canary-learner", start)
	said.Reply.Text, said.Once, said.Response = "canary-reply", once, []byte("canary-response")
	require.NoError(t, s.CommitTurn(ctx, sess, said))
	completeSession(t, s, id, start)
	_, _, err = s.QueueReportMail(ctx, reportMail(id, "canary-to@example.com", start))
	require.NoError(t, err)
	_, _, err = s.AddContact(ctx, newContact("canary-name", start))
	require.NoError(t, err)
	require.NoError(t, s.CreateUser(ctx, store.User{ID: uuid.NewString(), Email: "canary-admin@example.com", PasswordHash: "x", CreatedAt: start}, "admin"))

	files := 0
	require.NoError(t, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		files++
		raw, err := os.ReadFile(path)
		for _, plain := range []string{"canary", "203.0.113.9"} {
			assert.False(t, bytes.Contains(raw, []byte(plain)), "%s holds %q", path, plain)
		}
		return err
	}))
	assert.Greater(t, files, 3)
}

func TestSealedValuesDoNotOpenInAnotherRow(t *testing.T) {
	for name, url := range databases(t) {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s := openStore(t, dir, url())
			a, b := startSession(t, s), startSession(t, s)
			takeTurn(t, s, a, "mine", start)
			takeTurn(t, s, b, "yours", start)
			_, err := rawDatabase(t, dir, url()).Exec("UPDATE messages SET content = (SELECT content FROM messages WHERE session_id = $1 AND seq = 1) WHERE session_id = $2 AND seq = 1", a, b)
			require.NoError(t, err)
			_, err = s.Session(context.Background(), b)
			require.Error(t, err)
			assert.Equal(t, sim.Internal, sim.AsError(err).Kind)
		})
	}
}
