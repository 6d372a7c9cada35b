package store_test

import (
	"encoding/base64"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"simora/server/keyring"
	"simora/server/store"
	"simora/tests/pgserver"
)

// Everything that the standing key seals moves to the new one while a server
// that does not know it yet reads and writes. Then the old key goes.
func TestResealing(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) { resealing(t, t.TempDir(), "") })
	t.Run("postgres", func(t *testing.T) { resealing(t, t.TempDir(), pgserver.Database(t)) })
}

func resealing(t *testing.T, dir, url string) {
	ctx := t.Context()
	server := openStore(t, dir, url)
	keys, err := keyring.Load(filepath.Join(dir, keyring.FileName))
	require.NoError(t, err)
	command, err := store.Open(ctx, store.Options{URL: url, Dir: dir, Keyring: keys, Log: slog.New(slog.DiscardHandler), CallersClock: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, command.Close()) })

	var mu sync.Mutex
	var all []store.User
	life := store.SessionLife{Idle: time.Hour, Absolute: time.Hour}
	arrive := func() {
		u := store.User{ID: uuid.NewString(), Email: uuid.NewString() + "@x.example", PasswordHash: "h", CreatedAt: start}
		assert.NoError(t, server.CreateUser(ctx, u, "viewer"))
		assert.NoError(t, server.AddFactor(ctx, store.Factor{ID: uuid.NewString(), UserID: u.ID, Secret: "secret of " + u.ID, CreatedAt: start}))
		assert.NoError(t, server.StartAuthSession(ctx, store.NewSignIn{ID: u.ID, UserID: u.ID, Method: "password", From: store.Device{IP: "192.0.2.1"}, At: start}))
		mu.Lock()
		defer mu.Unlock()
		all = append(all, u)
	}
	check := func(s *store.Store, u store.User) {
		in, err := s.SignedInAs(ctx, u.ID, life, start)
		assert.NoError(t, err)
		assert.Equal(t, u.Email, in.User.Email)
		f, err := s.Factor(ctx, u.ID)
		assert.NoError(t, err)
		assert.Equal(t, "secret of "+u.ID, f.Secret)
		list, err := s.SignInsOf(ctx, u.ID, life, start)
		assert.NoError(t, err)
		if assert.Len(t, list, 1) {
			assert.Equal(t, "192.0.2.1", list[0].From.IP)
		}
	}
	for range 25 {
		arrive()
	}
	hook := newHook(t, server, false, "test")
	require.NoError(t, server.Tell(ctx, event("e", "test", "s")))
	lease, ok, err := command.TakeLease(ctx, "retention", "command", time.Hour)
	require.NoError(t, err)
	require.True(t, ok)
	old := keyring.StandingHeader(1)
	require.Equal(t, 78, sealedWith(t, dir, url, old), "25 users with three values each, hook, delivery, check")

	require.NoError(t, command.Keys().Rotate(ctx))
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := range 30 {
			arrive()
			mu.Lock()
			u := all[i]
			mu.Unlock()
			check(server, u)
		}
	})
	n, err := command.Reseal(ctx, lease)
	require.NoError(t, err)
	assert.GreaterOrEqual(t, n, 78)
	wg.Wait()
	arrive()
	assert.NotZero(t, sealedWith(t, dir, url, old), "the server has gone on with the key it knows")

	n, err = command.DropStandingKeys(ctx, start, 7*24*time.Hour)
	require.NoError(t, err)
	assert.Zero(t, n, "its successor has only just come")
	require.NoError(t, server.Keys().Refresh(ctx))
	arrive()
	later := start.AddDate(0, 0, 7)
	n, err = command.DropStandingKeys(ctx, later, 7*24*time.Hour)
	require.NoError(t, err)
	assert.Zero(t, n, "values name it")
	_, err = command.Reseal(ctx, lease)
	require.NoError(t, err)
	assert.Zero(t, sealedWith(t, dir, url, old))
	n, err = command.DropStandingKeys(ctx, later.Add(-time.Millisecond), 7*24*time.Hour)
	require.NoError(t, err)
	assert.Zero(t, n, "not before its time")
	n, err = command.DropStandingKeys(ctx, later, 7*24*time.Hour)
	require.NoError(t, err)
	assert.Equal(t, 1, n)
	require.Error(t, command.Keys().DropStanding(ctx, 2), "the newest stays")

	list, err := command.Keys().List(ctx)
	require.NoError(t, err)
	var standing []string
	for _, key := range list {
		if strings.HasPrefix(key.Name, "standing/") {
			standing = append(standing, key.Name)
		}
	}
	assert.Equal(t, []string{"standing/00002"}, standing)
	require.NoError(t, server.Close())
	again := openStore(t, dir, url)
	for _, u := range all {
		check(again, u)
	}
	hooks, err := again.Hooks(ctx)
	require.NoError(t, err)
	assert.Equal(t, hook.Target, hooks[0].Target)
	d, ok := claim(t, again, start)
	require.True(t, ok)
	assert.Equal(t, "canary-plain", string(d.Payload))
	found, err := again.VerifyAudit(ctx, nil)
	require.NoError(t, err)
	assert.Empty(t, found.Problems)
}

