package health_test

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"simora/server/health"
	"simora/server/keyring"
	"simora/server/sim"
	"simora/server/store"
	"simora/tests/pgserver"
)

func TestMain(m *testing.M) { pgserver.Main(m) }

var start = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// clock is set by hand.
type clock struct{ now atomic.Pointer[time.Time] }

func newClock(at time.Time) *clock { c := &clock{}; c.set(at); return c }

func (c *clock) set(at time.Time)     { c.now.Store(&at) }
func (c *clock) Now() time.Time       { return *c.now.Load() }
func (c *clock) pass(d time.Duration) { c.set(c.Now().Add(d)) }

func onBoth(t *testing.T, promise func(t *testing.T, s *store.Store)) {
	open := func(t *testing.T, url string) *store.Store {
		dir := t.TempDir()
		keys, err := keyring.Load(filepath.Join(dir, keyring.FileName))
		require.NoError(t, err)
		s, err := store.Open(t.Context(), store.Options{URL: url, Dir: dir, Keyring: keys, Log: slog.New(slog.DiscardHandler), Exclusive: url == ""})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, s.Close()) })
		return s
	}
	t.Run("sqlite", func(t *testing.T) { promise(t, open(t, "")) })
	t.Run("postgres", func(t *testing.T) { promise(t, open(t, pgserver.Database(t))) })
}

func newWatch(s *store.Store, c *clock) *health.Watch {
	return &health.Watch{
		Store: s, Now: c.Now, Log: slog.New(slog.DiscardHandler), Ready: func(context.Context) bool { return true },
		Instance: store.Instance{ID: uuid.NewString(), Host: "host", Version: "v1", StartedAt: c.Now()},
	}
}

// serve lets the watch work through a period as its ticker would.
func serve(t *testing.T, w *health.Watch, c *clock, d time.Duration) {
	t.Helper()
	for end := c.Now().Add(d); c.Now().Before(end); c.pass(30 * time.Second) {
		w.Once(t.Context())
	}
}

func TestAvailability(t *testing.T) {
	onBoth(t, func(t *testing.T, s *store.Store) {
		c := newClock(start)
		one := newWatch(s, c)
		measure := func(days int) health.Availability {
			t.Helper()
			a, known, err := one.Availability(t.Context(), days)
			require.NoError(t, err)
			require.True(t, known)
			return a
		}
		one.Once(t.Context())
		_, known, err := one.Availability(t.Context(), 1)
		require.NoError(t, err)
		assert.False(t, known, "no whole minute was measured")

		serve(t, one, c, 90*time.Minute)
		assert.Equal(t, health.Availability{Since: start, Days: 30, Percent: 100}, measure(30))

		c.pass(7 * time.Minute) // stopped
		two := newWatch(s, c)   // another process, later
		serve(t, two, c, 30*time.Minute)
		assert.Equal(t, 7, measure(30).MinutesDown)

		ready := false
		one.Ready, two.Ready = func(context.Context) bool { return ready }, func(context.Context) bool { return ready }
		serve(t, one, c, 3*time.Minute) // runs, and is not ready
		a := measure(30)
		assert.Equal(t, 10, a.MinutesDown)
		assert.InDelta(t, 92.307, a.Percent, 0.0001, "120 of 130 minutes, rounded down")

		ready = true
		serve(t, one, c, 24*time.Hour)
		assert.Equal(t, health.Availability{Since: c.Now().Add(-24 * time.Hour), Days: 1, Percent: 100}, measure(1), "the gap is older than a day")
		assert.Equal(t, 10, measure(90).MinutesDown)
	})
}

// Instances that overlap do not count twice, and the row of an hour takes the
// minutes of both.
func TestTwoInstancesOverlap(t *testing.T) {
	onBoth(t, func(t *testing.T, s *store.Store) {
		c := newClock(start)
		one, two := newWatch(s, c), newWatch(s, c)
		serve(t, one, c, 10*time.Minute)
		for end := c.Now().Add(10 * time.Minute); c.Now().Before(end); c.pass(30 * time.Second) {
			var both sync.WaitGroup
			both.Go(func() { one.Once(t.Context()) })
			both.Go(func() { two.Once(t.Context()) })
			both.Wait()
		}
		serve(t, two, c, 10*time.Minute)
		a, _, err := two.Availability(t.Context(), 1)
		require.NoError(t, err)
		assert.Equal(t, health.Availability{Since: start, Days: 1, Percent: 100}, a)
		c.pass(10 * time.Minute)
		a, _, err = two.Availability(t.Context(), 1)
		require.NoError(t, err)
		assert.Equal(t, 10, a.MinutesDown, "both are gone")
		assert.InDelta(t, 75, a.Percent, 0)
	})
}

// An outage that is older than what is kept does not shorten the measurement.
func TestLongOutageStaysCounted(t *testing.T) {
	onBoth(t, func(t *testing.T, s *store.Store) {
		c := newClock(start)
		w := newWatch(s, c)
		w.Once(t.Context())
		c.pass(100 * 24 * time.Hour)
		serve(t, w, c, 2*time.Hour)
		hours, err := s.Hours(t.Context(), start)
		require.NoError(t, err)
		assert.Len(t, hours, 2, "the first hour is forgotten")
		a, _, err := w.Availability(t.Context(), 90)
		require.NoError(t, err)
		assert.Equal(t, 90*24*60-120, a.MinutesDown)
	})
}

