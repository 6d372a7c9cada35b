package health

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"time"

	"simora/server/store"
)

// Availability is the measured share of minutes in which at least one instance
// was ready. A minute counts as served when an instance was ready at any time in
// it; what lies between visitors and the server is not measured.
type Availability struct {
	Since       time.Time `json:"since"` // begin of the measurement, or of the period
	Days        int       `json:"days"`  // length of the period
	Percent     float64   `json:"percent"`
	MinutesDown int       `json:"minutesDown"`
}

const sinceSetting = "uptime_since"

// mark counts this minute as served, if it is.
func (w *Watch) mark(ctx context.Context) error {
	minute := w.Now().Truncate(time.Minute)
	if minute.Equal(w.marked) || w.Ready == nil || !w.Ready(ctx) {
		return nil
	}
	if w.marked.IsZero() {
		if _, err := w.Store.Setting(ctx, sinceSetting, strconv.FormatInt(minute.Unix(), 10)); err != nil {
			return err
		}
	}
	if err := w.Store.MarkMinute(ctx, minute); err != nil {
		return err
	}
	w.marked = minute
	return nil
}

// Availability over the last days, or since it has been measured. It is not
// known before the first whole minute is over.
func (w *Watch) Availability(ctx context.Context, days int) (a Availability, known bool, err error) {
	end := w.Now().UTC().Truncate(time.Minute) // the running minute is not over yet
	text, err := w.Store.Setting(ctx, sinceSetting, strconv.FormatInt(end.Unix(), 10))
	if err != nil {
		return a, false, err
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return a, false, fmt.Errorf("setting %s: %w", sinceSetting, err)
	}
	start := end.AddDate(0, 0, -days)
	if since := time.Unix(seconds, 0).UTC(); since.After(start) {
		start = since
	}
	if !start.Before(end) {
		return a, false, nil
	}
	hours, err := w.Store.Hours(ctx, start)
	if err != nil {
		return a, false, err
	}
	return availability(hours, start, end, days), true, nil
}

// availability counts the minutes from start to end, both whole.
func availability(hours []store.Hour, start, end time.Time, days int) Availability {
	served := 0
	for _, h := range hours {
		for n := range 60 {
			at := h.Start.Add(time.Duration(n) * time.Minute)
			if h.Minutes>>n&1 == 1 && !at.Before(start) && at.Before(end) {
				served++
			}
		}
	}
	elapsed := int(end.Sub(start) / time.Minute)
	return Availability{
		Since: start, Days: days, MinutesDown: elapsed - served,
		Percent: math.Floor(100_000*float64(served)/float64(elapsed)) / 1000, // never rounded up to more than was measured
	}
}
