package tables

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"simora/server/sim"
	"simora/server/store"
	"simora/server/wire"
)

const (
	maxCaption = 500
	maxName    = 255
	mostAtOnce = 100
)

var writable = []string{"file_name", "file_path", "file_type", "industry", "caption", "display_order"}

var pathForm = regexp.MustCompile(`^(healthcare|airlines|corporate)/[A-Za-z0-9][A-Za-z0-9._-]{0,199}$`)

// InsertGallery stores rows.
func (t Tables) InsertGallery(w http.ResponseWriter, r *http.Request, c wire.Call) error {
	if !c.Admin() {
		return denied(c, "table gallery_media")
	}
	raw, err := objectsIn(w, r)
	if err != nil {
		return err
	}
	params := r.URL.Query()
	var media []store.Medium
	for _, fields := range raw {
		if fields, err = only(fields, params.Get("columns")); err != nil {
			return err
		}
		m, err := mediumOf(fields)
		if err != nil {
			return err
		}
		m.ID, m.CreatedAt = t.NewID(), t.Now()
		media = append(media, m)
	}
	if single(r) && wantsRows(r) && len(media) != 1 {
		return notOne(len(media))
	}
	if _, err := oneRow(r, media[0].ID); err != nil { // before anything is stored
		return err
	}
	if err := t.Store.AddMedia(r.Context(), media...); err != nil {
		if errors.Is(err, store.ErrPathTaken) {
			return &sim.Error{Kind: sim.Conflict, Code: "23505", Message: `duplicate key value violates unique constraint "gallery_media_file_path_key"`}
		}
		return err
	}
	w.Header().Set("Content-Range", "*/*")
	if !wantsRows(r) {
		w.WriteHeader(http.StatusCreated)
		return nil
	}
	var rows []map[string]any
	for _, m := range media {
		row, err := t.medium(r, m.ID)
		if err != nil {
			return err
		}
		rows = append(rows, row...)
	}
	w.Header().Set("Preference-Applied", "return=representation")
	return write(w, r, http.StatusCreated, rows)
}

// UpdateGallery changes caption or order of the one row that the filter names.
func (t Tables) UpdateGallery(w http.ResponseWriter, r *http.Request, c wire.Call) error {
	if !c.Admin() {
		return denied(c, "table gallery_media")
	}
	id, err := onlyID(r, "UPDATE")
	if err != nil {
		return err
	}
	raw, err := objectsIn(w, r)
	if err != nil {
		return err
	}
	if len(raw) != 1 {
		return syntaxBody()
	}
	change, err := changeOf(raw[0])
	if err != nil {
		return err
	}
	before, err := t.medium(r, id)
	if err != nil {
		return err
	}
	if single(r) && wantsRows(r) && len(before) != 1 {
		return notOne(len(before))
	}
	if err := t.Store.ChangeMedium(r.Context(), id, change); err != nil {
		return err
	}
	w.Header().Set("Content-Range", contentRange(0, len(before)))
	if !wantsRows(r) {
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	after, err := t.medium(r, id)
	if err != nil {
		return err
	}
	w.Header().Set("Preference-Applied", "return=representation")
	return write(w, r, http.StatusOK, after)
}

// DeleteGallery removes the one row that the filter names.
func (t Tables) DeleteGallery(w http.ResponseWriter, r *http.Request, c wire.Call) error {
	if !c.Admin() {
		return denied(c, "table gallery_media")
	}
	id, err := onlyID(r, "DELETE")
	if err != nil {
		return err
	}
	before, err := t.medium(r, id)
	if err != nil {
		return err
	}
	if err := t.Store.DeleteMedium(r.Context(), id); err != nil {
		return err
	}
	if wantsRows(r) {
		w.Header().Set("Preference-Applied", "return=representation")
		return write(w, r, http.StatusOK, before)
	}
	w.Header().Set("Content-Range", "*/*")
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// oneRow asks for the row with this id, as the caller's select wants it.
func oneRow(r *http.Request, id string) (store.Query, error) {
	raw := url.Values{"id": {"eq." + id}}
	if wanted := r.URL.Query().Get("select"); wanted != "" {
		raw.Set("select", wanted)
	}
	return parse(store.GalleryMedia, raw)
}

func (t Tables) medium(r *http.Request, id string) ([]map[string]any, error) {
	q, err := oneRow(r, id)
	if err != nil {
		return nil, err
	}
	return t.Store.Select(r.Context(), store.GalleryMedia, q)
}

// onlyID wants exactly the filter id=eq.<uuid>, so that no write reaches more
// than one row.
func onlyID(r *http.Request, statement string) (string, error) {
	raw, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return "", syntax("query", r.URL.RawQuery)
	}
	q, err := parse(store.GalleryMedia, raw)
	if err != nil {
		return "", err
	}
	if len(q.Filters) != 1 || q.Filters[0].Column.Name != "id" || q.Filters[0].Compare != store.Equal {
		return "", &sim.Error{Kind: sim.Invalid, Code: "21000", Message: statement + " requires a WHERE clause", Details: "Name one row with id=eq.<uuid>"}
	}
	return q.Filters[0].Value.(string), nil
}

// objectsIn reads a body of one object or a list of them.
func objectsIn(w http.ResponseWriter, r *http.Request) ([]map[string]any, error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		return nil, syntaxBody()
	}
	body = bytes.TrimSpace(body)
	if len(body) > 0 && body[0] == '{' {
		body = append(append([]byte("["), body...), ']')
	}
	var list []map[string]any
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	if err := decoder.Decode(&list); err != nil || len(list) == 0 || len(list) > mostAtOnce || decoder.More() {
		return nil, syntaxBody()
	}
	return list, nil
}

