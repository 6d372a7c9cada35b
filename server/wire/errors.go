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
	OpenDoor   bool // a request without Authorization is anonymous
	denials    map[string]*sim.Error
}

// Denied is how the service says that a caller could not be identified or may
// not make a call.
func (s Service) Denied(err error) error {
	if err == nil {
		return nil
	}
	known := sim.AsError(err)
	if said, ok := s.denials[known.Code]; ok {
		return said.After(known.RetryAfter)
	}
	return err
}

func denial(kind sim.Kind, code, message string) *sim.Error {
	return &sim.Error{Kind: kind, Code: code, Message: message}
}

var (
	badJWT      = denial(sim.Forbidden, "bad_jwt", "invalid JWT: unable to parse or verify signature")
	noBearer    = denial(sim.Unauthenticated, "no_authorization", "This endpoint requires a valid Bearer token")
	noSuchUse   = denial(sim.Unauthenticated, "PGRST301", "No suitable key or wrong key type")
	jwtExpired  = denial(sim.Unauthenticated, "PGRST303", "JWT expired")
	storageDoor = denial(sim.Forbidden, "AccessDenied", "new row violates row-level security policy")
	badToken    = denial(sim.Forbidden, "AccessDenied", "The sign-in is not valid any more")
)

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
	sim.TooLarge:         http.StatusRequestEntityTooLarge,
	sim.NotAcceptable:    http.StatusNotAcceptable,
	sim.TooMany:          http.StatusTooManyRequests,
	sim.Upstream:         http.StatusBadGateway,
	sim.Unavailable:      http.StatusServiceUnavailable,
}

// Status is the HTTP status of e.
func Status(e *sim.Error) int { return statusOf[e.Kind] }

// Services are the four, in no order that matters.
var Services = []Service{
	{Prefix: "/functions/v1/", WriteError: functionsError, NotFound: sim.ErrFunctionNotFound},
	{Prefix: "/auth/v1/", WriteError: authError, NotFound: denial(sim.NotFound, "not_found", "Not found"), denials: map[string]*sim.Error{
		sim.ErrNoAuthHeader.Code: noBearer, sim.ErrInvalidToken.Code: badJWT, sim.ErrTokenExpired.Code: badJWT, sim.ErrSignInRequired.Code: badJWT,
		sim.ErrSignedOut.Code:   denial(sim.Forbidden, "session_not_found", "Session from session_id claim in JWT does not exist"),
		sim.ErrRateLimited.Code: denial(sim.TooMany, "over_request_rate_limit", "Request rate limit reached"),
	}},
	{Prefix: "/rest/v1/", WriteError: restError, OpenDoor: true, NotFound: denial(sim.NotFound, "PGRST205", "Could not find the table in the schema cache"), denials: map[string]*sim.Error{
		sim.ErrInvalidToken.Code: noSuchUse, sim.ErrSignedOut.Code: noSuchUse, sim.ErrTokenExpired.Code: jwtExpired,
		sim.ErrSignInRequired.Code: denial(sim.Unauthenticated, "42501", "permission denied"), sim.ErrNotAdmin.Code: denial(sim.Forbidden, "42501", "permission denied"),
		sim.ErrSecondFactorNeeded.Code: denial(sim.Forbidden, "42501", "permission denied"),
	}},
	{Prefix: "/storage/v1/", WriteError: storageError, OpenDoor: true, NotFound: errNoStorageRoute, denials: map[string]*sim.Error{
		sim.ErrInvalidToken.Code: badToken, sim.ErrSignedOut.Code: badToken, sim.ErrTokenExpired.Code: badToken,
		sim.ErrSignInRequired.Code: storageDoor, sim.ErrNotAdmin.Code: storageDoor, sim.ErrSecondFactorNeeded.Code: storageDoor,
	}},
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
var storageNames = map[string]string{
	"NoSuchKey": "not_found", "AccessDenied": "Unauthorized", "KeyAlreadyExists": "Duplicate", "InvalidMimeType": "invalid_mime_type",
	"EntityTooLarge": "Payload too large", "NoSuchBucket": "Bucket not found", "InternalError": "Internal",
}

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
