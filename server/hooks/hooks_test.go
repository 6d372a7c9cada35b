package hooks_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"simora/server/fakes/lrs"
	"simora/server/fakes/receiver"
	"simora/server/hooks"
	"simora/server/keyring"
	"simora/server/outbound"
	"simora/server/sim"
	"simora/server/store"
	"simora/server/xapi"
	"simora/tests/authority"
	"simora/tests/pgserver"
)

func TestMain(m *testing.M) { pgserver.Main(m) }

var start = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

func onBoth(t *testing.T, promise func(t *testing.T, b *bench)) {
	t.Run("sqlite", func(t *testing.T) { promise(t, setUp(t, "")) })
	t.Run("postgres", func(t *testing.T) { promise(t, setUp(t, pgserver.Database(t))) })
}

// bench is a store and a clock that the test moves.
type bench struct {
	*store.Store
	t   *testing.T
	mu  sync.Mutex
	now time.Time
}

func setUp(t *testing.T, url string) *bench {
	t.Helper()
	dir := t.TempDir()
	keys, err := keyring.Load(filepath.Join(dir, keyring.FileName))
	require.NoError(t, err)
	s, err := store.Open(t.Context(), store.Options{URL: url, Dir: dir, Keyring: keys, Log: slog.New(slog.DiscardHandler), Exclusive: url == ""})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return &bench{Store: s, t: t, now: start}
}

func (b *bench) clock() time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.now
}

func (b *bench) pass(d time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.now = b.now.Add(d)
}

func (b *bench) hook(url string) string {
	b.t.Helper()
	id := uuid.NewString()
	ok, err := b.AddHook(b.t.Context(), store.Hook{ID: id, Events: []string{hooks.RunFinished}, Enabled: true, CreatedAt: start, Target: store.HookTarget{URL: url, Secret: secret}}, hooks.MostHooks)
	require.NoError(b.t, err)
	require.True(b.t, ok)
	return id
}

func (b *bench) sender(private bool, records *hooks.RecordStore) *hooks.Sender {
	return b.trusting(nil, private, records)
}

// trusting is a sender that trusts these authorities; nil: the system's.
func (b *bench) trusting(roots *x509.CertPool, private bool, records *hooks.RecordStore) *hooks.Sender {
	b.t.Helper()
	network := outbound.New(roots)
	if records != nil {
		u, err := url.Parse(records.Endpoint)
		require.NoError(b.t, err)
		network = network.With(outbound.HTTP("xapi", u))
	}
	return hooks.NewSender(b.Store, network, records, private, b.clock, slog.New(slog.DiscardHandler))
}

func (b *bench) drain(s *hooks.Sender) {
	b.t.Helper()
	require.NoError(b.t, s.Drain(b.t.Context()))
}

func (b *bench) tell(id string) {
	b.t.Helper()
	require.NoError(b.t, b.Tell(b.t.Context(), store.Event{ID: id, Name: hooks.RunFinished, Subject: id, At: b.clock(), Body: []byte(`{"n":"` + id + `"}`)}))
}

func (b *bench) log() []store.Delivery {
	b.t.Helper()
	list, err := b.Deliveries(b.t.Context(), 1000)
	require.NoError(b.t, err)
	return list
}

