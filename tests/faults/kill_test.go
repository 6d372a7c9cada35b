// Package faults_test breaks the real binary while it works and looks at what
// is left.
package faults_test

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"simora/server/keyring"
	"simora/server/session"
	"simora/server/store"
	"simora/tests/pgserver"
	"simora/tests/product"
)

var kills = flag.Int("kills", 10, "how many times the process is killed")

func TestMain(m *testing.M) { pgserver.Main(m) }

// learner plays one session over many lives of the server. It repeats a turn
// with the same key until it is acknowledged.
type learner struct {
	id      string
	pending *session.TurnInput // sent, not acknowledged
	key     string
	acked   []exchange
	done    bool
	random  *rand.Rand
}

type exchange struct {
	said, heard string
	turn        int
}

const learners = 8

// A killed process and broken connections lose no acknowledged turn, leave no
// half turn, and double none that was repeated with its key.
func TestNoAcknowledgedTurnIsLostHalvedOrDoubled(t *testing.T) {
	if testing.Short() {
		t.Skip("kills processes for a while")
	}
	t.Run("sqlite", func(t *testing.T) { killOften(t, "") })
	t.Run("postgres", func(t *testing.T) { killOften(t, pgserver.Database(t)) })
}

func killOften(t *testing.T, url string) {
	dir := t.TempDir()
	env := []string{"SIMORA_DATABASE_URL=" + url}
	if url == "" {
		env = nil
	}
	random := rand.New(rand.NewPCG(1, 2))
	all := make([]*learner, 0, *kills*learners)
	active := make([]*learner, learners)
	for range *kills {
		server := product.Start(t, dir, env...)
		warm(t, server)
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		for i := range active {
			if active[i] == nil || active[i].done {
				active[i] = &learner{random: rand.New(rand.NewPCG(3, uint64(len(all))))}
				all = append(all, active[i])
			}
			wg.Go(func() { active[i].play(ctx, t, server) })
		}
		time.Sleep(time.Duration(20+random.IntN(130)) * time.Millisecond) // until some random moment of the work
		server.Kill()
		cancel()
		wg.Wait()
	}
	server := product.Start(t, dir, env...)
	for _, l := range active {
		if l.pending != nil {
			l.repeat(t.Context(), t, server)
		}
	}
	server.Kill()
	turns := examine(t, dir, url, all)
	t.Logf("%d kills, %d sessions, %d acknowledged turns", *kills, len(all), turns)
	require.Greater(t, turns, *kills, "the test must have had something to lose")
}

// warm lets the server learn the scenario, which its first turn waits for: the
// kill is to hit turns, not that.
func warm(t *testing.T, s *product.Server) {
	var out session.Started
	_, err := s.Call(t.Context(), "session-start", "", session.StartInput{ScenarioSlug: "healthcare-emergency"}, &out)
	require.NoError(t, err)
	var turn session.TurnOutput
	_, err = s.Call(t.Context(), "session-turn", out.SessionID, session.TurnInput{SessionID: out.SessionID, UserMessage: "Hello"}, &turn)
	require.NoError(t, err)
}

// play takes turns until the server goes away or the session is full.
func (l *learner) play(ctx context.Context, t *testing.T, s *product.Server) {
	if l.id == "" {
		var out session.Started
		if _, err := s.Call(ctx, "session-start", "", session.StartInput{ScenarioSlug: "healthcare-emergency"}, &out); err != nil {
			return
		}
		l.id = out.SessionID
	}
	for ctx.Err() == nil && !l.done {
		if l.pending == nil {
			n := len(l.acked) + 1
			l.pending = &session.TurnInput{SessionID: l.id, UserMessage: fmt.Sprintf("Message %d: where does it hurt?", n)}
			l.key = fmt.Sprintf("%s-%d", l.id, n)
		}
		l.send(ctx, t, s)
	}
}

// send reports whether the pending turn was acknowledged.
func (l *learner) send(ctx context.Context, t *testing.T, s *product.Server) bool {
	if l.random.IntN(3) == 0 { // the connection breaks before the answer is there
		var hangUp context.CancelFunc
		ctx, hangUp = context.WithTimeout(ctx, time.Duration(l.random.IntN(4000))*time.Microsecond)
		defer hangUp()
	}
	var out session.TurnOutput
	status, err := s.Call(ctx, "session-turn", l.key, l.pending, &out)
	if err != nil {
		// On PostgreSQL a lease outlives the process that held it.
		assert.Contains(t, []int{0, 409, 503}, status, "%v", err)
		return false
	}
	l.acked = append(l.acked, exchange{l.pending.UserMessage, out.NPCMessage, out.TurnCount})
	l.pending, l.done = nil, out.IsComplete
	return true
}

func (l *learner) repeat(ctx context.Context, t *testing.T, s *product.Server) {
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(45 * time.Second) // longer than a lease
	for l.id != "" && !l.send(ctx, t, s) {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("turn of session %s was never taken again", l.id)
		}
	}
}

// examine compares what was acknowledged with what is stored.
func examine(t *testing.T, dir, url string, all []*learner) (turns int) {
	t.Helper()
	keys, err := keyring.Load(filepath.Join(dir, keyring.FileName))
	require.NoError(t, err)
	s, err := store.Open(t.Context(), store.Options{URL: url, Dir: dir, Keyring: keys, Log: slog.Default()})
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	for _, l := range all {
		if l.id == "" {
			continue
		}
		sess, err := s.Session(t.Context(), l.id)
		require.NoError(t, err, "an acknowledged start is there")
		stored := sess.Messages[1:] // behind the opening
		require.Equal(t, 2*sess.TurnCount, len(stored), "no half turn")
		require.Len(t, stored, 2*len(l.acked), "no turn lost or doubled")
		for i, x := range l.acked {
			require.Equal(t, x.said, stored[2*i].Content)
			require.Equal(t, x.heard, stored[2*i+1].Content)
			require.Equal(t, i+1, x.turn)
		}
		turns += len(l.acked)
	}
	return turns
}
