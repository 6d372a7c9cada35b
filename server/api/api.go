// Package api is the HTTP surface: table.go lists every call on one screen,
// this file makes them answer.
package api

import (
	"context"
	"crypto/subtle"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strings"

	"simora/server/sim"
	"simora/server/store"
	"simora/server/wire"
)

// Limiter takes one call from a budget. It returns sim.ErrRateLimited with the
// time to wait when there is no room.
type Limiter interface {
	Allow(ctx context.Context, budget string, limit wire.Limit, key string) error
}

// Options is what the surface needs.
type Options struct {
	Keys    []string // public keys; two at a time while one replaces the other
	Origins wire.Origins
	Limiter Limiter
	Log     *slog.Logger

	// Identify tells who holds an access token.
	Identify func(ctx context.Context, token string) (store.SignedIn, error)
}

type surface struct {
	Options
	routes []wire.Route
}

// Handler serves the routes, and a 404 of the service's shape for all else
// below the four prefixes.
func Handler(o Options, routes []wire.Route) http.Handler {
	s := &surface{o, routes}
	mux := http.NewServeMux()
	for _, service := range wire.Services {
		mux.Handle(service.Prefix, s.serve(service, nil))
	}
	byPath := map[string][]wire.Route{}
	for _, route := range routes {
		byPath[route.Path] = append(byPath[route.Path], route)
	}
	for path, here := range byPath {
		mux.Handle(path, s.serve(serviceOf(path), here))
	}
	return mux
}

func serviceOf(path string) wire.Service {
	for _, service := range wire.Services {
		if strings.HasPrefix(path, service.Prefix) {
			return service
		}
	}
	panic("api: " + path + " is below no service")
}

// serve answers one path, whatever its method. Nothing is read from the body
// before the caller has been checked.
func (s *surface) serve(service wire.Service, here []wire.Route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.Origins.Open(w, r)
		if s.Origins.Preflight(w, r) {
			return
		}
		route, found := routeFor(here, r.Method)
		if given := r.Header.Get("apikey"); (!found || route.Access != wire.Anyone) && !s.knows(given) {
			wire.WriteKeyError(w, given)
			return
		}
		err := s.call(w, r, service, here, route, found)
		if err == nil {
			return
		}
		known := sim.AsError(err)
		if wire.Status(known) >= http.StatusInternalServerError {
			s.Log.ErrorContext(r.Context(), "call failed", "code", known.Code, "error", err)
		}
		if told := new(wire.AfterBegun); errors.As(err, &told) {
			return
		}
		service.WriteError(w, known)
	})
}

func routeFor(here []wire.Route, method string) (wire.Route, bool) {
	for _, route := range here {
		if route.Method == method {
			return route, true
		}
	}
	return wire.Route{}, false
}

func (s *surface) call(w http.ResponseWriter, r *http.Request, service wire.Service, here []wire.Route, route wire.Route, found bool) error {
	if len(here) == 0 {
		return service.NotFound
	}
	caller := wire.Caller{Address: wire.Address(r.Context()), UserAgent: r.UserAgent()}
	var err error
	if !found || route.Access != wire.Anyone {
		if s.Origins.CrossSite(r) {
			return sim.ErrCrossSite
		}
		if caller, err = s.identify(r, service); err != nil {
			return service.Denied(err)
		}
		if found {
			if err := permit(route.Access, caller); err != nil {
				return service.Denied(err)
			}
		}
	}
	if !found {
		methods := []string{http.MethodOptions}
		for _, other := range here {
			methods = append(methods, other.Method)
		}
		w.Header().Set("Allow", strings.Join(methods, ", "))
		return sim.ErrMethodNotAllowed
	}
	if caller.IdempotencyKey, err = idempotencyKey(r); err != nil {
		return err
	}
	r = r.WithContext(sim.WithActor(r.Context(), caller.Actor()))
	c := wire.Call{Caller: caller, Route: route, Allow: func(ctx context.Context, by wire.LimitBy, key string) error {
		return s.allow(ctx, route, by, key)
	}}
	// Everybody's budget comes last: what one address is refused costs the others nothing.
	if err := c.Allow(r.Context(), wire.ByAddress, caller.Address); err != nil {
		return service.Denied(err)
	}
	if err := c.Allow(r.Context(), wire.ByAll, ""); err != nil {
		return service.Denied(err)
	}
	return service.Denied(route.Serve(w, r, c))
}

// permit compares what a route asks for with who calls.
func permit(access wire.Access, c wire.Caller) error {
	switch {
	case access <= wire.Key:
		return nil
	case c.SignedIn == nil:
		return sim.ErrSignInRequired
	case access >= wire.Viewer && c.SignedIn.NeedsSecond:
		return sim.ErrSecondFactorNeeded
	case access == wire.Viewer && !c.Viewer(), access == wire.Admin && !c.Admin():
		return sim.ErrNotAdmin
	}
	return nil
}

func (s *surface) allow(ctx context.Context, route wire.Route, by wire.LimitBy, key string) error {
	for _, limit := range route.Limits {
		if limit.By != by {
			continue
		}
		if err := s.Limiter.Allow(ctx, route.Path, limit, key); err != nil {
			return err
		}
	}
	return nil
}

func (s *surface) knows(key string) bool {
	return key != "" && slices.ContainsFunc(s.Keys, func(known string) bool {
		return subtle.ConstantTimeCompare([]byte(known), []byte(key)) == 1
	})
}

// identify reads who calls. A bearer that is not a public key has to be an
// access token; what does not verify is refused, never taken for anonymous.
func (s *surface) identify(r *http.Request, service wire.Service) (wire.Caller, error) {
	caller := wire.Caller{Address: wire.Address(r.Context()), UserAgent: r.UserAgent()}
	scheme, bearer, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	switch {
	case r.Header.Get("Authorization") == "" && service.OpenDoor:
		return caller, nil
	case r.Header.Get("Authorization") == "":
		return caller, sim.ErrNoAuthHeader
	case !strings.EqualFold(scheme, "Bearer"):
		return caller, sim.ErrInvalidToken
	case s.knows(bearer):
		return caller, nil
	}
	in, err := s.Identify(r.Context(), bearer)
	if err != nil {
		return caller, err
	}
	caller.SignedIn = &in
	return caller, nil
}

const maxIdempotencyKey = 255

func idempotencyKey(r *http.Request) (string, error) {
	key := r.Header.Get("Idempotency-Key")
	printable := func(c rune) bool { return c > 0x20 && c < 0x7f }
	if len(key) > maxIdempotencyKey || strings.ContainsFunc(key, func(c rune) bool { return !printable(c) }) {
		return "", sim.BadRequest("Idempotency-Key must be up to 255 visible ASCII characters")
	}
	return key, nil
}
