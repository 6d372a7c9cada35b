// Package guard is the outer wall around every request:
//
//	request id ▸ client address ▸ headers ▸ access log ▸ panic net ▸ host ▸ handler
package guard

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"runtime/debug"
	"strings"
	"time"

	"go.opentelemetry.io/otel/trace"

	"simora/server/sim"
	"simora/server/wire"
)

// Options is what the wall needs.
type Options struct {
	Proxies []netip.Prefix // whose X-Forwarded-For is believed
	HTTPS   bool           // the public address is https
	Host    string         // of the public address, where one is configured; requests for others are refused
	Log     *slog.Logger
	NewID   func() string
	Now     func() time.Time

	// Answered is told of every request, whose Pattern is its route; nil: nobody is.
	Answered func(r *http.Request, status int, took time.Duration)
}

// Wall wraps the whole server.
func Wall(o Options, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		started := o.Now()
		id := o.NewID()
		ctx := context.WithValue(r.Context(), requestID{}, id)
		ctx = wire.WithAddress(ctx, ClientAddress(r, o.Proxies))
		r = r.WithContext(ctx)
		w.Header().Set("X-Request-Id", id)
		setHeaders(w.Header(), o.HTTPS)
		if len(r.TransferEncoding) > 0 {
			// A proxy may have read a length that came with the chunks: what
			// follows on this connection could be somebody's smuggled request.
			w.Header().Set("Connection", "close")
		}
		recorder := &recorder{ResponseWriter: w}
		defer func() {
			if broken := recover(); broken != nil {
				if broken == http.ErrAbortHandler { //nolint:errorlint // the documented sentinel value
					panic(broken)
				}
				o.Log.ErrorContext(ctx, "panic", "value", broken, "stack", string(debug.Stack()))
				recorder.fail(r)
			}
			if o.Answered != nil {
				o.Answered(r, recorder.status, o.Now().Sub(started))
			}
			o.Log.InfoContext(ctx, "request", "method", r.Method, "path", logPath(r.URL.Path), "status", recorder.status,
				"bytes", recorder.bytes, "ms", float64(o.Now().Sub(started).Microseconds())/1000)
		}()
		if !o.serves(r) {
			http.Error(recorder, "This server does not answer for this host name. Its address is set by SIMORA_PUBLIC_URL.", http.StatusMisdirectedRequest) //nolint:forbidigo // whoever asks for another host speaks none of our protocols
			return
		}
		if r.Method == http.MethodTrace || r.Method == http.MethodConnect {
			http.Error(recorder, "This server is no mirror and no proxy.", http.StatusMethodNotAllowed) //nolint:forbidigo // below no service
			return
		}
		next.ServeHTTP(recorder, r)
	})
}

// serves reports whether the request is for our public address. Names of the
// machine itself are always fine, and so are questions about its health, which
// an orchestrator asks by address.
func (o Options) serves(r *http.Request) bool {
	if o.Host == "" || r.URL.Path == "/livez" || r.URL.Path == "/readyz" {
		return true
	}
	name := hostName(r.Host)
	if ip, err := netip.ParseAddr(name); err == nil && ip.IsLoopback() {
		return true
	}
	return name == hostName(o.Host) || name == "localhost"
}

// hostName is a Host header's name without port, as names compare.
func hostName(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
}

type requestID struct{}

// LogHandler adds the request id, and the trace's where there is one, to every
// line logged with a request's context.
func LogHandler(h slog.Handler) slog.Handler { return idHandler{h} }

type idHandler struct{ slog.Handler }

func (h idHandler) Handle(ctx context.Context, r slog.Record) error {
	if id, ok := ctx.Value(requestID{}).(string); ok {
		r.AddAttrs(slog.String("request", id))
	}
	if span := trace.SpanContextFromContext(ctx); span.IsSampled() {
		r.AddAttrs(slog.String("trace", span.TraceID().String()))
	}
	return h.Handler.Handle(ctx, r)
}

func (h idHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return idHandler{h.Handler.WithAttrs(attrs)}
}

func (h idHandler) WithGroup(name string) slog.Handler { return idHandler{h.Handler.WithGroup(name)} }

const maxLogPath = 200

func logPath(path string) string { return sim.Cut(path, maxLogPath) }

// ClientAddress is the socket's peer, or, behind proxies that we were told to
// trust, the right-most address that is not one of them.
func ClientAddress(r *http.Request, trusted []netip.Prefix) string {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return ""
	}
	address := peer.Addr().Unmap().WithZone("")
	if !contains(trusted, address) {
		return address.String()
	}
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(hops) - 1; i >= 0; i-- {
		hop, err := netip.ParseAddr(strings.TrimSpace(hops[i]))
		if err != nil {
			break // a broken list says nothing beyond this point
		}
		address = hop.Unmap().WithZone("")
		if !contains(trusted, address) {
			break
		}
	}
	return address.String()
}

func contains(prefixes []netip.Prefix, address netip.Addr) bool {
	for _, p := range prefixes {
		if p.Contains(address) {
			return true
		}
	}
	return false
}

// recorder keeps what the access log needs and whether an answer has begun.
type recorder struct {
	http.ResponseWriter
	status int
	bytes  int64
}

func (w *recorder) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *recorder) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	n, err := w.ResponseWriter.Write(b)
	w.bytes += int64(n)
	return n, err
}

// Unwrap lets http.ResponseController reach the connection.
func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// fail answers after a panic, in the shape of the service that broke.
func (w *recorder) fail(r *http.Request) {
	if w.status != 0 {
		return // the answer has begun; nothing honest can be added
	}
	for _, service := range wire.Services {
		if strings.HasPrefix(r.URL.Path, service.Prefix) {
			service.WriteError(w, sim.ErrUnexpected)
			return
		}
	}
	http.Error(w, sim.ErrUnexpected.Message, http.StatusInternalServerError) //nolint:forbidigo // a page request gets plain text
}
