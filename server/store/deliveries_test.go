package store_test

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"simora/server/sim"
	"simora/server/store"
)

func newHook(t testing.TB, s *store.Store, personal bool, events ...string) store.Hook {
	t.Helper()
	h := store.Hook{
		ID: uuid.NewString(), Events: events, Personal: personal, Enabled: true, CreatedAt: start,
		Target: store.HookTarget{URL: "https://canary-host.example/hook", Secret: "whsec_canary"},
	}
	ok, err := s.AddHook(t.Context(), h, 20)
	require.NoError(t, err)
	require.True(t, ok)
	return h
}

func event(id, name, subject string) store.Event {
	return store.Event{ID: id, Name: name, Subject: subject, At: start, Body: []byte("canary-plain"), Personal: []byte("canary-personal")}
}

func claim(t testing.TB, s *store.Store, at time.Time) (store.Delivery, bool) {
	t.Helper()
	d, ok, err := s.ClaimDelivery(t.Context(), at, true)
	require.NoError(t, err)
	return d, ok
}

func TestHooks(t *testing.T) {
	onBoth(t, func(t *testing.T, s *store.Store) {
		h := newHook(t, s, true, "run.finished", "report.mailed")
		list, err := s.Hooks(t.Context())
		require.NoError(t, err)
		assert.Equal(t, []store.Hook{h}, list)
		other := h
		other.ID = uuid.NewString()
		ok, err := s.AddHook(t.Context(), other, 1)
		require.NoError(t, err)
		assert.False(t, ok, "there are as many as there may be")
		require.NoError(t, s.SwitchHook(t.Context(), h.ID, false))
		require.ErrorIs(t, s.SwitchHook(t.Context(), "none", false), store.ErrHookNotFound)
		require.NoError(t, s.DeleteHook(t.Context(), h.ID))
		require.ErrorIs(t, s.DeleteHook(t.Context(), h.ID), store.ErrHookNotFound)
	})
}

func TestEventIsQueuedForThoseWhoWantItInTheSameTransaction(t *testing.T) {
	onBoth(t, func(t *testing.T, s *store.Store) {
		ctx := context.Background()
		plain, personal := newHook(t, s, false, "contact.received", "run.finished"), newHook(t, s, true, "run.finished")
		newHook(t, s, true, "contact.received")
		off := newHook(t, s, true, "run.finished")
		require.NoError(t, s.SwitchHook(ctx, off.ID, false))

		id := startSession(t, s)
		sess, err := s.BeginReport(ctx, id, start)
		require.NoError(t, err)
		finished := event("run.finished "+id, "run.finished", id)
		require.NoError(t, s.CommitReport(ctx, sess, report(71), finished))
		require.ErrorIs(t, s.CommitReport(ctx, sess, report(99), event("another", "run.finished", id)), sim.ErrTurnInProgress)

		log, err := s.Deliveries(ctx, 100)
		require.NoError(t, err)
		require.Len(t, log, 2, "a commit that fails tells nothing")
		bodies := map[string]string{}
		for {
			d, ok := claim(t, s, start)
			if !ok {
				break
			}
			bodies[d.HookID] = string(d.Payload)
			assert.Equal(t, plain.Target, d.Target)
			assert.Equal(t, id, d.Subject)
		}
		assert.Equal(t, map[string]string{plain.ID: "canary-plain", personal.ID: "canary-personal"}, bodies)

		require.NoError(t, s.Tell(ctx, finished))
		log, err = s.Deliveries(ctx, 100)
		require.NoError(t, err)
		assert.Len(t, log, 2, "what was told is not told again")
	})
}

func TestLettersAndContactMessagesTellInTheirTransaction(t *testing.T) {
	onBoth(t, func(t *testing.T, s *store.Store) {
		ctx := context.Background()
		newHook(t, s, false, "contact.received", "report.mailed")
		n := newContact("Ada", start)
		n.Once = store.NewOnce("send-contact-email", "", "k", nil)
		n.Response = []byte("x")
		n.Events = []store.Event{event("contact", "contact.received", n.Message.ID)}
		for range 2 { // the second is a repetition
			_, _, err := s.AddContact(ctx, n)
			require.NoError(t, err)
		}
		id := completedSession(t, s)
		q, _, err := s.QueueReportMail(ctx, reportMail(id, "a@example.com", start))
		require.NoError(t, err)
		require.NoError(t, s.MailSent(ctx, q, start, event("mailed", "report.mailed", id)))
		require.NoError(t, s.MailSent(ctx, q, start, event("mailed by a stale claim", "report.mailed", id)))
		log, err := s.Deliveries(ctx, 100)
		require.NoError(t, err)
		assert.Len(t, log, 2)
	})
}

