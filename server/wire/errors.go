package wire

import (
	"net/http"
	"strconv"
	"time"

	"simora/server/sim"
)

// Service is one of the four protocols of the surface, with its prefix and
// its error shape. Each client parses only its own service's shape.
type Service struct {
	Prefix     string
	WriteError func(w http.ResponseWriter, e *sim.Error)
	NotFound   *sim.Error
}

var statusOf = map[sim.Kind]int{
	sim.Internal:         http.StatusInternalServerError,
	sim.Invalid:          http.StatusBadRequest,
	sim.Unauthenticated:  http.StatusUnauthorized,
	sim.Forbidden:        http.StatusForbidden,
	sim.NotFound:         http.StatusNotFound,
	sim.Conflict:         http.StatusConflict,
	sim.Unprocessable:    http.StatusUnprocessableEntity,
	sim.Unsupported:      http.StatusUnsupportedMediaType,
	sim.MethodNotAllowed: http.StatusMethodNotAllowed,
	sim.NotAcceptable:    http.StatusNotAcceptable,
	sim.TooMany:          http.StatusTooManyRequests,
	sim.Upstream:         http.StatusBadGateway,
	sim.Unavailable:      http.StatusServiceUnavailable,
}

// Status is the HTTP status of e.
func Status(e *sim.Error) int { return statusOf[e.Kind] }

// Services are the four, in no order that matters.
var Services = []Service{
	{"/functions/v1/", functionsError, sim.ErrFunctionNotFound},
	{"/auth/v1/", authError, &sim.Error{Kind: sim.NotFound, Code: "not_found", Message: "Not found"}},
	{"/rest/v1/", restError, &sim.Error{Kind: sim.NotFound, Code: "PGRST205", Message: "Could not find the table in the schema cache"}},
	{"/storage/v1/", storageError, errNoStorageRoute},
}

func write(w http.ResponseWriter, status int, e *sim.Error, body map[string]any) {
	if e.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int((e.RetryAfter+time.Second-1)/time.Second)))
	}
	_ = WriteJSON(w, status, body) // a map of strings always encodes
}

func functionsError(w http.ResponseWriter, e *sim.Error) {
	w.Header().Set("Sb-Error-Code", e.Code)
	write(w, Status(e), e, map[string]any{"error": e.Message, "message": e.Message, "code": e.Code})
}

func authError(w http.ResponseWriter, e *sim.Error) {
	w.Header().Set("X-Supabase-Api-Version", "2024-01-01")
	w.Header().Set("X-Sb-Error-Code", e.Code)
	write(w, Status(e), e, map[string]any{"code": e.Code, "error_code": e.Code, "message": e.Message, "msg": e.Message})
}

func restError(w http.ResponseWriter, e *sim.Error) {
	if Status(e) == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	var details any
	if e.Details != "" {
		details = e.Details
	}
	write(w, Status(e), e, map[string]any{"code": e.Code, "details": details, "hint": nil, "message": e.Message})
}

// storageError says the true status in the body. The client wants 400 in the
// head of every error that is its own, except for an unknown route.
func storageError(w http.ResponseWriter, e *sim.Error) {
	status := Status(e)
	said := status
	if status >= 400 && status < 500 && e != errNoStorageRoute && e.Kind != sim.TooMany && e.Kind != sim.MethodNotAllowed {
		status = http.StatusBadRequest
	}
	name := e.Code
	if known, ok := storageNames[e.Code]; ok {
		name = known
	}
	write(w, status, e, map[string]any{"statusCode": strconv.Itoa(said), "error": name, "code": e.Code, "message": e.Message})
}

// storageNames are the older names that the protocol says beside some codes.
var storageNames = map[string]string{"NoSuchKey": "not_found"}

var errNoStorageRoute = &sim.Error{Kind: sim.NotFound, Code: "NoSuchKey", Message: "Not found"}

// WriteKeyError answers a request whose apikey is missing or unknown, in a
// shape that all four clients can read.
func WriteKeyError(w http.ResponseWriter, given string) {
	message := "Invalid API key"
	hint := "Double check the apikey request header."
	if given == "" {
		message = "No API key found in request"
		hint = "No `apikey` request header or url param was found."
	}
	_ = WriteJSON(w, http.StatusUnauthorized, map[string]any{
		"message": message, "hint": hint, "code": "invalid_api_key", "error": "invalid_api_key", "statusCode": "401",
	})
}
