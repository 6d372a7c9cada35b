package sim

import (
	"errors"
	"time"
)

// Kind says what sort of failure an Error is. Each protocol maps a Kind to
// its own status and shape in one place.
type Kind int

// The kinds.
const (
	Internal Kind = iota
	Invalid
	Unauthenticated
	Forbidden
	NotFound
	Conflict
	Unprocessable
	Unsupported
	MethodNotAllowed
	NotAcceptable
	TooLarge
	TooMany
	Upstream    // a model or mail server that we depend on failed
	Unavailable // our own store can't be reached
)

// Error is a failure that a caller may read. Code is for machines, Message
// for people; the cause stays in the log.
type Error struct {
	Kind       Kind
	Code       string
	Message    string
	Details    string        // more for people; only the tables' protocol has room for it
	RetryAfter time.Duration // with TooMany and Unavailable; zero when unknown
	cause      error
}

func (e *Error) Error() string {
	if e.cause != nil {
		return e.Message + ": " + e.cause.Error()
	}
	return e.Message
}

func (e *Error) Unwrap() error { return e.cause }

// Is reports whether target is the same catalogue entry, whatever its cause.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Code == e.Code && t.Kind == e.Kind
}

// Because returns a copy of e with the reason for the log attached.
func (e *Error) Because(cause error) *Error {
	c := *e
	c.cause = cause
	return &c
}

// After returns a copy of e that asks the caller to wait.
func (e *Error) After(d time.Duration) *Error {
	c := *e
	c.RetryAfter = d
	return &c
}

