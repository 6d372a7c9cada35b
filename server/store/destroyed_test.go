package store_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"simora/server/keyring"
	"simora/server/sim"
	"simora/server/store"
)

func destroy(t *testing.T, s *store.Store, kind keyring.Kind) {
	t.Helper()
	n, err := s.Keys().DestroyBefore(t.Context(), kind, start.AddDate(0, 0, 1))
	require.NoError(t, err)
	require.Equal(t, 1, n)
}

// Rows whose key has been destroyed are as good as not there.
func TestSessionsWithoutTheirKeyAreNotThere(t *testing.T) {
	onBoth(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		open, done, kept := startSession(t, s), completedSession(t, s), uuid.NewString()
		sc, version, err := s.ScenarioBySlug(ctx, "healthcare-emergency", false)
		require.NoError(t, err)
		_, err = s.CreateSession(ctx, store.NewSession{ID: kept, Scenario: sc, Version: version, StartedAt: start.AddDate(0, 0, 1)}, store.Once{}, nil)
		require.NoError(t, err)
		once := store.NewOnce("session-turn", open, "k", nil)
		sess, _, err := s.BeginTurn(ctx, open, once, start)
		require.NoError(t, err)
		said := turn("hello", start)
		said.Once, said.Response = once, []byte("{}")
		require.NoError(t, s.CommitTurn(ctx, sess, said))
		queued, _, err := s.QueueReportMail(ctx, reportMail(done, "a@example.com", start))
		require.NoError(t, err)
		assert.Equal(t, keyring.Day{Kind: keyring.Sessions, At: start}, queued.Letter.Day)
		later, _, err := s.AddContact(ctx, newContact("Ada", start))
		require.NoError(t, err)

		destroy(t, s, keyring.Sessions)
		_, _, err = s.BeginTurn(ctx, open, store.Once{}, start)
		require.ErrorIs(t, err, sim.ErrSessionNotFound)
		for _, id := range []string{open, done} {
			_, err := s.Session(ctx, id)
			require.ErrorIs(t, err, sim.ErrSessionNotFound)
			_, err = s.SessionRow(ctx, id)
			require.ErrorIs(t, err, sim.ErrSessionNotFound)
			_, err = s.BeginReport(ctx, id, start)
			require.ErrorIs(t, err, sim.ErrSessionNotFound)
			_, _, err = s.QueueReportMail(ctx, reportMail(id, "a@example.com", start))
			require.ErrorIs(t, err, sim.ErrSessionNotFound)
		}
		_, replayed, err := s.BeginTurn(ctx, open, once, start.Add(time.Minute))
		require.Error(t, err)
		assert.Nil(t, replayed, "the kept answer has gone, too")
		rows, _, err := s.SessionRows(ctx, store.SessionFilter{Limit: 10})
		require.NoError(t, err)
		require.Len(t, rows, 1)
		assert.Equal(t, kept, rows[0].ID)

		// The report letter is given up; it does not stand in the way of others.
		claimed, ok, err := s.ClaimMail(ctx, start.Add(time.Hour))
		require.NoError(t, err)
		require.True(t, ok)
		assert.Equal(t, later.ID, claimed.ID)
		_, ok, err = s.ClaimMail(ctx, start.Add(time.Hour))
		require.NoError(t, err)
		assert.False(t, ok)
	})
}

func TestContactMessagesWithoutTheirKeyAreNotThere(t *testing.T) {
	onBoth(t, func(t *testing.T, s *store.Store) {
		_, _, err := s.AddContact(t.Context(), newContact("Old", start))
		require.NoError(t, err)
		_, _, err = s.AddContact(t.Context(), newContact("New", start.AddDate(0, 0, 1)))
		require.NoError(t, err)
		destroy(t, s, keyring.Contact)
		all, err := s.ContactMessages(t.Context(), 10)
		require.NoError(t, err)
		require.Len(t, all, 1)
		assert.Equal(t, "New", all[0].Name)
	})
}

// An old copy of the database brings nothing back.
func TestRestoredCopyIsUnreadable(t *testing.T) {
	dir := t.TempDir()
	s, err := tryOpen(t, dir, "")
	require.NoError(t, err)
	id := completedSession(t, s)
	copied := filepath.Join(t.TempDir(), "copy.db")
	_, err = rawDatabase(t, dir, "").Exec("VACUUM INTO $1", copied)
	require.NoError(t, err)
	n, err := s.DeleteSessionsBefore(t.Context(), lease(t, s), start.AddDate(0, 0, 1))
	require.NoError(t, err)
	require.EqualValues(t, 1, n)
	destroy(t, s, keyring.Sessions)
	require.NoError(t, s.Close())

	for _, name := range []string{"simora.db-wal", "simora.db-shm"} {
		_ = os.Remove(filepath.Join(dir, name))
	}
	require.NoError(t, os.Rename(copied, filepath.Join(dir, "simora.db")))
	restored := openStore(t, dir, "")
	_, err = restored.Session(t.Context(), id)
	require.ErrorIs(t, err, sim.ErrSessionNotFound)
	values := 0
	rows, err := rawDatabase(t, dir, "").Query("SELECT 'messages', 'content', session_id || ':' || seq, content FROM messages UNION ALL SELECT 'sessions', 'report', id, report FROM sessions")
	require.NoError(t, err)
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var p keyring.Place
		var sealed []byte
		require.NoError(t, rows.Scan(&p.Table, &p.Column, &p.Row, &sealed))
		_, err := restored.Keys().Open(p, sealed)
		require.ErrorIs(t, err, keyring.ErrDestroyed, p)
		values++
	}
	require.NoError(t, rows.Err())
	assert.Equal(t, 2, values)
}
