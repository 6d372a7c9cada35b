// Package health knows how the parts of a running server are: looked at in the
// background, read from memory.
//
//	every 30 s ─▶ look at each part ─▶ report ─▶ console, metrics
//	every 10 s ─▶ ready? ─▶ this minute counts as served ─▶ availability
package health

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"simora/server/sim"
	"simora/server/store"
)

// State of a part.
type State string

// The states.
const (
	OK       State = "ok"
	Degraded State = "degraded" // works, and needs somebody's attention
	Off      State = "off"      // not configured
	Failing  State = "failing"
)

// States are all there are.
var States = []State{OK, Degraded, Off, Failing}

const (
	tick       = 10 * time.Second
	lookEvery  = 30 * time.Second
	lookTime   = 5 * time.Second
	tidyEvery  = time.Hour
	keptFailed = 14 * 24 * time.Hour // how long a failed letter, and an instance not seen any more, is kept
	measured   = 91 * 24 * time.Hour // how long uptime is kept: the longest period that is shown, and its first day
)

// Part is something to look at. An error means that it fails; it is logged,
// and shown as its class only.
type Part struct {
	Name string
	Look func(ctx context.Context) (Finding, error)
}

// Finding is what a look found. The note is for admins and holds no secret.
type Finding struct {
	State State
	Note  string
}

// Check is the last look at a part.
type Check struct {
	Name        string     `json:"name"`
	State       State      `json:"state"`
	Note        string     `json:"note"`
	Since       time.Time  `json:"since"` // when this process first found this state
	MeasuredAt  time.Time  `json:"measuredAt"`
	LastError   string     `json:"lastError"` // class of the last error; empty: none so far
	LastErrorAt *time.Time `json:"lastErrorAt"`
}

// Report is what was found last.
type Report struct {
	Now    time.Time
	Checks []Check
	Outbox *store.Outbox // nil: never read so far
}

// Watch looks. All fields are required but Ready and Wake.
type Watch struct {
	Store    *store.Store
	Parts    []Part
	Instance store.Instance // without SeenAt
	Now      func() time.Time
	Log      *slog.Logger

	// Ready reports whether this instance can serve visitors now; nil: it never
	// counts as serving.
	Ready func(ctx context.Context) bool
	// Wake tells the postman of a letter that was queued again.
	Wake func()

	mu     sync.Mutex
	checks []Check
	outbox *store.Outbox

	looked, tidied, marked time.Time
}

