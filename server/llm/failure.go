package llm

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	openai "github.com/sashabaranov/go-openai"
)

// reason says why the model's answer was not used. Reasons are the only words
// about a request that reach the log: what an endpoint says may repeat the
// prompt or the key.
type reason string

// The reasons.
const (
	breakerOpen  reason = "breaker open"
	overSession  reason = "budget of the session used up"
	overAddress  reason = "budget of the address used up"
	overDay      reason = "budget of the day used up"
	noBooks      reason = "budget cannot be counted"
	busy         reason = "too many requests at once"
	timedOut     reason = "no answer in time"
	unreachable  reason = "connection failed"
	tooLarge     reason = "answer too large"
	redirected   reason = "redirect not followed"
	notProtocol  reason = "not an answer of the protocol"
	noText       reason = "no text in the answer"
	unusable     reason = "unusable text"
	tooMany      reason = "too many criteria"
	notPlausible reason = "far from the built-in judgement"
)

// failure is an attempt that gave nothing.
type failure struct {
	reason   reason
	detail   string        // said to the model when it is asked once more; words of ours
	again    bool          // a second attempt makes sense
	after    time.Duration // the endpoint asked for this pause
	endpoint bool          // the endpoint's fault, not the text's
	refused  bool          // with a status, before any work was done
}

func (f *failure) Error() string {
	if f.detail != "" {
		return string(f.reason) + ": " + f.detail
	}
	return string(f.reason)
}

// reject is the failure of a text that cannot be used.
func reject(detail string) error { return &failure{reason: unusable, detail: detail, again: true} }

// because is the reason for any error of this package.
func because(err error) reason {
	var f *failure
	switch {
	case errors.As(err, &f):
		return f.reason
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return timedOut
	}
	return notProtocol
}

// explain is the error of a request as a failure.
func explain(err error, header http.Header, now time.Time) *failure {
	f := &failure{endpoint: true}
	var apiError *openai.APIError
	var requestError *openai.RequestError
	status := 0
	if errors.As(err, &apiError) {
		status = apiError.HTTPStatusCode
	}
	if errors.As(err, &requestError) {
		status = requestError.HTTPStatusCode
	}
	switch {
	case errors.Is(err, errTooLarge):
		f.reason = tooLarge
	case errors.Is(err, errRedirect):
		f.reason = redirected
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		f.reason, f.again = timedOut, true
	case status != 0:
		f.reason, f.refused = reason("status "+strconv.Itoa(status)), true
		f.again = status == http.StatusTooManyRequests || status == http.StatusRequestTimeout || status >= http.StatusInternalServerError
		f.after = retryAfter(header.Get("Retry-After"), now)
	case header == nil: // no answer came
		f.reason, f.again = unreachable, true
	default:
		f.reason, f.again = notProtocol, true
	}
	return f
}

// retryAfter reads seconds or a date.
func retryAfter(text string, now time.Time) time.Duration {
	if seconds, err := strconv.Atoi(text); err == nil {
		return time.Duration(max(seconds, 0)) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil && at.After(now) {
		return at.Sub(now)
	}
	return 0
}
