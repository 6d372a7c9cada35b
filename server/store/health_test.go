package store_test

import (
	"context"
	"math/bits"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"simora/server/store"
)

func TestMinutesOfSeveralInstancesAddUp(t *testing.T) {
	onBoth(t, func(t *testing.T, s *store.Store) {
		ctx := context.Background()
		noon := start // 12:00
		var wg sync.WaitGroup
		for instance := range 2 { // 12:00–12:39 and 12:20–12:59, marked by both at once where they overlap
			wg.Go(func() {
				for minute := range 40 {
					assert.NoError(t, s.MarkMinute(ctx, noon.Add(time.Duration(20*instance+minute)*time.Minute)))
				}
			})
		}
		wg.Wait()
		require.NoError(t, s.MarkMinute(ctx, noon.Add(3*time.Hour+59*time.Minute+59*time.Second)))
		hours, err := s.Hours(ctx, noon.Add(-time.Hour))
		require.NoError(t, err)
		require.Len(t, hours, 2)
		assert.Equal(t, noon, hours[0].Start)
		assert.Equal(t, 60, bits.OnesCount64(hours[0].Minutes))
		assert.Equal(t, store.Hour{Start: noon.Add(3 * time.Hour), Minutes: 1 << 59}, hours[1])
		hours, err = s.Hours(ctx, noon.Add(time.Hour))
		require.NoError(t, err)
		assert.Len(t, hours, 1)
	})
}

func TestHeartbeats(t *testing.T) {
	onBoth(t, func(t *testing.T, s *store.Store) {
		ctx := context.Background()
		one := store.Instance{ID: uuid.NewString(), Host: "a", Version: "v1", StartedAt: start, SeenAt: start}
		two := store.Instance{ID: uuid.NewString(), Host: "b", Version: "v2", StartedAt: start, SeenAt: start.Add(time.Minute)}
		require.NoError(t, s.Heartbeat(ctx, one))
		require.NoError(t, s.Heartbeat(ctx, two))
		one.SeenAt = start.Add(time.Hour)
		require.NoError(t, s.Heartbeat(ctx, one))
		list, err := s.Instances(ctx)
		require.NoError(t, err)
		assert.Equal(t, []store.Instance{one, two}, list)
		require.NoError(t, s.ForgetOldHealth(ctx, start.Add(2*time.Minute), start))
		list, err = s.Instances(ctx)
		require.NoError(t, err)
		assert.Equal(t, []store.Instance{one}, list)
	})
}

// failedReport is a report letter that its receiver's server has refused.
func failedReport(t *testing.T, s *store.Store, to string) (session string, letter store.Queued) {
	session = completedSession(t, s)
	q, _, err := s.QueueReportMail(context.Background(), reportMail(session, to, start))
	require.NoError(t, err)
	require.NoError(t, s.MailFailed(context.Background(), q, "550"))
	return session, q
}

func TestFailedLetterIsTriedAgain(t *testing.T) {
	onBoth(t, func(t *testing.T, s *store.Store) {
		ctx := context.Background()
		session, letter := failedReport(t, s, "a@example.com")
		failed, err := s.FailedLetters(ctx)
		require.NoError(t, err)
		assert.Equal(t, []store.FailedLetter{{ID: letter.ID, Kind: "report", QueuedAt: start, Attempts: 1, Reason: "550"}}, failed)
		box, err := s.Outbox(ctx)
		require.NoError(t, err)
		assert.Equal(t, store.Outbox{Failed: 1}, box)

		ok, err := s.RetryLetter(ctx, letter.ID, start.Add(time.Hour))
		require.NoError(t, err)
		assert.True(t, ok)
		ok, err = s.RetryLetter(ctx, letter.ID, start.Add(time.Hour))
		require.NoError(t, err)
		assert.False(t, ok, "it is queued already")
		box, err = s.Outbox(ctx)
		require.NoError(t, err)
		assert.Equal(t, store.Outbox{Queued: 1, Oldest: new(start.Add(time.Hour))}, box)

		q, found, err := s.ClaimMail(ctx, start.Add(time.Hour))
		require.NoError(t, err)
		require.True(t, found)
		assert.Equal(t, letter.Letter, q.Letter)
		require.NoError(t, s.MailSent(ctx, q, start.Add(time.Hour)))
		sess, err := s.Session(ctx, session)
		require.NoError(t, err)
		assert.NotNil(t, sess.EmailSentAt)
	})
}

func TestFailedLetterThatMayNotGoAgain(t *testing.T) {
	onBoth(t, func(t *testing.T, s *store.Store) {
		ctx := context.Background()
		corrected, typo := failedReport(t, s, "typo@example.com")
		right, _, err := s.QueueReportMail(ctx, reportMail(corrected, "right@example.com", start))
		require.NoError(t, err)
		require.NoError(t, s.MailSent(ctx, right, start))
		_, old := failedReport(t, s, "old@example.com")
		retry := func(id string) bool {
			ok, err := s.RetryLetter(ctx, id, start)
			require.NoError(t, err)
			return ok
		}
		assert.False(t, retry(typo.ID), "the visitor has named another address")
		assert.False(t, retry(right.ID), "it was sent")
		assert.False(t, retry(uuid.NewString()))

		require.NoError(t, s.ForgetOldHealth(ctx, start.Add(time.Hour), start))
		assert.False(t, retry(old.ID), "it was wiped")
		failed, err := s.FailedLetters(ctx)
		require.NoError(t, err)
		assert.Empty(t, failed)
	})
}

func TestCheckKeys(t *testing.T) {
	onBoth(t, func(t *testing.T, s *store.Store) { require.NoError(t, s.CheckKeys(context.Background())) })
}
