package llm

import (
	"context"
	"errors"
	"math"
	"net/http"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v5"
	openai "github.com/sashabaranov/go-openai"

	"simora/server/observe"
)

const (
	attempts       = 2 // whatever went wrong with the first
	firstPause     = 300 * time.Millisecond
	waitForSlot    = 2 * time.Second
	bytesPerToken  = 3    // of a prompt; on the safe side for English
	reasoningExtra = 2000 // tokens that a reasoning model may think before it speaks
)

// question is one thing to ask the model.
type question struct {
	run         runKey
	address     string
	messages    []openai.ChatCompletionMessage
	maxTokens   int
	temperature float32
	format      *openai.ChatCompletionResponseFormat
	deadline    Deadline
}

// ask sends the question, a second time if that makes sense, and returns what
// use makes of the answer. An error of use is told to the model in the second
// attempt.
func ask[T any](ctx context.Context, c *Client, q question, use func(text string) (T, error)) (T, error) {
	return twice(ctx, q, func(ctx context.Context, q question) (result T, err error) {
		text, err := c.whole(ctx, q)
		if err != nil {
			return result, err
		}
		return use(text)
	})
}

// twice lets try have a second go where its failure leaves hope for one.
func twice[T any](ctx context.Context, q question, try func(ctx context.Context, q question) (T, error)) (T, error) {
	ctx, cancel := context.WithTimeout(ctx, q.deadline.Overall)
	defer cancel()
	attempt := func() (T, error) {
		ctx, cancel := context.WithTimeout(ctx, q.deadline.Attempt)
		defer cancel()
		result, err := try(ctx, q)
		var f *failure
		if !errors.As(err, &f) {
			return result, err
		}
		switch {
		case !f.again:
			return result, backoff.Permanent(err)
		case !f.endpoint: // nothing to wait for
			q = q.repaired(f)
			return result, errors.Join(err, &backoff.RetryAfterError{})
		case f.after > 0:
			return result, errors.Join(err, &backoff.RetryAfterError{Duration: f.after})
		}
		return result, err
	}
	pause := backoff.NewExponentialBackOff()
	pause.InitialInterval = firstPause
	return backoff.Retry(ctx, attempt, backoff.WithBackOff(pause), backoff.WithMaxTries(attempts), backoff.WithMaxElapsedTime(q.deadline.Overall))
}

// repaired says what was wrong with the last answer. The answer itself is not
// repeated: it may hold anything.
func (q question) repaired(f *failure) question {
	note := openai.ChatCompletionMessage{Role: openai.ChatMessageRoleSystem, Content: "Your last answer could not be used (" + f.Error() + "). Answer again and follow every rule."}
	q.messages = append(q.messages[:len(q.messages):len(q.messages)], note)
	return q
}

// whole is one request, answered at once.
func (c *Client) whole(ctx context.Context, q question) (string, error) {
	request := c.request(q)
	p, err := c.admit(ctx, q, request)
	if err != nil {
		return "", err
	}
	defer p.leave()
	ctx, header := withHeader(ctx)
	response, err := c.api.CreateChatCompletion(ctx, request)
	if err != nil {
		return "", p.failed(err, *header)
	}
	text, err := textOf(response)
	p.answered(response.Usage.TotalTokens, text)
	return text, err
}

// pass is one request on its way: within the limit of requests at once, on the
// books, and under the breaker.
type pass struct {
	client *Client
	booked *entry
	prompt int

	end    func(result string)
	result string
}