// Details of the audit log stay as they were written: the chain signs them.
func TestResealingLeavesTheAuditLog(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, dir, "")
	require.NoError(t, s.CreateUser(t.Context(), store.User{ID: uuid.NewString(), Email: "ada@x.example", PasswordHash: "h", CreatedAt: start}))
	db := rawDatabase(t, dir, "")
	var detail []byte
	require.NoError(t, db.QueryRow("SELECT detail FROM audit_log").Scan(&detail))
	_, err := db.Exec("UPDATE audit_log SET detail = $1", append(keyring.StandingHeader(1), detail[4:]...)) // as before they had keys of their own
	require.NoError(t, err)
	lease, _, err := s.TakeLease(t.Context(), "retention", "x", time.Hour)
	require.NoError(t, err)
	require.NoError(t, s.Keys().Rotate(t.Context()))
	_, err = s.Reseal(t.Context(), lease)
	require.NoError(t, err)
	assert.Equal(t, 1, sealedWith(t, dir, "", keyring.StandingHeader(1)))
	for _, at := range []time.Time{start, start.AddDate(1, 0, 0)} {
		n, err := s.DropStandingKeys(t.Context(), at, time.Hour)
		require.NoError(t, err)
		assert.Zero(t, n, "an entry needs the key")
	}
	_, err = db.Exec("DELETE FROM audit_log")
	require.NoError(t, err)
	n, err := s.DropStandingKeys(t.Context(), start.AddDate(1, 0, 0), time.Hour)
	require.NoError(t, err)
	assert.Equal(t, 1, n)
}

// sealedWith counts the values in the whole database that begin like this.
func sealedWith(t *testing.T, dir, url string, header []byte) (total int) {
	t.Helper()
	db := rawDatabase(t, dir, url)
	which := "SELECT m.name, p.name FROM sqlite_master m JOIN pragma_table_info(m.name) p WHERE m.type = 'table' AND p.type = 'BYTEA'"
	if url != "" {
		which = "SELECT table_name, column_name FROM information_schema.columns WHERE data_type = 'bytea' AND table_schema = current_schema()"
	}
	rows, err := db.Query(which)
	require.NoError(t, err)
	var columns [][2]string
	for rows.Next() {
		var c [2]string
		require.NoError(t, rows.Scan(&c[0], &c[1]))
		columns = append(columns, c)
	}
	require.NoError(t, rows.Err())
	require.Greater(t, len(columns), 20)
	for _, c := range columns {
		var n int
		require.NoError(t, db.QueryRow(fmt.Sprintf("SELECT count(*) FROM %s WHERE substr(%s, 1, 4) = $1", c[0], c[1]), header).Scan(&n))
		total += n
	}
	var kept string
	require.NoError(t, db.QueryRow("SELECT value FROM settings WHERE name = 'keyring_check'").Scan(&kept))
	raw, err := base64.StdEncoding.DecodeString(kept)
	require.NoError(t, err)
	if strings.HasPrefix(string(raw), string(header)) {
		total++
	}
	return total
}
