package store

import (
	"database/sql"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFailedMigrationLeavesNothing(t *testing.T) {
	db, err := sql.Open("sqlite", filepath.Join(t.TempDir(), "m.db")+"?_txlock=immediate")
	require.NoError(t, err)
	t.Cleanup(func() { _ = db.Close() })
	s := &Store{write: db}
	first := migration{1, "0001_a.sql", "CREATE TABLE a (x INTEGER)"}
	require.NoError(t, s.apply(t.Context(), []migration{first}))

	broken := []migration{first, {2, "0002_b.sql", "CREATE TABLE b (x INTEGER)"}, {3, "0003_c.sql", "CREATE TABLE c (x INTEGER); INSERT INTO nowhere VALUES (1)"}}
	require.ErrorContains(t, s.apply(t.Context(), broken), "0003_c.sql")
	var n int
	require.NoError(t, db.QueryRow("SELECT count(*) FROM sqlite_master WHERE name IN ('b', 'c')").Scan(&n))
	assert.Zero(t, n)

	mended := append(broken[:2:2], migration{3, "0003_c.sql", "CREATE TABLE c (x INTEGER)"})
	require.NoError(t, s.apply(t.Context(), mended))
	require.NoError(t, db.QueryRow("SELECT max(version) FROM schema_versions").Scan(&n))
	assert.Equal(t, 3, n)
}

func TestMigrationsSortByNumberNotByText(t *testing.T) {
	all, err := migrations(fstest.MapFS{
		"migrations/10_ten.sql": {Data: []byte("x")},
		"migrations/2_two.sql":  {Data: []byte("x")},
	})
	require.NoError(t, err)
	assert.Equal(t, []int{2, 10}, []int{all[0].version, all[1].version})
}