// The catalogue. Codes are part of the HTTP contract.
var (
	ErrUnexpected           = &Error{Kind: Internal, Code: "unexpected_failure", Message: "Something went wrong on our side. Please try again."}
	ErrUnavailable          = &Error{Kind: Unavailable, Code: "unavailable", Message: "The service is briefly unavailable. Please try again in a moment.", RetryAfter: 2 * time.Second}
	ErrNoAuthHeader         = &Error{Kind: Unauthenticated, Code: "UNAUTHORIZED_NO_AUTH_HEADER", Message: "Missing authorization header"}
	ErrInvalidToken         = &Error{Kind: Unauthenticated, Code: "UNAUTHORIZED_INVALID_JWT", Message: "Invalid JWT"}
	ErrTokenExpired         = &Error{Kind: Unauthenticated, Code: "UNAUTHORIZED_JWT_EXPIRED", Message: "JWT expired"}
	ErrSignedOut            = &Error{Kind: Unauthenticated, Code: "UNAUTHORIZED_SIGNED_OUT", Message: "This sign-in has ended"}
	ErrSignInRequired       = &Error{Kind: Unauthenticated, Code: "unauthorized", Message: "Please sign in first"}
	ErrNotAdmin             = &Error{Kind: Forbidden, Code: "forbidden", Message: "You do not have admin privileges"}
	ErrSecondFactorNeeded   = &Error{Kind: Forbidden, Code: "insufficient_aal", Message: "Your second factor is needed first"}
	ErrSignInAgain          = &Error{Kind: Forbidden, Code: "reauthentication_needed", Message: "Sign in again first: this takes a sign-in of the last five minutes"}
	ErrFactorExists         = &Error{Kind: Unprocessable, Code: "too_many_enrolled_mfa_factors", Message: "A second factor is in use already. Turn it off first."}
	ErrFactorNotFound       = &Error{Kind: NotFound, Code: "mfa_factor_not_found", Message: "Second factor not found"}
	ErrWrongCode            = &Error{Kind: Unprocessable, Code: "mfa_verification_failed", Message: "This code is not right, or it was used already. Wait for the next one and try again."}
	ErrChallengeExpired     = &Error{Kind: Unprocessable, Code: "mfa_challenge_expired", Message: "That took too long. Please try again."}
	ErrSignInCode           = &Error{Kind: Invalid, Code: "flow_state_not_found", Message: "This sign-in was not started in this browser, or took too long. Please try again."}
	ErrWrongPassword        = &Error{Kind: Invalid, Code: "current_password_invalid", Message: "Your current password is not right"}
	ErrInvalidCredentials   = &Error{Kind: Invalid, Code: "invalid_credentials", Message: "Invalid login credentials"}
	ErrRefreshTokenNotFound = &Error{Kind: Invalid, Code: "refresh_token_not_found", Message: "Invalid Refresh Token: Refresh Token Not Found"}
	ErrRefreshTokenUsed     = &Error{Kind: Invalid, Code: "refresh_token_already_used", Message: "Invalid Refresh Token: Already Used"}
	ErrSignInExpired        = &Error{Kind: Invalid, Code: "session_expired", Message: "This sign-in has expired. Please sign in again."}
	ErrSlugTaken            = &Error{Kind: Conflict, Code: "slug_taken", Message: "Another scenario has this slug already"}
	ErrCrossSite            = &Error{Kind: Forbidden, Code: "cross_site", Message: "Requests from another site are not allowed"}
	ErrPlainHTTP            = &Error{Kind: Forbidden, Code: "https_required", Message: "This address answers over https only"}
	ErrFunctionNotFound     = &Error{Kind: NotFound, Code: "NOT_FOUND", Message: "Requested function was not found"}
	ErrMethodNotAllowed     = &Error{Kind: MethodNotAllowed, Code: "method_not_allowed", Message: "This method is not allowed here"}
	ErrMediaType            = &Error{Kind: Unsupported, Code: "unsupported_media_type", Message: "The content type must be application/json"}
	ErrRateLimited          = &Error{Kind: TooMany, Code: "rate_limited", Message: "Too many requests. Please wait a moment and try again."}
	ErrScenarioNotFound     = &Error{Kind: NotFound, Code: "scenario_not_found", Message: "Scenario not found"}
	ErrSessionNotFound      = &Error{Kind: NotFound, Code: "session_not_found", Message: "Session not found"}
	ErrSessionCompleted     = &Error{Kind: Conflict, Code: "session_completed", Message: "This scenario has already ended"}
	ErrSessionExpired       = &Error{Kind: Conflict, Code: "session_expired", Message: "This session has expired. Please start again."}
	ErrSessionNotCompleted  = &Error{Kind: Conflict, Code: "session_not_completed", Message: "Finish the scenario first, then ask for its report"}
	ErrTurnInProgress       = &Error{Kind: Conflict, Code: "turn_in_progress", Message: "Your previous message is still being answered"}
	ErrRequestInProgress    = &Error{Kind: Conflict, Code: "request_in_progress", Message: "The same request is still being processed"}
	ErrKeyReused            = &Error{Kind: Unprocessable, Code: "idempotency_key_reused", Message: "This Idempotency-Key was used for a different request"}
	ErrAIUnavailable        = &Error{Kind: Upstream, Code: "ai_unavailable", Message: "The virtual human could not answer. Please send your message again."}
	ErrEmailFailed          = &Error{Kind: Upstream, Code: "email_failed", Message: "We couldn't send the email to this address. Please check it and try again."}
	ErrOtherRecipient       = &Error{Kind: Conflict, Code: "recipient_fixed", Message: "The report of this session was already sent to another address"}
)

// BadRequest is a request that is not of the call's form.
func BadRequest(message string) *Error {
	return &Error{Kind: Invalid, Code: "bad_request", Message: message}
}

// ValidationFailed is a well-formed request with a value that is not allowed.
func ValidationFailed(message string) *Error {
	return &Error{Kind: Invalid, Code: "validation_failed", Message: message}
}

// WeakPassword is a new password that the rules refuse, for the reason given.
func WeakPassword(reason error) *Error {
	return &Error{Kind: Unprocessable, Code: "weak_password", Message: reason.Error()}
}

// AsError returns err as an Error; what the catalogue does not know becomes
// ErrUnexpected with err as its cause.
func AsError(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return ErrUnexpected.Because(err)
}
