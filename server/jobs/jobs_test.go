package jobs_test

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"simora/server/jobs"
	"simora/server/keyring"
	"simora/server/mail"
	"simora/server/media"
	"simora/server/sim"
	"simora/server/store"
	"simora/tests/pgserver"
)

const days = 24 * time.Hour

func TestMain(m *testing.M) { pgserver.Main(m) }

// fixture is a store and its retention, at a time that the test says.
type fixture struct {
	jobs.Retention

	dir string
	now time.Time
	log bytes.Buffer
}

func onBoth(t *testing.T, test func(t *testing.T, f *fixture)) {
	t.Run("sqlite", func(t *testing.T) { test(t, open(t, t.TempDir(), "")) })
	if !testing.Short() {
		t.Run("postgres", func(t *testing.T) { test(t, open(t, t.TempDir(), pgserver.Database(t))) })
	}
}

func open(t *testing.T, dir, url string) *fixture {
	t.Helper()
	f := &fixture{dir: dir, now: time.Date(2026, 6, 1, 9, 0, 0, 0, time.UTC)}
	log := slog.New(slog.NewTextHandler(&f.log, nil))
	keys, err := keyring.Load(filepath.Join(dir, keyring.FileName))
	require.NoError(t, err)
	s, err := store.Open(t.Context(), store.Options{URL: url, Dir: dir, Keyring: keys, Log: log})
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	files, err := media.Open(filepath.Join(dir, "media"), "", nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = files.Close() })
	f.Retention = jobs.Retention{
		Store: s, Media: files, Outbox: mail.Outbox{Dir: filepath.Join(dir, "outbox"), Keys: keys}, Sessions: 90 * days, Contact: 365 * days, Holder: uuid.NewString(),
		Clock: func(context.Context) (time.Time, error) { return f.now, nil }, Now: func() time.Time { return f.now }, Log: log,
	}
	return f
}

func (f *fixture) session(t *testing.T, at time.Time) string {
	t.Helper()
	sc := sim.Scenario{ID: uuid.NewString(), Title: "T", Slug: "s", Industry: sim.Corporate, Rubric: []byte("{}"), MaxTurns: 3, IsPublic: true}
	require.NoError(t, f.Store.SeedScenario(t.Context(), sc))
	sc, version, err := f.Store.ScenarioBySlug(t.Context(), "s", false)
	require.NoError(t, err)
	id := uuid.NewString()
	_, err = f.Store.CreateSession(t.Context(), store.NewSession{ID: id, Scenario: sc, Version: version, StartedAt: at}, store.Once{}, nil)
	require.NoError(t, err)
	return id
}

func (f *fixture) contact(t *testing.T, name string, at time.Time) {
	t.Helper()
	_, _, err := f.Store.AddContact(t.Context(), store.NewContact{
		Message: store.ContactMessage{ID: uuid.NewString(), ReceivedAt: at, Reason: "demo", ContactBody: store.ContactBody{Name: name, Email: "a@x.test"}},
		Letter:  store.Letter{To: "company@x.test"},
	})
	require.NoError(t, err)
}

// dayKeys are those that this work destroys.
func (f *fixture) dayKeys(t *testing.T) []string {
	t.Helper()
	return append(f.keys(t, "day/contact/"), f.keys(t, "day/sessions/")...)
}

func (f *fixture) keys(t *testing.T, prefix string) (names []string) {
	t.Helper()
	list, err := f.Store.Keys().List(t.Context())
	require.NoError(t, err)
	for _, key := range list {
		if strings.HasPrefix(key.Name, prefix) {
			names = append(names, key.Name)
		}
	}
	return names
}

func (f *fixture) run(t *testing.T) {
	t.Helper()
	held, err := f.Once(t.Context())
	require.NoError(t, err)
	require.True(t, held)
}

// A rotation is followed by the next run, and the old standing key goes when
// backups from before it are past their time.
func TestOldStandingKeysGo(t *testing.T) {
	onBoth(t, func(t *testing.T, f *fixture) {
		user := store.User{ID: uuid.NewString(), Email: "ada@x.example", PasswordHash: "h", CreatedAt: f.now}
		require.NoError(t, f.Store.CreateUser(t.Context(), user, "admin"))
		command, err := keyring.Load(filepath.Join(f.dir, keyring.FileName))
		require.NoError(t, err)
		require.NoError(t, command.Rotate(t.Context()))
		f.run(t)
		assert.Contains(t, f.log.String(), `"sealed anew"=2`, "the address, and what a start tries its keys on")
		f.now = f.now.Add(90*days - time.Minute)
		f.run(t)
		assert.Equal(t, []string{"standing/00001", "standing/00002"}, f.keys(t, "standing/"))
		f.now = f.now.Add(time.Minute)
		f.run(t)
		assert.Equal(t, []string{"standing/00002"}, f.keys(t, "standing/"))
		list, err := f.Store.Users(t.Context())
		require.NoError(t, err)
		assert.Equal(t, user.Email, list[0].Email)
		entries, err := f.Store.AuditEntries(t.Context(), store.AuditFilter{Action: sim.KeyDestroyed, Limit: 10})
		require.NoError(t, err)
		require.NotEmpty(t, entries)
		assert.Equal(t, "standing keys", entries[0].Object)
	})
}

