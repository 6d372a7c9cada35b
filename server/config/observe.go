package config

// Observe are the settings of metrics and traces.
type Observe struct {
	MetricsListen Address  `env:"SIMORA_METRICS_LISTEN" placeholder:"HOST:PORT" help:"Address of the Prometheus metrics, a listener of its own; empty: none. Keep it off the public network."`
	OTLPURL       Endpoint `name:"otlp-url" env:"SIMORA_OTLP_URL,OTEL_EXPORTER_OTLP_ENDPOINT" placeholder:"URL" help:"OpenTelemetry collector (OTLP over HTTP) that gets traces, such as http://localhost:4318; empty: none."`
}
