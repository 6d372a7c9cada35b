// Package metrics is what Prometheus may know of a running server. Labels are
// fixed words of ours, so that no visitor can make a series or be found in one.
package metrics

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"simora/server/health"
	"simora/server/sim"
	"simora/server/wire"
)

// Metrics are safe for concurrent use.
type Metrics struct {
	registry *prometheus.Registry
	requests *prometheus.HistogramVec
	steps    *prometheus.HistogramVec
	commits  prometheus.Histogram
	writes   prometheus.Histogram
	refused  *prometheus.CounterVec
}

// New makes them for a version of the server.
func New(version string) *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "simora_http_request_duration_seconds", Help: "Requests answered, by route of the surface or kind of page.",
			Buckets: []float64{.001, .005, .025, .1, .25, 1, 2.5, 10, 30},
		}, []string{"route", "method", "status"}),
		steps: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "simora_step_duration_seconds", Help: "Steps of work. A turn's and a report's result is the engine that made it.",
			Buckets: []float64{.001, .005, .025, .1, .25, 1, 2.5, 5, 10, 20, 60},
		}, []string{"step", "result"}),
		commits: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "simora_store_commit_duration_seconds", Help: "Commits to the database.", Buckets: prometheus.ExponentialBuckets(.0005, 3, 10),
		}),
		writes: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "simora_store_commit_writes", Help: "Writes that share a commit.", Buckets: prometheus.ExponentialBuckets(1, 2, 8),
		}),
		refused: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "simora_limits_refused_total", Help: "Calls refused by a rate limit.",
		}, []string{"route", "by"}),
	}
	build := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "simora_build_info", Help: "The version that runs; always 1.", ConstLabels: prometheus.Labels{"version": version},
	})
	build.Set(1)
	m.registry.MustRegister(m.requests, m.steps, m.commits, m.writes, m.refused, build,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// Handler answers a scrape.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{Registry: m.registry})
}

// Request counts one that was answered and returns the name of its route.
func (m *Metrics) Request(r *http.Request, status int, took time.Duration) (route string) {
	route = Route(r, status)
	m.requests.WithLabelValues(route, method(r.Method), class(status)).Observe(took.Seconds())
	return route
}

// Route is the pattern of a call, or the kind of a page.
func Route(r *http.Request, status int) string {
	switch path := r.URL.Path; {
	case r.Pattern == "":
		return "none" // refused before it reached a route
	case r.Pattern != "/":
		return r.Pattern
	case status == http.StatusNotFound:
		return "page not found"
	case strings.HasPrefix(path, "/admin"):
		return "console page"
	case strings.Contains(path[strings.LastIndex(path, "/")+1:], "."):
		return "file"
	}
	return "page"
}

func method(name string) string {
	switch name {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return name
	}
	return "other"
}

func class(status int) string {
	if status == 0 {
		return "none" // the client went away first
	}
	return strconv.Itoa(status/100) + "xx"
}

// Step takes a step's duration.
func (m *Metrics) Step(step, result string, took time.Duration) {
	m.steps.WithLabelValues(step, result).Observe(took.Seconds())
}

// Commit takes a commit's duration and the number of writes in it.
func (m *Metrics) Commit(writes int, took time.Duration) {
	m.commits.Observe(took.Seconds())
	m.writes.Observe(float64(writes))
}

// Retention shows when retention last ran, on any instance; zero: not yet, or not
// known now.
func (m *Metrics) Retention(last func() time.Time) error {
	return m.registry.Register(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "simora_retention_last_success_timestamp_seconds", Help: "When what is past its age was last deleted.",
	}, func() float64 {
		if at := last(); !at.IsZero() {
			return float64(at.UnixMilli()) / 1000
		}
		return 0
	}))
}

// Limiter counts what another one refuses.
type Limiter struct {
	Metrics *Metrics
	Next    interface {
		Allow(ctx context.Context, budget string, limit wire.Limit, key string) error
	}
}

// Allow is the other's.
func (l Limiter) Allow(ctx context.Context, budget string, limit wire.Limit, key string) error {
	err := l.Next.Allow(ctx, budget, limit, key)
	if errors.Is(err, sim.ErrRateLimited) {
		l.Metrics.refused.WithLabelValues(budget, limit.By.String()).Inc()
	}
	return err
}

// Pools shows the database's connections.
func (m *Metrics) Pools(pools map[string]*sql.DB) error {
	for name, pool := range pools {
		if err := m.registry.Register(collectors.NewDBStatsCollector(pool, name)); err != nil {
			return fmt.Errorf("metrics of pool %s: %w", name, err)
		}
	}
	return nil
}

// Health shows what health measured last.
func (m *Metrics) Health(report func() health.Report) error {
	return m.registry.Register(checks{report})
}

// Model shows how the language model stands.
func (m *Metrics) Model(status func() sim.ModelStatus) error {
	return m.registry.Register(model{status})
}

func describe(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(name, help, labels, nil)
}
