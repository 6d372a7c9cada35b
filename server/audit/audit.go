// Package audit keeps the audit log honest: it copies the log's end to a place
// outside of the database, verifies the log against it, and removes what is
// past its age.
//
//	store.Audit ──▶ audit_log, each row signed over the one before it
//	                  └── hourly ──▶ audit-head.jsonl and the process's log
//	Verify ◀── both
package audit

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"simora/server/keyring"
	"simora/server/sim"
	"simora/server/store"
)

// Trail works on the log of one installation.
type Trail struct {
	Store *store.Store
	Dir   string                                   // holds the mirror
	Age   time.Duration                            // at which entries go
	Now   func() time.Time                         // this machine's clock
	Clock func(context.Context) (time.Time, error) // the one for all processes
	Log   *slog.Logger
}

const (
	mirrorEvery = time.Hour
	verifyEvery = 24 * time.Hour
)

// Run works at once, then every hour, until ctx ends. A failure is logged and
// made up for the next time.
func (t Trail) Run(ctx context.Context) {
	tick := time.NewTicker(mirrorEvery)
	defer tick.Stop()
	for {
		if err := t.Once(ctx); err != nil && ctx.Err() == nil {
			t.Log.ErrorContext(ctx, "audit log", "error", err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// Once mirrors the log's end, and verifies and trims the log once a day.
func (t Trail) Once(ctx context.Context) error { return errors.Join(t.Mirror(ctx), t.daily(ctx)) }

// daily does its work unless an instance has done so within a day.
func (t Trail) daily(ctx context.Context) error {
	last, err := t.LastVerified(ctx)
	if err != nil || last != nil && t.Now().Sub(last.At) < verifyEvery {
		return err
	}
	check, err := t.Verify(ctx)
	if err != nil || len(check.Problems) > 0 { // evidence is not removed
		return err
	}
	now, err := t.Clock(ctx)
	if err != nil {
		return err
	}
	if _, err = t.Store.CutAudit(ctx, now.Add(-t.Age)); err != nil {
		return err
	}
	_, err = t.Store.Keys().DestroyBefore(ctx, keyring.Audit, now.Add(-t.Age))
	return err
}

// Verified is a verification of the past.
type Verified struct {
	At      time.Time
	Whole   bool
	Entries int64
}

// LastVerified is nil before the first verification.
func (t Trail) LastVerified(ctx context.Context) (*Verified, error) {
	list, err := t.Store.AuditEntries(ctx, store.AuditFilter{Action: sim.AuditVerified, Limit: 1})
	if err != nil || len(list) == 0 {
		return nil, err
	}
	n, _ := strconv.ParseInt(list[0].Detail["entries"], 10, 64) // our own
	return &Verified{At: list[0].At.UTC(), Whole: list[0].Result == sim.Done, Entries: n}, nil
}

// Verify looks at the whole log and records what it found. An error means that
// it could not look.
func (t Trail) Verify(ctx context.Context) (store.AuditCheck, error) {
	kept, err := t.mirrored()
	if err != nil {
		return store.AuditCheck{}, err
	}
	check, err := t.Store.VerifyAudit(ctx, kept)
	if err != nil {
		return check, err
	}
	e := sim.Event{Action: sim.AuditVerified, Object: "audit log", Detail: map[string]string{
		"entries": strconv.FormatInt(max(0, check.Last-check.First+1), 10), "problems": strconv.Itoa(len(check.Problems)),
	}}
	for _, p := range check.Problems {
		e.Result = sim.Failed
		t.Log.ErrorContext(ctx, "the audit log was tampered with", "entry", p.Seq, "problem", p.What)
	}
	if err := t.Store.Audit(ctx, e); err != nil {
		if len(check.Problems) == 0 {
			return check, err
		}
		t.Log.ErrorContext(ctx, "record the verification", "error", err) // what was found matters more
	}
	return check, nil
}

// Mirror copies the log's end to the mirror and to the process's log. It does
// nothing when the log has not grown.
func (t Trail) Mirror(ctx context.Context) error {
	head, err := t.Store.AuditHead(ctx)
	if err != nil || head.Seq == 0 {
		return err
	}
	kept, err := t.mirrored()
	if err != nil {
		return err
	}
	if n := len(kept); n > 0 && kept[n-1].Seq == head.Seq {
		return nil
	}
	if err := t.append(head); err != nil {
		return fmt.Errorf("mirror the audit log: %w", err)
	}
	t.Log.InfoContext(ctx, "audit log mirrored", "entry", head.Seq, "hash", hex.EncodeToString(head.Hash))
	return nil
}
