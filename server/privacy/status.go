package privacy

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

// State says how a claim stands on this installation now.
type State string

// The states.
const (
	Active    State = "active"
	Partly    State = "partly"         // a part of it is off
	Off       State = "not_configured" // its mechanism is
	Failing   State = "failing"        // its mechanism does not do its work
	Measuring State = "measuring"      // there is no figure yet
)

// Fact is one measured thing about a claim, for everybody to read. A moment
// that belongs to it follows its text.
type Fact struct {
	Text string     `json:"text"`
	At   *time.Time `json:"at,omitempty"`
}

// Claim is one promise of the privacy page.
type Claim struct {
	ID    string `json:"id"`
	State State  `json:"state"`
	Facts []Fact `json:"facts"`
}

// Status is how all claims stand.
type Status struct {
	MeasuredAt time.Time `json:"measured_at"`
	Claims     []Claim   `json:"claims"`
}

// Measure looks at one claim's mechanism.
type Measure struct {
	ID   string
	Look func(context.Context) (State, []Fact, error)
}

// Claims are measured on demand, at most once a minute. It is safe for
// concurrent use.
type Claims struct {
	Measures []Measure
	Now      func() time.Time
	Log      *slog.Logger

	mu   sync.Mutex
	last Status
}

const (
	statusAge  = time.Minute
	statusTime = 5 * time.Second
)

// Status measures what is older than a minute. A claim that can't be measured
// is failing: nothing is promised that was not seen.
func (c *Claims) Status(ctx context.Context) Status {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.Now()
	if now.Sub(c.last.MeasuredAt) < statusAge {
		return c.last
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), statusTime)
	defer cancel()
	found := Status{MeasuredAt: now.UTC(), Claims: make([]Claim, len(c.Measures))}
	for i, m := range c.Measures {
		state, facts, err := m.Look(ctx)
		if err != nil {
			c.Log.ErrorContext(ctx, "privacy claim not measured", "claim", m.ID, "error", err)
			state, facts = Failing, []Fact{{Text: "It could not be measured just now."}}
		}
		found.Claims[i] = Claim{m.ID, state, facts}
	}
	c.last = found
	return found
}

// Said makes a fact without a moment.
func Said(format string, args ...any) Fact { return Fact{Text: fmt.Sprintf(format, args...)} }

// SaidAt makes a fact with one.
func SaidAt(at time.Time, format string, args ...any) Fact {
	at = at.UTC()
	return Fact{Text: fmt.Sprintf(format, args...), At: &at}
}
