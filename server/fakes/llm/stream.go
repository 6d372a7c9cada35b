package llm

import (
	"encoding/json"
	"net/http"
)

// streamer turns a well-formed answer into events of a few letters each. What
// it does not understand goes through as it is.
type streamer struct{ http.ResponseWriter }

// Unwrap lets http.ResponseController reach the connection.
func (s *streamer) Unwrap() http.ResponseWriter { return s.ResponseWriter }

const lettersPerEvent = 7

// Write takes a whole answer at once, as Text writes it.
func (s *streamer) Write(body []byte) (int, error) {
	var answer struct {
		Choices []*struct {
			FinishReason string          `json:"finish_reason"`
			Message      json.RawMessage `json:"message"`
		} `json:"choices"`
	}
	if json.Unmarshal(body, &answer) != nil || len(answer.Choices) == 0 || answer.Choices[0] == nil {
		return s.ResponseWriter.Write(body)
	}
	s.Header().Set("Content-Type", "text/event-stream")
	var message Message
	if json.Unmarshal(answer.Choices[0].Message, &message) != nil || message.Content == "" {
		s.event(answer.Choices[0].Message, answer.Choices[0].FinishReason) // a tool call, a refusal, a number
	}
	for text := []rune(message.Content); len(text) > 0; {
		n := min(lettersPerEvent, len(text))
		delta, _ := json.Marshal(Message{"assistant", string(text[:n])})
		s.event(delta, "")
		text = text[n:]
	}
	s.event([]byte("{}"), "stop")
	_, err := s.ResponseWriter.Write([]byte("data: [DONE]\n\n"))
	flush(s.ResponseWriter)
	return len(body), err
}

func (s *streamer) event(delta json.RawMessage, finish string) {
	event, err := json.Marshal(map[string]any{"choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}}})
	if err != nil {
		return // the delta was not JSON: left out
	}
	_, _ = s.ResponseWriter.Write(append(append([]byte("data: "), event...), "\n\n"...))
	flush(s.ResponseWriter)
}