func syntaxBody() error {
	return &sim.Error{Kind: sim.Invalid, Code: "PGRST102", Message: "Empty or invalid json"}
}

// only keeps the columns that the client names beside a list; a row that lacks
// one gets null.
func only(fields map[string]any, columns string) (map[string]any, error) {
	if columns == "" {
		return fields, nil
	}
	kept := map[string]any{}
	for _, quoted := range strings.Split(columns, ",") {
		name := strings.Trim(quoted, `"`)
		if _, known := store.GalleryMedia.Column(name); !known {
			return nil, noBodyColumn(name)
		}
		kept[name] = fields[name]
	}
	return kept, nil
}

func noBodyColumn(name string) error {
	return &sim.Error{Kind: sim.Invalid, Code: "PGRST204", Message: fmt.Sprintf("Could not find the '%s' column of 'gallery_media' in the schema cache", sim.Cut(name, 60))}
}

func mediumOf(fields map[string]any) (m store.Medium, err error) {
	for name := range fields {
		if _, known := store.GalleryMedia.Column(name); !known {
			return m, noBodyColumn(name)
		}
		if !slices.Contains(writable, name) {
			return m, &sim.Error{Kind: sim.Forbidden, Code: "42501", Message: "permission denied for column " + name}
		}
	}
	for name, into := range map[string]*string{"file_name": &m.FileName, "file_path": &m.FilePath, "file_type": &m.FileType, "industry": &m.Industry} {
		if fields[name] == nil {
			return m, &sim.Error{Kind: sim.Invalid, Code: "23502", Message: fmt.Sprintf("null value in column %q of relation \"gallery_media\" violates not-null constraint", name)}
		}
		if *into, err = textOf(fields[name], name, maxName); err != nil {
			return m, err
		}
	}
	if fields["caption"] != nil {
		caption, err := textOf(fields["caption"], "caption", maxCaption)
		if err != nil {
			return m, err
		}
		m.Caption = &caption
	}
	if fields["display_order"] != nil {
		if m.DisplayOrder, err = orderOf(fields["display_order"]); err != nil {
			return m, err
		}
	}
	switch {
	case !pathForm.MatchString(m.FilePath):
		return m, violates("file_path")
	case m.FileType != "image" && m.FileType != "video":
		return m, violates("file_type")
	case !slices.Contains([]string{"healthcare", "airlines", "corporate"}, m.Industry):
		return m, violates("industry")
	}
	return m, nil
}

func violates(name string) error {
	return &sim.Error{Kind: sim.Invalid, Code: "23514", Message: fmt.Sprintf("new row for relation \"gallery_media\" violates check constraint \"gallery_media_%s_check\"", name)}
}

func textOf(value any, name string, most int) (string, error) {
	text, ok := value.(string)
	if !ok || strings.ContainsRune(text, 0) {
		return "", badValue("text", name)
	}
	if utf8.RuneCountInString(text) > most {
		return "", &sim.Error{Kind: sim.Invalid, Code: "22001", Message: fmt.Sprintf("value too long for type character varying(%d)", most)}
	}
	return text, nil
}

func orderOf(value any) (int, error) {
	number, ok := value.(json.Number)
	if !ok {
		return 0, badValue("integer", fmt.Sprint(value))
	}
	n, err := number.Int64()
	if err != nil || n > 1<<31-1 {
		return 0, badValue("integer", number.String())
	}
	if n < 0 {
		return 0, violates("display_order")
	}
	return int(n), nil
}

func changeOf(fields map[string]any) (c store.MediumChange, err error) {
	for name, value := range fields {
		switch name {
		case "caption":
			c.SetCaption = true
			if value == nil {
				continue
			}
			caption, err := textOf(value, name, maxCaption)
			if err != nil {
				return c, err
			}
			c.Caption = &caption
		case "display_order":
			if value == nil {
				return c, &sim.Error{Kind: sim.Invalid, Code: "23502", Message: `null value in column "display_order" of relation "gallery_media" violates not-null constraint`}
			}
			order, err := orderOf(value)
			if err != nil {
				return c, err
			}
			c.Order = &order
		default:
			if _, known := store.GalleryMedia.Column(name); !known {
				return c, noBodyColumn(name)
			}
			return c, &sim.Error{Kind: sim.Forbidden, Code: "42501", Message: "permission denied for column " + name}
		}
	}
	return c, nil
}
