package xapi_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"simora/server/fakes/lrs"
	"simora/server/sim"
	"simora/server/store"
	"simora/server/xapi"
)

var start = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

var words = xapi.Words{PublicURL: "https://training.example", Actor: xapi.Pseudonym, Pass: 70}

func finished() (store.Session, sim.Report) {
	sess := store.Session{
		ID: "0b4ec7a5-9a59-4f5f-8d57-1f4c3f1b2a00", StartedAt: start,
		Scenario: sim.Scenario{Slug: "healthcare-emergency", Title: "Chest pain", ShortDescription: "Act.", Industry: sim.Healthcare},
	}
	said := []sim.Evidence{{Turn: 1, End: 6, Quote: "canary"}}
	return sess, sim.Report{Overall: 71, Criteria: []sim.CriterionResult{
		{ID: "ecg", Title: "Takes an ECG", Verdict: sim.Met, Points: 12.5, MaxPoints: 12.5, Evidence: said, Feedback: "canary"},
		{ID: "asks allergies?", Title: "Asks", Verdict: sim.PartlyMet, Points: 4, MaxPoints: 8, Evidence: said},
		{ID: "team", Title: "Calls", Verdict: sim.Missed, MaxPoints: 10},
		{ID: "shouts", Title: "Shouts", Verdict: sim.Harmful, Points: -6, Evidence: said},
		{ID: "hurts", Title: "Hurts", Verdict: sim.Harmful, Points: -6, MaxPoints: 3, Evidence: said},
		{ID: "noted", Title: "Noted", Verdict: sim.Met},
		{ID: "late", Title: "Late", Verdict: sim.NotReached, MaxPoints: 10},
	}}
}

func say(t *testing.T, w xapi.Words, email string) []xapi.Statement {
	t.Helper()
	sess, report := finished()
	body, err := w.Statements(sess, report, start.Add(125*time.Second+340*time.Millisecond), email)
	require.NoError(t, err)
	assert.NotContains(t, string(body), "canary", "nothing that the learner said")
	var raw []json.RawMessage
	require.NoError(t, json.Unmarshal(body, &raw))
	for _, one := range raw {
		_, err := lrs.Check(one)
		require.NoError(t, err, string(one))
	}
	var list []xapi.Statement
	require.NoError(t, json.Unmarshal(body, &list))
	return list
}

func TestRunAndItsCriteria(t *testing.T) {
	list := say(t, words, "sam@hospital.example")
	require.Len(t, list, 7, "the run and six criteria: one could not come up")
	run := list[0]
	yes := true
	assert.Equal(t, "http://adlnet.gov/expapi/verbs/completed", run.Verb.ID)
	assert.Equal(t, "https://training.example/xapi/scenarios/healthcare-emergency", run.Object.ID)
	assert.Equal(t, xapi.Result{Score: &xapi.Score{Scaled: 0.71, Raw: 71, Max: 100}, Success: true, Completion: &yes, Duration: "PT125.34S"}, run.Result)
	assert.Equal(t, "0b4ec7a5-9a59-4f5f-8d57-1f4c3f1b2a00", run.Context.Registration)
	assert.Equal(t, "2026-11-20T12:02:05.340Z", run.Timestamp)

	assert.Equal(t, "https://training.example/xapi/scenarios/healthcare-emergency/criteria/asks%20allergies%3F", list[2].Object.ID)
	assert.Equal(t, run.Object.ID, list[2].Context.Activities.Parent[0].ID)
	for i, want := range []struct {
		score   *xapi.Score
		success bool
	}{
		{&xapi.Score{Scaled: 1, Raw: 12.5, Max: 12.5}, true},
		{&xapi.Score{Scaled: 0.5, Raw: 4, Max: 8}, false},
		{&xapi.Score{Scaled: 0, Raw: 0, Max: 10}, false},
		{&xapi.Score{Scaled: -1, Raw: -6, Min: -6, Max: 0}, false},
		{&xapi.Score{Scaled: -1, Raw: -6, Min: -6, Max: 3}, false},
		{nil, true},
	} {
		assert.Equal(t, want.score, list[i+1].Result.Score, list[i+1].Object.ID)
		assert.Equal(t, want.success, list[i+1].Result.Success, list[i+1].Object.ID)
	}
}

func TestIdentifiersAreTheSameEachTime(t *testing.T) {
	first, second := say(t, words, ""), say(t, words, "")
	assert.Equal(t, first, second)
	seen := map[string]bool{}
	for _, s := range first {
		assert.False(t, seen[s.ID])
		seen[s.ID] = true
		assert.Equal(t, uuid.Version(5), uuid.MustParse(s.ID).Version())
	}
}

func TestActor(t *testing.T) {
	for _, c := range []struct {
		name  string
		how   xapi.Actor
		email string
		want  xapi.Agent
	}{
		{"an address is not told unless asked for", xapi.Pseudonym, "sam@hospital.example", xapi.Agent{Type: "Agent", Account: &xapi.Account{HomePage: words.PublicURL}}},
		{"none was given", xapi.Mbox, "", xapi.Agent{Type: "Agent", Account: &xapi.Account{HomePage: words.PublicURL}}},
		{"the address", xapi.Mbox, "sam@hospital.example", xapi.Agent{Type: "Agent", Mbox: "mailto:sam@hospital.example"}},
		// printf 'mailto:sam@hospital.example' | sha1sum
		{"its hash", xapi.MboxSHA1, "sam@hospital.example", xapi.Agent{Type: "Agent", MboxSHA1: "08149ba4aff4765b085a33a06c6595fcb23ea31a"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := words
			w.Actor = c.how
			for _, s := range say(t, w, c.email) {
				if c.want.Account != nil {
					require.NotNil(t, s.Actor.Account)
					assert.NotEqual(t, s.Context.Registration, s.Actor.Account.Name)
					c.want.Account.Name = s.Actor.Account.Name
				}
				assert.Equal(t, c.want, s.Actor)
			}
		})
	}
}

func TestPassMark(t *testing.T) {
	w := words
	w.Pass = 72
	assert.False(t, say(t, w, "")[0].Result.Success)
}
