package llm

import (
	"sync"
	"time"
)

// The breaker opens after so many failures within a window, and lets one
// request through after a rest.
const (
	breakerFailures = 5
	breakerWindow   = 30 * time.Second
	breakerRest     = 30 * time.Second
)

// breaker spares visitors the wait for an endpoint that is down.
type breaker struct {
	now func() time.Time

	mu       sync.Mutex
	failures []time.Time
	until    time.Time // open until then; zero: closed
	probing  bool      // the one request after the rest is under way
}

// allow reports whether a request may be sent; then report must be called.
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

// report tells how a request ended.
func (b *breaker) report(ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.now()
	switch {
	case ok && (b.probing || b.until.IsZero()):
		b.failures, b.until, b.probing = nil, time.Time{}, false
	case ok: // a late answer to a request from before: the probe decides
	case b.probing:
		b.until, b.probing = now.Add(breakerRest), false
	default:
		b.failures = append(b.failures, now)
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
