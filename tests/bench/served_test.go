package bench_test

import (
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"simora/server/session"
	"simora/server/sim"
	"simora/tests/pgserver"
	"simora/tests/product"
)

// installation is one or more instances of the binary on one database.
type installation struct {
	name      string
	instances int
	url       func(b *testing.B) string // of the database; empty: SQLite
}

func embedded(*testing.B) string { return "" }

func installations() []installation {
	postgres := func(b *testing.B) string { return pgserver.Database(b) }
	return []installation{{"sqlite", 1, embedded}, {"postgres", 1, postgres}, {"postgres-2-instances", 2, postgres}}
}

func (i installation) start(b *testing.B) (servers []*product.Server, url string) {
	url = i.url(b)
	dir := b.TempDir() // all instances have the keys
	for range i.instances {
		servers = append(servers, product.Start(b, dir, "SIMORA_DATABASE_URL="+url))
	}
	return servers, url
}

// BenchmarkServedTurns prints turns per second and their latency through the
// real binary and HTTP, of so many sessions at once that never pause. Beside
// it, in the same run, as many callers commit to the bare database (bare/s) and
// ask the server for nothing (http/s). A turn that is refused for want of a
// connection to the database is sent again; its latency has all of it.
func BenchmarkServedTurns(b *testing.B) {
	for _, i := range installations() {
		b.Run(i.name, func(b *testing.B) {
			servers, url := i.start(b)
			bare := bareDatabase(b, url)
			nothing, _ := getter(b, servers[0].URL+"/livez", "")
			for _, sessions := range []int{1, 50, 1000} {
				b.Run(fmt.Sprintf("sessions=%d", sessions), func(b *testing.B) {
					all := visitors(b, servers, sessions)
					var turns, limit, web, ratios []float64
					var took []time.Duration
					var refused int
					for b.Loop() {
						before := count(all)
						start := time.Now()
						together(sessions, func(v int) {
							for time.Since(start) < 2*round {
								all[v].turn(b)
							}
						})
						turns = append(turns, float64(count(all)-before)/time.Since(start).Seconds())
						limit = append(limit, during(min(sessions, callers(url)), bare))
						web = append(web, during(sessions, nothing))
						ratios = append(ratios, turns[len(turns)-1]/limit[len(limit)-1])
					}
					for _, v := range all {
						took = append(took, v.took...)
						refused += v.refused
					}
					b.ReportMetric(0, "ns/op")
					b.ReportMetric(median(turns), "turns/s")
					b.ReportMetric(median(limit), "bare/s")
					b.ReportMetric(median(web), "http/s")
					b.ReportMetric(median(ratios), "ratio")
					b.ReportMetric(100*float64(refused)/float64(len(took)+refused), "refused-%")
					percentiles(b, took)
				})
			}
		})
	}
}

func percentiles(b *testing.B, took []time.Duration) {
	slices.Sort(took)
	for _, p := range []int{50, 95, 99} {
		b.ReportMetric(took[len(took)*p/100].Seconds()*1000, fmt.Sprintf("p%d-ms", p))
	}
}

// visitor plays one run after the other and keeps how long each turn took.
type visitor struct {
	server  *product.Server
	id      string
	said    int
	refused int
	took    []time.Duration
}

// visitors have an address each, as limits by address expect, and have begun
// their runs.
func visitors(b *testing.B, servers []*product.Server, n int) []*visitor {
	all := make([]*visitor, n)
	together(n, func(i int) {
		all[i] = &visitor{server: servers[i%len(servers)].From(fmt.Sprintf("127.1.%d.%d", i/250, i%250+1))}
		all[i].begin(b)
	})
	return all
}

func (v *visitor) begin(b *testing.B) {
	var out session.Started
	v.call(b, "session-start", session.StartInput{ScenarioSlug: "healthcare-emergency"}, &out)
	v.id = out.SessionID
}

// turn is one exchange; the last one of a run is followed by its report and
// the next run's beginning.
func (v *visitor) turn(b *testing.B) {
	var out session.TurnOutput
	start := time.Now()
	v.said++
	v.call(b, "session-turn", session.TurnInput{SessionID: v.id, UserMessage: said[v.said%len(said)]}, &out)
	v.took = append(v.took, time.Since(start))
	if out.IsComplete {
		v.call(b, "session-complete", session.CompleteInput{SessionID: v.id}, &sim.Report{})
		v.begin(b)
	}
}

func (v *visitor) call(b *testing.B, function string, in, out any) {
	for {
		status, err := v.server.Call(b.Context(), function, "", in, out)
		if status != http.StatusServiceUnavailable {
			if err != nil {
				b.Error(err)
			}
			return
		}
		v.refused++
		time.Sleep(round / 10)
	}
}

func count(all []*visitor) (turns int) {
	for _, v := range all {
		turns += len(v.took)
	}
	return turns
}

func together(n int, do func(i int)) {
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { do(i) })
	}
	wg.Wait()
}

// BenchmarkMemory prints the resident memory of one instance: ready, per
// session that was begun and says nothing, and per session of a thousand that
// talk without a pause.
func BenchmarkMemory(b *testing.B) {
	const idle, active = 5000, 1000
	for _, i := range installations()[:2] {
		b.Run(i.name, func(b *testing.B) {
			var ready, perIdle, perActive []float64
			for b.Loop() {
				servers, _ := i.start(b)
				server := servers[0]
				empty := memory(b, server)
				var begun atomic.Int64
				together(learners, func(i int) {
					v := &visitor{server: server.From(fmt.Sprintf("127.2.0.%d", i+1))}
					for begun.Add(1) <= idle {
						v.begin(b)
					}
				})
				quiet := memory(b, server)
				all := visitors(b, servers, active)
				start, most := time.Now(), quiet
				together(active+1, func(v int) {
					for time.Since(start) < 3*round {
						if v == active {
							most = max(most, memory(b, server))
							time.Sleep(round / 20)
							continue
						}
						all[v].turn(b)
					}
				})
				server.Kill()
				ready = append(ready, empty/(1<<20))
				perIdle = append(perIdle, (quiet-empty)/(1<<10)/idle)
				perActive = append(perActive, (most-quiet)/(1<<10)/active)
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(median(ready), "ready-MB")
			b.ReportMetric(median(perIdle), "idle-kB/session")
			b.ReportMetric(median(perActive), "active-kB/session")
		})
	}
}

func memory(b *testing.B, s *product.Server) float64 {
	bytes, err := s.Memory()
	require.NoError(b, err)
	return float64(bytes)
}
