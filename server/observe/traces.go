package observe

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

const flushTime = 5 * time.Second

// Traces sends spans to a collector, in batches, in the background.
type Traces struct{ provider *sdk.TracerProvider }

// OpenTraces prepares to send to the OTLP/HTTP collector at base, such as
// http://localhost:4318; its path gets /v1/traces behind it. The library reads
// the other OTEL_ variables: headers, sampler, service name, certificates.
func OpenTraces(ctx context.Context, base, version, instance string, client *http.Client, log *slog.Logger) (*Traces, error) {
	exporter, err := otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(base+"/v1/traces"), otlptracehttp.WithHTTPClient(client))
	if err != nil {
		return nil, fmt.Errorf("traces: %w", err)
	}
	about, err := resource.New(ctx,
		resource.WithAttributes(attribute.String("service.name", "simora"), attribute.String("service.version", version), attribute.String("service.instance.id", instance)),
		resource.WithFromEnv())
	if err != nil {
		return nil, fmt.Errorf("traces: %w", err)
	}
	return &Traces{sdk.NewTracerProvider(sdk.WithBatcher(patient{exporter, log}), sdk.WithResource(about))}, nil
}

// Tracer begins spans.
func (t *Traces) Tracer() trace.Tracer { return t.provider.Tracer("simora") }

// Run sends what is left when ctx ends.
func (t *Traces) Run(ctx context.Context) {
	<-ctx.Done()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), flushTime)
	defer cancel()
	_ = t.provider.Shutdown(ctx) // what could not be sent was logged
}

// patient logs what the collector did not take, where the library would write
// to a log of its own.
type patient struct {
	sdk.SpanExporter
	log *slog.Logger
}

// ExportSpans never fails.
func (p patient) ExportSpans(ctx context.Context, spans []sdk.ReadOnlySpan) error {
	if err := p.SpanExporter.ExportSpans(ctx, spans); err != nil {
		p.log.WarnContext(ctx, "traces not sent", "spans", len(spans), "error", err)
	}
	return nil
}