func TestOneDeliveryAtATimeForEachHook(t *testing.T) {
	onBoth(t, func(t *testing.T, s *store.Store) {
		ctx := context.Background()
		a, b := newHook(t, s, false, "run.finished"), newHook(t, s, false, "run.finished")
		for _, id := range []string{"1", "2"} {
			require.NoError(t, s.Tell(ctx, event(id, "run.finished", id)))
		}
		first, ok := claim(t, s, start)
		require.True(t, ok)
		second, ok := claim(t, s, start)
		require.True(t, ok)
		assert.ElementsMatch(t, []string{a.ID, b.ID}, []string{first.HookID, second.HookID})
		_, ok = claim(t, s, start)
		assert.False(t, ok, "both receivers are busy")
		require.NoError(t, s.RecordAttempt(ctx, first, store.Attempt{State: store.Delivered, Due: start, Status: 200, Took: 5 * time.Millisecond}))
		third, ok := claim(t, s, start)
		require.True(t, ok)
		assert.Equal(t, first.HookID, third.HookID)

		again, ok := claim(t, s, start.Add(21*time.Second))
		require.True(t, ok, "a lease runs out")
		assert.Equal(t, 2, again.Attempts)
		require.NoError(t, s.RecordAttempt(ctx, second, store.Attempt{State: store.GivenUp, Due: start}), "a lost lease")
		require.NoError(t, s.RecordAttempt(ctx, third, store.Attempt{State: store.GivenUp, Due: start}), "a lost lease, perhaps")
		require.NoError(t, s.RecordAttempt(ctx, again, store.Attempt{State: store.Waiting, Due: start.Add(time.Hour), Status: 503, Error: "busy"}))
		log, err := s.Deliveries(ctx, 100)
		require.NoError(t, err)
		states := map[store.DeliveryState]int{}
		for _, d := range log {
			states[d.State]++
			if d.ID == again.ID {
				assert.Equal(t, []any{503, "busy", start.Add(time.Hour)}, []any{d.Status, d.LastError, d.DueAt})
			}
		}
		assert.Equal(t, 1, states[store.Delivered])
		assert.LessOrEqual(t, states[store.GivenUp], 1, "only the holder of a lease decides")
	})
}

func TestHookThatIsOffWaits(t *testing.T) {
	onBoth(t, func(t *testing.T, s *store.Store) {
		ctx := context.Background()
		h := newHook(t, s, false, "run.finished")
		require.NoError(t, s.Tell(ctx, event("1", "run.finished", "s")))
		require.NoError(t, s.SwitchHook(ctx, h.ID, false))
		_, ok := claim(t, s, start)
		assert.False(t, ok)
		require.NoError(t, s.SwitchHook(ctx, h.ID, true))
		d, ok := claim(t, s, start)
		require.True(t, ok)
		require.NoError(t, s.RecordAttempt(ctx, d, store.Attempt{State: store.GivenUp, Due: start}))
		_, ok = claim(t, s, start.Add(time.Hour))
		assert.False(t, ok)
		require.NoError(t, s.SendAgain(ctx, d.ID, start.Add(time.Hour)))
		again, ok := claim(t, s, start.Add(time.Hour))
		require.True(t, ok)
		assert.Equal(t, d.ID, again.ID, "the same id for the receiver")
		assert.Equal(t, 1, again.Attempts)
		require.ErrorIs(t, s.SendAgain(ctx, "none", start), store.ErrDeliveryNotFound)
		require.NoError(t, s.DeleteHook(ctx, h.ID))
		log, err := s.Deliveries(ctx, 100)
		require.NoError(t, err)
		assert.Empty(t, log)
	})
}

// What waits for the learning record store may still be reworded; what was
// tried may not: the store would refuse other words under the same id.
func TestRecordsAreRewordedUntilTheFirstAttempt(t *testing.T) {
	onBoth(t, func(t *testing.T, s *store.Store) {
		ctx := context.Background()
		say := func(words string, due time.Time) {
			require.NoError(t, s.Tell(ctx, store.Event{ID: "x", Name: "xapi.statements", Subject: "s", To: store.RecordStore, At: start, Due: due, Body: []byte(words)}))
		}
		say("anonymous", start.Add(time.Hour))
		_, ok := claim(t, s, start)
		assert.False(t, ok)
		say("named", time.Time{})
		_, ok, err := s.ClaimDelivery(ctx, start, false)
		require.NoError(t, err)
		assert.False(t, ok, "there is no record store now")
		d, ok := claim(t, s, start)
		require.True(t, ok)
		assert.Equal(t, "named", string(d.Payload))
		require.NoError(t, s.RecordAttempt(ctx, d, store.Attempt{State: store.Waiting, Due: start}))
		say("otherwise", time.Time{})
		d, ok = claim(t, s, start)
		require.True(t, ok)
		assert.Equal(t, "named", string(d.Payload))
	})
}

