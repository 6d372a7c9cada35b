package store_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"simora/server/sim"
	"simora/server/store"
	"simora/tests/pgserver"
)

func reportMail(session, to string, at time.Time) store.ReportMail {
	return store.ReportMail{OutboxID: uuid.NewString(), SessionID: session, PerRecipient: 3, Now: at,
		Letter: store.Letter{To: to, Subject: "Your report", Text: "canary-letter", MessageID: "<1@simora.test>"}}
}

func completedSession(t testing.TB, s *store.Store) string {
	t.Helper()
	id := startSession(t, s)
	completeSession(t, s, id, start)
	return id
}

func TestReportMailRules(t *testing.T) {
	ctx := context.Background()
	queue := func(s *store.Store, id, to string) (store.Queued, error) {
		q, _, err := s.QueueReportMail(ctx, reportMail(id, to, start))
		return q, err
	}
	onBoth(t, func(t *testing.T, s *store.Store) {
		open := startSession(t, s)
		_, err := queue(s, open, "a@example.com")
		require.ErrorIs(t, err, sim.ErrSessionNotCompleted)
		_, err = queue(s, uuid.NewString(), "a@example.com")
		require.ErrorIs(t, err, sim.ErrSessionNotFound)

		id := completedSession(t, s)
		first, err := queue(s, id, "a@example.com")
		require.NoError(t, err)
		_, err = queue(s, id, "b@example.com")
		require.ErrorIs(t, err, sim.ErrOtherRecipient)

		require.NoError(t, s.MailFailed(ctx, first, "550"))
		_, err = queue(s, id, "b@example.com")
		require.NoError(t, err, "after a refusal the visitor may correct the address")
		_, err = queue(s, id, "b@example.com")
		require.NoError(t, err)
		_, err = queue(s, id, "b@example.com")
		require.ErrorIs(t, err, sim.ErrRateLimited, "three letters a session")

		_, err = queue(s, completedSession(t, s), "b@example.com")
		require.NoError(t, err)
		_, err = queue(s, completedSession(t, s), "b@example.com")
		require.ErrorIs(t, err, sim.ErrRateLimited, "three letters a day for one address, over all sessions")
	})
}

func TestRepeatedMailRequestQueuesOnce(t *testing.T) {
	onBoth(t, func(t *testing.T, s *store.Store) {
		ctx := context.Background()
		id := completedSession(t, s)
		m := reportMail(id, "a@example.com", start)
		m.Once, m.Response = store.NewOnce("send-report-email", id, "k", []byte("a")), []byte(`{"success":true}`)
		q, replayed, err := s.QueueReportMail(ctx, m)
		require.NoError(t, err)
		require.Nil(t, replayed)
		require.NoError(t, s.MailSent(ctx, q, start))
		m.OutboxID = uuid.NewString()
		_, replayed, err = s.QueueReportMail(ctx, m)
		require.NoError(t, err)
		assert.Equal(t, m.Response, replayed)
		_, ok, err := s.NextMailDue(ctx)
		require.NoError(t, err)
		assert.False(t, ok, "nothing left to send")
	})
}

func TestSentMailDatesTheSession(t *testing.T) {
	onBoth(t, func(t *testing.T, s *store.Store) {
		ctx := context.Background()
		id := completedSession(t, s)
		q, _, err := s.QueueReportMail(ctx, reportMail(id, "a@example.com", start))
		require.NoError(t, err)
		sess, err := s.Session(ctx, id)
		require.NoError(t, err)
		assert.Nil(t, sess.EmailSentAt, "queued is not sent")
		require.NoError(t, s.MailSent(ctx, q, start.Add(time.Minute)))
		sess, err = s.Session(ctx, id)
		require.NoError(t, err)
		require.NotNil(t, sess.EmailSentAt)
		assert.Equal(t, start.Add(time.Minute), *sess.EmailSentAt)
	})
}

