package app

import (
	"context"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// arrivals counts the connections whose first request has not reached a
// handler. net/http closes a connection unanswered when it has read a request
// after Shutdown was called, so Shutdown has to wait for them.
type arrivals struct {
	waiting atomic.Int64
	arrived sync.Map // net.Conn → func() that counts it off, once
}

type arrivedKey struct{}

// watch hooks the count into a server before it serves.
func (a *arrivals) watch(h *http.Server) {
	next := h.Handler
	h.ConnContext = func(ctx context.Context, conn net.Conn) context.Context {
		a.waiting.Add(1)
		arrived := sync.OnceFunc(func() { a.waiting.Add(-1) })
		a.arrived.Store(conn, arrived)
		return context.WithValue(ctx, arrivedKey{}, arrived)
	}
	h.ConnState = func(conn net.Conn, state http.ConnState) {
		if state != http.StateClosed && state != http.StateHijacked {
			return
		}
		if arrived, there := a.arrived.LoadAndDelete(conn); there {
			arrived.(func())()
		}
	}
	h.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if arrived, there := r.Context().Value(arrivedKey{}).(func()); there {
			arrived()
		}
		next.ServeHTTP(w, r)
	})
}

// wait returns when all have arrived, or after limit: a browser may have
// connected without a request.
func (a *arrivals) wait(limit time.Duration) {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for end := time.After(limit); a.waiting.Load() > 0; {
		select {
		case <-tick.C:
		case <-end:
			return
		}
	}
}