// One attempt at every kind of receiver.
func TestAnswers(t *testing.T) {
	elsewhere := receiver.Start(t)
	for _, c := range []struct {
		name   string
		answer receiver.Behaviour
		state  store.DeliveryState
		status int
		next   time.Duration
		says   string
		slow   bool
	}{
		{"accepted", receiver.Status(200), store.Delivered, 200, 0, "", false},
		{"accepted later", receiver.Status(202), store.Delivered, 202, 0, "", false},
		{"accepted with an endless answer", receiver.Endless, store.Delivered, 200, 0, "", false},
		{"accepted a byte at a time", receiver.Trickle, store.Delivered, 200, 0, "", true},
		{"broken", receiver.Status(500), store.Waiting, 500, time.Minute, "500 Internal Server Error", false},
		{"refused", receiver.Status(400), store.Waiting, 400, time.Minute, "400 Bad Request", false},
		{"busy", receiver.Busy(7200), store.Waiting, 429, 2 * time.Hour, "429", false},
		{"busy for a second", receiver.Busy(1), store.Waiting, 429, time.Minute, "429", false},
		{"busy for a year", receiver.Busy(365 * 86400), store.Waiting, 429, 24 * time.Hour, "429", false},
		{"busy since yesterday", receiver.Busy(-5), store.Waiting, 429, time.Minute, "429", false},
		{"redirect", receiver.Redirect(elsewhere.URL), store.Waiting, 307, time.Minute, "redirect", false},
		{"reset", receiver.Reset, store.Waiting, 0, time.Minute, "", false},
		{"no HTTP", receiver.Garbage, store.Waiting, 0, time.Minute, "malformed", false},
		{"too much header", receiver.LargeHeader, store.Waiting, 0, time.Minute, "header", false},
		{"gone", receiver.Status(410), store.GivenUp, 410, 0, "switched off", false},
		{"never", receiver.Hang, store.Waiting, 0, time.Minute, "no answer in time", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if c.slow && testing.Short() {
				t.Skip("waits until the attempt ends")
			}
			b := setUp(t, "")
			r := receiver.Start(t, c.answer)
			b.hook(r.URL)
			b.tell("a")
			b.drain(b.sender(true, nil))
			got := b.log()[0]
			assert.Equal(t, []any{c.state, c.status, 1}, []any{got.State, got.Status, got.Attempts})
			assert.Equal(t, start.Add(c.next), got.DueAt)
			assert.Contains(t, got.LastError, c.says)
			assert.NotContains(t, got.LastError, r.URL)
			if c.state != store.Delivered {
				assert.NotEmpty(t, got.LastError)
			}
			assert.Len(t, r.Received(), 1)
			list, err := b.Hooks(t.Context())
			require.NoError(t, err)
			assert.Equal(t, c.status != http.StatusGone, list[0].Enabled)
		})
	}
	t.Cleanup(func() { assert.Empty(t, elsewhere.Received(), "no redirect is followed") })
}

func TestUntrustedCertificateAndNobodyThere(t *testing.T) {
	b := setUp(t, "")
	untrusted := receiver.StartTLS(t, nil)
	b.hook(untrusted.URL)
	b.hook("http://127.0.0.1:1/")
	b.hook("https://nobody.invalid/")
	b.tell("a")
	b.drain(b.sender(true, nil))
	assert.Empty(t, untrusted.Received())
	errors := ""
	for _, d := range b.log() {
		assert.Equal(t, store.Waiting, d.State)
		errors += d.LastError + "\n"
	}
	for _, says := range []string{"certificate", "refused", "name of the receiver"} {
		assert.Contains(t, errors, says)
	}
}

// A receiver and a record store of one's own authority (SIMORA_CA_FILE) are
// trusted with its file only, and with it the guard of webhooks stays.
func TestAuthoritiesOfOnesOwn(t *testing.T) {
	ours := authority.New(t)
	roots, err := outbound.ReadRoots(ours.File)
	require.NoError(t, err)
	for _, c := range []struct {
		name          string
		roots         *x509.CertPool
		private       bool
		hook, records int // how many deliveries and statements arrive
		says          string
	}{
		{"with the file", roots, true, 1, 3, ""},
		{"without it", nil, true, 0, 0, "certificate"},
		{"with the file, private addresses refused", roots, false, 0, 3, "private network"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := setUp(t, "")
			r := receiver.StartTLS(t, ours.Server(t, "127.0.0.1"))
			records := lrs.StartTLS(t, ours.Server(t, "127.0.0.1"))
			b.hook(r.URL)
			sess, report := run()
			told, err := hooks.Events{Records: &xapi.Words{PublicURL: "https://training.example", Actor: xapi.Pseudonym, Pass: 70}}.RunFinished(sess, report, start)
			require.NoError(t, err)
			require.NoError(t, b.Tell(t.Context(), told...))
			b.drain(b.trusting(c.roots, c.private, &hooks.RecordStore{Endpoint: records.Endpoint, Key: records.Key, Secret: records.Secret}))
			assert.Len(t, r.Received(), c.hook)
			assert.Len(t, records.Statements(), c.records)
			for _, d := range b.log() {
				if d.State != store.Delivered {
					assert.Contains(t, d.LastError, c.says)
				}
			}
		})
	}
}

