package wire

import (
	"bytes"
	"context"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"simora/server/sim"
)

// OfSession is an input that names a session, so that BySession limits apply.
type OfSession interface{ Session() string }

// Function makes a Serve of a typed call: the body is decoded strictly into
// In, the answer is Out as JSON.
func Function[In, Out any](call func(ctx context.Context, c Caller, in In) (Out, error)) Serve {
	return func(w http.ResponseWriter, r *http.Request, c Call) error {
		var in In
		if err := ReadJSON(w, r, c.Route.Body, &in); err != nil {
			return err
		}
		if named, ok := any(in).(OfSession); ok {
			if err := c.Allow(r.Context(), BySession, named.Session()); err != nil {
				return err
			}
		}
		out, err := call(r.Context(), c.Caller, in)
		if err != nil {
			return err
		}
		return WriteJSON(w, http.StatusOK, out)
	}
}

// Listing makes a Serve of a call that needs no input: a request without a body
// is the zero In.
func Listing[In, Out any](call func(ctx context.Context, c Caller, in In) (Out, error)) Serve {
	return func(w http.ResponseWriter, r *http.Request, c Call) error {
		var in In
		if r.ContentLength != 0 {
			if err := ReadJSON(w, r, c.Route.Body, &in); err != nil {
				return err
			}
		}
		out, err := call(r.Context(), c.Caller, in)
		if err != nil {
			return err
		}
		return WriteJSON(w, http.StatusOK, out)
	}
}

// ReadJSON decodes a request body that must be one JSON object of at most
// limit bytes: names exact and unique, types as declared, unknown names
// ignored, no zero character anywhere.
func ReadJSON(w http.ResponseWriter, r *http.Request, limit int64, into any) error {
	if kind := r.Header.Get("Content-Type"); kind != "" {
		if media, _, err := mime.ParseMediaType(kind); err != nil || media != "application/json" {
			return sim.ErrMediaType
		}
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return sim.BadRequest(fmt.Sprintf("The request body is larger than %d bytes", limit))
	}
	if err != nil {
		return sim.BadRequest("The request body broke off").Because(err)
	}
	if body = bytes.TrimSpace(body); len(body) == 0 || body[0] != '{' {
		return sim.BadRequest("The request body must be a JSON object")
	}
	if complaint := unwelcome(body); complaint != "" {
		return sim.BadRequest(complaint)
	}
	if err := json.Unmarshal(body, into); err != nil {
		return sim.BadRequest(decodeMessage(err)).Because(err)
	}
	return nil
}

// maxDepth is how deep a request body may nest; none of ours comes near it.
const maxDepth = 32

// unwelcome says what is wrong with JSON that no call wants, whatever its
// fields. It stops at the first level too many, or where the text is no JSON,
// which the decoder proper explains.
func unwelcome(body []byte) (complaint string) {
	for d := jsontext.NewDecoder(bytes.NewReader(body)); ; {
		token, err := d.ReadToken()
		switch {
		case err != nil:
			return ""
		case d.StackDepth() > maxDepth:
			return fmt.Sprintf("The request body nests more than %d levels", maxDepth)
		case token.Kind() == '"' && strings.ContainsRune(token.String(), 0): // PostgreSQL has no such text
			return "The request body holds a zero character"
		}
	}
}

// decodeMessage says which field is wrong and what it must be.
func decodeMessage(err error) string {
	var semantic *json.SemanticError
	if errors.As(err, &semantic) && semantic.GoType != nil {
		field := strings.ReplaceAll(strings.TrimPrefix(string(semantic.JSONPointer), "/"), "/", ".")
		switch kind := semantic.GoType.Kind().String(); {
		case strings.HasPrefix(kind, "int"):
			return field + " must be a whole number"
		case kind == "string", kind == "bool":
			return field + " must be a " + strings.Replace(kind, "bool", "boolean", 1)
		case kind == "slice":
			return field + " must be a list"
		case field != "":
			return field + " must be an object"
		}
	}
	var syntax *jsontext.SyntacticError
	if errors.As(err, &syntax) && errors.Is(err, jsontext.ErrDuplicateName) {
		return "The request body names the same field twice"
	}
	return "The request body is not valid JSON"
}

// WriteJSON answers with v. Its content type is set, because the client
// decides by it how to decode.
func WriteJSON(w http.ResponseWriter, status int, v any) error {
	body, err := stdjson.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode answer: %w", err)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(body) // the client has gone away: nothing left to tell it
	return nil
}
