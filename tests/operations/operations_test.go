// Package operations_test looks at the real binary as an operator does: metrics,
// traces, health.
package operations_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	spans "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"simora/server/contact"
	fake "simora/server/fakes/llm"
	"simora/server/fakes/smtp"
	"simora/server/health"
	"simora/server/session"
	"simora/server/sim"
	"simora/tests/product"
)

// What no metric, span or log line may hold.
const (
	email   = "canary.visitor@hospital.test"
	message = "Canary words: where does it hurt, Rosa?"
	agent   = "canary-agent"
)

var canaries = []string{"canary", "Canary", "hospital.test", "where does it hurt", "127.0.0.1", base64.StdEncoding.EncodeToString([]byte(email))[:12]}

// run plays a session to its mailed report and writes a contact message.
func run(t *testing.T, server *product.Server) (sessionID string) {
	t.Helper()
	var started session.Started
	_, err := server.Call(t.Context(), "session-start", "", session.StartInput{ScenarioSlug: "healthcare-emergency", BrowserMeta: session.BrowserMeta{UserAgent: agent}}, &started)
	require.NoError(t, err)
	var turn session.TurnOutput
	_, err = server.Call(t.Context(), "session-turn", "", session.TurnInput{SessionID: started.SessionID, UserMessage: message}, &turn)
	require.NoError(t, err)
	var report sim.Report
	_, err = server.Call(t.Context(), "session-complete", "", session.CompleteInput{SessionID: started.SessionID}, &report)
	require.NoError(t, err)
	var done struct{ Success bool }
	_, err = server.Call(t.Context(), "send-report-email", "", session.ReportMailInput{SessionID: started.SessionID, UserEmail: email}, &done)
	require.NoError(t, err)
	_, err = server.Call(t.Context(), "send-contact-email", "", contact.Input{Name: "Canary", Email: email, Reason: "demo", Message: message}, &done)
	require.NoError(t, err)
	return started.SessionID
}

// freeAddress is one that nobody listens on.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = l.Close() }()
	return l.Addr().String()
}

func get(t *testing.T, url string) (int, string) {
	t.Helper()
	response, err := http.Get(url)
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response.StatusCode, string(body)
}

// sample is the value of a series: a counter's, a gauge's, or a histogram's
// count; -1 when there is no such series.
func sample(families map[string]*dto.MetricFamily, name string, labels map[string]string) float64 {
	for _, m := range families[name].GetMetric() {
		got := map[string]string{}
		for _, l := range m.GetLabel() {
			got[l.GetName()] = l.GetValue()
		}
		fits := true
		for k, v := range labels {
			fits = fits && got[k] == v
		}
		switch {
		case !fits:
		case m.GetHistogram() != nil:
			return float64(m.GetHistogram().GetSampleCount())
		case m.GetCounter() != nil:
			return m.GetCounter().GetValue()
		case m.GetGauge() != nil:
			return m.GetGauge().GetValue()
		}
	}
	return -1
}

