package llm_test

import (
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	fake "simora/server/fakes/llm"
	"simora/server/llm"
	"simora/server/sim"
)

// turns takes n turns, each of a run of its own, and returns who answered.
func (r *rig) turns(t testing.TB, n int, seed uint64) (by []sim.EngineName) {
	for i := range n {
		c := r.begin(t, r.scenario("healthcare-emergency"), seed+uint64(i))
		by = append(by, r.say(t, &c, "Hello Rosa, how are you?").Engine)
	}
	return by
}

func repeat(e sim.EngineName, n int) (out []sim.EngineName) {
	for range n {
		out = append(out, e)
	}
	return out
}

func TestBreaker(t *testing.T) {
	refuse := func(w http.ResponseWriter, _ *http.Request, _ fake.Request) { w.WriteHeader(http.StatusUnauthorized) }
	r := setUp(t, refuse)
	require.True(t, r.client.Status().Available)
	r.turns(t, 5, 0)
	assert.Len(t, r.fake.Requests(), 5)
	assert.Equal(t, "breaker open", r.client.Status().Reason)

	r.turns(t, 3, 100)
	assert.Len(t, r.fake.Requests(), 5, "an open breaker asks nothing")

	r.clock.Add(31 * time.Second)
	r.turns(t, 3, 200)
	assert.Len(t, r.fake.Requests(), 6, "one request looks whether it is better")

	r.fake.Behave(fake.Good)
	assert.Equal(t, repeat(sim.BuiltIn, 2), r.turns(t, 2, 300))
	r.clock.Add(31 * time.Second)
	assert.Equal(t, repeat(sim.Model, 3), r.turns(t, 3, 400))
	assert.True(t, r.client.Status().Available)

	r.fake.Behave(refuse)
	for i := range uint64(9) { // failures far apart are no outage
		r.turns(t, 1, 500+i)
		r.clock.Add(10 * time.Second)
	}
	assert.True(t, r.client.Status().Available)
}

// A learner who provokes unusable answers does not switch the model off.
func TestUnusableTextDoesNotOpenTheBreaker(t *testing.T) {
	r := setUp(t, fake.Echo("As an AI language model I cannot."))
	r.turns(t, 20, 0)
	assert.True(t, r.client.Status().Available)
}

func TestBudgets(t *testing.T) {
	for name, c := range map[string]struct {
		budget llm.Budget
		want   int // turns of the model, of ten in ten sessions
	}{
		"calls of the day":  {llm.Budget{CallsPerSession: 60, CallsPerDay: 3, TokensPerDay: 1e6}, 3},
		"tokens of the day": {llm.Budget{CallsPerSession: 60, CallsPerDay: 100, TokensPerDay: 2500}, 4}, // 450 are used each time, more are reserved
		"nothing":           {llm.Budget{}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			r := setUp(t, fake.Good, func(o *llm.Options) { o.Budget = c.budget })
			by := r.turns(t, 10, 0)
			assert.Equal(t, append(repeat(sim.Model, c.want), repeat(sim.BuiltIn, 10-c.want)...), by)
			status := r.client.Status()
			assert.LessOrEqual(t, status.TokensToday, c.budget.TokensPerDay)
			assert.False(t, status.Available, "an admin can see it")
			assert.Equal(t, "budget of the day used up", status.Reason)
			r.clock.Add(24 * time.Hour)
			assert.Equal(t, min(c.want, 1), countModel(r.turns(t, 1, 50)), "a new day")
		})
	}
	t.Run("calls of the session", func(t *testing.T) {
		r := setUp(t, fake.Good, func(o *llm.Options) { o.Budget.CallsPerSession = 2 })
		c := r.begin(t, r.scenario("healthcare-emergency"), 1)
		var by []sim.EngineName
		for _, m := range emergency {
			by = append(by, r.say(t, &c, m).Engine)
		}
		assert.Equal(t, []sim.EngineName{sim.Model, sim.Model, sim.BuiltIn, sim.BuiltIn}, by)
		assert.Equal(t, 1, countModel(r.turns(t, 1, 2)), "another session has its own")
	})
	t.Run("calls of the address", func(t *testing.T) {
		r := setUp(t, fake.Good, func(o *llm.Options) { o.Budget.CallsPerAddress = 2 })
		answered := func(seed uint64, address string) sim.EngineName {
			c := r.begin(t, r.scenario("healthcare-emergency"), seed)
			c.Address = address
			return r.say(t, &c, emergency[0]).Engine
		}
		assert.Equal(t, sim.Model, answered(1, "2001:db8:1:2::1"))
		assert.Equal(t, sim.Model, answered(2, "2001:db8:1:2::ffff"))
		assert.Equal(t, sim.BuiltIn, answered(3, "2001:db8:1:2:3::1"), "the same network")
		assert.Equal(t, sim.Model, answered(4, "192.0.2.1"))
		assert.Equal(t, sim.Model, answered(5, ""), "where it is unknown the other budgets hold")
		r.clock.Add(24 * time.Hour)
		assert.Equal(t, sim.Model, answered(6, "2001:db8:1:2::1"), "a new day")
	})
}

