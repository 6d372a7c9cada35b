// Command examples plays the runs that the site shows as examples, with the
// real engine and the real judge, and prints them as JSON:
//
//	go run ./tests/examples > web/src/content/example-runs.json
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"simora/scenarios"
	"simora/server/engine"
	"simora/server/scenario"
	"simora/server/score"
	"simora/server/sim"
)

// seed chooses among the virtual human's phrasings.
const seed = 7

// script is what the learner says, by scenario.
var script = []struct {
	name     string
	slug     string
	messages []string
}{
	{"emergency", "healthcare-emergency", []string{
		"I’m Sam, your nurse. I can see how much it hurts. When did it start?",
		"I’m taking a 12-lead ECG now. Are you allergic to anything, aspirin included?",
		"Chew this aspirin for me, 300 mg. Monitor is on, the doctor is on the way.",
		"It may be your heart, Rosa. I’m taking blood for troponin, and I’m staying with you.",
	}},
	{"cabin", "aviation-cabin-crew", []string{
		"I’m Sam. I can see how angry you are. What happened?",
		"I’d be frustrated too. Let me talk to him about the seat, and I’ll bring you some water.",
		"Please fasten your belt now, it keeps you safe in turbulence.",
		"Thank you. No more alcohol tonight, I’m sorry. My purser knows, and I’ll be back in ten minutes.",
	}},
	{"boardroom", "corporate-sales", []string{
		"What matters most to you this year?",
		"And what went wrong with the last migration?",
		"We migrate in two steps, with a rehearsal and a way back. If we miss a milestone, you don’t pay.",
		"1.4 million over five years, all in, back in three. I’ll send two customers you can call by Friday.",
	}},
	{"setback", "aviation-cabin-crew", []string{
		"I can see how angry you are. What happened?",
		"You’re being ridiculous. Shut up and sit down.",
		"I’m sorry, that came out wrong. Let me talk to him about the seat, and bring you some water.",
		"Please fasten your belt now, it keeps you safe in turbulence.",
	}},
}

// Run is one example, as the site draws it.
type Run struct {
	Slug       string          `json:"slug"`
	Overall    int             `json:"overall"`
	Turns      []Turn          `json:"turns"`
	Highlights []sim.Highlight `json:"highlights"`
}

// Turn is a learner's message with what it earned, and the answer to it.
type Turn struct {
	Said    string      `json:"said"`
	Answer  string      `json:"answer"`
	Emotion sim.Emotion `json:"emotion"` // of the virtual human who answers
	Mood    float64     `json:"mood"`
	Delta   int         `json:"delta"`
	Score   int         `json:"score"`
}

func main() {
	runs, err := play(context.Background())
	if err == nil {
		out := json.NewEncoder(os.Stdout)
		out.SetIndent("", "  ")
		out.SetEscapeHTML(false)
		err = out.Encode(runs)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func play(ctx context.Context) (map[string]Run, error) {
	packages, err := scenario.Load(scenarios.Files)
	if err != nil {
		return nil, err
	}
	partner, err := engine.New(packages)
	if err != nil {
		return nil, err
	}
	judge := score.New(partner)
	runs := map[string]Run{}
	for _, s := range script {
		for _, p := range packages {
			if p.Header.Slug != s.slug {
				continue
			}
			run, err := one(ctx, partner, judge, p.Scenario(), s.messages)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", s.slug, err)
			}
			runs[s.name] = run
		}
	}
	return runs, nil
}

func one(ctx context.Context, partner *engine.Engine, judge *score.Judge, sc sim.Scenario, messages []string) (Run, error) {
	run := Run{Slug: sc.Slug}
	opening, err := partner.Open(ctx, sc, seed)
	if err != nil {
		return run, err
	}
	c := sim.Conversation{Scenario: sc, Seed: seed, MaxTurns: sc.TurnLimit(), Messages: []sim.Message{{Role: sim.Assistant, Content: opening.Message}}}
	for _, said := range messages {
		c.Messages = append(c.Messages, sim.Message{Role: sim.User, Content: said})
		reply, err := partner.Reply(ctx, c)
		if err != nil {
			return run, err
		}
		c.Messages = append(c.Messages, sim.Message{Role: sim.Assistant, Content: reply.Text})
		run.Turns = append(run.Turns, Turn{Said: said, Answer: reply.Text, Emotion: reply.Demeanour.Emotion, Mood: reply.Demeanour.Mood})
	}
	report, err := judge.Judge(ctx, c)
	if err != nil {
		return run, err
	}
	run.Overall = report.Overall
	for i, t := range report.Turns {
		run.Turns[i].Delta, run.Turns[i].Score = t.Delta, t.Score
	}
	run.Highlights = report.Highlights
	return run, nil
}
