package scenario

import (
	"fmt"
	"strconv"
	"strings"
)

// Range is a bound on a number, written as ">= 5", "< 90", "= 0" or "3..6"
// (both ends included). The zero Range holds for every number.
type Range struct {
	low, high         float64
	openLow, openHigh bool // the end itself is outside
	hasLow, hasHigh   bool
}

// Holds reports whether v lies in the range.
func (r Range) Holds(v float64) bool {
	if r.hasLow && (v < r.low || r.openLow && v == r.low) {
		return false
	}
	return !r.hasHigh || v < r.high || !r.openHigh && v == r.high
}

// UnmarshalYAML reads the written form.
func (r *Range) UnmarshalYAML(decode func(any) error) error {
	var text string
	if err := decode(&text); err != nil {
		return err
	}
	parsed, err := ParseRange(text)
	*r = parsed
	return err
}

// ParseRange reads the written form of a Range.
func ParseRange(text string) (Range, error) {
	bad := fmt.Errorf("%q is not a bound: write >= 5, > 5, <= 5, < 5, = 5 or 3..6", text)
	if low, high, ok := strings.Cut(text, ".."); ok {
		a, errA := strconv.ParseFloat(strings.TrimSpace(low), 64)
		b, errB := strconv.ParseFloat(strings.TrimSpace(high), 64)
		if errA != nil || errB != nil || a > b {
			return Range{}, bad
		}
		return Range{low: a, high: b, hasLow: true, hasHigh: true}, nil
	}
	sign := strings.TrimRight(text, " -+.0123456789")
	v, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimPrefix(text, sign)), 64)
	if err != nil {
		return Range{}, bad
	}
	switch strings.TrimSpace(sign) {
	case ">=":
		return Range{low: v, hasLow: true}, nil
	case ">":
		return Range{low: v, hasLow: true, openLow: true}, nil
	case "<=":
		return Range{high: v, hasHigh: true}, nil
	case "<":
		return Range{high: v, hasHigh: true, openHigh: true}, nil
	case "=", "":
		return Range{low: v, high: v, hasLow: true, hasHigh: true}, nil
	}
	return Range{}, bad
}

// Moment is what a Condition is asked about.
type Moment struct {
	Turn                int
	Act, Asked, Refused map[string]bool // in the present message
	Done                map[string]bool // performed so far, this message included
	State               map[string]float64
}

// Holds reports whether every demand of c is met.
func (c Condition) Holds(m Moment) bool {
	for name, r := range c.State {
		if !r.Holds(m.State[name]) {
			return false
		}
	}
	return c.Turn.Holds(float64(m.Turn)) &&
		(len(c.Act) == 0 || anyOf(c.Act, m.Act)) &&
		(len(c.Asked) == 0 || anyOf(c.Asked, m.Asked)) &&
		(len(c.Refused) == 0 || anyOf(c.Refused, m.Refused)) &&
		(len(c.AnyDone) == 0 || anyOf(c.AnyDone, m.Done)) &&
		countOf(c.Done, m.Done) == len(c.Done) &&
		!anyOf(c.NotDone, m.Done)
}

// Empty reports whether c demands nothing.
func (c Condition) Empty() bool {
	return len(c.Act)+len(c.Asked)+len(c.Refused)+len(c.Done)+len(c.AnyDone)+len(c.NotDone)+len(c.State) == 0 &&
		!c.Turn.hasLow && !c.Turn.hasHigh
}

func anyOf(names Names, set map[string]bool) bool { return countOf(names, set) > 0 }

func countOf(names Names, set map[string]bool) int {
	n := 0
	for _, name := range names {
		if set[name] {
			n++
		}
	}
	return n
}
