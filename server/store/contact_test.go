package store_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"simora/server/sim"
	"simora/server/store"
)

func newContact(name string, at time.Time) store.NewContact {
	return store.NewContact{
		Message: store.ContactMessage{ID: uuid.NewString(), ReceivedAt: at, Reason: "demo",
			ContactBody: store.ContactBody{Name: name, Email: "canary-visitor@example.com", Message: "canary-message"}},
		Letter: store.Letter{To: "company@example.com", ReplyTo: "canary-visitor@example.com", Subject: "Contact", Text: "canary-letter", MessageID: "<1@x>"},
	}
}

func TestContactMessageAndItsLetter(t *testing.T) {
	onBoth(t, func(t *testing.T, s *store.Store) {
		ctx := context.Background()
		_, _, err := s.AddContact(ctx, newContact("Older", start))
		require.NoError(t, err)
		n := newContact("Newer", start.Add(time.Second))
		n.Once, n.Response = store.NewOnce("send-contact-email", "", "k", []byte("a")), []byte("true")
		q, replayed, err := s.AddContact(ctx, n)
		require.NoError(t, err)
		assert.Nil(t, replayed)
		assert.Equal(t, "contact", q.Kind)

		again := newContact("Newer", start.Add(time.Minute))
		again.Once, again.Response = n.Once, n.Response
		_, replayed, err = s.AddContact(ctx, again)
		require.NoError(t, err)
		assert.Equal(t, "true", string(replayed))
		again.Once = store.NewOnce("send-contact-email", "", "k", []byte("b"))
		_, _, err = s.AddContact(ctx, again)
		require.ErrorIs(t, err, sim.ErrKeyReused)

		all, err := s.ContactMessages(ctx, 10)
		require.NoError(t, err)
		require.Len(t, all, 2)
		assert.Equal(t, "Newer", all[0].Name, "the newest first")
		assert.Equal(t, n.Message.ContactBody, all[0].ContactBody)

		// The letter is leased to the caller, then anybody may take it up.
		_, ok, err := s.ClaimMail(ctx, start.Add(time.Minute))
		require.NoError(t, err)
		assert.False(t, ok)
		claimed, ok, err := s.ClaimMail(ctx, start.Add(10*time.Minute))
		require.NoError(t, err)
		require.True(t, ok)
		assert.Equal(t, "canary-visitor@example.com", claimed.Letter.ReplyTo)
		require.NoError(t, s.MailSent(ctx, q, start.Add(10*time.Minute)))
	})
}

func TestRefusedLetterIsRememberedAtItsMessage(t *testing.T) {
	onBoth(t, func(t *testing.T, s *store.Store) {
		ctx := context.Background()
		n := newContact("Ada", start)
		q, _, err := s.AddContact(ctx, n)
		require.NoError(t, err)
		refused, err := s.ContactRefused(ctx, n.Message.ID)
		require.NoError(t, err)
		assert.False(t, refused, "it waits")
		require.NoError(t, s.MailFailed(ctx, q, "no such mailbox"))
		refused, err = s.ContactRefused(ctx, n.Message.ID)
		require.NoError(t, err)
		assert.True(t, refused)
		all, err := s.ContactMessages(ctx, 10)
		require.NoError(t, err)
		assert.Equal(t, n.Message.ContactBody, all[0].ContactBody, "the message stays")
	})
}

// What visitors write to the company does not use up the reports that somebody
// there may have mailed to the same mailbox.
func TestContactLettersAreNoReports(t *testing.T) {
	onBoth(t, func(t *testing.T, s *store.Store) {
		ctx := context.Background()
		for range 3 {
			_, _, err := s.AddContact(ctx, newContact("Ada", start))
			require.NoError(t, err)
		}
		_, _, err := s.QueueReportMail(ctx, reportMail(completedSession(t, s), "company@example.com", start.Add(time.Second)))
		require.NoError(t, err)
	})
}

func TestContactMessageIsSealedInItsRows(t *testing.T) {
	for name, url := range databases(t) {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			n := newContact("canary-name", start)
			_, _, err := openStore(t, dir, url()).AddContact(context.Background(), n)
			require.NoError(t, err)
			var body, index, letter, recipient []byte
			require.NoError(t, rawDatabase(t, dir, url()).QueryRow("SELECT body, email_index, letter, recipient_index FROM contact_messages m JOIN outbox o ON o.id = m.id").
				Scan(&body, &index, &letter, &recipient))
			for _, raw := range [][]byte{body, index, letter, recipient} {
				assert.NotEmpty(t, raw)
				assert.NotContains(t, string(raw), "canary")
				assert.NotContains(t, string(raw), "example.com")
			}
		})
	}
}

func TestSuspiciousMessageHasNoLetter(t *testing.T) {
	onBoth(t, func(t *testing.T, s *store.Store) {
		n := newContact("Bot", start)
		n.Message.Suspicious = true
		_, _, err := s.AddContact(context.Background(), n)
		require.NoError(t, err)
		_, ok, err := s.NextMailDue(context.Background())
		require.NoError(t, err)
		assert.False(t, ok)
	})
}

func TestOldContactMessagesGoWithTheirLetters(t *testing.T) {
	onBoth(t, func(t *testing.T, s *store.Store) {
		ctx := context.Background()
		for i := range 3 {
			_, _, err := s.AddContact(ctx, newContact(fmt.Sprint("old ", i), start))
			require.NoError(t, err)
		}
		_, _, err := s.AddContact(ctx, newContact("new", start.Add(time.Hour)))
		require.NoError(t, err)
		n, err := s.DeleteContactBefore(ctx, lease(t, s), start.Add(time.Minute))
		require.NoError(t, err)
		assert.Equal(t, int64(3), n)
		all, err := s.ContactMessages(ctx, 10)
		require.NoError(t, err)
		require.Len(t, all, 1)
		left := 0
		for {
			q, ok, err := s.ClaimMail(ctx, start.Add(24*time.Hour))
			require.NoError(t, err)
			if !ok {
				break
			}
			left++
			require.NoError(t, s.MailSent(ctx, q, start))
		}
		assert.Equal(t, 1, left)
	})
}
