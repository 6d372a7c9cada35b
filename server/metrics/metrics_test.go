package metrics_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	sdk "go.opentelemetry.io/otel/sdk/trace"

	"simora/server/metrics"
	"simora/server/observe"
	"simora/server/sim"
	"simora/server/wire"
)

func TestRoutesAreBounded(t *testing.T) {
	for _, c := range []struct {
		pattern, path string
		status        int
		want          string
	}{
		{"", "/", http.StatusMisdirectedRequest, "none"},
		{"/functions/v1/session-turn", "/functions/v1/session-turn", http.StatusOK, "/functions/v1/session-turn"},
		{"/functions/v1/", "/functions/v1/ann@hospital.test", http.StatusNotFound, "/functions/v1/"},
		{"/storage/v1/object/public/industry-media/{name...}", "/storage/v1/object/public/industry-media/healthcare/ann.png", http.StatusOK, "/storage/v1/object/public/industry-media/{name...}"},
		{"/", "/", http.StatusOK, "page"},
		{"/", "/industries/healthcare", http.StatusOK, "page"},
		{"/", "/assets/index-1a2b.js", http.StatusOK, "file"},
		{"/", "/assets/gone.js", http.StatusNotFound, "page not found"},
		{"/", "/admin/sessions/1", http.StatusOK, "console page"},
		{"/", "/ann@hospital.test", http.StatusNotFound, "page not found"},
	} {
		r := httptest.NewRequest(http.MethodGet, c.path, nil)
		r.Pattern = c.pattern
		assert.Equal(t, c.want, metrics.Route(r, c.status), c.path)
	}
}

// decided is a limiter with one answer.
type decided struct{ err error }

func (d decided) Allow(context.Context, string, wire.Limit, string) error { return d.err }

func TestOnlyRefusalsOfLimitsCount(t *testing.T) {
	m := metrics.New("v1")
	for _, err := range []error{nil, sim.ErrRateLimited.After(time.Second), errors.New("counter broken")} {
		got := metrics.Limiter{Metrics: m, Next: decided{err}}.Allow(t.Context(), "/rest/v1/scenarios", wire.Limit{By: wire.ByAccount}, "203.0.113.9 ann@hospital.test")
		assert.Equal(t, err, got)
	}
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	assert.Contains(t, w.Body.String(), `simora_limits_refused_total{by="account",route="/rest/v1/scenarios"} 1`)
	assert.NotContains(t, w.Body.String(), "ann")
	problems, err := promlint.New(w.Body).Lint()
	require.NoError(t, err)
	assert.Empty(t, problems)
}

// What watching costs a step: not at all, by metrics, with a span on top.
func BenchmarkStep(b *testing.B) {
	m := metrics.New("v1")
	provider := sdk.NewTracerProvider()
	for _, c := range []struct {
		name string
		ctx  context.Context
	}{
		{"unwatched", context.Background()},
		{"metrics", (&observe.Watch{Took: m.Step, Now: time.Now}).Context(context.Background())},
		{"metrics and spans", (&observe.Watch{Took: m.Step, Now: time.Now, Tracer: provider.Tracer("simora")}).Context(context.Background())},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				_, end := observe.Step(c.ctx, "turn")
				end("built-in")
			}
		})
	}
}
