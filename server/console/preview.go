package console

import (
	"context"
	"encoding/json"

	"simora/server/sim"
)

// PreviewInput is a draft and what the admin has said to it so far.
type PreviewInput struct {
	Scenario ScenarioInput `json:"scenario"`
	Messages []string      `json:"messages"`
	Finish   bool          `json:"finish"` // judge it now
}

// Preview is the run so far.
type Preview struct {
	Lines    []sim.Message `json:"lines"` // the opening first
	Name     string        `json:"name"`  // of the virtual human
	Emotion  sim.Emotion   `json:"emotion"`
	MaxTurns int           `json:"maxTurns"`
	Ended    bool          `json:"ended"`
	Report   *sim.Report   `json:"report"`
}

const previewSeed = 1

// Preview plays a draft. Nothing is stored, and it does not count as a
// session: the whole run is played again with each message.
//
// Errors: validation_failed, sim.ErrAIUnavailable.
func (c *Console) Preview(ctx context.Context, in PreviewInput) (Preview, error) {
	draft := sim.Scenario{ID: c.NewID(), MaxTurns: sim.DefaultMaxTurns, Rubric: json.RawMessage(`{}`)}
	in.Scenario.apply(&draft)
	if err := check(draft); err != nil {
		return Preview{}, err
	}
	limit := draft.TurnLimit()
	if len(in.Messages) > limit {
		return Preview{}, sim.ErrSessionCompleted
	}
	opening, err := c.Partner.Open(ctx, draft, previewSeed)
	if err != nil {
		return Preview{}, sim.ErrAIUnavailable.Because(err)
	}
	run := sim.Conversation{Scenario: draft, Seed: previewSeed, MaxTurns: limit, Messages: []sim.Message{{Role: sim.Assistant, Content: opening.Message}}}
	out := Preview{Name: opening.Character.Name, Emotion: opening.Demeanour.Emotion, MaxTurns: limit}
	for _, said := range in.Messages {
		said, err := sim.CleanMessage(said)
		if err != nil {
			return Preview{}, err
		}
		run.Messages = append(run.Messages, sim.Message{Role: sim.User, Content: said})
		reply, err := c.Partner.Reply(ctx, run)
		if err != nil {
			return Preview{}, sim.ErrAIUnavailable.Because(err)
		}
		run.Messages = append(run.Messages, sim.Message{Role: sim.Assistant, Content: reply.Text})
		out.Emotion = reply.Demeanour.Emotion
		if run.Ended = reply.Ended; run.Ended {
			break
		}
	}
	out.Lines, out.Ended = run.Messages, run.Ended || len(in.Messages) == limit
	if in.Finish {
		report, err := c.Judge.Judge(ctx, run)
		if err != nil {
			return Preview{}, sim.ErrAIUnavailable.Because(err)
		}
		out.Report = &report
	}
	return out, nil
}
