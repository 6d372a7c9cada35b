package wire_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"simora/server/sim"
	"simora/server/wire"
)

type input struct {
	Name string `json:"name"`
	Meta struct {
		Width int `json:"width"`
	} `json:"meta"`
}

func TestReadJSON(t *testing.T) {
	for _, c := range []struct{ name, kind, body, complaint string }{
		{"plain", "application/json", `{"name":"a","meta":{"width":3}}`, ""},
		{"charset", "application/json;charset=UTF-8", `{"name":"a"}`, ""},
		{"no content type", "", ` {"name":"a"} `, ""},
		{"unknown field", "application/json", `{"name":"a","more":[1]}`, ""},
		{"form", "application/x-www-form-urlencoded", "name=a", "application/json"},
		{"text", "text/plain", `{"name":"a"}`, "application/json"},
		{"empty", "application/json", "", "object"},
		{"array", "application/json", "[]", "object"},
		{"string", "application/json", `"a"`, "object"},
		{"null", "application/json", "null", "object"},
		{"broken", "application/json", `{"name":`, "not valid JSON"},
		{"two values", "application/json", `{"name":"a"}{"name":"b"}`, "not valid JSON"},
		{"list for a string", "application/json", `{"name":["a"]}`, "name must be a string"},
		{"object for a string", "application/json", `{"name":{"$ne":1}}`, "name must be a string"},
		{"number for a string", "application/json", `{"name":1}`, "name must be a string"},
		{"boolean for a string", "application/json", `{"name":true}`, "name must be a string"},
		{"fraction for an integer", "application/json", `{"meta":{"width":1.5}}`, "meta.width must be a whole number"},
		{"huge number", "application/json", `{"meta":{"width":1e309}}`, "meta.width must be a whole number"},
		{"string for an object", "application/json", `{"meta":"x"}`, "meta must be an object"},
		{"same field twice", "application/json", `{"name":"a","name":"b"}`, "twice"},
		{"invalid UTF-8", "application/json", "{\"name\":\"\xff\"}", "not valid JSON"},
		{"zero character", "application/json", `{"name":"a\u0000"}`, "zero character"},
		{"zero character in an unknown name", "application/json", `{"name":"a","\u0000":1}`, "zero character"},
		{"nested as far as allowed", "application/json", `{"name":"a","x":` + strings.Repeat("[", 31) + strings.Repeat("]", 31) + `}`, ""},
		{"nested too deep", "application/json", `{"name":"a","x":` + strings.Repeat("[", 32) + strings.Repeat("]", 32) + `}`, "more than 32 levels"},
		{"nested for ever", "application/json", `{"name":"a","x":` + strings.Repeat("[", 900), "more than 32 levels"},
		{"too large", "application/json", `{"name":"` + strings.Repeat("a", 2000) + `"}`, "larger than 1024 bytes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(c.body))
			if c.kind != "" {
				r.Header.Set("Content-Type", c.kind)
			}
			var in input
			err := wire.ReadJSON(httptest.NewRecorder(), r, 1024, &in)
			if c.complaint == "" {
				require.NoError(t, err)
				assert.Equal(t, "a", in.Name)
				return
			}
			require.Error(t, err)
			known := sim.AsError(err)
			assert.Less(t, wire.Status(known), 500)
			assert.Contains(t, known.Message, c.complaint)
		})
	}
}

func FuzzReadJSON(f *testing.F) {
	f.Add(`{"name":"a","meta":{"width":3}}`)
	f.Fuzz(func(t *testing.T, body string) {
		var in input
		r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
		if err := wire.ReadJSON(httptest.NewRecorder(), r, 1<<16, &in); err != nil {
			assert.Less(t, wire.Status(sim.AsError(err)), 500, "bad input is never our fault")
		}
	})
}

func TestFunctionAnswersJSON(t *testing.T) {
	serve := wire.Function(func(_ context.Context, _ wire.Caller, in input) (map[string]string, error) {
		return map[string]string{"hello": in.Name}, nil
	})
	w := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(`{"name":"a"}`))
	require.NoError(t, serve(w, r, wire.Call{Route: wire.Route{Body: 100}}))
	assert.Equal(t, "application/json", w.Header().Get("Content-Type"))
	assert.JSONEq(t, `{"hello":"a"}`, w.Body.String())
}
