package tables

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"simora/server/sim"
	"simora/server/store"
	"simora/server/wire"
)

// Tables serves them.
type Tables struct {
	Store *store.Store
	Now   func() time.Time
	NewID func() string
}

const maxBody = 64 << 10

// public are the columns of gallery_media that everybody may read.
var public = []string{"id", "file_path", "file_type", "caption", "industry", "display_order"}

// ReadGallery answers a select on gallery_media.
func (t Tables) ReadGallery(w http.ResponseWriter, r *http.Request, c wire.Call) error {
	q, err := query(r, store.GalleryMedia)
	if err != nil {
		return err
	}
	if !c.Viewer() && !onlyPublic(q) {
		return denied(c, "table gallery_media")
	}
	return t.answer(w, r, store.GalleryMedia, q)
}

// ReadScenarios answers a select on scenarios.
func (t Tables) ReadScenarios(w http.ResponseWriter, r *http.Request, c wire.Call) error {
	if !c.Admin() {
		return denied(c, "table scenarios")
	}
	q, err := query(r, store.ScenarioTable)
	if err != nil {
		return err
	}
	return t.answer(w, r, store.ScenarioTable, q)
}

// Closed refuses writes that go through a function or not at all.
func (t Tables) Closed(_ http.ResponseWriter, _ *http.Request, c wire.Call) error {
	return denied(c, "table scenarios")
}

func query(r *http.Request, t store.Table) (store.Query, error) {
	if profile := r.Header.Get("Accept-Profile"); profile != "" && profile != "public" {
		return store.Query{}, &sim.Error{Kind: sim.NotAcceptable, Code: "PGRST106", Message: "Invalid schema: " + sim.Cut(profile, 60)}
	}
	raw, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return store.Query{}, syntax("query", r.URL.RawQuery)
	}
	return parse(t, raw)
}

func (t Tables) answer(w http.ResponseWriter, r *http.Request, table store.Table, q store.Query) error {
	rows, err := t.Store.Select(r.Context(), table, q)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Range", contentRange(q.Offset, len(rows)))
	return write(w, r, http.StatusOK, rows)
}

// write sends rows as a list, or as the one object that the caller wants.
func write(w http.ResponseWriter, r *http.Request, status int, rows []map[string]any) error {
	if !single(r) {
		return wire.WriteJSON(w, status, rows)
	}
	if len(rows) != 1 {
		return notOne(len(rows))
	}
	return wire.WriteJSON(w, status, rows[0])
}

func single(r *http.Request) bool {
	return r.Header.Get("Accept") == "application/vnd.pgrst.object+json"
}

func notOne(n int) error {
	return &sim.Error{Kind: sim.NotAcceptable, Code: "PGRST116", Message: "Cannot coerce the result to a single JSON object",
		Details: fmt.Sprintf("The result contains %d rows", n)}
}

func wantsRows(r *http.Request) bool {
	return slices.Contains(strings.Split(strings.ReplaceAll(strings.Join(r.Header.Values("Prefer"), ","), " ", ""), ","), "return=representation")
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

func denied(c wire.Call, what string) error {
	kind := sim.Unauthenticated
	if c.SignedIn != nil {
		kind = sim.Forbidden
	}
	return &sim.Error{Kind: kind, Code: "42501", Message: "permission denied for " + what}
}

func contentRange(offset, n int) string {
	if n == 0 {
		return "*/*"
	}
	return fmt.Sprintf("%d-%d/*", offset, offset+n-1)
}

// HasRole tells whether a user holds a role, admin or viewer. It tells others
// nothing: only an admin may ask about somebody else.
func (t Tables) HasRole(w http.ResponseWriter, r *http.Request, c wire.Call) error {
	if c.SignedIn == nil {
		return denied(c, "function has_role")
	}
	var in struct {
		UserID string `json:"_user_id"`
		Role   string `json:"_role"`
	}
	if err := wire.ReadJSON(w, r, maxBody, &in); err != nil {
		return &sim.Error{Kind: sim.Invalid, Code: "PGRST102", Message: sim.AsError(err).Message}
	}
	switch {
	case in.UserID == "" && in.Role == "":
		return &sim.Error{Kind: sim.NotFound, Code: "PGRST202", Message: "Could not find the function public.has_role with these arguments in the schema cache"}
	case !sim.IsID(in.UserID):
		return badValue("uuid", in.UserID)
	case in.Role != "admin" && in.Role != "viewer":
		return &sim.Error{Kind: sim.Invalid, Code: "22P02", Message: fmt.Sprintf("invalid input value for enum app_role: %q", sim.Cut(in.Role, 60))}
	}
	holds := false
	var err error
	switch {
	case in.UserID == c.SignedIn.User.ID:
		holds = in.Role == "admin" && c.SignedIn.Admin || in.Role == "viewer" && c.SignedIn.Viewer
	case c.Admin():
		holds, err = t.Store.HasRole(r.Context(), in.UserID, in.Role)
	}
	if err != nil {
		return err
	}
	return wire.WriteJSON(w, http.StatusOK, holds)
}
