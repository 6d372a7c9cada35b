package llm

import (
	"sync"
	"time"
)

// The breaker opens after so many failures within a window, and lets one
// request through after a rest. A timeout counts for two: somebody has waited
// for it, and a single learner would never have five of them in the window.
const (
	breakerFailures = 5
	breakerWindow   = 30 * time.Second
	breakerRest     = 30 * time.Second
	timeoutWeight   = 2
)

// breaker spares visitors the wait for an endpoint that is down.
type breaker struct {
	now func() time.Time

	mu       sync.Mutex
	failures []time.Time
	until    time.Time // open until then; zero: closed
	probing  bool      // the one request after the rest is under way
}

// allow reports whether a request may be sent; after it, succeeded or failed
// must be called.
func (b *breaker) allow() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.until.IsZero() {
		return true
	}
	if b.probing || b.now().Before(b.until) {
		return false
	}
	b.probing = true
	return true
}

// succeeded tells that a request was answered. A late answer to one from before
// the breaker opened changes nothing: the probe decides.
func (b *breaker) succeeded() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.probing || b.until.IsZero() {
		b.failures, b.until, b.probing = nil, time.Time{}, false
	}
}

// failed tells that a request was not answered.
func (b *breaker) failed(weight int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.now()
	switch {
	case b.probing:
		b.until, b.probing = now.Add(breakerRest), false
	case b.until.IsZero():
		for range weight {
			b.failures = append(b.failures, now)
		}
		for now.Sub(b.failures[0]) > breakerWindow {
			b.failures = b.failures[1:]
		}
		if len(b.failures) >= breakerFailures {
			b.failures, b.until = nil, now.Add(breakerRest)
		}
	}
}

// open reports whether requests are refused now.
func (b *breaker) open() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return !b.until.IsZero() && (b.probing || b.now().Before(b.until))
}
