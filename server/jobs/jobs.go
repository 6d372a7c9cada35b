// Package jobs is the timetable: what has to happen without anybody asking.
package jobs

import (
	"context"
	"errors"
	"log/slog"
	"strconv"
	"time"

	"simora/server/auth"
	"simora/server/keyring"
	"simora/server/mail"
	"simora/server/media"
	"simora/server/sim"
	"simora/server/store"
)

const (
	every       = time.Hour
	keptAnswers = 48 * time.Hour  // how long a repeated request is recognised
	leaseTerm   = 5 * time.Minute // after which another process takes over from one that died
	clockSlack  = time.Minute
	leastKept   = 7 * 24 * time.Hour // for a standing key that was replaced
)

// Retention deletes what is past its age. One process does it at a time.
type Retention struct {
	Store    *store.Store
	Media    *media.Library
	Outbox   mail.Outbox
	Sessions time.Duration                            // age at which demo sessions go
	Contact  time.Duration                            // age at which contact messages go
	Holder   string                                   // unique to this process
	Clock    func(context.Context) (time.Time, error) // the one for all processes
	Now      func() time.Time                         // this machine's
	Log      *slog.Logger
}

// Run works at once, then every hour, until ctx ends. A failure is logged and
// made up for the next time.
func (r Retention) Run(ctx context.Context) {
	for {
		held, err := r.Once(ctx)
		if err := errors.Join(err, r.Store.Keys().Refresh(ctx)); err != nil && ctx.Err() == nil {
			r.Log.ErrorContext(ctx, "retention", "error", err)
		}
		pause := every
		if !held {
			pause = leaseTerm
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return
		}
	}
}

const lease = "retention"

// Once deletes what is due now. held is false when another process is at it.
func (r Retention) Once(ctx context.Context) (held bool, err error) {
	l, held, err := r.Store.TakeLease(ctx, lease, r.Holder, leaseTerm)
	if err != nil || !held {
		return held, err
	}
	defer func() { err = errors.Join(err, r.Store.ReturnLease(context.WithoutCancel(ctx), l)) }()
	now, err := r.Clock(ctx)
	if err != nil {
		return true, err
	}
	if off := r.Now().Sub(now); off.Abs() > clockSlack {
		r.Log.WarnContext(ctx, "this machine's clock is not the database's", "off", off.String())
	}
	return true, errors.Join(r.work(ctx, l, now), r.reseal(ctx, l, now))
}

// reseal follows a rotation of the standing key: what the older ones have
// sealed is sealed anew, and they go when nobody needs them any more.
func (r Retention) reseal(ctx context.Context, l store.Lease, now time.Time) error {
	sealed, err := r.Store.Reseal(ctx, l)
	if err != nil {
		return err
	}
	dropped, err := r.Store.DropStandingKeys(ctx, now, max(r.Sessions, leastKept))
	if sealed > 0 || dropped > 0 {
		r.Log.InfoContext(ctx, "standing key", "sealed anew", sealed, "old keys dropped", dropped)
	}
	return errors.Join(err, r.tell(ctx, sim.KeyDestroyed, "standing keys", int64(dropped)))
}

func (r Retention) work(ctx context.Context, l store.Lease, now time.Time) (err error) {
	done := store.RetentionRun{At: now}
	// What was deleted before a failure is told, too.
	done.Sessions, err = r.Store.DeleteSessionsBefore(ctx, l, now.Add(-r.Sessions))
	if err = errors.Join(err, r.tell(ctx, sim.RetentionRun, "sessions", done.Sessions)); err != nil {
		return err
	}
	done.Contact, err = r.Store.DeleteContactBefore(ctx, l, now.Add(-r.Contact))
	if err = errors.Join(err, r.tell(ctx, sim.RetentionRun, "contact messages", done.Contact)); err != nil {
		return err
	}
	if err := r.Store.DeletePersonalLettersBefore(ctx, now.Add(-r.Sessions)); err != nil {
		return err
	}
	if err := r.Store.DeleteDeliveriesBefore(ctx, now.Add(-r.Sessions)); err != nil {
		return err
	}
	// Now that nothing needs them any more: what older copies hold goes, too.
	for kind, age := range map[keyring.Kind]time.Duration{keyring.Sessions: r.Sessions, keyring.Contact: r.Contact} {
		n, err := r.Store.Keys().DestroyBefore(ctx, kind, now.Add(-age))
		if err = errors.Join(err, r.tell(ctx, sim.KeyDestroyed, "day keys of "+kind.String(), int64(n))); err != nil {
			return err
		}
		done.Keys += n
	}
	if err := r.Store.DeleteAuthSessionsBefore(ctx, now.Add(-auth.Idle)); err != nil {
		return err
	}
	if err := r.Store.DeleteTriesBefore(ctx, now.Add(-auth.Idle)); err != nil {
		return err
	}
	if err := r.Store.DeleteKeptAnswersBefore(ctx, now.Add(-keptAnswers)); err != nil {
		return err
	}
	orphans, err := r.Media.RemoveOrphans(ctx, now, r.Store.MediaPaths)
	if err = errors.Join(err, r.tell(ctx, sim.RetentionRun, "uploads that no gallery shows", int64(orphans))); err != nil {
		return err
	}
	letters, err := r.Outbox.Purge(ctx, now, r.Store.HasLetter)
	if err != nil {
		return err
	}
	r.Log.InfoContext(ctx, "retention", "sessions", done.Sessions, "contact", done.Contact, "keys", done.Keys, "letters", letters, "uploads", orphans)
	if err := r.Store.RecordRetention(ctx, l, done); err != nil {
		return err
	}
	if done.Sessions+done.Contact == 0 {
		return nil
	}
	return r.Store.Checkpoint(ctx)
}

// tell leaves one entry in the audit log for all that was deleted of a kind.
func (r Retention) tell(ctx context.Context, action sim.Action, what string, n int64) error {
	if n == 0 {
		return nil
	}
	return r.Store.Audit(ctx, sim.Event{Action: action, Object: what, Detail: map[string]string{"deleted": strconv.FormatInt(n, 10)}})
}
