// Package observe measures steps of work where they happen. A step becomes a
// duration in the metrics, and a span where traces are configured:
//
//	request ─┬─ lease
//	         ├─ reply ── model
//	         ├─ commit
//	         └─ letter
//
// What watches travels in the context; without it a step costs nothing.
// Names and results are fixed words of ours: never a message, an address or an
// id of a session.
package observe

import (
	"context"
	"net/http"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
)

// Failed is the result of a step that did not come to its end.
const Failed = "failed"

// Watch is told of every step.
type Watch struct {
	Tracer trace.Tracer // nil: no spans
	Took   func(step, result string, took time.Duration)
	Now    func() time.Time
}

type watchKey struct{}

// Context returns ctx with the watch in it.
func (w *Watch) Context(ctx context.Context) context.Context {
	return context.WithValue(ctx, watchKey{}, w)
}

// Step begins a step. The returned function ends it with its result.
func Step(ctx context.Context, name string) (context.Context, func(result string)) {
	w, ok := ctx.Value(watchKey{}).(*Watch)
	if !ok {
		return ctx, func(string) {}
	}
	started := w.Now()
	span := trace.SpanFromContext(context.Background()) // does nothing
	if w.Tracer != nil {
		ctx, span = w.Tracer.Start(ctx, name)
	}
	return ctx, func(result string) {
		w.Took(name, result, w.Now().Sub(started))
		span.SetAttributes(attribute.String("result", result))
		if result == Failed {
			span.SetStatus(codes.Error, "")
		}
		span.End()
	}
}

// Try is a step that is ok or Failed.
func Try(ctx context.Context, name string, do func(ctx context.Context) error) error {
	ctx, end := Step(ctx, name)
	err := do(ctx)
	if err != nil {
		end(Failed)
		return err
	}
	end("ok")
	return nil
}

// Handler watches over every request, and begins its span; questions about our
// health have none. A caller's own trace is not taken up: anybody can send one.
func (w *Watch) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		ctx := w.Context(r.Context())
		if w.Tracer != nil && r.URL.Path != "/livez" && r.URL.Path != "/readyz" {
			var span trace.Span
			ctx, span = w.Tracer.Start(ctx, "request", trace.WithSpanKind(trace.SpanKindServer), trace.WithNewRoot())
			defer span.End()
		}
		next.ServeHTTP(rw, r.WithContext(ctx))
	})
}

// Answered gives the request's span its name and its outcome: method, route
// pattern and status, nothing that the caller chose.
func Answered(ctx context.Context, method, route string, status int) {
	span := trace.SpanFromContext(ctx)
	if !span.IsRecording() {
		return
	}
	span.SetName(method + " " + route)
	span.SetAttributes(attribute.String("http.request.method", method), attribute.String("http.route", route), attribute.Int("http.response.status_code", status))
	if status >= http.StatusInternalServerError {
		span.SetStatus(codes.Error, "")
	}
}
