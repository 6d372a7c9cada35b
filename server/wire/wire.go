// Package wire says how a call is spoken: who may make it, how its body is
// read, how its answer and its errors look.
//
//	Route ── preflight ── key ── identity ── access ── limits ── Serve ──▶ answer
//	                └──────────── sim.Error ──▶ the protocol's error shape
package wire

import (
	"context"
	"net/http"
	"time"

	"simora/server/sim"
	"simora/server/store"
)

// Access says who may make a call. Each level includes the ones above it.
type Access int

// From the least to the most trusted.
const (
	Anyone Access = iota // no key
	Key                  // the public key
	User                 // signed in
	Viewer               // holds the role now: may look, sees nothing personal
	Admin                // holds the role now
)

func (a Access) String() string {
	return [...]string{"anyone", "key", "user", "viewer", "admin"}[a]
}

// LimitBy says what a Limit counts.
type LimitBy int

// What calls can be counted by.
const (
	ByAddress LimitBy = iota // client address; IPv6 by /64
	BySession                // the session that the request names
	ByAll                    // everybody together
	ByAccount                // an account seen from one address
	BySignIn                 // sign-ins from one address
)

func (b LimitBy) String() string {
	return [...]string{"address", "session", "all", "account", "sign-in"}[b]
}

// Limit allows Count calls per Per, and Burst of them at once.
type Limit struct {
	By    LimitBy
	Count int
	Per   time.Duration
	Burst int
	Local bool // counted by each process for itself: reading costs less than a count that is shared
}

// Route is one row of the surface.
type Route struct {
	Method string
	Path   string
	Access Access
	Limits []Limit
	Body   int64 // cap on the request body in bytes
	Serve  Serve
}

// Serve handles one call. What it returns as an error has not been written.
type Serve func(w http.ResponseWriter, r *http.Request, c Call) error

// Call is one request, seen from inside.
type Call struct {
	Caller
	Route Route

	// Allow takes from the route's limits of one kind; nil when there is room.
	Allow func(ctx context.Context, by LimitBy, key string) error
}

// Admin reports whether the caller holds the role now.
func (c Caller) Admin() bool { return c.SignedIn != nil && c.SignedIn.Admin }

// Viewer reports whether the caller may look at the console now.
func (c Caller) Viewer() bool { return c.Admin() || c.SignedIn != nil && c.SignedIn.Viewer }

// Actor is the caller as the audit log names it.
func (c Caller) Actor() sim.Actor {
	if c.SignedIn == nil {
		return sim.Actor{Kind: sim.ByVisitor, Address: c.Address}
	}
	return sim.Actor{Kind: sim.ByUser, ID: c.SignedIn.User.ID, Address: c.Address}
}

// Caller is who makes the call, as far as the server itself knows.
type Caller struct {
	Address        string // client IP address
	UserAgent      string
	IdempotencyKey string
	SignedIn       *store.SignedIn // nil: not signed in
}

type addressKey struct{}

// WithAddress returns ctx with the client's address, as the outer wall found it.
func WithAddress(ctx context.Context, address string) context.Context {
	return context.WithValue(ctx, addressKey{}, address)
}

// Address returns what WithAddress put in.
func Address(ctx context.Context) string {
	address, _ := ctx.Value(addressKey{}).(string)
	return address
}
