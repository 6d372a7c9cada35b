package jobs_test

import (
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"simora/server/jobs"
	"simora/server/keyring"
	"simora/server/media"
	"simora/server/store"
)

func TestContactMessagesGoAtTheirOwnAge(t *testing.T) {
	dir, log := t.TempDir(), slog.New(slog.DiscardHandler)
	keys, err := keyring.Load(filepath.Join(dir, keyring.FileName))
	require.NoError(t, err)
	s, err := store.Open(t.Context(), store.Options{Dir: dir, Keyring: keys, Log: log, Exclusive: true})
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	now := time.Date(2026, 6, 1, 9, 0, 0, 0, time.UTC)
	const days = 24 * time.Hour
	for name, age := range map[string]time.Duration{"past its age": 366 * days, "older than a session may be": 364 * days} {
		_, _, err := s.AddContact(t.Context(), store.NewContact{
			Message: store.ContactMessage{ID: uuid.NewString(), ReceivedAt: now.Add(-age), Reason: "demo", ContactBody: store.ContactBody{Name: name, Email: "a@x.test"}},
			Letter:  store.Letter{To: "company@x.test"},
		})
		require.NoError(t, err)
	}
	for _, age := range []time.Duration{91 * days, 89 * days} {
		told := store.Event{ID: age.String(), Name: "test", To: "hook", At: now.Add(-age), Body: []byte("{}")}
		require.NoError(t, s.Tell(t.Context(), told))
	}
	files, err := media.Open(filepath.Join(dir, "media"), "")
	require.NoError(t, err)
	t.Cleanup(func() { _ = files.Close() })
	require.NoError(t, jobs.Retention{Store: s, Media: files, Sessions: 90 * days, Contact: 365 * days, Now: func() time.Time { return now }, Log: log}.Once(t.Context()))
	deliveries, err := s.Deliveries(t.Context(), 10)
	require.NoError(t, err)
	assert.Len(t, deliveries, 1, "what other systems were told goes at the age of sessions")
	left, err := s.ContactMessages(t.Context(), 10)
	require.NoError(t, err)
	require.Len(t, left, 1)
	assert.Equal(t, "older than a session may be", left[0].Name)
}
