package wire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"strings"

	"simora/server/sim"
)

const eventStream = "text/event-stream"

// WantsEvents reports whether the client asks for server-sent events.
func WantsEvents(r *http.Request) bool {
	for _, item := range strings.Split(r.Header.Get("Accept"), ",") {
		if kind, _, err := mime.ParseMediaType(item); err == nil && kind == eventStream {
			return true
		}
	}
	return false
}

// EventsOr makes a Serve of a typed call that can be heard while it works: to a
// client that asks for events it sends
//
//	event: part    data: {"text": "…"}   any number of times
//	event: answer  data: the Out         as a plain answer would be
//
// or in place of the answer, once parts were sent, event: error with the body
// of an error. All other clients get the plain Serve.
func EventsOr[In, Out any](call func(ctx context.Context, c Caller, in In, say func(string)) (Out, error), plain Serve) Serve {
	return func(w http.ResponseWriter, r *http.Request, c Call) error {
		if !WantsEvents(r) {
			return plain(w, r, c)
		}
		var in In
		if err := ReadJSON(w, r, c.Route.Body, &in); err != nil {
			return err
		}
		if named, ok := any(in).(OfSession); ok {
			if err := c.Allow(r.Context(), BySession, named.Session()); err != nil {
				return err
			}
		}
		events := &events{w: w}
		out, err := call(r.Context(), c.Caller, in, func(text string) { events.send("part", map[string]string{"text": text}) })
		switch {
		case err == nil:
			events.send("answer", out)
			return events.failed
		case !events.begun:
			return err // still an ordinary error answer
		}
		known := sim.AsError(err)
		events.send("error", map[string]string{"error": known.Message, "message": known.Message, "code": known.Code})
		return &AfterBegun{err}
	}
}

// AfterBegun is an error that the client was already told of, within an answer
// that had begun. It is for the log.
type AfterBegun struct{ error }

// Unwrap returns the error itself.
func (e *AfterBegun) Unwrap() error { return e.error }

// events writes one event at a time.
type events struct {
	w      http.ResponseWriter
	begun  bool
	failed error // an answer that cannot be encoded
}

func (e *events) send(name string, data any) {
	body, err := json.Marshal(data)
	if err != nil {
		e.failed = errors.Join(e.failed, fmt.Errorf("encode event: %w", err))
		return
	}
	if !e.begun {
		e.begun = true
		e.w.Header().Set("Content-Type", eventStream)
		e.w.Header().Set("Cache-Control", "no-store")
		e.w.Header().Set("X-Accel-Buffering", "no") // proxies that collect answers
		e.w.WriteHeader(http.StatusOK)
	}
	_, _ = fmt.Fprintf(e.w, "event: %s\ndata: %s\n\n", name, body) // JSON has no line breaks; a client that left misses it
	_ = http.NewResponseController(e.w).Flush()
}
