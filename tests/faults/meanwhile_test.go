package faults_test

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	fake "simora/server/fakes/llm"
	"simora/server/session"
	"simora/server/sim"
	"simora/tests/product"
)

// Who plays a scenario plays it as it was when it is rewritten meanwhile. When
// it is deleted the run ends there, with its report.
func TestScenarioGoesWhileItIsPlayed(t *testing.T) {
	server := product.Start(t, t.TempDir(), "SIMORA_ADMIN_EMAIL="+boss, "SIMORA_ADMIN_PASSWORD="+password)
	token := signIn(t, server)
	warm(t, server)
	l := &learner{}
	require.Equal(t, http.StatusOK, l.say(t.Context(), t, server))

	status, answer := send(t, server, "/functions/v1/admin-get-scenarios", token, "application/json", nil)
	require.Equal(t, http.StatusOK, status, answer)
	var listed struct {
		Scenarios []struct {
			ID, Slug string
		}
	}
	require.NoError(t, json.Unmarshal([]byte(answer), &listed))
	for _, s := range listed.Scenarios {
		if s.Slug != "healthcare-emergency" {
			continue
		}
		status, answer = send(t, server, "/functions/v1/admin-update-scenario", token, "application/json", []byte(`{"id":"`+s.ID+`","title":"Another","max_turns":1,"system_prompt":"You are somebody else."}`))
		require.Equal(t, http.StatusOK, status, answer)
		for range 2 { // one turn more than it has now
			require.Equal(t, http.StatusOK, l.say(t.Context(), t, server))
			require.False(t, l.done)
		}
		status, answer = send(t, server, "/functions/v1/admin-delete-scenario", token, "application/json", []byte(`{"id":"`+s.ID+`"}`))
		require.Equal(t, http.StatusOK, status, answer)
	}
	_, err := server.Call(t.Context(), "session-start", "", session.StartInput{ScenarioSlug: "healthcare-emergency"}, &session.Started{})
	require.ErrorContains(t, err, "404", "it is gone for others")
	require.Equal(t, http.StatusConflict, l.say(t.Context(), t, server))
	var report sim.Report
	_, err = server.Call(t.Context(), "session-complete", "", session.CompleteInput{SessionID: l.id}, &report)
	require.NoError(t, err)
	assert.NotEmpty(t, report.Dimensions)
}

// A process that is killed while it waits for the model has taken no turn; the
// repeated request takes it once.
func TestKilledWhileTheModelThinks(t *testing.T) {
	asked := make(chan struct{}, 8)
	endpoint := fake.Start(t, func(_ http.ResponseWriter, r *http.Request, _ fake.Request) {
		asked <- struct{}{}
		<-r.Context().Done()
	})
	dir := t.TempDir()
	server := product.Start(t, dir, "SIMORA_LLM_BASE_URL="+endpoint.URL, "SIMORA_LLM_MODEL=fake")
	var out session.Started
	_, err := server.Call(t.Context(), "session-start", "", session.StartInput{ScenarioSlug: "healthcare-emergency"}, &out)
	require.NoError(t, err)
	l := &learner{id: out.SessionID}
	waiting := make(chan int)
	go func() { waiting <- l.say(t.Context(), t, server) }()
	select {
	case <-asked:
	case <-time.After(time.Minute):
		t.Fatal("the model was never asked")
	}
	server.Kill()
	require.Zero(t, <-waiting, "no answer")

	server = product.Start(t, dir)
	require.Eventually(t, func() bool { return l.say(t.Context(), t, server) == http.StatusOK }, 45*time.Second, 200*time.Millisecond)
	server.Kill()
	require.Equal(t, 1, examine(t, dir, "", []*learner{l}))
}