func TestMetrics(t *testing.T) {
	address := freeAddress(t)
	endpoint := fake.Start(t, func(w http.ResponseWriter, _ *http.Request, _ fake.Request) { w.WriteHeader(http.StatusBadGateway) })
	refusing := &smtp.Server{Recipient: smtp.Permanent}
	refusing.Start(t, "")
	server := product.Start(t, t.TempDir(), "SIMORA_METRICS_LISTEN="+address, "SIMORA_LIMIT_FACTOR=0.01",
		"SIMORA_LLM_BASE_URL="+endpoint.URL, "SIMORA_LLM_MODEL=fake-1", "SIMORA_SMTP_URL=smtp://127.0.0.1:"+refusing.Port+"?tls=none", "SIMORA_CONTACT_TO=desk@hospital.test")
	var id string
	{ // a limit of one call of each kind
		var started session.Started
		_, err := server.Call(t.Context(), "session-start", "", session.StartInput{ScenarioSlug: "healthcare-emergency"}, &started)
		require.NoError(t, err)
		id = started.SessionID
		for {
			status, err := server.Call(t.Context(), "session-start", "", session.StartInput{ScenarioSlug: "healthcare-emergency"}, &started)
			if err != nil {
				require.Equal(t, http.StatusTooManyRequests, status)
				break
			}
		}
		var turn session.TurnOutput
		_, err = server.Call(t.Context(), "session-turn", "", session.TurnInput{SessionID: id, UserMessage: message}, &turn)
		require.NoError(t, err)
		var report sim.Report
		_, err = server.Call(t.Context(), "session-complete", "", session.CompleteInput{SessionID: id}, &report)
		require.NoError(t, err)
		status, err := server.Call(t.Context(), "send-report-email", "", session.ReportMailInput{SessionID: id, UserEmail: email}, &struct{}{})
		require.Error(t, err)
		require.Equal(t, http.StatusBadGateway, status)
	}
	for _, path := range []string{"/", "/privacy", "/admin", "/no/such/canary", "/functions/v1/canary-" + id, "/readyz", "/config.json"} {
		_, _ = get(t, server.URL+path)
	}
	strange, err := http.NewRequest("CANARY", server.URL+"/", nil)
	require.NoError(t, err)
	response, err := http.DefaultClient.Do(strange)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())

	status, text := get(t, server.URL+"/metrics")
	assert.Equal(t, http.StatusNotFound, status, "never on the public port")
	assert.NotContains(t, text, "simora_http_request")
	var families map[string]*dto.MetricFamily
	require.EventuallyWithT(t, func(c *assert.CollectT) { // the first look in the background
		_, text = get(t, "http://"+address+"/metrics")
		parser := expfmt.NewTextParser(model.UTF8Validation)
		families, err = parser.TextToMetricFamilies(strings.NewReader(text))
		require.NoError(c, err)
		assert.Contains(c, families, "simora_outbox_queued_letters")
	}, 20*time.Second, 100*time.Millisecond)
	problems, err := promlint.New(strings.NewReader(text)).Lint()
	require.NoError(t, err)
	assert.Empty(t, problems)

	for _, want := range []struct {
		name   string
		labels map[string]string
		value  float64
	}{
		{"simora_http_request_duration_seconds", map[string]string{"route": "/functions/v1/session-turn", "method": "POST", "status": "2xx"}, 1},
		{"simora_http_request_duration_seconds", map[string]string{"route": "/functions/v1/send-report-email", "method": "POST", "status": "5xx"}, 1},
		{"simora_http_request_duration_seconds", map[string]string{"route": "/functions/v1/", "method": "GET"}, 1},
		{"simora_http_request_duration_seconds", map[string]string{"route": "page", "method": "GET", "status": "2xx"}, 2},
		{"simora_http_request_duration_seconds", map[string]string{"route": "console page"}, 1},
		{"simora_http_request_duration_seconds", map[string]string{"route": "page not found"}, 2},
		{"simora_http_request_duration_seconds", map[string]string{"route": "page", "method": "other", "status": "4xx"}, 1},
		{"simora_step_duration_seconds", map[string]string{"step": "turn", "result": "built-in"}, 1},
		{"simora_step_duration_seconds", map[string]string{"step": "lease", "result": "ok"}, 1},
		{"simora_step_duration_seconds", map[string]string{"step": "report", "result": "built-in"}, 1},
		{"simora_step_duration_seconds", map[string]string{"step": "model", "result": "status 5xx"}, 2},
		{"simora_step_duration_seconds", map[string]string{"step": "letter", "result": "failed"}, 1},
		{"simora_limits_refused_total", map[string]string{"route": "/functions/v1/session-start", "by": "address"}, 1},
		{"simora_outbox_oldest_queued_age_seconds", nil, 0},
		{"simora_model_available", nil, 1},
		{"simora_model_used_today", map[string]string{"unit": "calls"}, 2},
		{"simora_check_state", map[string]string{"check": "database", "state": "ok"}, 1},
		{"simora_check_state", map[string]string{"check": "database", "state": "failing"}, 0},
		{"simora_build_info", nil, 1},
	} {
		assert.InDelta(t, want.value, sample(families, want.name, want.labels), 0, "%s %v", want.name, want.labels)
	}
	for _, name := range []string{"go_goroutines", "process_cpu_seconds_total", "go_sql_open_connections", "simora_store_commit_duration_seconds", "simora_store_commit_writes", "simora_retention_last_success_timestamp_seconds"} {
		assert.Positive(t, sample(families, name, nil), name)
	}
	for _, canary := range append(canaries, id) {
		assert.NotContains(t, text, canary)
	}
}

