package privacy_test

import (
	"database/sql"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	_ "modernc.org/sqlite" // the "sqlite" driver

	"simora/server/console"
	"simora/server/store"
)

// After two months of runs the retention is set to one: what is older goes, the
// dashboard shows what it showed, and a copy of the database from before brings
// nothing back.
func TestRetentionOfTheRunningProduct(t *testing.T) {
	if testing.Short() {
		t.Skip("plays many runs")
	}
	dir := t.TempDir()
	simora(t, 0, dir, nil, "demo", "fill", "--sessions=40", "--days=60")
	now := time.Now().UTC()
	period := console.PeriodInput{From: now.AddDate(0, 0, -70).Format(time.DateOnly), To: now.Format(time.DateOnly)}
	look := func(retention string) (o console.Overview, keys string, run store.RetentionRun) {
		began := time.Now()
		s := start(t, dir, "", "SIMORA_RETENTION="+retention)
		defer s.Kill()
		require.Eventually(t, func() bool { return recorded(t, dir, began, &run) }, time.Minute, 50*time.Millisecond)
		admin(t, s, "admin-get-overview", period, &o)
		return o, simora(t, 0, dir, nil, "keys", "list"), run
	}
	before, keys, run := look("90d")
	require.Equal(t, 40, before.Total.Sessions)
	require.Zero(t, run.Sessions)
	require.Contains(t, keys, "day/sessions/"+now.AddDate(0, 0, -40).Format("2006-01"))
	copied := filepath.Join(t.TempDir(), "copy.db")
	db := database(t, dir)
	_, err := db.Exec("VACUUM INTO $1", copied)
	require.NoError(t, err)

	after, keys, run := look("30d")
	assert.Positive(t, run.Sessions)
	assert.Positive(t, run.Keys)
	assert.Less(t, run.Sessions, int64(40))
	before.Model, after.Model = nil, nil
	assert.Equal(t, before, after)
	limit := now.AddDate(0, 0, -31).Format(time.DateOnly)
	first := "9999"
	for line := range strings.Lines(keys) {
		if day, ok := strings.CutPrefix(strings.Fields(line)[0], "day/sessions/"); ok {
			first = min(first, day)
		}
	}
	assert.GreaterOrEqual(t, first, limit)
	var gone string
	var readable int
	old := database(t, dir, copied)
	require.NoError(t, old.QueryRow("SELECT id FROM sessions ORDER BY started_at LIMIT 1").Scan(&gone))
	require.NoError(t, old.QueryRow("SELECT count(*) FROM sessions WHERE strftime('%F', started_at / 1000, 'unixepoch') >= $1", first).Scan(&readable))
	var left int
	require.NoError(t, db.QueryRow("SELECT count(*) FROM sessions WHERE id = $1", gone).Scan(&left))
	require.Zero(t, left)
	require.NoError(t, db.Close())

	for _, name := range []string{"simora.db-wal", "simora.db-shm"} {
		require.NoError(t, os.RemoveAll(filepath.Join(dir, name)))
	}
	require.NoError(t, os.Rename(copied, filepath.Join(dir, "simora.db")))
	s := start(t, dir, "", "SIMORA_RETENTION=90d")
	answer := admin(t, s, "admin-get-session-detail", console.DetailInput{SessionID: gone}, nil)
	assert.Contains(t, answer, "Session not found")
	var list console.SessionList
	admin(t, s, "admin-get-sessions", console.SessionsInput{}, &list)
	assert.Less(t, readable, 40)
	assert.Equal(t, readable, len(list.Sessions), "the list has those that can be read")
}

func database(t *testing.T, dir string, path ...string) *sql.DB {
	t.Helper()
	file := filepath.Join(dir, "simora.db")
	if len(path) > 0 {
		file = path[0]
	}
	db, err := sql.Open("sqlite", "file:"+file+"?_pragma=busy_timeout(10000)")
	require.NoError(t, err)
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// recorded reports whether retention has run since a time, and what it did.
func recorded(t *testing.T, dir string, since time.Time, run *store.RetentionRun) bool {
	t.Helper()
	db := database(t, dir)
	defer func() { _ = db.Close() }()
	var value string
	if db.QueryRow("SELECT value FROM settings WHERE name = 'retention_run'").Scan(&value) != nil {
		return false
	}
	require.NoError(t, json.Unmarshal([]byte(value), run))
	return run.At.After(since)
}