func TestChecks(t *testing.T) {
	onBoth(t, func(t *testing.T, s *store.Store) {
		c := newClock(start)
		w := newWatch(s, c)
		var broken error
		looks := 0
		w.Parts = []health.Part{w.Database(), {Name: "storage", Look: func(context.Context) (health.Finding, error) {
			looks++
			return health.Finding{State: health.OK, Note: "fine"}, broken
		}}}
		storage := func() health.Check { return w.Report().Checks[1] }
		w.Once(t.Context())
		assert.Equal(t, health.Check{Name: "storage", State: health.OK, Note: "fine", Since: start, MeasuredAt: start}, storage())
		assert.Equal(t, health.OK, w.Report().Checks[0].State)
		c.pass(29 * time.Second)
		w.Once(t.Context())
		assert.Equal(t, 1, looks, "never more often than every 30 s")

		broken = fmt.Errorf("put s3://key:secret@host/bucket: %w", &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED})
		failedAt := start.Add(time.Minute)
		c.set(failedAt)
		w.Once(t.Context())
		want := health.Check{Name: "storage", State: health.Failing, Note: "fine", Since: failedAt, MeasuredAt: failedAt, LastError: "connection failed", LastErrorAt: &failedAt}
		assert.Equal(t, want, storage())

		broken = nil
		c.pass(time.Minute)
		w.Once(t.Context())
		assert.Equal(t, health.OK, storage().State)
		assert.Equal(t, "connection failed", storage().LastError, "what went wrong last stays known")
		since := storage().Since
		c.pass(time.Minute)
		w.Once(t.Context())
		assert.Equal(t, since, storage().Since)

		page, err := w.Page(t.Context())
		require.NoError(t, err)
		require.Len(t, page.Instances, 1)
		assert.True(t, page.Instances[0].This && page.Instances[0].Alive)
		c.pass(2 * time.Minute)
		page, err = w.Page(t.Context())
		require.NoError(t, err)
		assert.False(t, page.Instances[0].Alive, "no sign of life for two minutes")
	})
}

func TestErrorsAreShownAsClasses(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{context.DeadlineExceeded, "no answer in time"},
		{fmt.Errorf("write: %w", syscall.ENOSPC), "no space left"},
		{fmt.Errorf("write /home/ann: %w", syscall.EACCES), "not permitted"},
		{x509.UnknownAuthorityError{}, "certificate not trusted"},
		{&net.OpError{Op: "dial", Err: &net.DNSError{Name: "db.internal"}}, "host name not found"},
		{&net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}, "connection failed"},
		{sim.ErrUnavailable.Because(errors.New("user=ann host=db")), "unavailable"},
		{errors.New("password=hunter2"), "error, see the log"},
	} {
		dir := t.TempDir()
		keys, err := keyring.Load(filepath.Join(dir, keyring.FileName))
		require.NoError(t, err)
		s, err := store.Open(t.Context(), store.Options{Dir: dir, Keyring: keys, Log: slog.New(slog.DiscardHandler), Exclusive: true})
		require.NoError(t, err)
		w := newWatch(s, newClock(start))
		w.Parts = []health.Part{{Name: "part", Look: func(context.Context) (health.Finding, error) { return health.Finding{}, c.err }}}
		w.Once(t.Context())
		assert.Equal(t, c.want, w.Report().Checks[0].LastError)
		require.NoError(t, s.Close())
	}
}

func TestDisk(t *testing.T) {
	found, err := health.Disk(t.TempDir()).Look(t.Context())
	require.NoError(t, err)
	assert.True(t, strings.HasSuffix(found.Note, "GiB free"), found.Note)
	_, err = health.Disk("/nowhere").Look(t.Context())
	require.Error(t, err)
}

func TestCached(t *testing.T) {
	c := newClock(start)
	var asked atomic.Int32
	var says error
	ask := health.Cached(func(context.Context) error { asked.Add(1); return says }, time.Second, time.Minute, c.Now)
	var wg sync.WaitGroup
	for range 100 {
		wg.Go(func() { assert.NoError(t, ask(t.Context())) })
	}
	wg.Wait()
	assert.EqualValues(t, 1, asked.Load())
	says = errors.New("down")
	require.NoError(t, ask(t.Context()), "for a second")
	c.pass(time.Second)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorContains(t, ask(gone), "down", "who goes away asks all the same")
	assert.EqualValues(t, 2, asked.Load())
}

// A database that is gone is found failing, counts as down, and is found well
// again by itself.
func TestDatabaseOutage(t *testing.T) {
	if testing.Short() {
		t.Skip("PostgreSQL is left out of the short run")
	}
	server, err := pgserver.Start()
	require.NoError(t, err)
	t.Cleanup(server.Stop)
	url, err := server.NewDatabase()
	require.NoError(t, err)
	dir := t.TempDir()
	keys, err := keyring.Load(filepath.Join(dir, keyring.FileName))
	require.NoError(t, err)
	s, err := store.Open(t.Context(), store.Options{URL: url, Dir: dir, Keyring: keys, Log: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })

	c := newClock(start)
	w := newWatch(s, c)
	w.Ready = func(ctx context.Context) bool { return s.Ping(ctx) == nil }
	w.Parts = []health.Part{w.Database()}
	serve(t, w, c, 2*time.Minute)
	assert.Equal(t, health.OK, w.Report().Checks[0].State)
	server.Kill()
	serve(t, w, c, 3*time.Minute)
	broken := w.Report().Checks[0]
	assert.Equal(t, health.Failing, broken.State)
	assert.NotContains(t, broken.Note+broken.LastError, "app@", "nothing of its address")
	require.NoError(t, server.Restart())
	serve(t, w, c, 2*time.Minute)
	assert.Equal(t, health.OK, w.Report().Checks[0].State)
	a, known, err := w.Availability(t.Context(), 1)
	require.NoError(t, err)
	require.True(t, known)
	assert.Equal(t, 3, a.MinutesDown)
}
