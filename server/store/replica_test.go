package store

import (
	"context"
	"database/sql"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The console's lists come from the replica while it keeps up, and from the
// database when it lags, is down, or is no replica.
func TestReplicaAnswersListsWhileItKeepsUp(t *testing.T) {
	primary, url := ownServer(t)
	s := onPostgres(t, url)
	server, err := primary.Replica()
	require.NoError(t, err)
	t.Cleanup(server.Stop)
	require.NoError(t, s.UseReplica(server.Here(url), nil))

	ctx := context.Background()
	readOnReplica := func() (on bool) {
		list, err := s.queryList(ctx, "SELECT pg_is_in_recovery()")
		require.NoError(t, err)
		require.NoError(t, row{list, nil}.Scan(&on))
		return on
	}
	becomes := func(want bool, why string) {
		require.Eventually(t, func() bool { return readOnReplica() == want }, 40*time.Second, 100*time.Millisecond, why)
	}
	becomes(true, "it keeps up")
	_, _, err = s.SessionRows(ctx, SessionFilter{Limit: 10, CountTotal: true})
	require.NoError(t, err)
	_, err = s.Overview(ctx, time.Time{}, time.Now())
	require.NoError(t, err)
	assert.Positive(t, s.replica.pool.Stats().OpenConnections)

	replay(t, server.Here(url), "pause")
	require.NoError(t, keep(ctx, s, "news"))
	becomes(false, "it lags")
	replay(t, server.Here(url), "resume")
	becomes(true, "it has caught up")

	server.Kill()
	assert.False(t, readOnReplica(), "it is down, and nobody notices")
	require.NoError(t, server.Restart())
	becomes(true, "it is back")
}

func replay(t *testing.T, url, what string) {
	db, err := sql.Open("pgx", url)
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	_, err = db.Exec("SELECT pg_wal_replay_" + what + "()")
	require.NoError(t, err)
}

// Another database that somebody took for a replica is not asked.
func TestWhatIsNoReplicaIsNotAsked(t *testing.T) {
	other, url := ownServer(t)
	s := onPostgres(t, url)
	require.NoError(t, s.UseReplica(url, nil))
	assert.False(t, s.replica.fit(t.Context()))
	other.Kill()
	assert.False(t, s.replica.fit(t.Context()))
	require.NoError(t, other.Restart())
	require.ErrorContains(t, s.UseReplica("postgres://app:canary@[/", nil), "SIMORA_DATABASE_REPLICA_URL")
}
