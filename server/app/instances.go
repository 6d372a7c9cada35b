package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/coreos/go-systemd/v22/activation"
	"github.com/coreos/go-systemd/v22/daemon"

	"simora/server/store"
)

const (
	clearEvery = 10 * time.Minute
)

// listener is the socket that systemd handed over, or one of our own. A handed
// one outlives this process: what connects during a restart waits in it.
func (c serveCommand) listener(ctx context.Context) (net.Listener, error) {
	handed, err := activation.Listeners()
	if err != nil {
		return nil, fmt.Errorf("sockets of systemd: %w", err)
	}
	if len(handed) > 1 || len(handed) == 1 && handed[0] == nil {
		return nil, fmt.Errorf("sockets of systemd: found %d, allowed is one stream socket", len(handed))
	}
	if len(handed) == 1 {
		return handed[0], nil
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", string(c.Listen))
	if err != nil {
		return nil, fmt.Errorf("listen on %s (SIMORA_LISTEN): %w", c.Listen, err)
	}
	return l, nil
}

// begin lets the world know that requests are taken.
func (s *server) begin(ctx context.Context, log *slog.Logger) {
	s.ready.Store(true)
	s.notify(ctx, log, daemon.SdNotifyReady)
}

// leave lets it know that they will not be for much longer, and waits until
// proxies have noticed.
func (s *server) leave(ctx context.Context, log *slog.Logger) {
	s.ready.Store(false)
	s.notify(ctx, log, daemon.SdNotifyStopping)
	log.InfoContext(ctx, "stopping: finishing what is in flight", "delay", s.drain.String())
	if s.drain > 0 {
		time.Sleep(s.drain)
	}
}

func (*server) notify(ctx context.Context, log *slog.Logger, state string) {
	if _, err := daemon.SdNotify(false, state); err != nil {
		log.WarnContext(ctx, "notify systemd", "error", err)
	}
}

// partingWays asks clients not to use their connection again once the server is
// about to stop: an idle one could be closed under their next request.
func (s *server) partingWays(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.ready.Load() {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}

// clearCounts is the job that removes spent limits and yesterday's budgets.
func clearCounts(s *store.Store, log *slog.Logger) func(context.Context) {
	return func(ctx context.Context) {
		tick := time.NewTicker(clearEvery)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				now, err := s.Clock(ctx) // one whose own is ahead would free today's budgets for all
				if err == nil {
					err = errors.Join(s.ClearLimits(ctx), s.ClearModelUse(ctx, now.UTC().Format(time.DateOnly)))
				}
				if err != nil && ctx.Err() == nil {
					log.ErrorContext(ctx, "clear counts", "error", err)
				}
			case <-ctx.Done():
				return
			}
		}
	}
}