func TestDeliveriesGoWithTheirSubject(t *testing.T) {
	onBoth(t, func(t *testing.T, s *store.Store) {
		ctx := context.Background()
		newHook(t, s, false, "run.finished", "contact.received")
		old, erased := completedSession(t, s), completedSession(t, s)
		n := newContact("Ada", start)
		n.Events = []store.Event{event("c", "contact.received", n.Message.ID)}
		_, _, err := s.AddContact(ctx, n)
		require.NoError(t, err)
		require.NoError(t, s.Tell(ctx, event("1", "run.finished", old), event("2", "run.finished", erased), event("3", "run.finished", "kept"), event("4", "run.finished", "")))
		left := func() int {
			log, err := s.Deliveries(ctx, 100)
			require.NoError(t, err)
			return len(log)
		}
		require.Equal(t, 5, left())
		gone, err := s.DeleteDeliveriesOf(ctx, erased)
		require.NoError(t, err)
		assert.EqualValues(t, 1, gone)
		assert.Equal(t, 4, left())
		gone, err = s.DeleteDeliveriesOf(ctx, "")
		require.NoError(t, err)
		assert.Zero(t, gone, "tests are nobody's")
		_, err = s.DeleteSessionsBefore(ctx, lease(t, s), start.Add(time.Millisecond))
		require.NoError(t, err)
		assert.Equal(t, 3, left())
		_, err = s.DeleteContactBefore(ctx, lease(t, s), start.Add(time.Millisecond))
		require.NoError(t, err)
		assert.Equal(t, 2, left())
		require.NoError(t, s.DeleteDeliveriesBefore(ctx, start))
		assert.Equal(t, 2, left(), "not yet due")
		require.NoError(t, s.DeleteDeliveriesBefore(ctx, start.Add(time.Millisecond)))
		assert.Zero(t, left())
	})
}

func TestManySendersClaimEachDeliveryOnce(t *testing.T) {
	onBoth(t, func(t *testing.T, s *store.Store) {
		ctx := context.Background()
		const hooks = 10
		for range hooks {
			newHook(t, s, false, "run.finished")
		}
		require.NoError(t, s.Tell(ctx, event("1", "run.finished", "s")))
		var mu sync.Mutex
		claimed := map[string]int{}
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for range 5 * hooks {
					d, ok, err := s.ClaimDelivery(ctx, start, true)
					if assert.NoError(t, err) && ok {
						mu.Lock()
						claimed[d.ID]++
						mu.Unlock()
					}
				}
			})
		}
		wg.Wait()
		assert.Len(t, claimed, hooks)
		for id, n := range claimed {
			assert.Equal(t, 1, n, id)
		}
	})
}

// A row that cannot be opened does not hold up the next.
func TestUnreadableDeliveryIsHandedOut(t *testing.T) {
	for name, url := range databases(t) {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s := openStore(t, dir, url())
			newHook(t, s, false, "run.finished")
			require.NoError(t, s.Tell(t.Context(), event("1", "run.finished", "s")))
			_, err := rawDatabase(t, dir, url()).Exec("UPDATE deliveries SET payload = $1", []byte("moved here from elsewhere"))
			require.NoError(t, err)
			d, ok := claim(t, s, start)
			require.True(t, ok)
			require.Error(t, d.Unreadable)
			require.NoError(t, s.RecordAttempt(t.Context(), d, store.Attempt{State: store.GivenUp, Due: start}))
			require.NoError(t, s.Tell(t.Context(), event("2", "run.finished", "s")))
			d, ok = claim(t, s, start)
			require.True(t, ok)
			require.NoError(t, d.Unreadable)
		})
	}
}

func TestHooksAreNotReadableOnDisk(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, dir, "")
	newHook(t, s, true, "run.finished")
	require.NoError(t, s.Tell(t.Context(), event("1", "run.finished", "s")))
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, f := range files {
		if f.IsDir() { // the keys
			continue
		}
		raw, err := os.ReadFile(filepath.Join(dir, f.Name()))
		require.NoError(t, err)
		assert.NotContains(t, string(raw), "canary", f.Name())
	}
}
