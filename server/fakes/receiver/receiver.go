// Package receiver is a real receiver of webhooks for tests, in this process,
// that misbehaves on demand.
package receiver

import (
	"crypto/tls"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// Received is one request, read to its end.
type Received struct {
	Header http.Header
	Body   []byte
	Status int // that was answered; 0: none
}

// ID is the delivery's.
func (r Received) ID() string { return r.Header.Get("Webhook-Id") }

// Behaviour answers a request that was read, and returns the status that the
// sender got; 0: none.
type Behaviour func(w http.ResponseWriter, r *http.Request) int

// Server is a receiver on the loopback interface.
type Server struct {
	URL string

	mu       sync.Mutex
	script   []Behaviour
	then     Behaviour
	received []Received
}

// Start runs one that behaves as the script says, request by request, and then
// accepts all.
func Start(t testing.TB, script ...Behaviour) *Server {
	s := &Server{script: script, then: Status(http.StatusNoContent)}
	listener := httptest.NewServer(s)
	t.Cleanup(func() { listener.CloseClientConnections(); listener.Close() })
	s.URL = listener.URL + "/hook"
	return s
}

// StartTLS runs one that accepts all over TLS; without a configuration its
// certificate is one that nobody trusts.
func StartTLS(t testing.TB, config *tls.Config) *Server {
	s := &Server{then: Status(http.StatusNoContent)}
	listener := httptest.NewUnstartedServer(s)
	listener.TLS = config
	listener.Config.ErrorLog = log.New(io.Discard, "", 0)
	listener.StartTLS()
	t.Cleanup(listener.Close)
	s.URL = listener.URL + "/hook"
	return s
}

// Always makes the rest of the requests end like this.
func (s *Server) Always(b Behaviour) *Server {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.script, s.then = nil, b
	return s
}

// ServeHTTP takes one delivery.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	s.mu.Lock()
	behave := s.then
	if len(s.script) > 0 {
		behave, s.script = s.script[0], s.script[1:]
	}
	s.received = append(s.received, Received{r.Header.Clone(), body, 0})
	at := len(s.received) - 1
	s.mu.Unlock()
	status := behave(w, r)
	s.mu.Lock()
	s.received[at].Status = status
	s.mu.Unlock()
}

// Received are the requests so far, whatever became of them.
func (s *Server) Received() []Received {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Received(nil), s.received...)
}

// Status answers with a status and nothing else.
func Status(code int) Behaviour {
	return func(w http.ResponseWriter, _ *http.Request) int {
		w.WriteHeader(code)
		return code
	}
}

// Busy answers 429 and asks for some seconds of peace.
func Busy(seconds int) Behaviour {
	return func(w http.ResponseWriter, _ *http.Request) int {
		w.Header().Set("Retry-After", strconv.Itoa(seconds))
		w.WriteHeader(http.StatusTooManyRequests)
		return http.StatusTooManyRequests
	}
}

// Redirect points elsewhere.
func Redirect(to string) Behaviour {
	return func(w http.ResponseWriter, r *http.Request) int {
		http.Redirect(w, r, to, http.StatusTemporaryRedirect)
		return http.StatusTemporaryRedirect
	}
}

// Hang never answers.
func Hang(_ http.ResponseWriter, r *http.Request) int {
	<-r.Context().Done()
	return 0
}

// Until answers when the channel is closed.
func Until(open <-chan struct{}) Behaviour {
	return func(w http.ResponseWriter, r *http.Request) int {
		select {
		case <-open:
		case <-r.Context().Done():
			return 0
		}
		return Status(http.StatusOK)(w, r)
	}
}

// Reset breaks the connection off in place of an answer.
func Reset(w http.ResponseWriter, _ *http.Request) int {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		return 0
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
	return 0
}

// Garbage answers with what is no HTTP.
func Garbage(w http.ResponseWriter, _ *http.Request) int {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		return 0
	}
	_, _ = conn.Write([]byte("220 mail.test ESMTP\r\n\r\n"))
	_ = conn.Close()
	return 0
}

// Endless accepts, with an answer that does not end.
func Endless(w http.ResponseWriter, r *http.Request) int {
	w.WriteHeader(http.StatusOK)
	block := make([]byte, 64<<10)
	for r.Context().Err() == nil {
		if _, err := w.Write(block); err != nil {
			break
		}
	}
	return http.StatusOK
}

// Trickle accepts, with an answer that comes a byte at a time and does not end.
func Trickle(w http.ResponseWriter, r *http.Request) int {
	w.WriteHeader(http.StatusOK)
	pace := time.NewTicker(50 * time.Millisecond)
	defer pace.Stop()
	for {
		select {
		case <-pace.C:
			_, _ = w.Write([]byte("."))
			w.(http.Flusher).Flush()
		case <-r.Context().Done():
			return http.StatusOK
		}
	}
}

// LargeHeader accepts, with more header than anybody should read.
func LargeHeader(w http.ResponseWriter, _ *http.Request) int {
	w.Header().Set("X-Noise", strings.Repeat("x", 1<<20))
	w.WriteHeader(http.StatusOK)
	return 0
}
