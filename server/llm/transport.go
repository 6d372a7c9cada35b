package llm

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"simora/server/outbound"
)

const maxResponse = 1 << 20 // bytes of an answer, after decompression

// Link is the way to the endpoint with this base URL.
func Link(baseURL string) (outbound.Link, error) {
	u, err := url.Parse(baseURL)
	if err != nil || u.Hostname() == "" {
		return outbound.Link{}, errors.New("the base URL is not an http or https address")
	}
	return outbound.HTTP("llm", u), nil
}

var (
	errTooLarge = fmt.Errorf("answer of more than %d bytes", maxResponse)
	errRedirect = errors.New("the endpoint redirects elsewhere, which is not followed")
)

// httpClient follows no redirect, so that key and transcript go to the
// configured address only, and reads no endless answer. Deadlines come with
// each request's context.
func httpClient(transport http.RoundTripper) *http.Client {
	return &http.Client{
		Transport:     capped{transport},
		CheckRedirect: func(*http.Request, []*http.Request) error { return errRedirect },
	}
}

// headerKey is the context's place for the header of the answer: the client
// library does not tell it with every error.
type headerKey struct{}

// withHeader returns a context whose request leaves the answer's header in the
// second value. It stays nil when no answer came.
func withHeader(ctx context.Context) (context.Context, *http.Header) {
	header := new(http.Header)
	return context.WithValue(ctx, headerKey{}, header), header
}

// capped limits the size of every answer.
type capped struct{ http.RoundTripper }

// RoundTrip is the wrapped one's, with a capped body.
func (c capped) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := c.RoundTripper.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if header, ok := r.Context().Value(headerKey{}).(*http.Header); ok {
		*header = response.Header
	}
	response.Body = &cappedBody{ReadCloser: response.Body, left: maxResponse}
	return response, nil
}

type cappedBody struct {
	io.ReadCloser
	left int
}

// Read fails once more than allowed was read, and hangs up.
func (b *cappedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.left -= n; b.left < 0 {
		return 0, errors.Join(errTooLarge, b.Close())
	}
	return n, err
}
