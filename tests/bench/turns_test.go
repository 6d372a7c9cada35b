// Package bench_test measures the product beside what it stands on, in one
// run: absolute numbers differ between machines, ratios hardly.
package bench_test

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"simora/scenarios"
	"simora/server/engine"
	"simora/server/keyring"
	"simora/server/scenario"
	"simora/server/score"
	"simora/server/session"
	"simora/server/store"
	"simora/tests/pgserver"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(filesVariable); dir != "" {
		serveFiles(dir)
		return
	}
	pgserver.Main(m)
}

const (
	learners = 64
	round    = time.Second
)

// BenchmarkDurableTurns prints turns per second of many sessions at once (the
// whole step: lease, understanding, reply, sealed messages, commit, judged at
// the end) beside the commits per second of the bare database with a row of
// the same size: by one caller (bare/s), and by as many callers as the
// database likes (bare-many/s). It is one process, to be profiled with
// -cpuprofile; BenchmarkServedTurns has the whole way.
func BenchmarkDurableTurns(b *testing.B) {
	for name, url := range map[string]func() string{"sqlite": func() string { return "" }, "postgres": func() string { return pgserver.Database(b) }} {
		b.Run(name, func(b *testing.B) { compare(b, url()) })
	}
}

func compare(b *testing.B, url string) {
	sessions := inProcess(b, url)
	bare := bareDatabase(b, url)
	many := callers(url)
	var turns, alone, crowd, ratios []float64
	for b.Loop() {
		turns = append(turns, during(learners, player(b, sessions)))
		alone = append(alone, during(1, bare))
		crowd = append(crowd, during(many, bare))
		ratios = append(ratios, turns[len(turns)-1]/max(alone[len(alone)-1], crowd[len(crowd)-1]))
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(median(turns), "turns/s")
	b.ReportMetric(median(alone), "bare/s")
	b.ReportMetric(median(crowd), "bare-many/s")
	b.ReportMetric(median(ratios), "ratio")
}

// during runs step by so many workers for one round and returns steps per
// second.
func during(workers int, step func(worker int) error) float64 {
	var done atomic.Int64
	var wg sync.WaitGroup
	start := time.Now()
	for w := range workers {
		wg.Go(func() {
			for time.Since(start) < round {
				if step(w) == nil {
					done.Add(1)
				}
			}
		})
	}
	wg.Wait()
	return float64(done.Load()) / time.Since(start).Seconds()
}

func median(values []float64) float64 {
	sort.Float64s(values)
	return values[len(values)/2]
}

func inProcess(b *testing.B, url string) *session.Sessions {
	dir := b.TempDir()
	keys, err := keyring.Load(filepath.Join(dir, keyring.FileName))
	require.NoError(b, err)
	s, err := store.Open(context.Background(), store.Options{URL: url, Dir: dir, Keyring: keys, Log: slog.Default(), Exclusive: url == ""})
	require.NoError(b, err)
	b.Cleanup(func() { _ = s.Close() })
	packages, err := scenario.Load(scenarios.Files)
	require.NoError(b, err)
	for _, p := range packages {
		sc := p.Scenario()
		sc.ID = uuid.NewString()
		require.NoError(b, s.SeedScenario(context.Background(), sc))
	}
	partner, err := engine.New(packages)
	require.NoError(b, err)
	judge := score.New(partner)
	return &session.Sessions{Store: s, Partner: partner, Judge: judge, Log: slog.Default(), Now: time.Now, NewID: uuid.NewString, NewSeed: func() uint64 { return 1 }}
}

// player gives each worker a session of its own, and the next when it is full.
func player(b *testing.B, s *session.Sessions) func(worker int) error {
	ids := make([]string, learners)
	turns := make([]int, learners)
	return func(w int) error {
		ctx := context.Background()
		if ids[w] == "" {
			out, err := s.Start(ctx, session.Visitor{}, session.StartInput{ScenarioSlug: "healthcare-emergency"})
			require.NoError(b, err)
			ids[w], turns[w] = out.SessionID, 0
		}
		turns[w]++
		out, err := s.Turn(ctx, session.Visitor{IdempotencyKey: fmt.Sprint(turns[w])}, session.TurnInput{
			SessionID: ids[w], UserMessage: said[turns[w]%len(said)],
		})
		if err != nil {
			return err
		}
		if out.IsComplete {
			ids[w] = ""
		}
		return nil
	}
}

var said = []string{
	"Hi Rosa, I'm Sam, your nurse. When did the pain start?",
	"Are you allergic to anything? I'm taking a 12-lead ECG now.",
	"Chew this aspirin for me, please, 300 mg.",
	"How bad is the pain from zero to ten?",
	"I'm calling the doctor to your bed right now.",
}

// bareDatabase commits one row of a turn's size and one counted up, as little
// as a turn can be, with the product's own durability settings.
func bareDatabase(b *testing.B, url string) func(int) error {
	driver := "pgx"
	if url == "" {
		driver = "sqlite"
		url = "file:" + filepath.Join(b.TempDir(), "bare.db") + "?_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=busy_timeout(10000)&_txlock=immediate"
	}
	db, err := sql.Open(driver, url)
	require.NoError(b, err)
	b.Cleanup(func() { _ = db.Close() })
	db.SetMaxOpenConns(callers(url))
	db.SetMaxIdleConns(callers(url))
	for _, text := range []string{"CREATE TABLE IF NOT EXISTS bare (id TEXT PRIMARY KEY, v BYTEA NOT NULL)", "CREATE TABLE IF NOT EXISTS bare_count (worker INTEGER PRIMARY KEY, n INTEGER NOT NULL)"} {
		_, err = db.Exec(text)
		require.NoError(b, err)
	}
	for worker := range learners {
		_, err = db.Exec("INSERT INTO bare_count (worker, n) VALUES ($1, 0) ON CONFLICT DO NOTHING", worker)
		require.NoError(b, err)
	}
	insert, err := db.Prepare("INSERT INTO bare (id, v) VALUES ($1, $2)")
	require.NoError(b, err)
	update, err := db.Prepare("UPDATE bare_count SET n = n + 1 WHERE worker = $1")
	require.NoError(b, err)
	row := make([]byte, 600)
	return func(worker int) error {
		tx, err := db.Begin()
		if err != nil {
			return err
		}
		defer func() { _ = tx.Rollback() }() // after the commit it does nothing
		if _, err := tx.Stmt(insert).Exec(uuid.NewString(), row); err != nil {
			return err
		}
		if _, err := tx.Stmt(update).Exec(worker); err != nil {
			return err
		}
		return tx.Commit()
	}
}

// callers is how many at once the database likes best. SQLite has one writer;
// more callers only wait for each other.
func callers(url string) int {
	if strings.HasPrefix(url, "postgres:") {
		return 16
	}
	return 1
}
