package mail

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"simora/server/keyring"
)

func TestSealedLetterIsReadThroughTheOutbox(t *testing.T) {
	dir, out := t.TempDir(), t.TempDir()
	keys, err := keyring.Load(filepath.Join(dir, keyring.FileName))
	require.NoError(t, err)
	sender, err := NewSender(SenderOptions{Dir: out, From: from, Keys: keys})
	require.NoError(t, err)
	day := time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
	old, plain := letter(), letter()
	old.MessageID, old.Subject, old.Day = "<old@simora.test>", "Dürüm für Ada", keyring.Day{Kind: keyring.Sessions, At: day}
	require.NoError(t, sender.Send(t.Context(), old))
	require.NoError(t, sender.Send(t.Context(), old), "sent twice, one file")
	plain.MessageID = "<plain@simora.test>"
	f, err := newFiles(out, from, nil)
	require.NoError(t, err)
	require.NoError(t, f.Send(t.Context(), plain))
	assert.Equal(t, []string{"old.sealed", "plain.eml"}, names(t, out))
	raw, err := os.ReadFile(filepath.Join(out, "old.sealed"))
	require.NoError(t, err)
	assert.NotContains(t, string(raw), "Subject")

	box := Outbox{out, keys}
	shown, err := box.Show("old")
	require.NoError(t, err)
	assert.Contains(t, string(shown), "To: <"+old.To+">")
	list, err := box.List()
	require.NoError(t, err)
	require.Len(t, list, 2)
	assert.Equal(t, []string{"old", old.Subject}, []string{list[0].ID, list[0].Subject})
	for _, id := range []string{"nobody", "../" + filepath.Base(dir) + "/" + strings.TrimSuffix(keyring.FileName, ".json"), ""} {
		_, err := box.Show(id)
		require.ErrorIs(t, err, ErrNoLetter, id)
	}

	// Renamed, it is not the letter that was written there; without its key it
	// is listed and can't be read.
	require.NoError(t, os.WriteFile(filepath.Join(out, "other.sealed"), raw, 0o600))
	_, err = box.Show("other")
	require.ErrorContains(t, err, "wrong key")
	_, err = keys.DestroyBefore(t.Context(), keyring.Sessions, day.AddDate(0, 0, 1))
	require.NoError(t, err)
	_, err = box.Show("old")
	require.ErrorIs(t, err, keyring.ErrDestroyed)
	list, err = box.List()
	require.NoError(t, err)
	assert.Len(t, list, 3)
}

func TestLettersGoWithTheirRows(t *testing.T) {
	out := t.TempDir()
	box := Outbox{Dir: out}
	for _, name := range []string{"gone.sealed", "gone.eml", "there.sealed", "other.txt"} {
		require.NoError(t, os.WriteFile(filepath.Join(out, name), nil, 0o600))
	}
	has := func(_ context.Context, id string) (bool, error) { return id == "there", nil }
	n, err := box.Purge(t.Context(), time.Now(), has)
	require.NoError(t, err)
	assert.Zero(t, n, "written a moment ago")
	n, err = box.Purge(t.Context(), time.Now().Add(2*time.Hour), has)
	require.NoError(t, err)
	assert.Equal(t, 2, n)
	assert.Equal(t, []string{"other.txt", "there.sealed"}, names(t, out))
	broken := errors.New("no database")
	_, err = box.Purge(t.Context(), time.Now().Add(2*time.Hour), func(context.Context, string) (bool, error) { return false, broken })
	require.ErrorIs(t, err, broken)
	_, err = Outbox{Dir: filepath.Join(out, "nowhere")}.Purge(t.Context(), time.Now(), has)
	require.NoError(t, err)
}

// A visitor's name is in the subject of a contact letter. What a reader would
// decode into something else, such as a terminal's controls, stays what it is.
func TestASubjectIsReadAsItWasTyped(t *testing.T) {
	out := t.TempDir()
	f, err := newFiles(out, from, nil)
	require.NoError(t, err)
	for i, name := range []string{"=?utf-8?q?=1B]0;mine=07?=", "=?utf-8?B?G1szMW0=?=", "Ada =?utf-8?q?=E2=80=AE?= Okoye", "Dürüm =?utf-8?q?=1B?=", "a==?b"} {
		l := letter()
		l.MessageID, l.Subject = fmt.Sprintf("<%d@simora.test>", i), "Contact (demo): "+name
		require.NoError(t, f.Send(t.Context(), l))
		list, err := Outbox{Dir: out}.List()
		require.NoError(t, err)
		assert.Equal(t, l.Subject, strings.ReplaceAll(list[i].Subject, "= ?", "=?"))
	}
}
