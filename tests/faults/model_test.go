package faults_test

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	fake "simora/server/fakes/llm"
	"simora/server/session"
	"simora/server/sim"
	"simora/tests/product"
)

const modelKey = "sk-canary-of-the-model"

func startWithModel(t *testing.T, b fake.Behaviour, env ...string) (*product.Server, *fake.Server, string) {
	t.Helper()
	endpoint := fake.Start(t, b)
	server := product.Start(t, t.TempDir(), append([]string{"SIMORA_LLM_BASE_URL=" + endpoint.URL, "SIMORA_LLM_API_KEY=" + modelKey, "SIMORA_LLM_MODEL=fake-1"}, env...)...)
	var started session.Started
	_, err := server.Call(t.Context(), "session-start", "", session.StartInput{ScenarioSlug: "healthcare-emergency"}, &started)
	require.NoError(t, err)
	return server, endpoint, started.SessionID
}

// event is one of a stream, with the time at which it came.
type event struct {
	name, data string
	at         time.Time
}

func turnAsEvents(t *testing.T, server *product.Server, id, message string) (events []event) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+"/functions/v1/session-turn", strings.NewReader(fmt.Sprintf(`{"sessionId":%q,"userMessage":%q}`, id, message)))
	require.NoError(t, err)
	for name, value := range map[string]string{"Content-Type": "application/json", "Apikey": server.Key, "Authorization": "Bearer " + server.Key, "Accept": "text/event-stream"} {
		r.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	require.Equal(t, http.StatusOK, response.StatusCode)
	require.Equal(t, "text/event-stream", response.Header.Get("Content-Type"))
	name := ""
	for lines := bufio.NewScanner(response.Body); lines.Scan(); {
		if text, ok := strings.CutPrefix(lines.Text(), "event: "); ok {
			name = text
		}
		if text, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			events = append(events, event{name, text, time.Now()})
		}
	}
	return events
}

// A turn of the real binary, with its middlewares, arrives while the model
// speaks.
func TestTurnArrivesWhileTheModelSpeaks(t *testing.T) {
	const pause = 700 * time.Millisecond
	server, endpoint, id := startWithModel(t, func(w http.ResponseWriter, _ *http.Request, _ fake.Request) {
		for _, text := range []string{"It hurts. ", "Please help me."} {
			_, _ = fmt.Fprintf(w, "data: {\"choices\":[{\"delta\":{\"content\":%q}}]}\n\n", text)
			_ = http.NewResponseController(w).Flush()
			time.Sleep(pause)
		}
		_, _ = w.Write([]byte("data: [DONE]\n\n"))
	})
	events := turnAsEvents(t, server, id, "How are you feeling now?")
	require.Len(t, events, 3)
	assert.Equal(t, "part", events[0].name)
	assert.JSONEq(t, `{"text":"It hurts."}`, events[0].data)
	assert.Equal(t, "answer", events[2].name)
	assert.Contains(t, events[2].data, `"npcMessage":"It hurts. Please help me."`)
	assert.Greater(t, events[2].at.Sub(events[0].at), pause, "the first sentence did not wait for the last")
	assert.Equal(t, "Bearer "+modelKey, endpoint.Requests()[0].Header.Get("Authorization"))
}

// A model that hangs costs a visitor some seconds of the first turns and then,
// behind the breaker, nothing.
func TestModelThatHangs(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for the model's deadline")
	}
	server, _, id := startWithModel(t, func(_ http.ResponseWriter, r *http.Request, _ fake.Request) { <-r.Context().Done() })
	for i := range 4 {
		var out session.TurnOutput
		started := time.Now()
		status, err := server.Call(t.Context(), "session-turn", "", session.TurnInput{SessionID: id, UserMessage: "How are you feeling now?"}, &out)
		took := time.Since(started)
		require.NoError(t, err)
		assert.Equal(t, http.StatusOK, status)
		assert.Equal(t, i+1, out.TurnCount)
		assert.Less(t, took, 20*time.Second)
		t.Logf("turn %d took %v", i+1, took)
		if i >= 2 {
			assert.Less(t, took, 2*time.Second, "the breaker is open")
		}
	}
	var report sim.Report
	started := time.Now()
	_, err := server.Call(t.Context(), "session-complete", "", session.CompleteInput{SessionID: id}, &report)
	require.NoError(t, err)
	assert.Less(t, time.Since(started), 20*time.Second)
	assert.NotEmpty(t, report.Dimensions)
}

var abandoned = flag.Int("abandoned", 60, "how many turns are abandoned while the model hangs")

// Turns that visitors abandoned while the model hung, whole or as a stream, are
// all at their end some time later, and leave no goroutine.
func TestAbandonedTurnsLeaveNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for the model's deadline")
	}
	t.Parallel()
	metrics := freeAddress(t)
	server, endpoint, id := startWithModel(t, func(_ http.ResponseWriter, r *http.Request, _ fake.Request) { <-r.Context().Done() }, "SIMORA_METRICS_LISTEN="+metrics)
	before := product.Goroutines(t, metrics)
	ids := []string{id}
	for len(ids) < *abandoned {
		var started session.Started
		_, err := server.Call(t.Context(), "session-start", "", session.StartInput{ScenarioSlug: "healthcare-emergency"}, &started)
		require.NoError(t, err)
		ids = append(ids, started.SessionID)
	}
	ctx, hangUp := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	for n, id := range ids {
		wg.Go(func() {
			in := session.TurnInput{SessionID: id, UserMessage: "How are you feeling now?"}
			if n%2 == 0 {
				_ = turnAloud(ctx, server, in)
			} else {
				_, _ = server.Call(ctx, "session-turn", "", in, &session.TurnOutput{})
			}
		})
	}
	assert.Eventually(t, func() bool { return len(endpoint.Requests()) > 0 }, time.Minute, 10*time.Millisecond, "the model is asked")
	hangUp()
	wg.Wait()
	most := product.Goroutines(t, metrics)
	http.DefaultClient.CloseIdleConnections()
	const fewMore = 10 // that come and go by themselves
	require.Eventually(t, func() bool { return product.Goroutines(t, metrics) <= before+fewMore }, time.Minute, 200*time.Millisecond)
	t.Logf("%d turns abandoned, %d calls of the model; goroutines: %d before, %d at most, %d after", *abandoned, len(endpoint.Requests()), before, most, product.Goroutines(t, metrics))
}

// A whole run with a good model, and settings that do not belong together.
func TestRunWithAModel(t *testing.T) {
	server, _, id := startWithModel(t, fake.Good)
	for _, message := range []string{"Hello Rosa, I'm Anna, your nurse. I'm getting a 12-lead ECG.", "Are you allergic to aspirin?"} {
		var out session.TurnOutput
		_, err := server.Call(t.Context(), "session-turn", "", session.TurnInput{SessionID: id, UserMessage: message}, &out)
		require.NoError(t, err)
		assert.Contains(t, out.NPCMessage, "Thank you for asking me")
		assert.NotEmpty(t, out.Vitals)
	}
	var report sim.Report
	_, err := server.Call(t.Context(), "session-complete", "", session.CompleteInput{SessionID: id}, &report)
	require.NoError(t, err)
	assert.NotEmpty(t, report.Criteria)

	_, err = product.TryStart(t.TempDir(), "SIMORA_LLM_BASE_URL=https://llm.example/v1", "SIMORA_LLM_API_KEY="+modelKey)
	require.ErrorContains(t, err, "SIMORA_LLM_MODEL")
	assert.NotContains(t, err.Error(), modelKey)
}
