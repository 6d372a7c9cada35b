package wire

import (
	"net/http"
	"slices"
)

const (
	allowMethods = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"
	allowHeaders = "accept-profile, apikey, authorization, cache-control, content-profile, content-type, idempotency-key, if-none-match, prefer, range, x-client-info, x-region, x-retry-count, x-supabase-api-version, x-upsert"
	exposed      = "content-range, content-location, content-profile, location, retry-after, preference-applied, x-supabase-api-version, x-relay-error, sb-error-code, x-sb-error-code, etag, content-length, accept-ranges"
)

// Origins are the foreign origins whose pages may use the surface.
type Origins []string

// Open sets the CORS headers of every answer, errors included, for an origin
// on the list. Others get none.
func (o Origins) Open(w http.ResponseWriter, r *http.Request) {
	w.Header().Add("Vary", "Origin")
	origin := r.Header.Get("Origin")
	if !slices.Contains(o, origin) {
		return
	}
	w.Header().Set("Access-Control-Allow-Origin", origin)
	w.Header().Set("Access-Control-Expose-Headers", exposed)
	// A page of another origin may read what is sent to it.
	w.Header().Set("Cross-Origin-Resource-Policy", "cross-origin")
}

// Preflight answers an OPTIONS request and reports whether r was one.
func (o Origins) Preflight(w http.ResponseWriter, r *http.Request) bool {
	if r.Method != http.MethodOptions {
		return false
	}
	if slices.Contains(o, r.Header.Get("Origin")) {
		w.Header().Set("Access-Control-Allow-Methods", allowMethods)
		w.Header().Set("Access-Control-Allow-Headers", allowHeaders)
		w.Header().Set("Access-Control-Max-Age", "600")
	}
	w.WriteHeader(http.StatusNoContent)
	return true
}

// CrossSite reports a browser request that a page of another site made, with
// no origin of ours on it.
func (o Origins) CrossSite(r *http.Request) bool {
	return r.Header.Get("Sec-Fetch-Site") == "cross-site" && !slices.Contains(o, r.Header.Get("Origin"))
}
