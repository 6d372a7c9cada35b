package app

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"time"

	"simora/server/health"
	"simora/server/media"
	"simora/server/sim"
	"simora/server/store"
)

// health is the list of parts that are looked at.
func (c serveCommand) health(srv *server, w *watch, files *media.Library, model func() sim.ModelStatus, log *slog.Logger) *health.Watch {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown" // it is for people only
	}
	started := time.Now()
	h := &health.Watch{
		Store: srv.store, Now: time.Now, Log: log, Ready: srv.serves, Wake: srv.postman.Wake,
		Instance: store.Instance{ID: w.instance, Host: host, Version: version(), StartedAt: started},
	}
	h.Parts = []health.Part{
		h.Database(),
		{Name: "storage", Look: func(ctx context.Context) (health.Finding, error) {
			return health.Finding{State: health.OK}, files.Reach(ctx)
		}},
		{Name: "mail", Look: c.lookAtMail(srv.store)},
		{Name: "language model", Look: lookAtModel(model)},
		{Name: "retention", Look: lookAtRetention(srv.store, started)},
		{Name: "keys", Look: func(ctx context.Context) (health.Finding, error) {
			return health.Finding{State: health.OK}, srv.store.CheckKeys(ctx)
		}},
		health.Disk(c.Data.Data),
	}
	if c.DatabaseURL == "" {
		h.Parts = append(h.Parts, health.Log(srv.store.LogBytes))
	}
	return h
}

const (
	slowMail  = 10 * time.Minute
	stuckMail = time.Hour
)

// lookAtMail judges by the letters: one that waits for long could not be handed
// over.
func (c serveCommand) lookAtMail(s *store.Store) func(context.Context) (health.Finding, error) {
	return func(ctx context.Context) (health.Finding, error) {
		box, err := s.Outbox(ctx)
		if err != nil {
			return health.Finding{}, err
		}
		waits := time.Duration(0)
		if box.Oldest != nil {
			waits = time.Since(*box.Oldest)
		}
		note := fmt.Sprintf("%d letters wait, the oldest for %s.", box.Queued, waits.Round(time.Minute))
		switch {
		case waits > stuckMail:
			return health.Finding{State: health.Failing, Note: note}, nil
		case waits > slowMail:
			return health.Finding{State: health.Degraded, Note: note}, nil
		case c.SMTPURL == "":
			return health.Finding{State: health.Off, Note: "No mail server is configured: letters are written to files."}, nil
		}
		return health.Finding{State: health.OK}, nil
	}
}

func lookAtModel(status func() sim.ModelStatus) func(context.Context) (health.Finding, error) {
	return func(context.Context) (health.Finding, error) {
		if status == nil {
			return health.Finding{State: health.Off, Note: "No language model is connected: the built-in engine answers and judges."}, nil
		}
		if s := status(); !s.Available {
			return health.Finding{State: health.Degraded, Note: "Not asked at the moment (" + s.Reason + "): the built-in engine stands in."}, nil
		}
		return health.Finding{State: health.OK}, nil
	}
}

const (
	firstRun  = 10 * time.Minute
	lateRun   = 3 * time.Hour
	missedRun = 25 * time.Hour
)

// lookAtRetention judges by its last success on any instance, or by the start
// before the first.
func lookAtRetention(s *store.Store, started time.Time) func(context.Context) (health.Finding, error) {
	return func(ctx context.Context) (health.Finding, error) {
		run, known, err := s.LastRetention(ctx)
		if err != nil {
			return health.Finding{}, err
		}
		last := run.At
		ago := time.Since(last)
		switch {
		case !known && time.Since(started) < firstRun:
			return health.Finding{State: health.OK, Note: "The first run is not over yet."}, nil
		case !known:
			return health.Finding{State: health.Failing, Note: "It has not succeeded since the start; the log says why."}, nil
		case ago > missedRun:
			return health.Finding{State: health.Failing, Note: "It has not succeeded for more than a day; the log says why."}, nil
		case ago > lateRun:
			return health.Finding{State: health.Degraded, Note: "Its last success is more than three hours ago."}, nil
		}
		return health.Finding{State: health.OK, Note: "Last run " + last.UTC().Format("2 Jan 2006 15:04") + " UTC."}, nil
	}
}
