package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"simora/server/sim"
	"simora/server/store"
)

func TestOldSessionsGoWithAllThatIsTheirs(t *testing.T) {
	onBoth(t, func(t *testing.T, s *store.Store) {
		ctx := context.Background()
		id := completedSession(t, s)
		_, _, err := s.QueueReportMail(ctx, reportMail(id, "a@example.com", start))
		require.NoError(t, err)

		n, err := s.DeleteSessionsBefore(ctx, start)
		require.NoError(t, err)
		assert.Zero(t, n, "not yet due")
		_, err = s.Session(ctx, id)
		require.NoError(t, err)

		n, err = s.DeleteSessionsBefore(ctx, start.Add(time.Millisecond))
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
