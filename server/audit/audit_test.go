package audit_test

import (
	"context"
	"database/sql"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"simora/server/audit"
	"simora/server/keyring"
	"simora/server/sim"
	"simora/server/store"
)

const days = 24 * time.Hour

func open(t *testing.T) (trail audit.Trail, now *time.Time, log *strings.Builder) {
	t.Helper()
	dir := t.TempDir()
	keys, err := keyring.Load(filepath.Join(dir, keyring.FileName))
	require.NoError(t, err)
	at := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	log = &strings.Builder{}
	logger := slog.New(slog.NewTextHandler(log, nil))
	clock := func() time.Time { return at }
	s, err := store.Open(t.Context(), store.Options{Dir: dir, Keyring: keys, Log: logger, Now: clock})
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return audit.Trail{Store: s, Dir: dir, Age: 10 * days, Now: clock, Clock: func(context.Context) (time.Time, error) { return at, nil }, Log: logger}, &at, log
}

func write(t *testing.T, trail audit.Trail, n int) {
	t.Helper()
	for range n {
		require.NoError(t, trail.Store.Audit(t.Context(), sim.Event{Action: sim.ServerStarted}))
	}
}

func statements(t *testing.T, dir string, texts ...string) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(dir, "simora.db"))
	require.NoError(t, err)
	defer func() { _ = db.Close() }()
	for _, text := range texts {
		_, err = db.Exec(text)
		require.NoError(t, err)
	}
}

func mirrorLines(t *testing.T, trail audit.Trail) []string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(trail.Dir, audit.FileName))
	require.NoError(t, err)
	return strings.Fields(string(raw))
}

func TestTheEndIsMirroredWhenItHasMoved(t *testing.T) {
	trail, _, log := open(t)
	require.NoError(t, trail.Mirror(t.Context()))
	require.NoFileExists(t, filepath.Join(trail.Dir, audit.FileName), "an empty log has no end")
	write(t, trail, 3)
	require.NoError(t, trail.Mirror(t.Context()))
	require.NoError(t, trail.Mirror(t.Context()))
	lines := mirrorLines(t, trail)
	require.Len(t, lines, 1)
	assert.Contains(t, lines[0], `"seq":3`)
	assert.Contains(t, log.String(), "entry=3", "the process's log has it too")
	info, err := os.Stat(filepath.Join(trail.Dir, audit.FileName))
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
}

func TestAMirroredEndCannotBeCutOff(t *testing.T) {
	trail, _, log := open(t)
	write(t, trail, 5)
	require.NoError(t, trail.Mirror(t.Context()))
	// What a power cut leaves of a line hides none of the others.
	file := filepath.Join(trail.Dir, audit.FileName)
	raw, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, append(raw, "\n{\"at\":\"2026"...), 0o600))
	write(t, trail, 1)
	require.NoError(t, trail.Mirror(t.Context()))
	check, err := trail.Verify(t.Context())
	require.NoError(t, err)
	assert.Empty(t, check.Problems)

	statements(t, trail.Dir, "DELETE FROM audit_log WHERE seq > 4", "UPDATE audit_head SET seq = 4, hash = (SELECT hash FROM audit_log WHERE seq = 4)")
	check, err = trail.Verify(t.Context())
	require.NoError(t, err)
	require.Len(t, check.Problems, 1)
	assert.Equal(t, "entry 5: is missing with all up to at least 6, which was mirrored: the end of the log was cut off", check.Problems[0].String())
	assert.Contains(t, log.String(), "tampered")
	last, err := trail.LastVerified(t.Context())
	require.NoError(t, err)
	assert.False(t, last.Whole)
}

// A day's work is done once a day, by whichever instance comes first.
func TestTheLogIsVerifiedAndTrimmedDaily(t *testing.T) {
	trail, now, _ := open(t)
	write(t, trail, 4)
	require.NoError(t, trail.Once(t.Context()))
	head, err := trail.Store.AuditHead(t.Context())
	require.NoError(t, err)
	assert.EqualValues(t, 5, head.Seq, "and the entry of the verification")
	*now = now.Add(23 * time.Hour)
	require.NoError(t, trail.Once(t.Context()))
	head, err = trail.Store.AuditHead(t.Context())
	require.NoError(t, err)
	assert.EqualValues(t, 5, head.Seq)
	assert.Len(t, mirrorLines(t, trail), 2)

	*now = now.Add(9 * days)
	write(t, trail, 1)
	require.NoError(t, trail.Once(t.Context()), "verified, and nothing is old enough")
	*now = now.Add(days)
	require.NoError(t, trail.Once(t.Context()))
	check, err := trail.Store.VerifyAudit(t.Context(), nil)
	require.NoError(t, err)
	assert.Equal(t, store.AuditCheck{First: 6, Last: 9}, check, "the cut and the verifications are in it")
}

// A machine whose clock is wrong removes nothing early: the database's counts.
func TestWrongClockCutsNothing(t *testing.T) {
	trail, now, _ := open(t)
	write(t, trail, 3)
	ahead := now.Add(1000 * days)
	trail.Now = func() time.Time { return ahead }
	require.NoError(t, trail.Once(t.Context()))
	check, err := trail.Store.VerifyAudit(t.Context(), nil)
	require.NoError(t, err)
	assert.EqualValues(t, 1, check.First)
}

// With the entries of a day goes the key of their details: copies of the
// database do not keep them.
func TestDetailsGoWithTheirKey(t *testing.T) {
	trail, now, _ := open(t)
	today := time.Now().UTC()
	*now = today.Add(-20 * days)
	write(t, trail, 1)
	*now = today
	write(t, trail, 1)
	require.NoError(t, trail.Once(t.Context()))
	list, err := trail.Store.Keys().List(t.Context())
	require.NoError(t, err)
	var kept []string
	for _, key := range list {
		if day, ok := strings.CutPrefix(key.Name, "day/audit/"); ok {
			kept = append(kept, day)
		}
	}
	assert.Equal(t, []string{today.Format(time.DateOnly)}, kept)
	entries, err := trail.Store.AuditEntries(t.Context(), store.AuditFilter{Limit: 10})
	require.NoError(t, err)
	require.NotEmpty(t, entries)
	for _, e := range entries {
		assert.NotContains(t, e.Detail, "unreadable")
	}
}
