package bench_test

import (
	"context"
	"log/slog"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"simora/server/keyring"
	"simora/server/sim"
	"simora/server/store"
	"simora/tests/pgserver"
)

const (
	manySessions = 100_000
	writers      = 64
)

// BenchmarkConsole prints, with 100,000 sessions, the time to the first page
// of the console's list, to its last, to a search by address, and to the
// dashboard of a year.
func BenchmarkConsole(b *testing.B) {
	for name, url := range map[string]func() string{"sqlite": func() string { return "" }, "postgres": func() string { return pgserver.Database(b) }} {
		b.Run(name, func(b *testing.B) {
			s := filled(b, url())
			ctx := context.Background()
			for _, c := range []struct {
				name string
				ask  func() error
			}{
				{"first-page", func() error { return list(ctx, s, store.SessionFilter{Limit: 50, CountTotal: true}) }},
				{"last-page", func() error {
					return list(ctx, s, store.SessionFilter{Limit: 50, Offset: manySessions - 50, CountTotal: true})
				}},
				{"by-score", func() error {
					return list(ctx, s, store.SessionFilter{Limit: 50, Sort: "score_overall", CountTotal: true})
				}},
				{"by-address", func() error {
					return list(ctx, s, store.SessionFilter{Limit: 50, Email: "nobody@hospital.example", CountTotal: true})
				}},
				{"stock-call", func() error { return list(ctx, s, store.SessionFilter{Limit: 1000}) }},
				{"dashboard", func() error {
					_, err := s.Overview(ctx, time.Now().AddDate(-1, 0, 0), time.Now())
					return err
				}},
			} {
				b.Run(c.name, func(b *testing.B) {
					for b.Loop() {
						require.NoError(b, c.ask())
					}
				})
			}
		})
	}
}

func list(ctx context.Context, s *store.Store, f store.SessionFilter) error {
	_, _, err := s.SessionRows(ctx, f)
	return err
}

// filled has many sessions over a year.
func filled(b *testing.B, url string) *store.Store {
	b.Helper()
	dir := b.TempDir()
	keys, err := keyring.Load(filepath.Join(dir, keyring.FileName))
	require.NoError(b, err)
	s, err := store.Open(context.Background(), store.Options{URL: url, Dir: dir, Keyring: keys, Log: slog.New(slog.DiscardHandler), Exclusive: true})
	require.NoError(b, err)
	b.Cleanup(func() { _ = s.Close() })
	sc := sim.Scenario{ID: uuid.NewString(), Title: "Chest Pain Assessment", Slug: "bench", Industry: sim.Healthcare, Rubric: []byte(`{}`), MaxTurns: 8, IsPublic: true}
	require.NoError(b, s.SeedScenario(context.Background(), sc))
	sc, version, err := s.ScenarioBySlug(context.Background(), "bench", true)
	require.NoError(b, err)
	first := time.Now().AddDate(-1, 0, 0)
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := w; i < manySessions; i += writers {
				_, err := s.CreateSession(context.Background(), store.NewSession{
					ID: uuid.NewString(), Scenario: sc, Version: version, Opening: sim.Opening{Message: "Hello"},
					Visitor: store.Visitor{IP: "203.0.113.9", UserAgent: "Mozilla/5.0"}, StartedAt: first.Add(time.Duration(i) * time.Since(first) / manySessions),
				}, store.Once{}, nil)
				if err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	return s
}
