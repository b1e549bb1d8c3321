package observe

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// tracesPath is the path for traces in OTLP over HTTP, below the address of a collector.
const tracesPath = "/v1/traces"

// Traces sends spans to a collector.
type Traces struct {
	Tracer   trace.Tracer
	provider *sdktrace.TracerProvider
}

// Traced identifies the node that makes the spans.
type Traced struct{ ID, Name, Release string }

// NewTraces sends spans to the collector at an address such as http://localhost:4318. The
// library itself reads OpenTelemetry's other variables (OTEL_EXPORTER_OTLP_HEADERS, which
// may hold a secret, OTEL_TRACES_SAMPLER, OTEL_SERVICE_NAME). Spans that the collector does
// not accept are dropped; nothing waits for it.
func NewTraces(collector string, of Traced, log *slog.Logger) (*Traces, error) {
	at, err := url.Parse(collector)
	if err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https" {
		return nil, fmt.Errorf("--otlp-endpoint %q is not an address such as http://localhost:4318", collector)
	}
	if !strings.HasSuffix(at.Path, tracesPath) {
		at.Path = strings.TrimRight(at.Path, "/") + tracesPath
	}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { log.Warn("traces are lost", "error", err) }))
	exporter, err := otlptracehttp.New(context.Background(), otlptracehttp.WithEndpointURL(at.String()))
	if err != nil {
		return nil, fmt.Errorf("--otlp-endpoint: %w", err)
	}
	who, err := resource.New(context.Background(), resource.WithAttributes(
		attribute.String("service.name", "shoal"), attribute.String("service.version", of.Release),
		attribute.String("service.instance.id", of.ID), attribute.String("shoal.node", of.Name),
	), resource.WithFromEnv())
	if err != nil {
		return nil, fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	p := sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter, sdktrace.WithBatchTimeout(time.Second)), sdktrace.WithResource(who))
	return &Traces{Tracer: p.Tracer("shoal"), provider: p}, nil
}

// tracesWithin bounds the sending of the remaining spans.
const tracesWithin = 2 * time.Second

// Close sends the remaining spans, for a while. Spans are lost if the collector is away,
// which is no error of the node.
func (t *Traces) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), tracesWithin)
	defer cancel()
	if err := t.provider.Shutdown(ctx); err != nil {
		otel.Handle(err)
	}
	return nil
}
