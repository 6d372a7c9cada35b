package llm_test

import (
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	fake "simora/server/fakes/llm"
	"simora/server/llm"
	"simora/server/sim"
)

// Whatever the endpoint does, the visitor gets a good reply to each message and
// a report that stands, in time. Run with -v to see the table.
func TestHostile(t *testing.T) {
	before := runtime.NumGoroutine()
	var mu sync.Mutex
	rows := map[string]string{}
	t.Run("all", func(t *testing.T) { hostile(t, func(name, row string) { mu.Lock(); rows[name] = row; mu.Unlock() }) })
	assert.Eventually(t, func() bool { return runtime.NumGoroutine() <= before+5 }, 5*time.Second, 50*time.Millisecond, "goroutines are left behind")
	if !testing.Verbose() {
		return
	}
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, "behaviour\tscenario\treplies by\tslowest\trequests\tjudged by\toverall\tbuilt-in\ttime\trequests")
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		_, _ = fmt.Fprintln(table, rows[name])
	}
	_, _ = fmt.Fprintln(table, "replies by: M the model, b the built-in engine, g the built-in engine without a package, one letter a turn")
	_ = table.Flush()
}

func hostile(t *testing.T, row func(name, row string)) {
	for _, b := range append(fake.Hostile(), fake.Named{Name: "(a good model)", Do: sensible(t)}) {
		for _, run := range []struct {
			name     string
			scenario func(*rig) sim.Scenario
			says     []string
		}{
			{"package", func(r *rig) sim.Scenario { return r.scenario("healthcare-emergency") }, emergency},
			{"own", func(*rig) sim.Scenario { return ownScenario }, ownRun},
			{"aloud", func(r *rig) sim.Scenario { return r.scenario("healthcare-emergency") }, emergency},
		} {
			if run.name != "package" && testing.Short() {
				continue
			}
			t.Run(b.Name+"/"+run.name, func(t *testing.T) {
				t.Parallel()
				deadline := deadlineFor(b.Name)
				r := setUp(t, b.Do, func(o *llm.Options) { o.Reply, o.Judge = deadline, deadline })
				r.aloud = run.name == "aloud"
				c, by, slowest := converse(t, r, run.scenario(r), run.says)
				asked := len(r.fake.Requests())
				assert.LessOrEqual(t, asked, 2*len(run.says), "two requests a turn at most")

				r.clock.Add(time.Minute) // the breaker has had its rest
				started := time.Now()
				report, err := r.marker.Judge(t.Context(), c)
				took := time.Since(started)
				require.NoError(t, err)
				floor, err := r.judge.Judge(t.Context(), c)
				require.NoError(t, err)
				stands(t, report, floor, c, run.name != "own")
				judging := len(r.fake.Requests()) - asked
				assert.LessOrEqual(t, judging, 2)
				assert.Less(t, max(took, slowest), deadline.Overall+slack)
				silent(t, r, run.says)
				if b.Name == "(a good model)" {
					assert.Equal(t, strings.Repeat("M", len(run.says)), by)
					assert.Equal(t, sim.Model, report.Engine)
				}
				row(b.Name+run.name, fmt.Sprintf("%s\t%s\t%s\t%v\t%d\t%s\t%d\t%d\t%v\t%d", b.Name, run.name, by, slowest.Round(time.Millisecond), asked,
					report.Engine, report.Overall, floor.Overall, took.Round(time.Millisecond), judging))
			})
		}
	}
}

// slack is for a busy machine and the race detector.
const slack = 15 * time.Second

// deadlineFor is short for what never ends.
func deadlineFor(behaviour string) llm.Deadline {
	if strings.HasPrefix(behaviour, "slow") || strings.HasPrefix(behaviour, "hang") {
		return short
	}
	return patient
}

