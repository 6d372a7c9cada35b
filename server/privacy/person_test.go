package privacy_test

import (
	"context"
	"encoding/json"
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

	"simora/server/keyring"
	"simora/server/mail"
	"simora/server/privacy"
	"simora/server/shelf"
	"simora/server/sim"
	"simora/server/store"
	"simora/tests/pgserver"
)

func TestMain(m *testing.M) { pgserver.Main(m) }

var start = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

const (
	person  = "Jane.Doe@example.com"
	another = "other@example.com"
)

// box keeps what is sent.
type box struct {
	mu  sync.Mutex
	got []store.Letter
}

func (b *box) Send(_ context.Context, l store.Letter) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.got = append(b.got, l)
	return nil
}

type fixture struct {
	*privacy.Rights
	box     *box
	now     time.Time
	dropped []string
}

func onBoth(t *testing.T, promise func(t *testing.T, f *fixture)) {
	t.Run("sqlite", func(t *testing.T) { promise(t, setUp(t, "")) })
	if !testing.Short() {
		t.Run("postgres", func(t *testing.T) { promise(t, setUp(t, pgserver.Database(t))) })
	}
}

func setUp(t *testing.T, url string) *fixture {
	dir := t.TempDir()
	keys, err := keyring.Load(filepath.Join(dir, keyring.FileName))
	require.NoError(t, err)
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError}))
	s, err := store.Open(t.Context(), store.Options{URL: url, Dir: dir, Keyring: keys, Log: log, Exclusive: url == ""})
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	erased, err := shelf.Open(t.Context(), "", filepath.Join(dir, "keys"), nil)
	require.NoError(t, err)
	f := &fixture{box: &box{}, now: start.Add(time.Hour)}
	now := func() time.Time { return f.now }
	f.Rights = &privacy.Rights{
		Store: s, Erased: erased, Mail: mail.NewPostman(s, f.box, now, log), Letters: mail.Letters{Brand: "Simora", PublicURL: "https://simora.test"},
		DropFiles: func(ids []string) error { f.dropped = append(f.dropped, ids...); return nil }, Log: log, Now: now, NewID: uuid.NewString,
	}
	return f
}

// run plays a session whose report goes to the address.
func (f *fixture) run(t *testing.T, email string) string {
	t.Helper()
	ctx := t.Context()
	sc := sim.Scenario{ID: uuid.NewString(), Title: "Chest pain", Slug: "chest-pain", Industry: sim.Healthcare, Rubric: []byte(`{"Empathy":1}`), MaxTurns: 3, IsPublic: true, CreatedAt: start, UpdatedAt: start}
	require.NoError(t, f.Store.SeedScenario(ctx, sc))
	sc, version, err := f.Store.ScenarioBySlug(ctx, "chest-pain", false)
	require.NoError(t, err)
	id := uuid.NewString()
	_, err = f.Store.CreateSession(ctx, store.NewSession{
		ID: id, Scenario: sc, Version: version, StartedAt: start, Opening: sim.Opening{Message: "Your first action?"},
		Visitor: store.Visitor{IP: "203.0.113.9", UserAgent: "canary-agent"},
	}, store.NewOnce("session-start", "", uuid.NewString(), nil), []byte("canary-start"))
	require.NoError(t, err)
	sess, _, err := f.Store.BeginTurn(ctx, id, store.Once{}, start)
	require.NoError(t, err)
	require.NoError(t, f.Store.CommitTurn(ctx, sess, store.Turn{
		Learner: "canary-words", Reply: sim.Reply{Text: "It hurts.", Engine: sim.BuiltIn}, At: start,
		Once: store.NewOnce("session-turn", id, uuid.NewString(), nil), Response: []byte("canary-answer"),
	}))
	sess, err = f.Store.BeginReport(ctx, id, start)
	require.NoError(t, err)
	require.NoError(t, f.Store.CommitReport(ctx, sess, sim.Report{Overall: 60, CoachSummary: "canary-report"}))
	_, _, err = f.Store.QueueReportMail(ctx, store.ReportMail{
		OutboxID: uuid.NewString(), SessionID: id, Letter: store.Letter{To: email, Subject: "Report", Text: "canary-letter", MessageID: "<r@x>"}, PerRecipient: 9, Now: start,
	})
	require.NoError(t, err)
	return id
}

