// Package lrs is a learning record store for tests, in this process: it takes
// only what xAPI 1.0.3 allows, and has bad days.
package lrs

import (
	"bytes"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"reflect"
	"sync"
	"testing"
)

// Day is what happens to a request that is in order.
type Day int

// The days.
const (
	Good        Day = iota
	Busy            // 429 with Retry-After
	Broken          // 500
	Gone            // the connection breaks before anything is stored
	GoneStored      // all is stored and the connection breaks before the answer
	Maintenance     // 503
)

// bad is every kind of bad day.
var bad = []Day{Busy, Broken, Gone, GoneStored, Maintenance}

// Server is a record store on the loopback interface.
type Server struct {
	Endpoint    string
	Key, Secret string

	mu         sync.Mutex
	days       []Day
	statements map[string]json.RawMessage
	order      []string
	complaints []string
}

// Start runs one that has all its bad days first, unless it gets others.
func Start(t testing.TB, days ...Day) *Server {
	if days == nil {
		days = append(days, bad...)
	}
	s := newServer(days)
	listener := httptest.NewServer(s)
	t.Cleanup(listener.Close)
	s.Endpoint = listener.URL + "/xapi"
	return s
}

// StartTLS runs one without bad days, over TLS.
func StartTLS(t testing.TB, config *tls.Config) *Server {
	s := newServer(nil)
	listener := httptest.NewUnstartedServer(s)
	listener.TLS = config
	listener.Config.ErrorLog = log.New(io.Discard, "", 0)
	listener.StartTLS()
	t.Cleanup(listener.Close)
	s.Endpoint = listener.URL + "/xapi"
	return s
}

func newServer(days []Day) *Server {
	return &Server{Key: "simora", Secret: "s3cret: with colon", days: days, statements: map[string]json.RawMessage{}}
}

// Statements are what is stored, in the order of their coming.
func (s *Server) Statements() []json.RawMessage {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []json.RawMessage
	for _, id := range s.order {
		list = append(list, s.statements[id])
	}
	return list
}

// Complaints are requests that broke a rule of the specification.
func (s *Server) Complaints() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.complaints...)
}

// ServeHTTP takes POST /xapi/statements.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	list, status, err := s.check(r, body)
	if err != nil {
		s.complaints = append(s.complaints, err.Error())
		w.WriteHeader(status)
		return
	}
	day := Good
	if len(s.days) > 0 {
		day, s.days = s.days[0], s.days[1:]
	}
	switch day {
	case Busy:
		w.Header().Set("Retry-After", "30")
		w.WriteHeader(http.StatusTooManyRequests)
		return
	case Broken:
		w.WriteHeader(http.StatusInternalServerError)
		return
	case Maintenance:
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	case Gone:
		hangUp(w)
		return
	}
	ids, fits := s.keep(list)
	switch {
	case !fits:
		s.complaints = append(s.complaints, "a statement that is stored came again with other content")
		w.WriteHeader(http.StatusConflict)
	case day == GoneStored:
		hangUp(w)
	default:
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(ids)
	}
}

func (s *Server) check(r *http.Request, body []byte) (list []json.RawMessage, status int, err error) {
	key, secret, _ := r.BasicAuth()
	switch {
	case r.URL.Path != "/xapi/statements" || r.Method != http.MethodPost:
		return nil, http.StatusNotFound, fmt.Errorf("%s %s is not for statements", r.Method, r.URL.Path)
	case key != s.Key || secret != s.Secret:
		return nil, http.StatusUnauthorized, fmt.Errorf("user %q is not known", key)
	case r.Header.Get("X-Experience-API-Version") != "1.0.3":
		return nil, http.StatusBadRequest, fmt.Errorf("version %q", r.Header.Get("X-Experience-API-Version"))
	case r.Header.Get("Content-Type") != "application/json":
		return nil, http.StatusBadRequest, fmt.Errorf("content type %q", r.Header.Get("Content-Type"))
	}
	if err := json.Unmarshal(body, &list); err != nil {
		return nil, http.StatusBadRequest, fmt.Errorf("not a list of statements: %w", err)
	}
	seen := map[string]bool{}
	for i, raw := range list {
		id, err := Check(raw)
		if err != nil {
			return nil, http.StatusBadRequest, fmt.Errorf("statement %d: %w", i, err)
		}
		if seen[id] {
			return nil, http.StatusBadRequest, fmt.Errorf("statement %d: id %s comes twice", i, id)
		}
		seen[id] = true
	}
	return list, 0, nil
}

// keep stores all or none.
func (s *Server) keep(list []json.RawMessage) (ids []string, fits bool) {
	for _, raw := range list {
		id, _ := Check(raw)
		if old, there := s.statements[id]; there && !same(old, raw) {
			return nil, false
		}
		ids = append(ids, id)
	}
	for i, id := range ids {
		if _, there := s.statements[id]; !there {
			s.statements[id] = bytes.Clone(list[i])
			s.order = append(s.order, id)
		}
	}
	return ids, true
}

func same(a, b json.RawMessage) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

func hangUp(w http.ResponseWriter) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		return
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}