// receiver is a collector that keeps what it gets.
type receiver struct {
	*httptest.Server
	mu    sync.Mutex
	spans []*spans.Span
	about map[string]string // the resource
	paths []string
}

func startReceiver(t *testing.T) *receiver {
	r := &receiver{about: map[string]string{}}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(request.Body)
		assert.NoError(t, err)
		var batch collector.ExportTraceServiceRequest
		assert.NoError(t, proto.Unmarshal(body, &batch))
		r.mu.Lock()
		defer r.mu.Unlock()
		r.paths = append(r.paths, request.URL.Path)
		for _, resource := range batch.GetResourceSpans() {
			for _, a := range resource.GetResource().GetAttributes() {
				r.about[a.GetKey()] = a.GetValue().GetStringValue()
			}
			for _, scope := range resource.GetScopeSpans() {
				r.spans = append(r.spans, scope.GetSpans()...)
			}
		}
		answer, err := proto.Marshal(&collector.ExportTraceServiceResponse{})
		assert.NoError(t, err)
		w.Header().Set("Content-Type", "application/x-protobuf")
		_, _ = w.Write(answer)
	}))
	t.Cleanup(r.Close)
	return r
}

func attribute(list []*common.KeyValue, key string) string {
	for _, a := range list {
		if a.GetKey() == key {
			return a.GetValue().GetStringValue()
		}
	}
	return ""
}

func TestTraces(t *testing.T) {
	collected := startReceiver(t)
	endpoint := fake.Start(t, fake.Good)
	server := product.Start(t, t.TempDir(), "SIMORA_OTLP_URL="+collected.URL, "SIMORA_LLM_BASE_URL="+endpoint.URL, "SIMORA_LLM_MODEL=fake-1", "OTEL_RESOURCE_ATTRIBUTES=deployment.environment.name=test")
	id := run(t, server)
	_, _ = get(t, server.URL+"/readyz")
	_, _ = get(t, server.URL+"/no/such/canary?email="+email)
	require.Zero(t, server.Stop(), "the last spans are sent at the end")

	collected.mu.Lock()
	defer collected.mu.Unlock()
	assert.Equal(t, "/v1/traces", collected.paths[0])
	assert.Equal(t, "simora", collected.about["service.name"])
	assert.Equal(t, "test", collected.about["deployment.environment.name"])
	byName := map[string]*spans.Span{}
	for _, s := range collected.spans {
		byName[s.GetName()] = s
	}
	turn := byName["POST /functions/v1/session-turn"]
	require.NotNil(t, turn)
	// child is the span of a name below another one.
	child := func(parent *spans.Span, name string) *spans.Span {
		for _, s := range collected.spans {
			if s.GetName() == name && bytes.Equal(s.GetParentSpanId(), parent.GetSpanId()) && bytes.Equal(s.GetTraceId(), parent.GetTraceId()) {
				return s
			}
		}
		require.Fail(t, "no span", "%s below %s", name, parent.GetName())
		return nil
	}
	step := child(turn, "turn")
	assert.Equal(t, "model", attribute(step.GetAttributes(), "result"))
	child(step, "lease")
	child(child(step, "reply"), "model")
	child(step, "commit")
	child(byName["POST /functions/v1/send-report-email"], "letter")
	child(byName["POST /functions/v1/session-complete"], "report")
	assert.Contains(t, byName, "GET page not found")
	assert.NotContains(t, byName, "GET /readyz")

	for _, s := range collected.spans {
		for _, canary := range append(canaries, id) {
			assert.NotContains(t, s.String(), canary)
		}
	}
	assert.Contains(t, server.Log(), fmt.Sprintf(`"trace":"%x"`, turn.GetTraceId()), "a log line leads to its trace")
}

