package tables

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"simora/server/sim"
	"simora/server/store"
	"simora/server/wire"
)

// Tables serves them.
type Tables struct {
	Store *store.Store
}

// public are the columns of gallery_media that everybody may read.
var public = []string{"id", "file_path", "file_type", "caption", "industry", "display_order"}

// ReadGallery answers a select on gallery_media.
func (t Tables) ReadGallery(w http.ResponseWriter, r *http.Request, c wire.Call) error {
	raw, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return syntax("query", r.URL.RawQuery)
	}
	q, err := parse(store.GalleryMedia, raw)
	if err != nil {
		return err
	}
	if !c.Admin() && !onlyPublic(q) {
		return denied(c, store.GalleryMedia)
	}
	rows, err := t.Store.Select(r.Context(), store.GalleryMedia, q)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Range", contentRange(q.Offset, len(rows)))
	if r.Header.Get("Accept") != "application/vnd.pgrst.object+json" {
		return wire.WriteJSON(w, http.StatusOK, rows)
	}
	if len(rows) != 1 {
		return &sim.Error{Kind: sim.NotAcceptable, Code: "PGRST116", Message: "Cannot coerce the result to a single JSON object",
			Details: fmt.Sprintf("The result contains %d rows", len(rows))}
	}
	return wire.WriteJSON(w, http.StatusOK, rows[0])
}

func onlyPublic(q store.Query) bool {
	allowed := func(c store.Column) bool { return slices.Contains(public, c.Name) }
	for _, c := range q.Columns {
		if !allowed(c) {
			return false
		}
	}
	for _, f := range q.Filters {
		if !allowed(f.Column) {
			return false
		}
	}
	for _, o := range q.Orders {
		if !allowed(o.Column) {
			return false
		}
	}
	return true
}

func denied(c wire.Call, t store.Table) error {
	kind := sim.Unauthenticated
	if c.SignedIn != nil {
		kind = sim.Forbidden
	}
	return &sim.Error{Kind: kind, Code: "42501", Message: "permission denied for table " + t.Name}
}

func contentRange(offset, n int) string {
	if n == 0 {
		return "*/*"
	}
	return fmt.Sprintf("%d-%d/*", offset, offset+n-1)
}
