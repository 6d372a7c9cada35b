// Package jobs is the timetable: what has to happen without anybody asking.
package jobs

import (
	"context"
	"log/slog"
	"time"

	"simora/server/auth"
	"simora/server/media"
	"simora/server/store"
)

const (
	every       = time.Hour
	keptAnswers = 48 * time.Hour // how long a repeated request is recognised
)

// Retention deletes what is past its age.
type Retention struct {
	Store    *store.Store
	Media    *media.Library
	Sessions time.Duration // age at which demo sessions go
	Contact  time.Duration // age at which contact messages go
	Now      func() time.Time
	Log      *slog.Logger
}

// Run works at once, then every hour, until ctx ends. A failure is logged and
// made up for the next time.
func (r Retention) Run(ctx context.Context) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		if err := r.Once(ctx); err != nil && ctx.Err() == nil {
			r.Log.ErrorContext(ctx, "retention", "error", err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// Once deletes what is due now.
func (r Retention) Once(ctx context.Context) error {
	n, err := r.Store.DeleteSessionsBefore(ctx, r.Now().Add(-r.Sessions))
	if n > 0 {
		r.Log.InfoContext(ctx, "deleted old sessions", "count", n)
	}
	if err != nil {
		return err
	}
	n, err = r.Store.DeleteContactBefore(ctx, r.Now().Add(-r.Contact))
	if n > 0 {
		r.Log.InfoContext(ctx, "deleted old contact messages", "count", n)
	}
	if err != nil {
		return err
	}
	if err := r.Store.DeleteDeliveriesBefore(ctx, r.Now().Add(-r.Sessions)); err != nil {
		return err
	}
	if err := r.Store.DeleteAuthSessionsBefore(ctx, r.Now().Add(-auth.Idle)); err != nil {
		return err
	}
	if err := r.Store.DeleteKeptAnswersBefore(ctx, r.Now().Add(-keptAnswers)); err != nil {
		return err
	}
	orphans, err := r.Media.RemoveOrphans(ctx, r.Now(), r.Store.MediaPaths)
	if orphans > 0 {
		r.Log.InfoContext(ctx, "deleted uploads that no gallery shows", "count", orphans)
	}
	return err
}