func TestWithoutCollector(t *testing.T) {
	server := product.Start(t, t.TempDir(), "SIMORA_OTLP_URL=http://"+freeAddress(t))
	run(t, server)
	require.Zero(t, server.Stop(), "a collector that is down costs nothing but traces")
	assert.Contains(t, server.Log(), "traces not sent")
}

const password = "correct horse battery staple"

// admin makes calls of the console.
func admin(t *testing.T, server *product.Server) func(function string, in, out any) int {
	t.Helper()
	post := func(url, bearer string, in, out any) int {
		body, err := json.Marshal(in)
		require.NoError(t, err)
		r, err := http.NewRequestWithContext(context.Background(), http.MethodPost, url, bytes.NewReader(body))
		require.NoError(t, err)
		for k, v := range map[string]string{"Content-Type": "application/json", "Apikey": server.Key, "Authorization": "Bearer " + bearer} {
			r.Header.Set(k, v)
		}
		response, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		defer func() { _ = response.Body.Close() }()
		require.NoError(t, json.NewDecoder(response.Body).Decode(out))
		return response.StatusCode
	}
	var tokens struct {
		Access string `json:"access_token"`
	}
	require.Equal(t, http.StatusOK, post(server.URL+"/auth/v1/token?grant_type=password", server.Key, map[string]string{"email": "admin@localhost", "password": password}, &tokens))
	return func(function string, in, out any) int {
		return post(server.URL+"/functions/v1/"+function, tokens.Access, in, out)
	}
}

// The health page shows a letter that was refused, and it goes out once the
// operator has mended what was wrong.
func TestFailedLetterIsSentOnRequest(t *testing.T) {
	var mu sync.Mutex
	refuse := true
	mailServer := &smtp.Server{Recipient: func(to string) *smtp.Answer {
		mu.Lock()
		defer mu.Unlock()
		if refuse {
			return smtp.Permanent(to)
		}
		return nil
	}}
	mailServer.Start(t, "")
	server := product.Start(t, t.TempDir(), "SIMORA_ADMIN_PASSWORD="+password, "SIMORA_SMTP_URL=smtp://127.0.0.1:"+mailServer.Port+"?tls=none", "SIMORA_CONTACT_TO=desk@hospital.test")
	status, err := server.Call(t.Context(), "send-contact-email", "", contact.Input{Name: "Ann", Email: email, Reason: "demo", Message: message}, &struct{}{})
	require.Error(t, err)
	require.Equal(t, http.StatusBadGateway, status, "the letter was refused for good")
	call := admin(t, server)
	var page struct {
		health.Page
		Model *sim.ModelStatus
	}
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		require.Equal(c, http.StatusOK, call("admin-get-health", struct{}{}, &page))
		assert.Len(c, page.Checks, 8)
	}, 20*time.Second, 100*time.Millisecond)
	for _, check := range page.Checks {
		assert.NotEqual(t, health.Failing, check.State, "%+v", check)
	}
	require.Len(t, page.Instances, 1)
	assert.True(t, page.Instances[0].This)
	require.Len(t, page.Failed, 1)
	assert.Equal(t, "contact", page.Failed[0].Kind)
	assert.NotContains(t, fmt.Sprintf("%+v", page.Failed), "@", "nobody's address")

	mu.Lock()
	refuse = false
	mu.Unlock()
	var done struct{ Success bool }
	require.Equal(t, http.StatusOK, call("admin-retry-letter", health.RetryInput{ID: page.Failed[0].ID}, &done))
	require.Equal(t, http.StatusNotFound, call("admin-retry-letter", health.RetryInput{ID: page.Failed[0].ID}, &done), "it is on its way")
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		require.Equal(c, http.StatusOK, call("admin-get-health", struct{}{}, &page))
		assert.Zero(c, page.Queued)
	}, 20*time.Second, 100*time.Millisecond)
	assert.Empty(t, page.Failed)
	assert.Len(t, mailServer.Received(), 1)
}