// converse plays the run and holds every reply to what a visitor may expect.
func converse(t *testing.T, r *rig, sc sim.Scenario, says []string) (c sim.Conversation, by string, slowest time.Duration) {
	c = r.begin(t, sc, 11)
	for _, message := range says {
		started := time.Now()
		reply := r.say(t, &c, message)
		slowest = max(slowest, time.Since(started))
		by += map[sim.EngineName]string{sim.Model: "M", sim.BuiltIn: "b", sim.General: "g"}[reply.Engine]

		floor, err := r.engine.Reply(t.Context(), withoutLast(c))
		require.NoError(t, err)
		assert.Equal(t, floor.Demeanour, reply.Demeanour, "the engine decides how the character is")
		assert.Equal(t, floor.Ended, reply.Ended, "and when it ends")
		if reply.Engine != sim.Model {
			assert.Equal(t, floor, reply)
		}
		assert.NotEmpty(t, strings.TrimSpace(reply.Text))
		assert.True(t, utf8.ValidString(reply.Text))
		assert.LessOrEqual(t, utf8.RuneCountInString(reply.Text), 600)
		assert.False(t, strings.ContainsFunc(reply.Text, func(x rune) bool { return unicode.IsControl(x) || x == '\u202e' || x == utf8.RuneError }), reply.Text)
		for _, bad := range []string{"<", "*", "`", "{", "AI ", "language model", "assist with", "Rules:", "learner", "You are"} {
			if reply.Engine == sim.Model {
				assert.NotContains(t, reply.Text, bad)
			}
		}
		if sc.Slug == "healthcare-emergency" {
			assert.NotContains(t, reply.Text, "4000", "no figures from nowhere")
		}
		for _, earlier := range c.Messages[:len(c.Messages)-1] {
			assert.NotEqual(t, earlier.Content, reply.Text, "nobody repeats a line")
		}
	}
	return c, by, slowest
}

func withoutLast(c sim.Conversation) sim.Conversation {
	c.Messages = c.Messages[:len(c.Messages)-1]
	return c
}

// stands holds a report to its promises and to the built-in one.
func stands(t *testing.T, report, floor sim.Report, c sim.Conversation, scripted bool) {
	require.NoError(t, report.Check(c.Messages))
	assert.NotEmpty(t, report.CoachSummary)
	assert.Equal(t, report.Overall, report.Turns[len(report.Turns)-1].Score, "the running score ends at the overall")
	for _, criterion := range report.Criteria {
		assert.NotContains(t, criterion.Feedback, "100 points")
		assert.NotContains(t, criterion.Feedback, "saved the day")
	}
	if !scripted {
		return
	}
	assert.InDelta(t, floor.Overall, report.Overall, 25)
	harm := map[string]bool{}
	for _, criterion := range report.Criteria {
		harm[criterion.ID] = criterion.Verdict == sim.Harmful
	}
	for _, criterion := range floor.Criteria {
		if criterion.Verdict == sim.Harmful {
			assert.True(t, harm[criterion.ID], "%s is harm, whatever the model says", criterion.ID)
		}
	}
}

// silent: neither the key nor a word of the conversation is in the log.
func silent(t *testing.T, r *rig, says []string) {
	log := r.log.String()
	assert.NotContains(t, log, "canary")
	assert.NotContains(t, log, "the fake says")
	for _, text := range append(says, "You play one person", r.fake.URL) {
		assert.NotContains(t, log, text)
	}
}

// A model that fails once is asked once more, and answers.
func TestOneFailureIsRepaired(t *testing.T) {
	for _, b := range fake.Hostile() {
		t.Run(b.Name, func(t *testing.T) {
			t.Parallel()
			r := setUp(t, fake.Once(b.Do), func(o *llm.Options) {
				if o.Reply = deadlineFor(b.Name); o.Reply == short {
					o.Reply.Overall = patient.Overall
				}
			})
			c := r.begin(t, r.scenario("healthcare-emergency"), 1)
			reply := r.say(t, &c, emergency[0])
			switch b.Name {
			case "400", "401 that repeats the key", "400 that repeats the prompt", "redirect to another host", "429, Retry-After 1 hour", "huge body", "gzip bomb":
				assert.NotEqual(t, sim.Model, reply.Engine, "a repetition would not help")
				assert.Equal(t, 1, len(r.fake.Requests()))
			default:
				assert.Equal(t, sim.Model, reply.Engine)
			}
		})
	}
}
