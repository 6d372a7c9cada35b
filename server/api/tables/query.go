// Package tables is the room of /rest/v1: tables read by the query language
// that PostgREST's clients speak, as far as the product needs it. Every column
// comes from a list; values are bound, never part of a statement.
package tables

import (
	"fmt"
	"math"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"simora/server/sim"
	"simora/server/store"
)

const maxRows = 1000

// parse reads select, order, limit, offset and filters. Errors have the codes
// of PostgREST.
func parse(t store.Table, raw url.Values) (store.Query, error) {
	q := store.Query{Limit: maxRows}
	for name, values := range raw {
		for _, value := range values {
			if err := part(t, &q, name, value); err != nil {
				return q, err
			}
		}
	}
	if len(q.Columns) == 0 {
		q.Columns = t.Columns
	}
	return q, nil
}

func part(t store.Table, q *store.Query, name, value string) (err error) {
	switch name {
	case "select":
		if q.Columns != nil {
			return syntax("select", value)
		}
		q.Columns, err = columns(t, value)
	case "order":
		if q.Orders != nil {
			return syntax("order", value)
		}
		q.Orders, err = orders(t, value)
	case "limit":
		q.Limit, err = count(value, maxRows)
	case "offset":
		q.Offset, err = count(value, math.MaxInt32)
	case "or", "and", "not.or", "not.and":
		err = syntax("logic tree", value)
	case "columns", "on_conflict":
		err = syntax("read", name)
	default:
		var f store.Filter
		if f, err = filter(t, name, value); err == nil {
			q.Filters = append(q.Filters, f)
		}
	}
	return err
}

func columns(t store.Table, value string) ([]store.Column, error) {
	if value == "*" {
		return t.Columns, nil
	}
	var found []store.Column
	for _, name := range strings.Split(value, ",") {
		if !plain(name) {
			return nil, syntax("select parameter", value)
		}
		c, ok := t.Column(name)
		if !ok {
			return nil, noColumn(t, name)
		}
		for _, other := range found {
			if other == c {
				return nil, syntax("select parameter", value)
			}
		}
		found = append(found, c)
	}
	return found, nil
}

func orders(t store.Table, value string) ([]store.Order, error) {
	var found []store.Order
	for _, term := range strings.Split(value, ",") {
		parts := strings.Split(term, ".")
		if !plain(parts[0]) {
			return nil, syntax("order", value)
		}
		c, ok := t.Column(parts[0])
		if !ok {
			return nil, noColumn(t, parts[0])
		}
		o := store.Order{Column: c}
		rest := parts[1:]
		if len(rest) > 0 && (rest[0] == "asc" || rest[0] == "desc") {
			o.Descending, rest = rest[0] == "desc", rest[1:]
		}
		if len(rest) > 0 || len(found) == len(t.Columns) {
			return nil, syntax("order", value)
		}
		found = append(found, o)
	}
	return found, nil
}

var comparisons = map[string]store.Comparison{
	"eq": store.Equal, "neq": store.NotEqual, "gt": store.Greater, "gte": store.GreaterOrEqual, "lt": store.Less, "lte": store.LessOrEqual,
}

func filter(t store.Table, name, value string) (store.Filter, error) {
	if !plain(name) {
		return store.Filter{}, syntax("filter", name)
	}
	c, ok := t.Column(name)
	if !ok {
		return store.Filter{}, noColumn(t, name)
	}
	operator, operand, found := strings.Cut(value, ".")
	compare, known := comparisons[operator]
	if !found || !known {
		return store.Filter{}, syntax("filter", value)
	}
	f := store.Filter{Column: c, Compare: compare, Value: operand}
	switch c.Kind {
	case store.UUID:
		if !sim.IsID(operand) {
			return f, badValue("uuid", operand)
		}
	case store.Integer:
		n, err := strconv.ParseInt(operand, 10, 32)
		if err != nil {
			return f, badValue("integer", operand)
		}
		f.Value = n
	case store.Timestamp:
		return f, syntax("filter", name)
	case store.Boolean, store.JSON:
		return f, syntax("filter", name)
	case store.Text:
		if strings.ContainsRune(operand, 0) || !utf8.ValidString(operand) {
			return f, badValue("text", operand)
		}
	}
	return f, nil
}

func count(value string, most int) (int, error) {
	n, err := strconv.ParseInt(value, 10, 32)
	if err != nil || n < 0 {
		return 0, badValue("integer", value)
	}
	return min(int(n), most), nil
}

// plain reports a bare column name: no alias, cast, embedding or quotes.
func plain(name string) bool {
	return name != "" && len(name) <= 63 && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz_") == ""
}

func syntax(what, found string) error {
	return &sim.Error{Kind: sim.Invalid, Code: "PGRST100", Message: fmt.Sprintf("failed to parse %s (%s)", what, sim.Cut(found, 100))}
}

func noColumn(t store.Table, name string) error {
	return &sim.Error{Kind: sim.Invalid, Code: "42703", Message: fmt.Sprintf("column %s.%s does not exist", t.Name, name)}
}

func badValue(kind, found string) error {
	return &sim.Error{Kind: sim.Invalid, Code: "22P02", Message: fmt.Sprintf("invalid input syntax for type %s: %q", kind, sim.Cut(found, 100))}
}
