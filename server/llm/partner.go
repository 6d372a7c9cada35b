package llm

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"log/slog"
	"sync"

	openai "github.com/sashabaranov/go-openai"

	"simora/server/engine"
	"simora/server/sim"
)

// Player is the built-in virtual human: it decides what happens, and it takes
// over.
type Player interface {
	Open(ctx context.Context, sc sim.Scenario, seed uint64) (sim.Opening, error)
	Reply(ctx context.Context, c sim.Conversation) (sim.Reply, error)
	Replay(c sim.Conversation) engine.Run
}

const (
	replyTokens      = 220
	replyTemperature = 0.7
	keptReplies      = 512
)

// Partner is a virtual human that speaks with the model's words.
type Partner struct {
	client *Client
	player Player
	memo   *memo
}

// Partner returns one that falls back on the player.
func (c *Client) Partner(player Player) *Partner {
	return &Partner{client: c, player: player, memo: &memo{replies: map[runKey]sim.Reply{}}}
}

// Open begins a run as the scenario's author wrote it.
func (p *Partner) Open(ctx context.Context, sc sim.Scenario, seed uint64) (sim.Opening, error) {
	return p.player.Open(ctx, sc, seed)
}

// Reply answers the last message. The player's own reply is there first: it
// has the demeanour and the end of the run, and its text is said when the model
// has none that can be used.
func (p *Partner) Reply(ctx context.Context, c sim.Conversation) (sim.Reply, error) {
	return p.reply(ctx, c, func(q question, s scene) (string, error) { return ask(ctx, p.client, q, s.use) })
}

// Speak is Reply, and says each sentence as soon as the model has said it and
// it has passed the checks.
func (p *Partner) Speak(ctx context.Context, c sim.Conversation, say func(part string)) (sim.Reply, error) {
	said := false
	reply, err := p.reply(ctx, c, func(q question, s scene) (string, error) {
		m := &mouth{scene: s, say: func(part string) { said = true; say(part) }}
		return twice(ctx, q, func(ctx context.Context, q question) (string, error) { return p.client.aloud(ctx, q, m) })
	})
	if err == nil && !said {
		say(reply.Text)
	}
	return reply, err
}

func (p *Partner) reply(ctx context.Context, c sim.Conversation, words func(question, scene) (string, error)) (sim.Reply, error) {
	reply, err := p.player.Reply(ctx, c)
	if err != nil {
		return sim.Reply{}, err
	}
	key := keyOf(c, len(c.Messages))
	if said, ok := p.memo.get(key); ok {
		return said, nil
	}
	s := newScene(p.player.Replay(c), c)
	if s.meta() {
		return reply, nil // somebody talks to the machine: the model does not get to hear it
	}
	text, err := words(question{
		run: runOf(c), address: c.Address, messages: s.messages(), maxTokens: replyTokens, temperature: replyTemperature, deadline: p.client.reply,
	}, s)
	if err != nil {
		p.client.takeover(ctx, "reply", err)
	} else {
		reply.Text, reply.Engine = text, sim.Model
	}
	p.memo.put(key, reply)
	return reply, nil
}

// takeover is logged with its reason alone, never with text or address.
func (c *Client) takeover(ctx context.Context, what string, err error) {
	level, why := slog.LevelWarn, because(err)
	switch why {
	case breakerOpen, overSession, overAddress, overDay, unusable, noText: // expected, one line would follow another
		level = slog.LevelInfo
	}
	c.log.Log(ctx, level, "the built-in engine takes over from the model", "what", what, "reason", string(why))
}

// runOf names a run by what it began with. The seed is random, so it tells
// nothing about the visitor; previews share a seed and differ by their words.
func runOf(c sim.Conversation) runKey {
	for i, m := range c.Messages {
		if m.Role == sim.User {
			return keyOf(c, i+1)
		}
	}
	return keyOf(c, len(c.Messages))
}

// keyOf is a fingerprint of the scenario and the first n messages.
func keyOf(c sim.Conversation, n int) runKey {
	h := sha256.New()
	write := func(text string) {
		_ = binary.Write(h, binary.BigEndian, uint64(len(text))) // a hash takes everything
		h.Write([]byte(text))
	}
	_ = binary.Write(h, binary.BigEndian, c.Seed)
	write(c.Scenario.Slug)
	write(c.Scenario.SystemPrompt)
	for _, m := range c.Messages[:n] {
		write(string(m.Role))
		write(m.Content)
	}
	return runKey(h.Sum(nil))
}

// memo keeps the latest replies, so that the same conversation gets the same
// answer: a turn that could not be stored and is sent again, a preview that is
// played from the start with every message.
type memo struct {
	mu      sync.Mutex
	replies map[runKey]sim.Reply
	order   []runKey
}

func (m *memo) get(k runKey) (sim.Reply, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r, ok := m.replies[k]
	return r, ok
}

func (m *memo) put(k runKey, r sim.Reply) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, there := m.replies[k]; !there {
		m.order = append(m.order, k)
	}
	m.replies[k] = r
	if len(m.order) > keptReplies {
		delete(m.replies, m.order[0])
		m.order = m.order[1:]
	}
}

func say(role, content string) openai.ChatCompletionMessage {
	return openai.ChatCompletionMessage{Role: role, Content: content}
}

var errNoTurn = errors.New("nobody has said anything")
