package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"simora/server/sim"
)

// Kind is the type of a column, as its values are read and compared.
type Kind int

// The kinds.
const (
	Text Kind = iota
	UUID
	Integer
	Timestamp // milliseconds in the database, RFC 3339 outside
	Boolean
	JSON
)

// Column is one column of a table.
type Column struct {
	Name string
	Kind Kind
}

// Table is a table that can be read column by column. Only what stands here
// ever becomes SQL.
type Table struct {
	Name    string
	Columns []Column
}

// Column finds a column by its name.
func (t Table) Column(name string) (Column, bool) {
	i := slices.IndexFunc(t.Columns, func(c Column) bool { return c.Name == name })
	if i < 0 {
		return Column{}, false
	}
	return t.Columns[i], true
}

// GalleryMedia is what the public galleries show.
var GalleryMedia = Table{"gallery_media", []Column{
	{"id", UUID}, {"file_name", Text}, {"file_path", Text}, {"file_type", Text}, {"industry", Text}, {"caption", Text},
	{"display_order", Integer}, {"created_at", Timestamp},
}}

// ScenarioTable is what the console reads of scenarios.
var ScenarioTable = Table{"scenarios", []Column{
	{"id", UUID}, {"title", Text}, {"slug", Text}, {"industry", Text}, {"short_description", Text}, {"system_prompt", Text}, {"rubric", JSON},
	{"max_turns", Integer}, {"is_public", Boolean}, {"thumbnail_url", Text}, {"created_at", Timestamp}, {"updated_at", Timestamp},
}}

// Comparison is how a filter compares.
type Comparison string

// The comparisons.
const (
	Equal          Comparison = "="
	NotEqual       Comparison = "<>"
	Greater        Comparison = ">"
	GreaterOrEqual Comparison = ">="
	Less           Comparison = "<"
	LessOrEqual    Comparison = "<="
)

// Filter keeps rows whose column compares to a value: string, or int64 for
// integers.
type Filter struct {
	Column  Column
	Compare Comparison
	Value   any
}

// Order sorts by one column.
type Order struct {
	Column     Column
	Descending bool
}

// Query is a read of one table. Rows that are equal in all of Orders come by
// id.
type Query struct {
	Columns []Column
	Filters []Filter // all of them hold
	Orders  []Order
	Limit   int
	Offset  int
}

// Select reads rows; each is a map from column name to string, int64, bool,
// raw JSON or nil.
func (s *Store) Select(ctx context.Context, t Table, q Query) ([]map[string]any, error) {
	var text strings.Builder
	text.WriteString("SELECT ")
	for i, c := range q.Columns {
		if i > 0 {
			text.WriteString(", ")
		}
		text.WriteString(c.Name)
	}
	text.WriteString(" FROM " + t.Name)
	var args []any
	for i, f := range q.Filters {
		text.WriteString([]string{" WHERE ", " AND "}[min(i, 1)])
		args = append(args, f.Value)
		text.WriteString(f.Column.Name + " " + string(f.Compare) + " $" + strconv.Itoa(len(args)))
	}
	text.WriteString(" ORDER BY ")
	for _, o := range q.Orders {
		text.WriteString(o.Column.Name)
		if o.Descending {
			text.WriteString(" DESC")
		}
		text.WriteString(", ")
	}
	args = append(args, q.Limit, q.Offset)
	fmt.Fprintf(&text, "id LIMIT $%d OFFSET $%d", len(args)-1, len(args))

	// Not kept prepared: callers choose the text's shape.
	rows, err := s.queryOnce(ctx, text.String(), args...)
	if err != nil {
		return nil, unavailable(fmt.Errorf("read %s: %w", t.Name, err))
	}
	defer func() { _ = rows.Close() }()
	all := []map[string]any{}
	for rows.Next() {
		row, err := scanRow(rows, q.Columns)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", t.Name, err)
		}
		all = append(all, row)
	}
	return all, unavailable(rows.Err())
}

func scanRow(rows *rows, columns []Column) (map[string]any, error) {
	texts, numbers, flags, into := make([]sql.NullString, len(columns)), make([]sql.NullInt64, len(columns)), make([]sql.NullBool, len(columns)), make([]any, len(columns))
	for i, c := range columns {
		into[i] = &texts[i]
		switch c.Kind {
		case Integer, Timestamp:
			into[i] = &numbers[i]
		case Boolean:
			into[i] = &flags[i]
		case Text, UUID, JSON:
		}
	}
	if err := rows.Scan(into...); err != nil {
		return nil, err
	}
	row := map[string]any{}
	for i, c := range columns {
		switch {
		case flags[i].Valid:
			row[c.Name] = flags[i].Bool
		case texts[i].Valid && c.Kind == JSON:
			row[c.Name] = json.RawMessage(texts[i].String)
		case texts[i].Valid:
			row[c.Name] = texts[i].String
		case numbers[i].Valid && c.Kind == Timestamp:
			row[c.Name] = fromMillis(numbers[i].Int64).UTC().Format("2006-01-02T15:04:05.000+00:00")
		case numbers[i].Valid:
			row[c.Name] = numbers[i].Int64
		default:
			row[c.Name] = nil
		}
	}
	return row, nil
}

