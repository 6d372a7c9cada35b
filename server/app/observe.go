package app

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/google/uuid"

	"simora/server/metrics"
	"simora/server/observe"
	"simora/server/sim"
	"simora/server/store"
)

// watch is what looks at the running server: metrics, traces, and who it is.
type watch struct {
	instance string
	metrics  *metrics.Metrics
	steps    *observe.Watch
	jobs     []func(context.Context)
}

// observe prepares metrics and traces.
func (c serveCommand) observe(ctx context.Context, log *slog.Logger, s *store.Store, model func() sim.ModelStatus) (*watch, error) {
	w := &watch{instance: uuid.NewString(), metrics: metrics.New(version())}
	w.steps = &observe.Watch{Took: w.metrics.Step, Now: time.Now}
	s.Watch(func() func(int) {
		began := time.Now()
		return func(writes int) { w.metrics.Commit(writes, time.Since(began)) }
	})
	if err := w.metrics.Pools(s.Pools()); err != nil {
		return nil, err
	}
	err := w.metrics.Retention(func() time.Time {
		ctx, cancel := context.WithTimeout(context.Background(), pingTime)
		defer cancel()
		run, _, err := s.LastRetention(ctx)
		if err != nil {
			return time.Time{}
		}
		return run.At
	})
	if err != nil {
		return nil, err
	}
	if model != nil {
		if err := w.metrics.Model(model); err != nil {
			return nil, err
		}
	}
	if c.OTLPURL != "" {
		traces, err := observe.OpenTraces(ctx, string(c.OTLPURL), version(), w.instance, &http.Client{Transport: c.network.Transport(), Timeout: traceTime}, log)
		if err != nil {
			return nil, fmt.Errorf("SIMORA_OTLP_URL: %w", err)
		}
		w.steps.Tracer = traces.Tracer()
		w.jobs = append(w.jobs, traces.Run)
	}
	if c.MetricsListen != "" {
		listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", string(c.MetricsListen))
		if err != nil {
			return nil, fmt.Errorf("listen on %s (SIMORA_METRICS_LISTEN): %w", c.MetricsListen, err)
		}
		log.InfoContext(ctx, "metrics", "address", listener.Addr().String())
		w.jobs = append(w.jobs, func(ctx context.Context) { w.serve(ctx, log, listener) })
	}
	return w, nil
}

// serve answers scrapes, on a listener that visitors do not reach.
func (w *watch) serve(ctx context.Context, log *slog.Logger, listener net.Listener) {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", w.metrics.Handler())
	h := &http.Server{
		Handler: mux, ReadHeaderTimeout: headerTime, ReadTimeout: requestTime, WriteTimeout: answerTime, IdleTimeout: idleTime,
		MaxHeaderBytes: headerBytes, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
	defer context.AfterFunc(ctx, func() { _ = h.Close() })()
	if err := h.Serve(listener); ctx.Err() == nil {
		log.ErrorContext(ctx, "metrics", "error", err)
	}
}

// over watches a job's steps.
func (w *watch) over(job func(context.Context)) func(context.Context) {
	return func(ctx context.Context) { job(w.steps.Context(ctx)) }
}

// answered is told of every request.
func (w *watch) answered(r *http.Request, status int, took time.Duration) {
	route := w.metrics.Request(r, status, took)
	observe.Answered(r.Context(), r.Method, route, status)
}
