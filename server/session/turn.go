package session

import (
	"context"
	"encoding/json"
	"fmt"

	"simora/server/observe"
	"simora/server/sim"
	"simora/server/store"
)

// TurnInput is one learner message.
type TurnInput struct {
	SessionID   string `json:"sessionId"`
	UserMessage string `json:"userMessage"`
}

// Session names the run, for limits by session.
func (in TurnInput) Session() string { return in.SessionID }

// TurnOutput is the virtual human's answer.
type TurnOutput struct {
	NPCMessage string `json:"npcMessage"`
	TurnCount  int    `json:"turnCount"` // accepted learner messages, this one included
	IsComplete bool   `json:"isComplete"`
	sim.Demeanour
}

// Turn takes one message: clean it, begin, let the partner reply, commit,
// answer. A message that was not answered is not counted and may be sent
// again.
//
// Errors: sim.ErrSessionNotFound, ErrSessionCompleted, ErrSessionExpired,
// ErrTurnInProgress, ErrKeyReused, ErrAIUnavailable, validation_failed.
func (s *Sessions) Turn(ctx context.Context, v Visitor, in TurnInput) (TurnOutput, error) {
	return s.TurnAloud(ctx, v, in, nil)
}

// TurnAloud is Turn, and calls say with each part of the reply as soon as it is
// fit to be shown. An answer that was given before comes without parts. Only
// the returned answer is stored: parts of a turn that fails were never said.
func (s *Sessions) TurnAloud(ctx context.Context, v Visitor, in TurnInput, say func(part string)) (TurnOutput, error) {
	message, err := sim.CleanMessage(in.UserMessage)
	if err != nil {
		return TurnOutput{}, err
	}
	ctx, end := observe.Step(ctx, "turn")
	result := observe.Failed
	defer func() { end(result) }()
	sess, once, replayed, err := s.begin(ctx, v, in.SessionID, message)
	if err != nil || replayed != nil {
		result = refusedOr(err, "replayed")
		return answerOr(replayed, err)
	}
	ctx, cancel := step(ctx)
	defer cancel()
	committed := false
	defer func() {
		if !committed {
			s.release(ctx, sess)
		}
	}()
	reply, err := s.reply(ctx, v, sess, message, say)
	if err != nil {
		return TurnOutput{}, err
	}
	out := TurnOutput{
		NPCMessage: reply.Text, TurnCount: sess.TurnCount + 1,
		IsComplete: reply.Ended || sess.TurnCount+1 >= sess.MaxTurns, Demeanour: withVitals(reply.Demeanour),
	}
	response, err := json.Marshal(out)
	if err != nil {
		return TurnOutput{}, fmt.Errorf("encode turn: %w", err)
	}
	err = observe.Try(ctx, "commit", func(ctx context.Context) error {
		return s.Store.CommitTurn(ctx, sess, store.Turn{Learner: message, Reply: reply, At: s.Now(), Once: once, Response: response})
	})
	if err != nil {
		return TurnOutput{}, err
	}
	committed, result = true, string(reply.Engine)
	return out, nil
}

// begin leases the session. When the very same request is already at work it
// waits for that one's answer.
func (s *Sessions) begin(ctx context.Context, v Visitor, id, message string) (sess store.Session, once store.Once, replayed []byte, err error) {
	if !sim.IsID(id) {
		return sess, once, nil, sim.ErrSessionNotFound
	}
	once = store.NewOnce("session-turn", id, v.IdempotencyKey, []byte(message))
	ctx, end := observe.Step(ctx, "lease")
	err = await(ctx, sim.ErrRequestInProgress, func() error {
		sess, replayed, err = s.Store.BeginTurn(ctx, id, once, s.Now())
		return err
	})
	end(refusedOr(err, "ok"))
	return sess, once, replayed, err
}

func (s *Sessions) reply(ctx context.Context, v Visitor, sess store.Session, message string, say func(string)) (sim.Reply, error) {
	c := sess.Conversation()
	c.Address = v.IP
	c.Messages = append(c.Messages, sim.Message{Role: sim.User, Content: message})
	speak := func(ctx context.Context, c sim.Conversation, _ func(string)) (sim.Reply, error) {
		return s.Partner.Reply(ctx, c)
	}
	if aloud, ok := s.Partner.(Aloud); ok && say != nil {
		speak = aloud.Speak
	}
	ctx, end := observe.Step(ctx, "reply")
	reply, err := speak(ctx, c, say)
	if err != nil {
		end(observe.Failed)
		return sim.Reply{}, sim.ErrAIUnavailable.Because(fmt.Errorf("reply: %w", err))
	}
	end(string(reply.Engine))
	return reply, nil
}

func answerOr(replayed []byte, err error) (TurnOutput, error) {
	if err != nil {
		return TurnOutput{}, err
	}
	return answer(TurnOutput{}, replayed)
}