func countModel(by []sim.EngineName) (n int) {
	for _, e := range by {
		if e == sim.Model {
			n++
		}
	}
	return n
}

// Many at once stay within the budget together.
func TestBudgetHoldsUnderConcurrency(t *testing.T) {
	const budget = 6000
	r := setUp(t, fake.Good, func(o *llm.Options) { o.Budget.TokensPerDay = budget; o.Concurrency = 50 })
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() { r.turns(t, 1, uint64(i)) })
	}
	wg.Wait()
	spent := 450 * len(r.fake.Requests())
	assert.LessOrEqual(t, spent, budget)
	assert.Positive(t, spent)
}

func TestConcurrencyLimit(t *testing.T) {
	var now, most atomic.Int32
	r := setUp(t, func(w http.ResponseWriter, q *http.Request, in fake.Request) {
		most.Store(max(most.Load(), now.Add(1)))
		time.Sleep(20 * time.Millisecond)
		now.Add(-1)
		fake.Good(w, q, in)
	}, func(o *llm.Options) { o.Concurrency = 2 })
	var wg sync.WaitGroup
	for i := range 10 {
		wg.Go(func() { r.turns(t, 1, uint64(i)) })
	}
	wg.Wait()
	assert.LessOrEqual(t, most.Load(), int32(2))
}

// A pause that the endpoint asks for is kept when it fits in, and otherwise
// the engine answers at once.
func TestRetryAfter(t *testing.T) {
	for after, fits := range map[string]bool{"1": true, "30": false} {
		t.Run(after, func(t *testing.T) {
			r := setUp(t, fake.Once(func(w http.ResponseWriter, _ *http.Request, _ fake.Request) {
				w.Header().Set("Retry-After", after)
				w.WriteHeader(http.StatusTooManyRequests)
			}), func(o *llm.Options) { o.Reply = llm.Deadline{Attempt: time.Second, Overall: 3 * time.Second} })
			started := time.Now()
			by := r.turns(t, 1, 0)[0]
			took := time.Since(started)
			if fits {
				assert.Equal(t, sim.Model, by)
				assert.GreaterOrEqual(t, took, time.Second)
			} else {
				assert.Equal(t, sim.BuiltIn, by)
				assert.Less(t, took, 500*time.Millisecond)
			}
		})
	}
}

// The key goes to the configured address only.
func TestRedirectsAreNotFollowed(t *testing.T) {
	elsewhere := fake.Start(t, fake.Good)
	r := setUp(t, func(w http.ResponseWriter, q *http.Request, _ fake.Request) {
		http.Redirect(w, q, elsewhere.URL+"/chat/completions", http.StatusTemporaryRedirect)
	})
	assert.Equal(t, repeat(sim.BuiltIn, 1), r.turns(t, 1, 0))
	assert.Empty(t, elsewhere.Requests())
	require.Len(t, r.fake.Requests(), 1)
	assert.Equal(t, "Bearer "+secretKey, r.fake.Requests()[0].Header.Get("Authorization"))
}

// Nothing that names a visitor or a session is sent.
func TestRequestsHoldNoPersonalData(t *testing.T) {
	r := setUp(t, fake.Good)
	r.turns(t, 1, 18446744073709551615)
	request := r.fake.Requests()[0]
	assert.NotContains(t, request.Body, fmt.Sprint(uint64(18446744073709551615)))
	for name := range request.Header {
		assert.Contains(t, []string{"Accept", "Accept-Encoding", "Authorization", "Content-Length", "Content-Type", "User-Agent"}, name)
	}
}

func TestOptionsAreChecked(t *testing.T) {
	for _, o := range []llm.Options{{}, {BaseURL: "http://x"}, {BaseURL: "http://x", Model: "m"}} {
		_, err := llm.New(o)
		require.Error(t, err)
	}
}
