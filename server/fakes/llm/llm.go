// Package llm is an OpenAI-compatible server for tests, on the loopback
// interface, that is hostile on demand.
package llm

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// Request is what the server was asked.
type Request struct {
	Header   http.Header
	Body     string // as it came
	Messages []Message
	Stream   bool     // wanted as events
	IDs      []string // the criteria of a judgement; none: a reply is wanted
	Number   int      // 1 is the first request of the server
}

// Message is one of the request's.
type Message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// Judging reports whether a judgement is wanted.
func (r Request) Judging() bool { return len(r.IDs) > 0 }

// Server plays an endpoint.
type Server struct {
	URL string // of the API, to be used as base URL

	mu       sync.Mutex
	behave   Behaviour
	requests []Request
	server   *httptest.Server
}

// Start runs a server until the test ends.
func Start(t testing.TB, b Behaviour) *Server {
	t.Helper()
	s := &Server{behave: b}
	s.server = httptest.NewServer(http.HandlerFunc(s.serve))
	s.URL = s.server.URL + "/v1"
	t.Cleanup(func() {
		s.server.CloseClientConnections() // those that hang
		s.server.Close()
	})
	return s
}

// Behave changes what the server does from now on.
func (s *Server) Behave(b Behaviour) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.behave = b
}

// Requests are all so far.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	request := read(body)
	request.Header = r.Header.Clone()
	s.mu.Lock()
	request.Number = len(s.requests) + 1
	s.requests = append(s.requests, request)
	behave := s.behave
	s.mu.Unlock()
	if r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, "/chat/completions") {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	if request.Stream {
		w = &streamer{ResponseWriter: w}
	}
	behave(w, r, request)
}

func read(body []byte) Request {
	var in struct {
		Messages []Message `json:"messages"`
		Stream   bool      `json:"stream"`
		Format   struct {
			Schema struct {
				Schema struct {
					Properties struct {
						Criteria struct {
							Items struct {
								Properties struct {
									ID struct {
										Enum []string `json:"enum"`
									} `json:"id"`
								} `json:"properties"`
							} `json:"items"`
						} `json:"criteria"`
					} `json:"properties"`
				} `json:"schema"`
			} `json:"json_schema"`
		} `json:"response_format"`
	}
	_ = json.Unmarshal(body, &in) // what cannot be read is empty
	return Request{Body: string(body), Messages: in.Messages, Stream: in.Stream, IDs: in.Format.Schema.Schema.Properties.Criteria.Items.Properties.ID.Enum}
}

// Line is one line of the transcript that is to be judged.
type Line struct {
	Turn    int    `json:"turn"`
	Learner string `json:"learner"`
	Other   string `json:"other"`
}

// Transcript is what a judgement was asked about.
func (r Request) Transcript() []Line {
	var in struct {
		Transcript []Line `json:"transcript"`
	}
	for _, m := range r.Messages {
		if m.Role == "user" {
			_ = json.Unmarshal([]byte(m.Content), &in)
		}
	}
	return in.Transcript
}

// Finding is one criterion of an answer.
type Finding struct {
	ID       string `json:"id"`
	Verdict  string `json:"verdict"`
	Turn     int    `json:"turn"`
	Quote    string `json:"quote"`
	Feedback string `json:"feedback"`
}

// Findings are a judgement's text.
func Findings(list []Finding) string {
	text, _ := json.Marshal(map[string]any{"criteria": list}) // strings and numbers: can't fail
	return string(text)
}

// Text is a well-formed answer.
func Text(w http.ResponseWriter, text string) { answer(w, text, "stop") }

func answer(w http.ResponseWriter, text, finish string) {
	w.Header().Set("Content-Type", "application/json")
	body, _ := json.Marshal(map[string]any{
		"id": "c-1", "object": "chat.completion", "created": 1, "model": "fake",
		"choices": []any{map[string]any{"index": 0, "finish_reason": finish, "message": Message{"assistant", text}}},
		"usage":   map[string]int{"prompt_tokens": 400, "completion_tokens": 50, "total_tokens": 450},
	})
	_, _ = w.Write(body)
}

func status(w http.ResponseWriter, code int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_, _ = fmt.Fprintf(w, `{"error":{"message":%q,"type":"fake","code":null}}`, message) //nolint:gosec // a fake for tests
}
