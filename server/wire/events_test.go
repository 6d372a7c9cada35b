package wire_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"simora/server/sim"
	"simora/server/wire"
)

func TestWantsEvents(t *testing.T) {
	for accept, want := range map[string]bool{
		"": false, "*/*": false, "application/json": false, "text/event-stream": true, "application/json, text/event-stream;q=0.5": true, "text/event-streams": false, ";;,": false,
	} {
		r := httptest.NewRequest(http.MethodPost, "/", nil)
		r.Header.Set("Accept", accept)
		assert.Equal(t, want, wire.WantsEvents(r), accept)
	}
}

func TestEvents(t *testing.T) {
	type output struct {
		Said string `json:"said"`
	}
	const parts = "event: part\ndata: {\"text\":\"Hello\\nthere.\"}\n\nevent: part\ndata: {\"text\":\" Bye.\"}\n\n"
	for name, c := range map[string]struct {
		accept string
		parts  []string
		err    error
		want   string // body
		fails  error  // returned to be written as usual
		told   bool
	}{
		"plain":             {"application/json", nil, nil, `{"said":"plain"}`, nil, false},
		"answer alone":      {"text/event-stream", nil, nil, "event: answer\ndata: {\"said\":\"events\"}\n\n", nil, false},
		"parts and answer":  {"text/event-stream", []string{"Hello\nthere.", " Bye."}, nil, parts + "event: answer\ndata: {\"said\":\"events\"}\n\n", nil, false},
		"error before":      {"text/event-stream", nil, sim.ErrSessionCompleted, "", sim.ErrSessionCompleted, false},
		"error after parts": {"text/event-stream", []string{"Hello\nthere.", " Bye."}, errors.New("disk full"), parts + "event: error\ndata: {\"code\":\"unexpected_failure\"", nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			serve := wire.EventsOr(func(_ context.Context, _ wire.Caller, in input, say func(string)) (output, error) {
				assert.Equal(t, "a", in.Name)
				for _, part := range c.parts {
					say(part)
				}
				return output{"events"}, c.err
			}, wire.Function(func(context.Context, wire.Caller, input) (output, error) { return output{"plain"}, nil }))
			r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(`{"name":"a"}`))
			r.Header.Set("Accept", c.accept)
			w := httptest.NewRecorder()
			err := serve(w, r, wire.Call{Route: wire.Route{Body: 1024}})
			var told *wire.AfterBegun
			switch {
			case c.told:
				require.ErrorAs(t, err, &told)
				assert.NotContains(t, w.Body.String(), "disk")
				assert.True(t, strings.HasPrefix(w.Body.String(), c.want), w.Body.String())
			case c.fails != nil:
				require.ErrorIs(t, err, c.fails)
				assert.Empty(t, w.Body.String())
			default:
				require.NoError(t, err)
				assert.Equal(t, c.want, w.Body.String())
			}
			if c.accept == "text/event-stream" && w.Body.Len() > 0 {
				assert.Equal(t, "text/event-stream", w.Header().Get("Content-Type"))
				assert.True(t, w.Flushed)
			}
		})
	}
}