func TestPutOffMailComesBackWhenDue(t *testing.T) {
	onBoth(t, func(t *testing.T, s *store.Store) {
		ctx := context.Background()
		id := completedSession(t, s)
		q, _, err := s.QueueReportMail(ctx, reportMail(id, "a@example.com", start))
		require.NoError(t, err)
		_, ok, err := s.ClaimMail(ctx, start)
		require.NoError(t, err)
		assert.False(t, ok, "its sender holds it")
		require.NoError(t, s.MailLater(ctx, q, "451", start.Add(time.Hour)))
		_, ok, err = s.ClaimMail(ctx, start.Add(59*time.Minute))
		require.NoError(t, err)
		assert.False(t, ok)
		due, ok, err := s.NextMailDue(ctx)
		require.NoError(t, err)
		assert.True(t, ok)
		assert.Equal(t, start.Add(time.Hour), due)
		again, ok, err := s.ClaimMail(ctx, start.Add(time.Hour))
		require.NoError(t, err)
		require.True(t, ok)
		assert.Equal(t, 2, again.Attempts)
		assert.Equal(t, q.Letter, again.Letter)
		require.NoError(t, s.MailSent(ctx, q, start), "a stale claim is ignored")
		_, ok, err = s.NextMailDue(ctx)
		require.NoError(t, err)
		assert.True(t, ok, "the stale claim changed nothing")
	})
}

func TestManyPostmenClaimEachLetterOnce(t *testing.T) {
	onBoth(t, func(t *testing.T, s *store.Store) {
		ctx := context.Background()
		const letters = 20
		for i := range letters {
			q, _, err := s.QueueReportMail(ctx, reportMail(completedSession(t, s), fmt.Sprintf("a%d@example.com", i), start))
			require.NoError(t, err)
			require.NoError(t, s.MailLater(ctx, q, "451", start))
		}
		var mu sync.Mutex
		claimed := map[string]int{}
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for tries := 0; tries < 5*letters; tries++ {
					q, ok, err := s.ClaimMail(ctx, start)
					if !assert.NoError(t, err) {
						return
					}
					if ok {
						mu.Lock()
						claimed[q.ID]++
						mu.Unlock()
					}
				}
			})
		}
		wg.Wait()
		assert.Len(t, claimed, letters)
		for id, n := range claimed {
			assert.Equal(t, 1, n, id)
		}
	})
}

// A letter that cannot be opened is given up; it does not stand in the way of
// others, and can be tried again when its row has been mended.
func TestDamagedLetterHoldsUpNobody(t *testing.T) {
	ctx := context.Background()
	for name, url := range map[string]string{"sqlite": "", "postgres": pgserver.Database(t)} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s := openStore(t, dir, url)
			id := completedSession(t, s)
			damaged, _, err := s.QueueReportMail(ctx, reportMail(id, "a@example.com", start))
			require.NoError(t, err)
			good, _, err := s.QueueReportMail(ctx, reportMail(completedSession(t, s), "b@example.com", start.Add(time.Second)))
			require.NoError(t, err)
			_, err = rawDatabase(t, dir, url).Exec("UPDATE outbox SET letter = $2 WHERE id = $1", damaged.ID, []byte("damaged"))
			require.NoError(t, err)

			claimed, ok, err := s.ClaimMail(ctx, start.Add(time.Hour))
			require.NoError(t, err)
			require.True(t, ok)
			assert.Equal(t, good.ID, claimed.ID)
			failed, err := s.FailedLetters(ctx)
			require.NoError(t, err)
			require.Len(t, failed, 1)
			assert.Equal(t, damaged.ID, failed[0].ID)
			ok, err = s.RetryLetter(ctx, damaged.ID, start.Add(time.Hour))
			require.NoError(t, err)
			assert.True(t, ok)
		})
	}
}

// The day's letters for one address are counted over requests at the same time,
// which different sessions and instances make.
func TestLettersToOneAddressAreCountedExactly(t *testing.T) {
	onBoth(t, func(t *testing.T, s *store.Store) {
		ctx := context.Background()
		const many, allowed = 8, 3
		var sessions []string
		for range many {
			sessions = append(sessions, completedSession(t, s))
		}
		for kind, queue := range map[string]func(i int) error{
			"personal": func(int) error {
				_, err := s.QueuePersonalLetter(ctx, store.PersonalLetter{ID: uuid.NewString(), Letter: store.Letter{To: "a@example.com"}, PerRecipient: allowed, Now: start})
				return err
			},
			"report": func(i int) error {
				_, _, err := s.QueueReportMail(ctx, reportMail(sessions[i], "a@example.com", start))
				return err
			},
		} {
			var queued atomic.Int64
			var wg sync.WaitGroup
			for i := range many {
				wg.Go(func() {
					err := queue(i)
					if err == nil {
						queued.Add(1)
						return
					}
					assert.ErrorIs(t, err, sim.ErrRateLimited)
				})
			}
			wg.Wait()
			assert.EqualValues(t, allowed, queued.Load(), kind)
		}
	})
}
