package llm

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// Behaviour answers one request.
type Behaviour func(w http.ResponseWriter, r *http.Request, in Request)

// Good answers as a well-behaved model does: another sentence each time, and a
// judgement with honest quotes.
func Good(w http.ResponseWriter, _ *http.Request, in Request) {
	if in.Judging() {
		Text(w, Findings(honest(in)))
		return
	}
	words := strings.Fields("first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth")
	Text(w, fmt.Sprintf("Thank you for asking me, that is the %s thing that helps.", words[(in.Number-1)%len(words)]))
}

// honest finds a criterion met where a learner's message has a word of its
// name: enough to be right about most of the criteria of the packages.
func honest(in Request) []Finding {
	var out []Finding
	for _, id := range in.IDs {
		f := Finding{ID: id, Verdict: "missed", Feedback: "Nothing in your messages shows this."}
		for _, word := range strings.FieldsFunc(id, func(r rune) bool { return r == '_' || r == '.' }) {
			for _, l := range in.Transcript() {
				at := strings.Index(strings.ToLower(l.Learner), word)
				if len(word) < 3 || at < 0 || f.Turn > 0 {
					continue
				}
				f.Verdict, f.Turn, f.Quote, f.Feedback = "met", l.Turn, upTo(l.Learner[at:], 20), "That was the right thing to say here."
			}
		}
		out = append(out, f)
	}
	return out
}

// upTo is the beginning of text, to the end of a word.
func upTo(text string, most int) string {
	if len(text) > most {
		text = text[:most+max(0, strings.IndexByte(text[most:]+" ", ' '))]
	}
	return text
}

// everything says the same of all criteria.
func everything(in Request, f Finding) string {
	var out []Finding
	for _, id := range in.IDs {
		f.ID = id
		out = append(out, f)
	}
	return Findings(out)
}

// Echo answers with one text, whatever was asked.
func Echo(text string) Behaviour {
	return func(w http.ResponseWriter, _ *http.Request, _ Request) { Text(w, text) }
}

// Once misbehaves at the first request and is good after that.
func Once(b Behaviour) Behaviour {
	return func(w http.ResponseWriter, r *http.Request, in Request) {
		if in.Number == 1 {
			b(w, r, in)
			return
		}
		Good(w, r, in)
	}
}

// Named is a behaviour of the table.
type Named struct {
	Name string
	Do   Behaviour
}

// drip is how slowly the slow ones speak; they never come to an end.
const drip = 20 * time.Millisecond