func TestPrivateAddressesAreRefusedWhenConnecting(t *testing.T) {
	b := setUp(t, "")
	r := receiver.Start(t)
	port := r.URL[strings.LastIndex(r.URL, ":"):]
	for _, host := range []string{"127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0", "10.0.0.1", "169.254.169.254", "192.168.1.1", "[fd00::1]", "[fe80::1]", "100.64.0.1"} {
		b.hook("http://" + host + port)
	}
	b.tell("a")
	b.drain(b.sender(false, nil))
	assert.Empty(t, r.Received())
	for _, d := range b.log() {
		assert.Contains(t, d.LastError, "private network")
	}
}

func TestAddresses(t *testing.T) {
	for address, allowed := range map[string][2]bool{ // private addresses refused, allowed
		"https://example.com/hook?key=1":         {true, true},
		"https://example.com:8443":               {true, true},
		"http://example.com/":                    {false, false},
		"http://127.0.0.1:9000/":                 {false, true},
		"http://localhost:9000/":                 {false, true},
		"http://[::1]:9000/":                     {false, true},
		"http://10.0.0.1/":                       {false, false},
		"https://user:pass@example.com":          {false, false},
		"https://example.com/#part":              {false, false},
		"https://":                               {false, false},
		"ftp://example.com":                      {false, false},
		"example.com":                            {false, false},
		"https://example.com/a b":                {false, false},
		"https://a/" + strings.Repeat("x", 2000): {false, false},
		"":                                       {false, false},
	} {
		assert.Equal(t, allowed[0], hooks.CheckURL(address, false) == "", address)
		assert.Equal(t, allowed[1], hooks.CheckURL(address, true) == "", address)
	}
}

// Six attempts in about a day, under one id, each signed for its own time; and
// again when an admin says so.
func TestScheduleAndSignature(t *testing.T) {
	onBoth(t, func(t *testing.T, b *bench) {
		r := receiver.Start(t).Always(receiver.Status(503))
		b.hook(r.URL)
		b.tell("a")
		s := b.sender(true, nil)
		var tries []time.Duration
		for b.log()[0].State == store.Waiting {
			b.drain(s)
			tries = append(tries, b.clock().Sub(start))
			b.pass(b.log()[0].DueAt.Sub(b.clock()) - time.Millisecond)
			b.drain(s)
			assert.Len(t, r.Received(), len(tries), "not before its time")
			b.pass(time.Millisecond)
		}
		assert.Equal(t, []time.Duration{0, time.Minute, 11 * time.Minute, 71 * time.Minute, 371 * time.Minute, 1451 * time.Minute}, tries)
		assert.Equal(t, store.GivenUp, b.log()[0].State)

		r.Always(receiver.Status(204))
		require.NoError(t, b.SendAgain(t.Context(), b.log()[0].ID, b.clock()))
		b.drain(s)
		assert.Equal(t, store.Delivered, b.log()[0].State)
		all := r.Received()
		require.Len(t, all, 7)
		for i, got := range all[:6] {
			assert.Equal(t, all[0].ID(), got.ID())
			assert.Equal(t, fmt.Sprint(start.Add(tries[i]).Unix()), got.Header.Get("Webhook-Timestamp"))
		}
		for _, got := range all {
			assert.JSONEq(t, `{"n":"a"}`, string(got.Body))
			assert.Equal(t, sign(t, got), got.Header.Get("Webhook-Signature"))
		}
	})
}

