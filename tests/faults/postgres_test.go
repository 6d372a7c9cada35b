package faults_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"simora/server/session"
	"simora/tests/pgserver"
	"simora/tests/product"
)

// While its database is gone the server says so, still serves the pages, and
// goes on by itself when the database is back. What it had acknowledged is
// there.
func TestDatabaseCrashAndReturn(t *testing.T) {
	if testing.Short() {
		t.Skip("crashes a database")
	}
	database, err := pgserver.Start()
	require.NoError(t, err)
	t.Cleanup(database.Stop)
	url, err := database.NewDatabase()
	require.NoError(t, err)
	server := product.Start(t, t.TempDir(), "SIMORA_DATABASE_URL="+url)
	ctx := t.Context()
	var started session.Started
	_, err = server.Call(ctx, "session-start", "", session.StartInput{ScenarioSlug: "healthcare-emergency"}, &started)
	require.NoError(t, err)
	say := func(key string) (session.TurnOutput, int, error) {
		var out session.TurnOutput
		status, err := server.Call(ctx, "session-turn", key, session.TurnInput{SessionID: started.SessionID, UserMessage: "Where does it hurt?"}, &out)
		return out, status, err
	}
	first, _, err := say("one")
	require.NoError(t, err)

	database.Kill()
	_, status, err := say("two")
	require.ErrorContains(t, err, `"code":"unavailable"`)
	assert.Equal(t, http.StatusServiceUnavailable, status)
	require.Eventually(t, func() bool { return get(t, server.URL+"/readyz") == http.StatusServiceUnavailable }, 5*time.Second, 50*time.Millisecond)
	assert.Equal(t, http.StatusOK, get(t, server.URL+"/livez"))
	assert.Equal(t, http.StatusOK, get(t, server.URL+"/industries/healthcare"))

	require.NoError(t, database.Restart())
	require.Eventually(t, func() bool { return get(t, server.URL+"/readyz") == http.StatusOK }, 10*time.Second, 50*time.Millisecond)
	again, _, err := say("one")
	require.NoError(t, err)
	assert.Equal(t, first, again, "the acknowledged answer is still known")
	second, _, err := say("two")
	require.NoError(t, err)
	assert.Equal(t, 2, second.TurnCount)
}

func get(t *testing.T, url string) int {
	t.Helper()
	response, err := http.Get(url)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	return response.StatusCode
}
