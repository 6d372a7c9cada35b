package bench_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"simora/server/keyring"
	"simora/server/sim"
	"simora/server/store"
	"simora/tests/pgserver"
)

var manySessions = flag.Int("sessions", 100_000, "how many sessions the console and the start have to do with")

// BenchmarkConsole prints, with many sessions, the time to the first page
// of the console's list, to its last, to a search by address, and to the
// dashboard of a year; bare is the database's part of the first page: the same
// rows by the same index, nothing opened and nothing counted.
func BenchmarkConsole(b *testing.B) {
	for name, url := range map[string]func() string{"sqlite": func() string { return "" }, "postgres": func() string { return pgserver.Database(b) }} {
		b.Run(name, func(b *testing.B) {
			dir, address := b.TempDir(), url()
			s := fill(b, dir, address)
			b.Cleanup(func() { _ = s.Close() })
			db := raw(b, dir, address)
			ctx := context.Background()
			for _, c := range []struct {
				name string
				ask  func() error
			}{
				{"bare", func() error { return scan(ctx, db) }},
				{"first-page", func() error { return list(ctx, s, store.SessionFilter{Limit: 50, CountTotal: true}) }},
				{"last-page", func() error {
					return list(ctx, s, store.SessionFilter{Limit: 50, Offset: *manySessions - 50, CountTotal: true})
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

// raw is the database without the store.
func raw(b *testing.B, dir, url string) *sql.DB {
	driver := "pgx"
	if url == "" {
		driver, url = "sqlite", "file:"+filepath.Join(dir, "simora.db")+"?_pragma=busy_timeout(10000)&_txlock=immediate"
	}
	db, err := sql.Open(driver, url)
	require.NoError(b, err)
	b.Cleanup(func() { _ = db.Close() })
	return db
}

func scan(ctx context.Context, db *sql.DB) (err error) {
	rows, err := db.QueryContext(ctx, "SELECT id, scenario_title, started_at, visitor FROM sessions ORDER BY started_at DESC, id DESC LIMIT 50")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var id, title string
		var at int64
		var visitor []byte
		if err := rows.Scan(&id, &title, &at, &visitor); err != nil {
			return err
		}
	}
	return rows.Err()
}

// portion is how many sessions one statement stores.
const portion = 250

// fill makes many sessions over a year, two of three finished. Their visitors
// are sealed as the product does it, because the lists open them; the messages
// all have the same content, which nobody opens.
func fill(b *testing.B, dir, url string) *store.Store {
	b.Helper()
	ctx := context.Background()
	keys, err := keyring.Load(filepath.Join(dir, keyring.FileName))
	require.NoError(b, err)
	s, err := store.Open(ctx, store.Options{URL: url, Dir: dir, Keyring: keys, Log: slog.New(slog.DiscardHandler), Exclusive: true})
	require.NoError(b, err)
	sc := sim.Scenario{ID: uuid.NewString(), Title: "Chest Pain Assessment", Slug: "bench", Industry: sim.Healthcare, Rubric: []byte(`{}`), MaxTurns: 8, IsPublic: true}
	require.NoError(b, s.SeedScenario(ctx, sc))
	sc, version, err := s.ScenarioBySlug(ctx, "bench", true)
	require.NoError(b, err)
	who, err := json.Marshal(store.Visitor{IP: "203.0.113.9", UserAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", Language: "en-GB"})
	require.NoError(b, err)

	db := raw(b, dir, url)
	tx, err := db.Begin()
	require.NoError(b, err)
	now := time.Now()
	first := now.AddDate(-1, 0, 0)
	for done := 0; done < *manySessions; done += portion {
		var values []string
		var args []any
		for i := done; i < min(done+portion, *manySessions); i++ {
			id, at := uuid.NewString(), first.Add(time.Duration(i)*(now.Sub(first)/time.Duration(*manySessions)))
			visitor, err := keys.SealFor(keyring.Day{Kind: keyring.Sessions, At: at}, keyring.Place{Table: "sessions", Column: "visitor", Row: id}, who)
			require.NoError(b, err)
			var completed, score any
			if i%3 > 0 {
				completed, score = at.UnixMilli()+600_000, i*7%101
			}
			n := len(args)
			values = append(values, fmt.Sprintf("($%d,$%d,$%d,$%d,$%d,1,8,8,FALSE,$%d,$%d,$%d,$%d,$%d,FALSE,0,0,0,'')", n+1, n+2, n+3, n+4, n+5, n+6, n+6, n+7, n+8, n+9))
			args = append(args, id, sc.ID, version, sc.Title, string(sc.Industry), at.UnixMilli(), completed, score, visitor)
		}
		_, err := tx.Exec(`INSERT INTO sessions (id, scenario_id, scenario_version, scenario_title, scenario_industry, seed, max_turns, turn_count, ended,
			started_at, last_turn_at, completed_at, score_overall, visitor, recipient_fixed, mail_count, fence, lease_until, lease_key) VALUES `+strings.Join(values, ","), args...)
		require.NoError(b, err)
	}
	_, err = tx.Exec("INSERT INTO messages (session_id, seq, role, content, engine, demeanour, created_at) SELECT id, 0, 'assistant', $1, 'built-in', '', started_at FROM sessions", make([]byte, 200))
	require.NoError(b, err)
	require.NoError(b, tx.Commit())
	if url != "" { // as autovacuum does a minute later; SQLite has no such thing
		_, err = db.Exec("VACUUM ANALYZE")
		require.NoError(b, err)
	}
	return s
}