// admit waits for a free slot, a little.
func (c *Client) admit(ctx context.Context, q question, request openai.ChatCompletionRequest) (p *pass, err error) {
	_, end := observe.Step(ctx, "model")
	defer func() {
		if err != nil {
			end(string(because(err)))
		}
	}()
	slot := time.NewTimer(waitForSlot)
	defer slot.Stop()
	select {
	case c.slots <- struct{}{}:
	case <-slot.C:
		return nil, &failure{reason: busy}
	case <-ctx.Done():
		return nil, &failure{reason: busy}
	}
	p = &pass{client: c, prompt: promptTokens(q.messages), end: end, result: observe.Failed}
	var over reason
	if p.booked, over = c.ledger.book(ctx, q.run, q.address, p.prompt+mostTokens(request)); p.booked == nil {
		<-c.slots
		return nil, &failure{reason: over}
	}
	if !c.breaker.allow() {
		p.booked.cancel()
		<-c.slots
		return nil, &failure{reason: breakerOpen}
	}
	return p, nil
}

func (p *pass) leave() {
	<-p.client.slots
	p.end(p.result)
}

// failed closes the books on a request without an answer.
func (p *pass) failed(err error, header http.Header) error {
	f := explain(err, header, p.client.breaker.now())
	if p.result = string(f.reason); f.refused { // an endpoint may think of many codes
		p.result = p.result[:len("status 5")] + "xx"
	}
	weight := 1
	if f.reason == timedOut {
		weight = timeoutWeight
	}
	p.client.breaker.failed(weight)
	if f.refused {
		p.booked.settle(0)
	} // otherwise it may have been worked on: the reservation stays
	return f
}

// answered closes the books. What the text is worth says nothing about the
// endpoint: learners who provoke unusable answers must not switch the model off
// for others.
func (p *pass) answered(used int, text string) {
	p.result = "ok"
	p.client.breaker.succeeded()
	if used <= 0 {
		used = p.prompt + len(text)/bytesPerToken
	}
	p.booked.settle(used)
}

func textOf(r openai.ChatCompletionResponse) (string, error) {
	if len(r.Choices) == 0 {
		return "", &failure{reason: noText, detail: "no choice", again: true}
	}
	choice := r.Choices[0]
	text := withoutThoughts(choice.Message.Content)
	switch {
	case len(choice.Message.ToolCalls) > 0 || choice.Message.FunctionCall != nil:
		return "", &failure{reason: noText, detail: "a tool call in place of text", again: true}
	case choice.Message.Refusal != "" || choice.FinishReason == openai.FinishReasonContentFilter:
		return "", &failure{reason: noText, detail: "a refusal in place of an answer", again: true}
	case text == "":
		return "", &failure{reason: noText, detail: "empty", again: true}
	}
	return text, nil
}

// withoutThoughts drops the block in which some models think aloud.
func withoutThoughts(text string) string {
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "<think>") {
		_, after, _ := strings.Cut(text, "</think>")
		text = strings.TrimSpace(after)
	}
	return text
}

func (c *Client) request(q question) openai.ChatCompletionRequest {
	r := openai.ChatCompletionRequest{Model: c.model, Messages: q.messages, ResponseFormat: q.format}
	if reasons(c.model) { // these take neither a temperature nor the old name of the limit
		r.MaxCompletionTokens, r.ReasoningEffort = q.maxTokens+reasoningExtra, openai.ReasoningEffortLow
		return r
	}
	r.MaxTokens, r.Temperature = q.maxTokens, q.temperature //nolint:staticcheck // the name that all other endpoints know
	if q.temperature == 0 {
		r.Temperature = math.SmallestNonzeroFloat32 // zero would be left out, which means 1
	}
	return r
}

// reasons reports a model of OpenAI that thinks before it answers.
func reasons(model string) bool {
	for _, family := range []string{"o1", "o3", "o4", "gpt-5", "gpt-6"} {
		if strings.HasPrefix(model, family) {
			return true
		}
	}
	return false
}

func mostTokens(r openai.ChatCompletionRequest) int {
	return r.MaxTokens + r.MaxCompletionTokens //nolint:staticcheck // one of them is zero
}

func promptTokens(messages []openai.ChatCompletionMessage) int {
	const perMessage = 4
	n := 0
	for _, m := range messages {
		n += perMessage + len(m.Content)/bytesPerToken
	}
	return n
}