// Run looks until ctx ends.
func (w *Watch) Run(ctx context.Context) {
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	for {
		w.Once(ctx)
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
}

// Once does what is due now. It is for one goroutine.
func (w *Watch) Once(ctx context.Context) {
	now := w.Now()
	w.try(ctx, "record uptime", w.mark)
	if now.Sub(w.looked) >= lookEvery {
		w.looked = now
		w.look(ctx)
	}
	if now.Sub(w.tidied) >= tidyEvery {
		w.tidied = now
		w.try(ctx, "forget old health", func(ctx context.Context) error {
			return w.Store.ForgetOldHealth(ctx, now.Add(-keptFailed), now.Add(-measured))
		})
	}
}

func (w *Watch) try(ctx context.Context, what string, do func(context.Context) error) {
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	if err := do(ctx); err != nil {
		w.Log.WarnContext(ctx, what, "error", err)
	}
}

// look asks all parts at once, each for a limited time.
func (w *Watch) look(ctx context.Context) {
	checks := make([]Check, len(w.Parts))
	var outbox *store.Outbox
	var wg sync.WaitGroup
	for i, part := range w.Parts {
		wg.Go(func() {
			ctx, cancel := context.WithTimeout(ctx, lookTime)
			defer cancel()
			found, err := part.Look(ctx)
			checks[i] = w.check(ctx, part.Name, found, err)
		})
	}
	wg.Go(func() {
		ctx, cancel := context.WithTimeout(ctx, lookTime)
		defer cancel()
		if found, err := w.Store.Outbox(ctx); err == nil { // when it fails, the database's part says so
			outbox = &found
		}
	})
	wg.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.checks = checks; outbox != nil {
		w.outbox = outbox
	}
}

// check puts a finding beside the one before.
func (w *Watch) check(ctx context.Context, name string, found Finding, err error) Check {
	now := w.Now()
	c := Check{Name: name, State: found.State, Note: found.Note, Since: now, MeasuredAt: now}
	if err != nil {
		c.State, c.LastError, c.LastErrorAt = Failing, class(err), &now
	}
	before, known := w.last(name)
	if known && before.State == c.State {
		c.Since = before.Since
	} else if known || c.State == Failing {
		w.Log.WarnContext(ctx, "health changed", "part", name, "state", c.State, "note", c.Note, "error", err)
	}
	if known && err == nil {
		c.LastError, c.LastErrorAt = before.LastError, before.LastErrorAt
	}
	return c
}

func (w *Watch) last(name string) (Check, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.checks {
		if c.Name == name {
			return c, true
		}
	}
	return Check{}, false
}

// Report is what was found last; nothing is looked at for it.
func (w *Watch) Report() Report {
	w.mu.Lock()
	defer w.mu.Unlock()
	return Report{Now: w.Now(), Checks: w.checks, Outbox: w.outbox}
}

// Instance is a server process as the console shows it.
type Instance struct {
	ID        string    `json:"id"`
	Host      string    `json:"host"`
	Version   string    `json:"version"`
	StartedAt time.Time `json:"startedAt"`
	SeenAt    time.Time `json:"seenAt"`
	This      bool      `json:"this"` // the one that answers
	Alive     bool      `json:"alive"`
}

// Letter is a failed one that can be tried again.
type Letter struct {
	ID       string    `json:"id"`
	Kind     string    `json:"kind"`
	QueuedAt time.Time `json:"queuedAt"`
	Attempts int       `json:"attempts"`
	Reason   string    `json:"reason"`
}

// Page is the console's health page.
type Page struct {
	Now          time.Time      `json:"now"`
	Checks       []Check        `json:"checks"`
	Queued       int            `json:"queuedLetters"`
	Failed       []Letter       `json:"failedLetters"`
	Instances    []Instance     `json:"instances"`
	Availability []Availability `json:"availability"`
}

// aliveFor is how long after its last sign of life an instance counts as alive.
const aliveFor = 3 * lookEvery

// Page reads all that the console shows.
func (w *Watch) Page(ctx context.Context) (Page, error) {
	r := w.Report()
	p := Page{Now: r.Now, Checks: append([]Check{}, r.Checks...), Failed: []Letter{}, Instances: []Instance{}, Availability: []Availability{}}
	box, err := w.Store.Outbox(ctx)
	if err != nil {
		return p, err
	}
	p.Queued = box.Queued
	failed, err := w.Store.FailedLetters(ctx)
	if err != nil {
		return p, err
	}
	for _, l := range failed {
		p.Failed = append(p.Failed, Letter(l))
	}
	instances, err := w.Store.Instances(ctx)
	if err != nil {
		return p, err
	}
	for _, i := range instances {
		p.Instances = append(p.Instances, Instance{
			ID: i.ID, Host: i.Host, Version: i.Version, StartedAt: i.StartedAt, SeenAt: i.SeenAt,
			This: i.ID == w.Instance.ID, Alive: p.Now.Sub(i.SeenAt) < aliveFor,
		})
	}
	for _, days := range []int{1, 7, 30, 90} {
		a, known, err := w.Availability(ctx, days)
		if err != nil {
			return p, err
		}
		if known {
			p.Availability = append(p.Availability, a)
		}
	}
	return p, nil
}

// Database is the part that every other stands on. Its look is this instance's
// sign of life, so that a database which takes no writes is found failing.
func (w *Watch) Database() Part {
	return Part{"database", func(ctx context.Context) (Finding, error) {
		i := w.Instance
		i.SeenAt = w.Now()
		if err := w.Store.Heartbeat(ctx, i); err != nil {
			return Finding{}, err
		}
		return Finding{State: OK}, w.Store.Ping(ctx)
	}}
}

var errNoSuchLetter = &sim.Error{Kind: sim.NotFound, Code: "letter_not_found", Message: "This letter can't be sent again: it is not kept any more, it is on its way, or its report has gone to another address."}

// RetryInput names a failed letter.
type RetryInput struct {
	ID string `json:"id"`
}

// Retry queues a failed letter once more.
func (w *Watch) Retry(ctx context.Context, in RetryInput) error {
	ok, err := w.Store.RetryLetter(ctx, in.ID, w.Now())
	if err != nil {
		return err
	}
	if !ok {
		return errNoSuchLetter
	}
	if w.Wake != nil {
		w.Wake()
	}
	return nil
}

// Cached remembers for a while what ask said, so that many questions cost one.
// Those who come while it is asked wait for the same answer.
func Cached(ask func(context.Context) error, during, limit time.Duration, now func() time.Time) func(context.Context) error {
	var mu sync.Mutex
	var asked time.Time
	var said error
	return func(ctx context.Context) error {
		mu.Lock()
		defer mu.Unlock()
		if asked.IsZero() || now().Sub(asked) >= during {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit) // who goes away says nothing about the answer
			defer cancel()
			said, asked = ask(ctx), now()
		}
		return said
	}
}
