package store_test

import (
	"context"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"simora/server/keyring"
	"simora/server/sim"
	"simora/server/store"
	"simora/tests/pgserver"
)

// An instance whose clock is wrong neither steals a lease nor keeps one.
func TestLeasesGoByTheDatabasesClock(t *testing.T) {
	dir, url := t.TempDir(), pgserver.Database(t)
	keys, err := keyring.Load(filepath.Join(dir, keyring.FileName))
	require.NoError(t, err)
	open := func() *store.Store {
		s, err := store.Open(t.Context(), store.Options{URL: url, Dir: dir, Keyring: keys, Log: slog.Default()})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, s.Close()) })
		return s
	}
	a, b := open(), open()
	ctx, now := context.Background(), start // far from the database's time
	const skew = 20 * time.Minute
	for name, mine := range map[string]time.Duration{"right": 0, "ahead": skew, "behind": -skew} {
		t.Run(name, func(t *testing.T) {
			id := startSession(t, a)
			sess, _, err := a.BeginTurn(ctx, id, store.Once{}, now.Add(mine))
			require.NoError(t, err)
			for _, theirs := range []time.Duration{0, skew} {
				_, _, err = b.BeginTurn(ctx, id, store.Once{}, now.Add(theirs))
				require.ErrorIs(t, err, sim.ErrTurnInProgress, "not stolen by a clock off by %s", theirs)
			}
			require.NoError(t, a.Release(ctx, sess))
			rep, err := a.BeginReport(ctx, id, now.Add(mine))
			require.NoError(t, err)
			_, err = b.BeginReport(ctx, id, now.Add(skew))
			require.ErrorIs(t, err, sim.ErrTurnInProgress)
			require.NoError(t, a.CommitReport(ctx, rep, report(70)))

			m := reportMail(id, name+"@example.com", now.Add(mine))
			q, _, err := a.QueueReportMail(ctx, m)
			require.NoError(t, err)
			_, ok, err := b.ClaimMail(ctx, now.Add(skew))
			require.NoError(t, err)
			assert.False(t, ok, "the letter is leased")
			require.NoError(t, a.MailSent(ctx, q, now))

			personal, err := a.QueuePersonalLetter(ctx, store.PersonalLetter{ID: uuid.NewString(), Letter: store.Letter{To: name + "@example.com"}, PerRecipient: 3, Now: now.Add(mine)})
			require.NoError(t, err)
			_, ok, err = b.ClaimMail(ctx, now.Add(skew))
			require.NoError(t, err)
			assert.False(t, ok, "the letter about one's own data, too")
			require.NoError(t, a.MailSent(ctx, personal, now))

			var wrong int
			require.NoError(t, rawDatabase(t, dir, url).QueryRow(`SELECT count(*) FROM sessions WHERE lease_until > $1`, time.Now().Add(10*time.Minute).UnixMilli()).Scan(&wrong))
			assert.Zero(t, wrong, "no lease lasts longer than its time")
		})
	}
}