// sign is the specification's rule in the receiver's own words.
func sign(t *testing.T, r receiver.Received) string {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	require.NoError(t, err)
	mac := hmac.New(sha256.New, key)
	_, _ = fmt.Fprintf(mac, "%s.%s.%s", r.ID(), r.Header.Get("Webhook-Timestamp"), r.Body)
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// Whatever receivers do, everything arrives, and nothing comes again after an
// acceptance that reached us.
func TestNothingIsLostAndNothingComesTwice(t *testing.T) {
	onBoth(t, func(t *testing.T, b *bench) {
		random := rand.New(rand.NewPCG(1, 2))
		bad := []receiver.Behaviour{receiver.Status(500), receiver.Busy(90), receiver.Reset, receiver.Garbage, receiver.Redirect("http://127.0.0.1:1/"), receiver.Status(404)}
		const count, receivers = 12, 3
		var all []*receiver.Server
		for range receivers {
			var script []receiver.Behaviour
			for range 2 * count {
				script = append(script, bad[random.IntN(len(bad))])
			}
			r := receiver.Start(t, script...)
			all = append(all, r)
			b.hook(r.URL)
		}
		for i := range count {
			b.tell(fmt.Sprint(i))
		}
		senders := []*hooks.Sender{b.sender(true, nil), b.sender(true, nil)} // two instances
		for range 8 {
			var wg sync.WaitGroup
			for _, s := range senders {
				wg.Go(func() { assert.NoError(t, s.Drain(t.Context())) })
			}
			wg.Wait()
			b.pass(19 * time.Hour)
		}
		for _, r := range all {
			accepted := map[string]int{}
			for _, got := range r.Received() {
				if got.Status/100 == 2 {
					accepted[got.ID()]++
				}
			}
			assert.Len(t, accepted, count)
			for id, n := range accepted {
				assert.Equal(t, 1, n, id)
			}
		}
		for _, d := range b.log() {
			assert.Equal(t, store.Delivered, d.State)
		}
	})
}

func TestSlowReceiverHoldsUpOnlyItself(t *testing.T) {
	b := setUp(t, "")
	open := make(chan struct{})
	slow, quick := receiver.Start(t).Always(receiver.Until(open)), receiver.Start(t)
	b.hook(slow.URL)
	b.hook(quick.URL)
	for i := range 5 {
		b.tell(fmt.Sprint(i))
	}
	done := make(chan error)
	go func() { done <- b.sender(true, nil).Drain(context.Background()) }()
	require.Eventually(t, func() bool { return len(quick.Received()) == 5 }, 30*time.Second, 5*time.Millisecond)
	assert.Len(t, slow.Received(), 1, "one at a time, and it is not answered yet")
	close(open)
	require.NoError(t, <-done)
	assert.Len(t, slow.Received(), 5)
}

func TestStopInTheMiddleLeavesItQueued(t *testing.T) {
	b := setUp(t, "")
	r := receiver.Start(t, receiver.Hang)
	b.hook(r.URL)
	b.tell("a")
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error)
	s := b.sender(true, nil)
	go func() { done <- s.Drain(ctx) }()
	require.Eventually(t, func() bool { return len(r.Received()) == 1 }, 30*time.Second, 5*time.Millisecond)
	stop()
	require.NoError(t, <-done)
	b.drain(s)
	assert.Equal(t, store.Delivered, b.log()[0].State)
	assert.Equal(t, r.Received()[0].ID(), r.Received()[1].ID())
}

func run() (store.Session, sim.Report) {
	completed := start
	sess := store.Session{
		ID: uuid.NewString(), StartedAt: start.Add(-4 * time.Minute), CompletedAt: &completed, TurnCount: 3,
		Scenario: sim.Scenario{Slug: "healthcare-emergency", Title: "Chest pain", Industry: sim.Healthcare},
	}
	r := sim.Report{Overall: 71, Dimensions: map[string]int{"Empathy": 60}, CoachSummary: "canary", Criteria: []sim.CriterionResult{
		{ID: "ecg", Title: "Takes an ECG", Verdict: sim.Met, Points: 10, MaxPoints: 10},
		{ID: "calls", Title: "Calls the team", Verdict: sim.Missed, MaxPoints: 10},
	}}
	sess.Report = &r
	return sess, r
}

// A record store with all its bad days gets each statement once.
func TestStatementsReachTheRecordStoreOnce(t *testing.T) {
	onBoth(t, func(t *testing.T, b *bench) {
		records := lrs.Start(t)
		events := hooks.Events{Records: &xapi.Words{PublicURL: "https://training.example", Actor: xapi.Pseudonym, Pass: 70}}
		const runs = 4
		for range runs {
			sess, report := run()
			told, err := events.RunFinished(sess, report, start)
			require.NoError(t, err)
			require.NoError(t, b.Tell(t.Context(), told...))
		}
		s := b.sender(false, &hooks.RecordStore{Endpoint: records.Endpoint, Key: records.Key, Secret: records.Secret})
		for range 6 {
			b.drain(s)
			b.pass(18 * time.Hour)
		}
		assert.Empty(t, records.Complaints())
		assert.Len(t, records.Statements(), 3*runs)
		for _, d := range b.log() {
			assert.Equal(t, store.Delivered, d.State, d.LastError)
		}
	})
}

