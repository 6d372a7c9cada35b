package session_test

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"simora/server/mail"
	"simora/server/session"
	"simora/server/sim"
	"simora/server/store"
)

// postbox is a sender that does what a test says.
type postbox struct {
	mu   sync.Mutex
	fail error
	got  []store.Letter
}

func (p *postbox) Send(_ context.Context, l store.Letter) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.fail != nil {
		return p.fail
	}
	p.got = append(p.got, l)
	return nil
}

func withMail(t *testing.T) (*fixture, *postbox, *mail.Postman) {
	f, box := setUp(t), &postbox{}
	postman := mail.NewPostman(f.store, box, f.Now, slog.New(slog.DiscardHandler))
	f.Mail, f.Letters = postman, mail.Letters{Brand: "Simora", PublicURL: "https://simora.test", RetentionDays: 90}
	return f, box, postman
}

func (f *fixture) completed(t *testing.T) string {
	id := f.start(t)
	_, err := f.say(t, id, "Where does it hurt?", "")
	require.NoError(t, err)
	_, err = f.Complete(t.Context(), session.Visitor{}, session.CompleteInput{SessionID: id})
	require.NoError(t, err)
	return id
}

func (f *fixture) mail(t *testing.T, id, to, key string) error {
	return f.SendReport(t.Context(), session.Visitor{IdempotencyKey: key}, session.ReportMailInput{SessionID: id, UserEmail: to})
}

func (f *fixture) sentAt(t *testing.T, id string) *time.Time {
	sess, err := f.store.Session(t.Context(), id)
	require.NoError(t, err)
	return sess.EmailSentAt
}

func TestReportIsMailed(t *testing.T) {
	f, box, _ := withMail(t)
	id := f.completed(t)
	require.NoError(t, f.mail(t, id, "sam@Hospital.test", ""))
	require.Len(t, box.got, 1)
	assert.Equal(t, "sam@hospital.test", box.got[0].To)
	assert.NotContains(t, box.got[0].Text+box.got[0].HTML, "Where does it hurt")
	assert.NotNil(t, f.sentAt(t, id))
}

func TestWhatIsNotMailed(t *testing.T) {
	f, box, _ := withMail(t)
	open, done, old := f.start(t), f.completed(t), f.completed(t)
	require.ErrorIs(t, f.mail(t, done, "not an address", ""), sim.ValidationFailed(""))
	require.ErrorIs(t, f.mail(t, open, "a@b.test", ""), sim.ErrSessionNotCompleted)
	require.ErrorIs(t, f.mail(t, uuid.NewString(), "a@b.test", ""), sim.ErrSessionNotFound)
	require.ErrorIs(t, f.mail(t, "new", "a@b.test", ""), sim.ErrSessionNotFound)
	require.NoError(t, f.mail(t, done, "a@b.test", ""))
	require.ErrorIs(t, f.mail(t, done, "victim@b.test", ""), sim.ErrOtherRecipient)
	f.now.Add((25 * time.Hour).Milliseconds())
	require.ErrorIs(t, f.mail(t, old, "a@b.test", ""), sim.ErrSessionExpired)
	assert.Len(t, box.got, 1)
}

func TestRepeatedRequestMailsOnce(t *testing.T) {
	f, box, _ := withMail(t)
	id := f.completed(t)
	var wg sync.WaitGroup
	for range 5 {
		wg.Go(func() { assert.NoError(t, f.mail(t, id, "a@b.test", "k")) })
	}
	wg.Wait()
	assert.Len(t, box.got, 1)
}

func TestRefusalIsToldAndTheAddressMayBeCorrected(t *testing.T) {
	f, box, _ := withMail(t)
	id := f.completed(t)
	box.fail = &mail.Refused{Reason: "550"}
	require.ErrorIs(t, f.mail(t, id, "typo@b.test", "k"), sim.ErrEmailFailed)
	require.ErrorIs(t, f.mail(t, id, "typo@b.test", "k"), sim.ErrEmailFailed, "the failed key promises nothing")
	assert.Nil(t, f.sentAt(t, id))
	box.fail = nil
	require.NoError(t, f.mail(t, id, "right@b.test", "k2"))
	assert.Equal(t, "right@b.test", box.got[0].To)
}

func TestMailThatCannotLeaveNowIsTriedAgain(t *testing.T) {
	f, box, postman := withMail(t)
	id := f.completed(t)
	box.fail = errors.New("451")
	require.NoError(t, f.mail(t, id, "a@b.test", ""), "durably queued is success")
	assert.Nil(t, f.sentAt(t, id))

	for _, wait := range []time.Duration{time.Minute, 5 * time.Minute} { // two more refusals for now
		require.NoError(t, postman.Drain(t.Context()))
		f.now.Add(wait.Milliseconds())
		require.NoError(t, postman.Drain(t.Context()))
	}
	box.fail = nil
	require.NoError(t, postman.Drain(t.Context()))
	assert.Empty(t, box.got, "not before it is due")
	f.now.Add((15 * time.Minute).Milliseconds())
	require.NoError(t, postman.Drain(t.Context()))
	require.NoError(t, postman.Drain(t.Context()))
	assert.Len(t, box.got, 1, "one copy")
	assert.NotNil(t, f.sentAt(t, id))
}

func TestMailIsGivenUpAfterDays(t *testing.T) {
	f, box, postman := withMail(t)
	id := f.completed(t)
	box.fail = errors.New("451")
	require.NoError(t, f.mail(t, id, "a@b.test", ""))
	f.now.Add((6 * 24 * time.Hour).Milliseconds())
	require.NoError(t, postman.Drain(t.Context()))
	_, queued, err := f.store.NextMailDue(t.Context())
	require.NoError(t, err)
	assert.False(t, queued)
	assert.Nil(t, f.sentAt(t, id))
}

func TestShutdownLeavesTheLetterQueued(t *testing.T) {
	f, box, postman := withMail(t)
	id := f.completed(t)
	box.fail = context.Canceled
	require.NoError(t, f.mail(t, id, "a@b.test", ""))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	postman.Run(ctx)
	_, queued, err := f.store.NextMailDue(t.Context())
	require.NoError(t, err)
	assert.True(t, queued)
}

func TestManyPostmenDeliverEachLetterOnce(t *testing.T) {
	f, box, postman := withMail(t)
	box.fail = errors.New("451")
	const letters = 10
	for range letters {
		require.NoError(t, f.mail(t, f.completed(t), uuid.NewString()+"@b.test", ""))
	}
	box.fail = nil
	f.now.Add(time.Hour.Milliseconds())
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() { assert.NoError(t, postman.Drain(context.Background())) })
	}
	wg.Wait()
	assert.Len(t, box.got, letters)
}
