package store_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"simora/server/sim"
	"simora/server/store"
)

func lease(t testing.TB, s *store.Store) store.Lease {
	t.Helper()
	l, held, err := s.TakeLease(t.Context(), "retention", "test", time.Minute)
	require.NoError(t, err)
	require.True(t, held)
	return l
}

func TestOldSessionsGoWithAllThatIsTheirs(t *testing.T) {
	onBoth(t, func(t *testing.T, s *store.Store) {
		ctx := context.Background()
		id := completedSession(t, s)
		_, _, err := s.QueueReportMail(ctx, reportMail(id, "a@example.com", start))
		require.NoError(t, err)

		n, err := s.DeleteSessionsBefore(ctx, lease(t, s), start)
		require.NoError(t, err)
		assert.Zero(t, n, "not yet due")
		_, err = s.Session(ctx, id)
		require.NoError(t, err)

		n, err = s.DeleteSessionsBefore(ctx, lease(t, s), start.Add(time.Millisecond))
		require.NoError(t, err)
		assert.EqualValues(t, 1, n)
		_, err = s.Session(ctx, id)
		require.ErrorIs(t, err, sim.ErrSessionNotFound)
		_, ok, err := s.NextMailDue(ctx)
		require.NoError(t, err)
		assert.False(t, ok)
	})
}

func TestKeptAnswersAreForgotten(t *testing.T) {
	onBoth(t, func(t *testing.T, s *store.Store) {
		ctx := context.Background()
		id := startSession(t, s)
		once := store.NewOnce("session-turn", id, "k", nil)
		sess, _, err := s.BeginTurn(ctx, id, once, start)
		require.NoError(t, err)
		said := turn("hello", start)
		said.Once, said.Response = once, []byte("{}")
		require.NoError(t, s.CommitTurn(ctx, sess, said))
		require.NoError(t, s.DeleteKeptAnswersBefore(ctx, start.Add(time.Second)))
		_, replayed, err := s.BeginTurn(ctx, id, once, start)
		require.NoError(t, err)
		assert.Nil(t, replayed)
	})
}

// The dashboard shows the same before and after, also when a second run adds to
// what the first one has counted.
func TestStatisticsOutliveTheirSessions(t *testing.T) {
	onBoth(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		first := start.Truncate(24 * time.Hour)
		require.NoError(t, s.SeedScenario(ctx, testScenario()))
		chest, version, err := s.ScenarioBySlug(ctx, "healthcare-emergency", false)
		require.NoError(t, err)
		other := testScenario()
		other.Title, other.Industry = "Budget cut", sim.Corporate
		for i := range 24 {
			sc := []sim.Scenario{chest, other}[i%2]
			id, at := uuid.NewString(), first.Add(time.Duration(i)*3*time.Hour)
			_, err := s.CreateSession(ctx, store.NewSession{ID: id, Scenario: sc, Version: version, StartedAt: at}, store.Once{}, nil)
			require.NoError(t, err)
			for range i % 4 {
				takeTurn(t, s, id, "hello", at)
			}
			if i%3 == 0 {
				sess, err := s.BeginReport(ctx, id, at)
				require.NoError(t, err)
				require.NoError(t, s.CommitReport(ctx, sess, report(40+i)))
				if i%6 == 0 {
					mail := reportMail(id, "a@example.com", at)
					mail.PerRecipient = 100
					_, _, err := s.QueueReportMail(ctx, mail)
					require.NoError(t, err)
				}
			}
		}
		look := func(from, days int) store.Overview {
			o, err := s.Overview(ctx, first.AddDate(0, 0, from), first.AddDate(0, 0, from+days))
			require.NoError(t, err)
			return o
		}
		all, second := look(0, 5), look(1, 1)
		require.Len(t, all.Days, 3)
		require.Len(t, all.Scenarios, 2)
		require.Len(t, all.LastTurn, 4)
		l := lease(t, s)
		for _, until := range []time.Duration{12 * time.Hour, 36 * time.Hour, 1000 * time.Hour} {
			_, err := s.DeleteSessionsBefore(ctx, l, first.Add(until))
			require.NoError(t, err)
			assert.Equal(t, all, look(0, 5), until)
			assert.Equal(t, second, look(1, 1), until)
		}
		rows, _, err := s.SessionRows(ctx, store.SessionFilter{Limit: 10})
		require.NoError(t, err)
		assert.Empty(t, rows)
		assert.Empty(t, look(3, 5).Days)
	})
}

func TestLastRetentionIsRecorded(t *testing.T) {
	onBoth(t, func(t *testing.T, s *store.Store) {
		_, ok, err := s.LastRetention(t.Context())
		require.NoError(t, err)
		assert.False(t, ok)
		l := lease(t, s)
		want := store.RetentionRun{At: start, Sessions: 3, Contact: 2, Keys: 1}
		require.NoError(t, s.RecordRetention(t.Context(), l, want))
		got, ok, err := s.LastRetention(t.Context())
		require.NoError(t, err)
		assert.True(t, ok)
		assert.Equal(t, want, got)

		startSession(t, s)
		oldest := start
		want.Sessions, want.Oldest = 0, &oldest
		require.NoError(t, s.RecordRetention(t.Context(), l, want))
		got, _, err = s.LastRetention(t.Context())
		require.NoError(t, err)
		assert.Equal(t, want, got)
	})
}

// What was deleted is not left in the database's files.
func TestCheckpointEmptiesTheLog(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, dir, "")
	startSession(t, s)
	var row []byte
	require.NoError(t, rawDatabase(t, dir, "").QueryRow("SELECT content FROM messages").Scan(&row))
	holds := func() bool {
		for _, name := range []string{"simora.db", "simora.db-wal"} {
			raw, err := os.ReadFile(filepath.Join(dir, name))
			require.NoError(t, err)
			if bytes.Contains(raw, row) {
				return true
			}
		}
		return false
	}
	require.True(t, holds())
	_, err := s.DeleteSessionsBefore(t.Context(), lease(t, s), start.Add(time.Hour))
	require.NoError(t, err)
	require.True(t, holds(), "the log still has it")
	require.NoError(t, s.Checkpoint(t.Context()))
	require.False(t, holds())
	startSession(t, s)
}

// Behind a reader that stays the log grows; when the reader has gone, the next
// writes cut it to its usual size.
func TestLogIsCutBehindALongReader(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, dir, "")
	reader, err := rawDatabase(t, dir, "").BeginTx(t.Context(), nil)
	require.NoError(t, err)
	require.NoError(t, reader.QueryRow("SELECT count(*) FROM settings").Scan(new(int)))
	const limit = 64 << 20
	long := strings.Repeat("x", 16<<20)
	for i := range 5 {
		_, err := s.Setting(t.Context(), fmt.Sprint("long", i), long)
		require.NoError(t, err)
	}
	size, err := s.LogBytes()
	require.NoError(t, err)
	require.Greater(t, size, int64(limit))
	require.NoError(t, reader.Rollback())
	require.Eventually(t, func() bool {
		startSession(t, s)
		size, err := s.LogBytes()
		return err == nil && size <= limit
	}, 20*time.Second, 10*time.Millisecond)
}