// Medium is one picture or film of a gallery.
type Medium struct {
	ID           string
	FileName     string
	FilePath     string
	FileType     string // video or image
	Industry     string
	Caption      *string
	DisplayOrder int
	CreatedAt    time.Time
}

// ErrPathTaken is a file that has a row already.
var ErrPathTaken = errors.New("this file has a row already")

// AddMedia stores rows, all or none of them. Errors: ErrPathTaken.
func (s *Store) AddMedia(ctx context.Context, media ...Medium) error {
	return s.inTx(ctx, durable, "add gallery media", func(tx *Tx) error {
		var events []sim.Event
		for _, m := range media {
			var there int
			if err := tx.row("SELECT count(*) FROM gallery_media WHERE file_path = $1", m.FilePath).Scan(&there); err != nil {
				return err
			}
			if there > 0 {
				return ErrPathTaken
			}
			_, err := tx.exec(`INSERT INTO gallery_media (id, file_name, file_path, file_type, industry, caption, display_order, created_at)
				VALUES ($1,$2,$3,$4,$5,$6,$7,$8)`, m.ID, m.FileName, m.FilePath, m.FileType, m.Industry, m.Caption, m.DisplayOrder, millis(m.CreatedAt))
			if err != nil {
				return err
			}
			events = append(events, sim.Event{Action: sim.MediaPublished, Object: "medium " + m.ID, Detail: map[string]string{"file": m.FilePath}})
		}
		return tx.audit(events...)
	})
}

// MediumChange is what may change of a medium.
type MediumChange struct {
	SetCaption bool
	Caption    *string
	Order      *int
}

// ChangeMedium changes one row, if it is there.
func (s *Store) ChangeMedium(ctx context.Context, id string, c MediumChange) error {
	return s.inTx(ctx, durable, "change gallery medium", func(tx *Tx) error {
		var events []sim.Event
		if c.SetCaption {
			n, err := tx.exec("UPDATE gallery_media SET caption = $2 WHERE id = $1", id, c.Caption)
			if err != nil || n == 0 {
				return err
			}
			events = append(events, sim.Event{Action: sim.MediaCaptioned, Object: "medium " + id})
		}
		if c.Order != nil {
			n, err := tx.exec("UPDATE gallery_media SET display_order = $2 WHERE id = $1", id, *c.Order)
			if err != nil || n == 0 {
				return err
			}
			events = append(events, sim.Event{Action: sim.MediaArranged, Object: "medium " + id})
		}
		return tx.audit(events...)
	})
}

// DeleteMedium removes one row, if it is there.
func (s *Store) DeleteMedium(ctx context.Context, id string) error {
	return s.inTx(ctx, durable, "delete gallery medium", func(tx *Tx) error {
		n, err := tx.exec("DELETE FROM gallery_media WHERE id = $1", id)
		if err != nil || n == 0 {
			return err
		}
		return tx.audit(sim.Event{Action: sim.MediaWithdrawn, Object: "medium " + id})
	})
}

// MediaPaths are the objects that the galleries name.
func (s *Store) MediaPaths(ctx context.Context) (map[string]bool, error) {
	rows, err := s.query(ctx, "SELECT file_path FROM gallery_media")
	if err != nil {
		return nil, unavailable(fmt.Errorf("read gallery paths: %w", err))
	}
	defer func() { _ = rows.Close() }()
	paths := map[string]bool{}
	for rows.Next() {
		var path string
		if err := rows.Scan(&path); err != nil {
			return nil, fmt.Errorf("read gallery paths: %w", err)
		}
		paths[path] = true
	}
	return paths, unavailable(rows.Err())
}

// ArrangeMedia gives the media of an industry the order of ids, all at once.
// It reports whether ids are exactly those of the industry.
func (s *Store) ArrangeMedia(ctx context.Context, industry string, ids []string) (fits bool, err error) {
	err = s.inTx(ctx, durable, "arrange gallery", func(tx *Tx) error {
		var n int
		if err := tx.row("SELECT count(*) FROM gallery_media WHERE industry = $1", industry).Scan(&n); err != nil {
			return err
		}
		if fits = n == len(ids); !fits {
			return nil
		}
		for i, id := range ids {
			changed, err := tx.exec("UPDATE gallery_media SET display_order = $3 WHERE id = $1 AND industry = $2", id, industry, i)
			if err != nil {
				return err
			}
			if changed == 0 {
				return errDifferent // takes the rest back
			}
		}
		return tx.audit(sim.Event{Action: sim.MediaArranged, Object: "gallery " + industry})
	})
	if errors.Is(err, errDifferent) {
		return false, nil
	}
	return fits, err
}

var errDifferent = errors.New("not a medium of this industry")
