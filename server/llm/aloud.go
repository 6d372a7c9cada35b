package llm

import (
	"context"
	"errors"
	"io"
	"regexp"
	"strings"

	openai "github.com/sashabaranov/go-openai"

	"simora/server/sim"
)

// aloud is one request whose answer is heard while it comes. Once a sentence
// was said there is no second attempt: what was said is the reply.
func (c *Client) aloud(ctx context.Context, q question, m *mouth) (string, error) {
	request := c.request(q)
	request.Stream = true
	p, err := c.admit(ctx, q, request)
	if err != nil {
		return "", err
	}
	defer p.leave()
	m.heard = ""
	ctx, header := withHeader(ctx)
	stream, err := c.api.CreateChatCompletionStream(ctx, request)
	if err != nil {
		return "", p.failed(err, *header)
	}
	defer func() { _ = stream.Close() }() // it was read
	for {
		chunk, err := stream.Recv()
		switch {
		case errors.Is(err, io.EOF):
			p.answered(0, m.heard)
			return m.close()
		case err != nil:
			failed := p.failed(err, *header)
			if m.spoken != "" {
				return m.spoken, nil
			}
			return "", failed
		}
		if err := m.hear(chunk); err != nil {
			p.answered(0, m.heard)
			if m.spoken != "" {
				return m.spoken, nil
			}
			return "", err
		}
	}
}

// mouth passes on what was heard, sentence by sentence, and nothing that is not
// fit to be said.
type mouth struct {
	scene
	say func(part string)

	heard  string // all that the model said in this attempt
	spoken string // what was passed on
}

// complete ends behind the last sentence that is followed by another word.
var complete = regexp.MustCompile(`(?s)^.*[.!?…]["”’)]*\s`)

const maxHeard = 16 << 10 // bytes

// hear takes a piece of the answer. An error ends the listening.
func (m *mouth) hear(chunk openai.ChatCompletionStreamResponse) error {
	if len(chunk.Choices) == 0 {
		return nil // some endpoints begin or end so
	}
	delta := chunk.Choices[0].Delta
	if len(delta.ToolCalls) > 0 || delta.FunctionCall != nil {
		return &failure{reason: noText, detail: "a tool call in place of text", again: true}
	}
	m.heard += delta.Content
	if len(m.heard) > maxHeard {
		return reject("it is too long; one to three short sentences")
	}
	if strings.HasPrefix(m.heard, `"`) || strings.HasPrefix(m.heard, "“") || strings.HasPrefix(strings.TrimSpace(m.heard), "<think>") {
		return nil // what these belong to is seen at the end
	}
	// What is not fit now is judged again when there is more of it, and at the end.
	if text, err := m.use(complete.FindString(m.heard)); err == nil && !m.begins(text) {
		m.pass(text)
	}
	return nil
}

// pass says what is new in text. A text that contradicts what was said is
// dropped.
func (m *mouth) pass(text string) {
	if rest, ok := strings.CutPrefix(text, m.spoken); ok && rest != "" {
		m.spoken = text
		m.say(rest)
	}
}

// begins reports whether an earlier line begins in the same way.
func (m *mouth) begins(text string) bool {
	for _, line := range m.c.Messages {
		if line.Role == sim.Assistant && strings.HasPrefix(plain(line.Content), plain(text)) {
			return true
		}
	}
	return false
}

// close judges the whole answer. Where a later part is unfit, the reply is what
// was said before it.
func (m *mouth) close() (string, error) {
	text := withoutThoughts(m.heard)
	if text == "" && m.spoken == "" {
		return "", &failure{reason: noText, detail: "empty", again: true}
	}
	text, err := m.use(text)
	if err == nil {
		m.pass(text)
	}
	if m.spoken != "" {
		return m.spoken, nil
	}
	return "", err
}