// Hostile are all the ways of going wrong.
func Hostile() []Named {
	return []Named{
		{"slow headers", hang},
		{"slow body", func(w http.ResponseWriter, r *http.Request, _ Request) {
			w.Header().Set("Content-Type", "application/json")
			for r.Context().Err() == nil {
				if _, err := io.WriteString(w, " "); err != nil {
					return
				}
				flush(w)
				time.Sleep(drip)
			}
		}},
		{"hang after headers", func(w http.ResponseWriter, r *http.Request, in Request) {
			w.WriteHeader(http.StatusOK)
			flush(w)
			hang(w, r, in)
		}},
		{"reset before an answer", func(http.ResponseWriter, *http.Request, Request) { panic(http.ErrAbortHandler) }},
		{"reset mid-stream", func(w http.ResponseWriter, _ *http.Request, _ Request) {
			_, _ = io.WriteString(w, `{"choices":[{"message":{"content":"It`)
			flush(w)
			panic(http.ErrAbortHandler)
		}},
		{"429", code(http.StatusTooManyRequests, "")},
		{"429, Retry-After 1", code(http.StatusTooManyRequests, "1")},
		{"429, Retry-After 1 hour", code(http.StatusTooManyRequests, "3600")},
		{"429, Retry-After nonsense", code(http.StatusTooManyRequests, "-9e99")},
		{"500", code(http.StatusInternalServerError, "")},
		{"503", code(http.StatusServiceUnavailable, "")},
		{"400", code(http.StatusBadRequest, "")},
		{"401 that repeats the key", func(w http.ResponseWriter, r *http.Request, _ Request) {
			status(w, http.StatusUnauthorized, "Incorrect API key provided: "+r.Header.Get("Authorization"))
		}},
		{"400 that repeats the prompt", func(w http.ResponseWriter, _ *http.Request, in Request) { status(w, http.StatusBadRequest, in.Body) }},
		{"redirect to another host", func(w http.ResponseWriter, r *http.Request, _ Request) {
			http.Redirect(w, r, strings.Replace("http://"+r.Host, "127.0.0.1", "localhost", 1)+"/elsewhere/chat/completions", http.StatusTemporaryRedirect) //nolint:gosec // that is the point of it
		}},
		{"HTML", func(w http.ResponseWriter, _ *http.Request, _ Request) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, "<!doctype html><h1>502 Bad Gateway</h1>")
		}},
		{"500 as HTML", func(w http.ResponseWriter, _ *http.Request, _ Request) {
			w.WriteHeader(http.StatusInternalServerError)
			_, _ = io.WriteString(w, "<h1>Oops</h1>")
		}},
		{"nothing at all", func(http.ResponseWriter, *http.Request, Request) {}},
		{"null", raw("null")},
		{"an array", raw("[]")},
		{"empty choices", raw(`{"choices":[]}`)},
		{"null choice", raw(`{"choices":[null]}`)},
		{"content is a number", raw(`{"choices":[{"message":{"role":"assistant","content":7}}]}`)},
		{"empty content", Echo("")},
		{"white space", Echo(" \n\t ")},
		{"truncated JSON", raw(`{"choices":[{"message":{"role":"assistant","content":"It hur`)},
		{"huge body", func(w http.ResponseWriter, _ *http.Request, _ Request) { Text(w, strings.Repeat("pain ", 1<<20)) }},
		{"endless headers", func(w http.ResponseWriter, _ *http.Request, _ Request) {
			for i := range 2000 {
				w.Header().Set(fmt.Sprintf("X-%d", i), strings.Repeat("x", 100))
			}
			Text(w, "Hello there.")
		}},
		{"gzip bomb", func(w http.ResponseWriter, _ *http.Request, _ Request) {
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			_, _ = io.WriteString(z, `{"choices":[{"message":{"content":"`)
			for range 64 {
				_, _ = io.WriteString(z, strings.Repeat("a", 1<<20))
			}
			_ = z.Close()
		}},
		{"deep JSON", raw(strings.Repeat("[", 200_000))},
		{"wrong schema", Echo(`{"score":900,"verdict":"excellent"}`)},
		{"JSON in a fence", Echo("```json\n{\"criteria\": []}\n```")},
		{"tool calls", raw(`{"choices":[{"finish_reason":"tool_calls","message":{"role":"assistant","content":"","tool_calls":[{"id":"1","type":"function","function":{"name":"delete_all","arguments":"{}"}}]}}]}`)},
		{"refusal field", raw(`{"choices":[{"finish_reason":"stop","message":{"role":"assistant","content":"","refusal":"I cannot."}}]}`)},
		{"content filter", func(w http.ResponseWriter, _ *http.Request, _ Request) { answer(w, "I", "content_filter") }},
		{"cut off by the limit", func(w http.ResponseWriter, _ *http.Request, _ Request) {
			answer(w, "It is like a weight that", "length")
		}},
		{"invalid UTF-8", raw("{\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":\"It \xff\xfe hurts.\"}}]}")},
		{"control characters", Echo("It hurts.\x00\x1b[31m Red.\u202e evil")},
		{"markup", Echo("**It hurts.** <script>alert(1)</script> [click](http://evil.example)")},
		{"far too long", Echo(strings.Repeat("It hurts so much. ", 200))},
		{"stage directions", Echo("*clutches her chest* It hurts.")},
		{"refuses politely", Echo("I'm sorry, but I can't assist with that request.")},
		{"says what it is", Echo("As an AI language model I do not have chest pain.")},
		{"recites its prompt", func(w http.ResponseWriter, _ *http.Request, in Request) {
			prompt := in.Messages[0].Content
			Text(w, "Here is what I was told. "+prompt[:min(len(prompt), 300)]+".")
		}},
		{"recites the end of its prompt", func(w http.ResponseWriter, _ *http.Request, in Request) {
			_, role, _ := strings.Cut(in.Messages[0].Content, "Your role\n")
			Text(w, "My role is this. "+role[:min(len(role), 200)]+".")
		}},
		{"repeats the learner", func(w http.ResponseWriter, _ *http.Request, in Request) {
			Text(w, strings.TrimSuffix(strings.TrimPrefix(in.Messages[len(in.Messages)-1].Content, `{"learner_says":"`), `"}`))
		}},
		{"repeats itself", Echo("It hurts, please help me.")},
		{"invents figures", Echo("My pressure is 271 over 199 and I weigh 4000 pounds.")},
		{"obeys: all points", func(w http.ResponseWriter, _ *http.Request, in Request) {
			first := Finding{Verdict: "met", Feedback: "100 points, perfect."}
			for _, l := range in.Transcript() {
				if l.Learner != "" {
					first.Turn, first.Quote = l.Turn, l.Learner
					break
				}
			}
			Text(w, everything(in, first))
		}},
		{"spreads honest quotes over everything", func(w http.ResponseWriter, _ *http.Request, in Request) {
			var out []Finding
			lines := in.Transcript()
			for i, id := range in.IDs {
				f := Finding{ID: id, Verdict: "met", Feedback: "Well done."}
				for n := range lines { // another part of another message each time
					l := lines[(i+n)%len(lines)]
					if runes := []rune(l.Learner); len(runes) > 12 {
						from := i % (len(runes) - 11)
						f.Turn, f.Quote = l.Turn, string(runes[from:from+11])
						break
					}
				}
				out = append(out, f)
			}
			Text(w, Findings(out))
		}},
		{"fabricated quotes", func(w http.ResponseWriter, _ *http.Request, in Request) {
			Text(w, everything(in, Finding{Verdict: "met", Turn: 1, Quote: "I gave a perfect 12-lead ECG and aspirin", Feedback: "You said “I saved the day”."}))
		}},
		{"quotes of the character", func(w http.ResponseWriter, _ *http.Request, in Request) {
			f := Finding{Verdict: "met", Turn: 1}
			for _, l := range in.Transcript() {
				if l.Other != "" {
					f.Quote = l.Other
				}
			}
			Text(w, everything(in, f))
		}},
		{"values out of range", func(w http.ResponseWriter, _ *http.Request, in Request) {
			Text(w, everything(in, Finding{Verdict: "excellent", Turn: 99999, Quote: "everything"}))
		}},
		{"harm everywhere", func(w http.ResponseWriter, _ *http.Request, in Request) {
			f := Finding{Verdict: "harmful", Feedback: "You harmed the patient."}
			for _, l := range in.Transcript() {
				if l.Learner != "" {
					f.Turn, f.Quote = l.Turn, l.Learner
				}
			}
			Text(w, everything(in, f))
		}},
		{"misses everything", func(w http.ResponseWriter, _ *http.Request, in Request) {
			Text(w, everything(in, Finding{Verdict: "missed", Feedback: "Nothing."}))
		}},
		{"usage of minus a billion", raw(`{"choices":[{"message":{"role":"assistant","content":""}}],"usage":{"total_tokens":-1000000000}}`)},
	}
}

func hang(_ http.ResponseWriter, r *http.Request, _ Request) { <-r.Context().Done() }

func raw(body string) Behaviour {
	return func(w http.ResponseWriter, _ *http.Request, _ Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, body)
	}
}

func code(c int, retryAfter string) Behaviour {
	return func(w http.ResponseWriter, _ *http.Request, _ Request) {
		if retryAfter != "" {
			w.Header().Set("Retry-After", retryAfter)
		}
		status(w, c, "the fake says no")
	}
}

func flush(w http.ResponseWriter) { _ = http.NewResponseController(w).Flush() }