// write leaves a contact message.
func (f *fixture) write(t *testing.T, email string) {
	t.Helper()
	_, _, err := f.Store.AddContact(t.Context(), store.NewContact{
		Message: store.ContactMessage{ID: uuid.NewString(), ReceivedAt: start, Reason: "demo", ContactBody: store.ContactBody{Name: "Jane", Email: email, Message: "canary-contact"}},
		Letter:  store.Letter{To: "company@example.com", MessageID: "<c@x>"},
	})
	require.NoError(t, err)
}

func (f *fixture) found(t *testing.T, email string) string {
	t.Helper()
	c, err := f.Export(t.Context(), email)
	require.NoError(t, err)
	text, err := json.Marshal(c)
	require.NoError(t, err)
	return string(text)
}

var canaries = []string{"canary-words", "canary-report", "canary-agent", "203.0.113.9", "canary-contact", "canary-letter"}

func TestExportHasEverything(t *testing.T) {
	onBoth(t, func(t *testing.T, f *fixture) {
		f.run(t, person)
		f.write(t, strings.ToLower(person))
		f.run(t, another)
		text := f.found(t, "jane.doe@EXAMPLE.com")
		for _, canary := range canaries {
			assert.Contains(t, text, canary)
		}
		assert.Equal(t, 1, strings.Count(text, "canary-report"), "nobody else's run")
		assert.NotContains(t, f.found(t, "nobody@example.com"), "canary")
		_, err := f.Export(t.Context(), "not an address")
		require.Error(t, err)
	})
}

func TestErasedPersonIsGone(t *testing.T) {
	onBoth(t, func(t *testing.T, f *fixture) {
		id := f.run(t, person)
		f.write(t, person)
		kept := f.run(t, another)
		erased, err := f.Erase(t.Context(), strings.ToLower(person))
		require.NoError(t, err)
		assert.Equal(t, store.Erased{Sessions: 1, Contact: 1}, erased, "the report's letter goes with its session")
		assert.NotContains(t, f.found(t, person), "canary")
		_, err = f.Store.Session(t.Context(), id)
		require.ErrorIs(t, err, sim.ErrSessionNotFound)
		_, err = f.Store.Session(t.Context(), kept)
		require.NoError(t, err)
		assert.Len(t, f.dropped, 2, "letters on the disk go too: the report's and the contact message's")
		due, waiting, err := f.Store.NextMailDue(t.Context())
		require.NoError(t, err)
		assert.True(t, waiting, due)
	})
}

// A backup from before the erasure is restored: what it brings back goes again
// at the next start, what came later stays.
func TestRestoredBackupDoesNotBringAPersonBack(t *testing.T) {
	onBoth(t, func(t *testing.T, f *fixture) {
		f.run(t, person)
		_, err := f.Erase(t.Context(), person)
		require.NoError(t, err)
		f.run(t, person) // as if restored: it started before the erasure
		f.write(t, person)
		f.now = f.now.Add(time.Hour)
		require.NoError(t, f.EraseAgain(t.Context(), 90*24*time.Hour))
		assert.NotContains(t, f.found(t, person), "canary")

		graves, err := f.Erased.List(t.Context(), "erased/")
		require.NoError(t, err)
		assert.Len(t, graves, 1)
		f.now = f.now.Add(91 * 24 * time.Hour)
		require.NoError(t, f.EraseAgain(t.Context(), 90*24*time.Hour))
		graves, err = f.Erased.List(t.Context(), "erased/")
		require.NoError(t, err)
		assert.Empty(t, graves, "no backup is that old")
	})
}

// gone is a shelf of which another instance takes a record away between List and
// Get.
type gone struct{ shelf.Shelf }

func (g gone) Get(ctx context.Context, name string) ([]byte, error) {
	if err := g.Delete(ctx, name); err != nil {
		return nil, err
	}
	return g.Shelf.Get(ctx, name)
}