func TestEachKindGoesAtItsOwnAge(t *testing.T) {
	onBoth(t, func(t *testing.T, f *fixture) {
		gone, kept := f.session(t, f.now.Add(-90*days-time.Hour)), f.session(t, f.now.Add(-90*days+time.Hour))
		f.contact(t, "past its age", f.now.Add(-366*days))
		f.contact(t, "older than a session may be", f.now.Add(-364*days))
		require.Equal(t, []string{"day/contact/2025-05-31", "day/contact/2025-06-02", "day/sessions/2026-03-03"}, f.dayKeys(t))
		for _, age := range []time.Duration{91 * days, 89 * days} {
			told := store.Event{ID: age.String(), Name: "test", To: "hook", At: f.now.Add(-age), Body: []byte("{}")}
			require.NoError(t, f.Store.Tell(t.Context(), told))
		}
		f.run(t)

		deliveries, err := f.Store.Deliveries(t.Context(), 10)
		require.NoError(t, err)
		assert.Len(t, deliveries, 1, "what other systems were told goes at the age of sessions")
		_, err = f.Store.Session(t.Context(), gone)
		require.ErrorIs(t, err, sim.ErrSessionNotFound)
		_, err = f.Store.Session(t.Context(), kept)
		require.NoError(t, err)
		left, err := f.Store.ContactMessages(t.Context(), 10)
		require.NoError(t, err)
		require.Len(t, left, 1)
		assert.Equal(t, "older than a session may be", left[0].Name)
		assert.Equal(t, []string{"day/contact/2025-06-02", "day/sessions/2026-03-03"}, f.dayKeys(t), "a day is over when all of it is past its age")
		run, ok, err := f.Store.LastRetention(t.Context())
		require.NoError(t, err)
		assert.True(t, ok)
		oldest := f.now.Add(-90*days + time.Hour)
		assert.Equal(t, store.RetentionRun{At: f.now, Sessions: 1, Contact: 1, Keys: 1, Oldest: &oldest}, run)

		f.now = f.now.Add(1000 * days) // after a long downtime
		f.run(t)
		assert.Empty(t, f.dayKeys(t))
	})
}

// A wrong clock on one machine deletes nothing early: the database's counts.
func TestWrongClockDeletesNothing(t *testing.T) {
	onBoth(t, func(t *testing.T, f *fixture) {
		f.Clock = f.Store.Clock
		now, err := f.Store.Clock(t.Context())
		require.NoError(t, err)
		id := f.session(t, now.Add(-89*days))
		for _, off := range []time.Duration{90 * days, -90 * days, time.Hour, -time.Hour} {
			f.now = now.Add(off)
			f.run(t)
			_, err := f.Store.Session(t.Context(), id)
			require.NoError(t, err)
		}
		assert.Contains(t, f.log.String(), "clock")
	})
}

// Many processes at once: the work is done once.
func TestOneProcessAtATime(t *testing.T) {
	onBoth(t, func(t *testing.T, f *fixture) {
		var mu sync.Mutex
		var wg sync.WaitGroup
		for i := range 60 { // more than one portion
			wg.Go(func() { f.session(t, f.now.Add(-91*days-time.Duration(i)*time.Second)) })
		}
		wg.Wait()
		for range 4 {
			wg.Go(func() {
				r := f.Retention
				r.Holder = uuid.NewString()
				_, err := r.Once(t.Context())
				mu.Lock()
				defer mu.Unlock()
				assert.NoError(t, err)
			})
		}
		wg.Wait()
		o, err := f.Store.Overview(t.Context(), f.now.Add(-100*days).Truncate(days), f.now.Truncate(days))
		require.NoError(t, err)
		sessions := 0
		for _, d := range o.Days {
			sessions += d.Sessions
		}
		assert.Equal(t, 60, sessions, "each counted once")

		_, held, err := f.Store.TakeLease(t.Context(), "retention", "somebody else", time.Hour)
		require.NoError(t, err)
		require.True(t, held)
		held, err = f.Once(t.Context())
		require.NoError(t, err)
		assert.False(t, held)
	})
}

// Letters that were written as files go with their session.
func TestLettersGoWithTheirSession(t *testing.T) {
	f := open(t, t.TempDir(), "")
	f.now = time.Now().Add(2 * time.Hour) // files have the machine's time
	require.NoError(t, os.Mkdir(filepath.Join(f.dir, "outbox"), 0o700))
	f.contact(t, "Ada", f.now.Add(-10*days))
	q, ok, err := f.Store.ClaimMail(t.Context(), f.now)
	require.NoError(t, err)
	require.True(t, ok)
	for _, id := range []string{q.ID, uuid.NewString()} {
		require.NoError(t, os.WriteFile(filepath.Join(f.dir, "outbox", id+".sealed"), nil, 0o600))
	}
	f.run(t)
	left, err := os.ReadDir(filepath.Join(f.dir, "outbox"))
	require.NoError(t, err)
	require.Len(t, left, 1)
	assert.Equal(t, q.ID+".sealed", left[0].Name())
}
