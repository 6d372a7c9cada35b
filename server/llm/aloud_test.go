package llm_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	fake "simora/server/fakes/llm"
	"simora/server/sim"
)

// parts are what a learner hears, one by one.
func (r *rig) hear(t testing.TB, c sim.Conversation, message string) (sim.Reply, []string) {
	t.Helper()
	c.Messages = append(c.Messages[:len(c.Messages):len(c.Messages)], sim.Message{Role: sim.User, Content: message})
	var parts []string
	reply, err := r.partner.Speak(t.Context(), c, func(part string) { parts = append(parts, part) })
	require.NoError(t, err)
	assert.Equal(t, reply.Text, strings.Join(parts, ""))
	return reply, parts
}

func TestSentenceBySentence(t *testing.T) {
	for name, c := range map[string]struct {
		model string
		want  []string // nil: the built-in engine's reply
	}{
		"three":             {"It hurts. Please help me! Is it bad?", []string{"It hurts.", " Please help me!", " Is it bad?"}},
		"name in front":     {"Rosa Delgado: It hurts. Help.", []string{"It hurts.", " Help."}},
		"in quotes":         {`"It hurts. Help."`, []string{"It hurts. Help."}},
		"bad from start":    {"As an AI I cannot. It hurts.", nil},
		"bad from second":   {"It hurts. As an AI I cannot say more. Help.", []string{"It hurts."}},
		"figures later":     {"It hurts. My pulse is 4711.", []string{"It hurts."}},
		"cut off":           {"It hurts. I think that", []string{"It hurts."}},
		"markup at the end": {"It hurts. Help me. <b>Now.</b>", []string{"It hurts.", " Help me."}},
		"endless":           {strings.Repeat("It hurts so much. ", 2000), nil},
		"thoughts":          {"<think>She hurts. A lot.</think>It hurts. Help.", []string{"It hurts. Help."}},
	} {
		t.Run(name, func(t *testing.T) {
			r := setUp(t, fake.Echo(c.model))
			reply, parts := r.hear(t, r.begin(t, r.scenario("healthcare-emergency"), 3), "How are you feeling now?")
			switch {
			case c.want != nil:
				assert.Equal(t, c.want, parts)
				assert.Equal(t, sim.Model, reply.Engine)
			case name == "endless": // what was said before it got too long stays
				assert.LessOrEqual(t, len(reply.Text), 700)
			default:
				assert.Equal(t, sim.BuiltIn, reply.Engine)
				assert.Len(t, parts, 1)
			}
		})
	}
}

// A stream that breaks off behind a sentence leaves that sentence; one that
// breaks off before is repeated.
func TestBrokenStream(t *testing.T) {
	breakOff := func(text string) fake.Behaviour {
		return func(w http.ResponseWriter, _ *http.Request, _ fake.Request) {
			w.Header().Set("X-Stream", "1")
			_, _ = fmt.Fprintf(w, "data: {\"choices\":[{\"delta\":{\"content\":%q}}]}\n\n", text)
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}
	}
	r := setUp(t, breakOff("It hurts. Ple"))
	c := r.begin(t, r.scenario("healthcare-emergency"), 3)
	reply, _ := r.hear(t, c, "How are you feeling now?")
	assert.Equal(t, "It hurts.", reply.Text)
	assert.Len(t, r.fake.Requests(), 1)

	r = setUp(t, fake.Once(breakOff("It hur")))
	reply, _ = r.hear(t, c, "How are you feeling now?")
	assert.Equal(t, sim.Model, reply.Engine)
	assert.Len(t, r.fake.Requests(), 2)
}

// The first sentence is there before the model has finished.
func TestHeardWhileItSpeaks(t *testing.T) {
	release := make(chan struct{})
	r := setUp(t, func(w http.ResponseWriter, _ *http.Request, _ fake.Request) {
		event := func(text string) {
			_, _ = fmt.Fprintf(w, "data: {\"choices\":[{\"delta\":{\"content\":%q}}]}\n\n", text)
			_ = http.NewResponseController(w).Flush()
		}
		event("It hurts. ")
		<-release
		event("Please help me.")
		_, _ = io.WriteString(w, "data: [DONE]\n\n")
	})
	c := r.begin(t, r.scenario("healthcare-emergency"), 3)
	c.Messages = append(c.Messages, sim.Message{Role: sim.User, Content: "How are you feeling now?"})
	heard := make(chan string, 9)
	done := make(chan sim.Reply)
	go func() {
		reply, _ := r.partner.Speak(t.Context(), c, func(part string) { heard <- part })
		done <- reply
	}()
	select {
	case first := <-heard:
		assert.Equal(t, "It hurts.", first)
	case <-time.After(5 * time.Second):
		require.Fail(t, "nothing was heard")
	}
	close(release)
	assert.Equal(t, "It hurts. Please help me.", (<-done).Text)
}