// Instances that start together forget old erasures together.
func TestErasureThatAnotherInstanceForgets(t *testing.T) {
	f := setUp(t, "")
	_, err := f.Erase(t.Context(), person)
	require.NoError(t, err)
	f.Erased = gone{f.Erased}
	require.NoError(t, f.EraseAgain(t.Context(), 90*24*time.Hour))
}

// A letter of a day whose key is gone, such as a restored one, does not keep the
// rest from the person.
func TestExportWithALetterWhoseKeyIsGone(t *testing.T) {
	onBoth(t, func(t *testing.T, f *fixture) {
		require.NoError(t, f.Ask(t.Context(), person))
		queued, err := f.Store.QueuePersonalLetter(t.Context(), store.PersonalLetter{ID: uuid.NewString(), Letter: store.Letter{To: person}, PerRecipient: 9, Now: start})
		require.NoError(t, err)
		_, err = f.Store.Keys().DestroyBefore(t.Context(), keyring.Sessions, start.AddDate(0, 0, 1))
		require.NoError(t, err)
		f.write(t, person)
		text := f.found(t, person)
		assert.Contains(t, text, "canary-contact")
		assert.Contains(t, text, queued.ID, "that there was a letter is told")
	})
}

func TestReturnAfterErasureIsANewBeginning(t *testing.T) {
	onBoth(t, func(t *testing.T, f *fixture) {
		f.now = start.Add(-time.Hour)
		_, err := f.Erase(t.Context(), person)
		require.NoError(t, err)
		f.run(t, person)
		require.NoError(t, f.EraseAgain(t.Context(), 90*24*time.Hour))
		assert.Contains(t, f.found(t, person), "canary-words")
	})
}

func (f *fixture) token(t *testing.T) string {
	t.Helper()
	require.NotEmpty(t, f.box.got)
	_, after, found := strings.Cut(f.box.got[len(f.box.got)-1].Text, "/privacy/data#")
	require.True(t, found)
	token, _, _ := strings.Cut(after, "\n")
	return token
}

func TestMailedLink(t *testing.T) {
	onBoth(t, func(t *testing.T, f *fixture) {
		f.run(t, person)
		f.run(t, another)
		require.NoError(t, f.Ask(t.Context(), person))
		require.Len(t, f.box.got, 1)
		assert.Equal(t, person, strings.Replace(f.box.got[0].To, "@example", "@example", 1))
		assert.NotContains(t, f.box.got[0].Text+f.box.got[0].HTML, "canary")
		token := f.token(t)

		own, err := f.OwnCopy(t.Context(), token)
		require.NoError(t, err)
		assert.Len(t, own.Sessions, 1)
		for name, broken := range map[string]string{
			"empty": "", "not ours": "AAAA", "changed": token[:len(token)-2] + "AA", "cut": token[:20], "not base64": "!!!",
		} {
			_, err := f.OwnCopy(t.Context(), broken)
			require.ErrorIs(t, err, privacy.ErrLink, name)
			_, err = f.EraseOwn(t.Context(), broken)
			require.ErrorIs(t, err, privacy.ErrLink, name)
		}
		erased, err := f.EraseOwn(t.Context(), token)
		require.NoError(t, err)
		assert.EqualValues(t, 1, erased.Sessions)
		f.now = f.now.Add(25 * time.Hour)
		_, err = f.OwnCopy(t.Context(), token)
		require.ErrorIs(t, err, privacy.ErrLink, "too old")
	})
}

// Nobody learns from asking whether an address is known, and nobody's mailbox
// is flooded by it.
func TestAskingTellsNothingAndFloodsNobody(t *testing.T) {
	onBoth(t, func(t *testing.T, f *fixture) {
		for range 5 {
			require.NoError(t, f.Ask(t.Context(), another))
		}
		assert.Len(t, f.box.got, 3)
		assert.Contains(t, f.box.got[0].Text, "https://simora.test/privacy/data#", "also to an address that nothing is kept about")
		f.now = f.now.Add(25 * time.Hour)
		require.NoError(t, f.Ask(t.Context(), another))
		assert.Len(t, f.box.got, 4)
		require.Error(t, f.Ask(t.Context(), "x\r\nBcc: y@example.com"))
	})
}