func TestRecordStoreThatRefusesIsNotAskedAgain(t *testing.T) {
	b := setUp(t, "")
	records := lrs.Start(t, lrs.Good)
	require.NoError(t, b.Tell(t.Context(), store.Event{ID: "a", Name: "xapi.statements", To: store.RecordStore, At: start, Body: []byte(`[{"actor":{}}]`)}))
	b.drain(b.sender(false, &hooks.RecordStore{Endpoint: records.Endpoint, Key: records.Key, Secret: records.Secret}))
	assert.Equal(t, store.GivenUp, b.log()[0].State)
	assert.NotEmpty(t, records.Complaints())
}

// An address that the learner leaves behind a run is in its statements, when
// the installation asks for it; without one they go under a pseudonym.
func TestStatementsWaitForTheAddress(t *testing.T) {
	b := setUp(t, "")
	records := lrs.Start(t, lrs.Good)
	events := hooks.Events{Records: &xapi.Words{PublicURL: "https://training.example", Actor: xapi.Mbox, Pass: 70}}
	for _, email := range []string{"sam@hospital.example", ""} {
		sess, report := run()
		told, err := events.RunFinished(sess, report, start)
		require.NoError(t, err)
		require.NoError(t, b.Tell(t.Context(), told...))
		if email != "" {
			b.pass(time.Minute)
			named, err := events.Named(sess, email, b.clock())
			require.NoError(t, err)
			require.NoError(t, b.Tell(t.Context(), named...))
		}
	}
	s := b.sender(false, &hooks.RecordStore{Endpoint: records.Endpoint, Key: records.Key, Secret: records.Secret})
	b.drain(s)
	require.Len(t, records.Statements(), 3)
	for _, raw := range records.Statements() {
		assert.Contains(t, string(raw), "mailto:sam@hospital.example")
	}
	b.pass(30 * time.Minute)
	b.drain(s)
	require.Len(t, records.Statements(), 6)
	assert.NotContains(t, string(records.Statements()[5]), "mailto:")
	assert.Empty(t, records.Complaints())
}

func TestWhatIsTold(t *testing.T) {
	events := hooks.Events{}
	sess, report := run()
	finished, err := events.RunFinished(sess, report, start)
	require.NoError(t, err)
	require.Len(t, finished, 1)
	assert.NotContains(t, string(finished[0].Body), "canary")
	assert.Nil(t, finished[0].Personal)

	m := store.ContactMessage{ID: "m", ReceivedAt: start, Reason: "demo", ContactBody: store.ContactBody{Name: "canary", Email: "canary@example.com", Message: "canary"}}
	contact, err := events.ContactReceived(m)
	require.NoError(t, err)
	assert.NotContains(t, string(contact[0].Body), "canary")
	assert.Contains(t, string(contact[0].Personal), `"email":"canary@example.com"`)
	m.Suspicious = true
	contact, err = events.ContactReceived(m)
	require.NoError(t, err)
	assert.Empty(t, contact)

	q := store.Queued{ID: "q", Kind: "report", SessionID: sess.ID, Letter: store.Letter{To: "canary@example.com"}}
	mailed, err := events.LetterSent(q, start)
	require.NoError(t, err)
	assert.NotContains(t, string(mailed[0].Body), "canary")
	assert.Contains(t, string(mailed[0].Personal), `"recipient":"canary@example.com"`)
	q.Kind = "contact"
	mailed, err = events.LetterSent(q, start)
	require.NoError(t, err)
	assert.Empty(t, mailed)

	var envelope struct {
		Type string
		Data map[string]any
	}
	require.NoError(t, json.Unmarshal(finished[0].Body, &envelope))
	assert.Equal(t, hooks.RunFinished, envelope.Type)
	assert.Equal(t, sess.ID, envelope.Data["sessionId"])
}
