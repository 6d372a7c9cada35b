package faults_test

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"simora/tests/product"
)

const (
	roomy  = 1 << 30  // bytes of address space beyond what a start takes, as deploy/kubernetes gives memory
	narrow = 48 << 20 // too few for what comes
	crowd  = 16       // of each kind at once
)

// With as much memory as deploy/ gives it, a server lives through a crowd of
// sign-ins, uploads and bodies that are too large, and plays on meanwhile. With
// far too little it may end, and has lost no turn that it acknowledged.
func TestLittleMemory(t *testing.T) {
	if _, err := exec.LookPath("prlimit"); err != nil || testing.Short() {
		t.Skip("this machine has no prlimit to limit the process with")
	}
	large := picture(t, 3000, 3000)
	for name, room := range map[string]int64{"roomy": roomy, "narrow": narrow} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			env := []string{"SIMORA_ADMIN_EMAIL=" + boss, "SIMORA_ADMIN_PASSWORD=" + password}
			server := product.Start(t, dir, env...)
			warm(t, server)
			token := signIn(t, server)
			all := make([]*learner, 4)
			for i := range all {
				all[i] = &learner{}
				require.Equal(t, http.StatusOK, all[i].say(t.Context(), t, server))
			}
			limit(t, server, room)

			ctx, stop := context.WithCancel(t.Context())
			var mu sync.Mutex
			statuses := map[int]int{}
			count := func(status int) {
				mu.Lock()
				defer mu.Unlock()
				statuses[status]++
			}
			var crowded, playing sync.WaitGroup
			for i := range crowd {
				crowded.Go(func() {
					count(post(server, "/auth/v1/token?grant_type=password", server.Key, "application/json", strings.NewReader(`{"email":"`+boss+`","password":"`+password+`"}`)))
				})
				crowded.Go(func() {
					count(post(server, objects+fmt.Sprintf("healthcare/%d.mp4", i), token, "video/mp4", bytes.NewReader(film(uint64(i), 2<<20))))
				})
				crowded.Go(func() {
					status := post(server, "/functions/v1/session-start", server.Key, "application/json", strings.NewReader(`{"scenarioSlug":"`+strings.Repeat("a", 8<<20)+`"}`))
					if status != 0 { // it may be hung up on before all is sent
						count(status)
					}
				})
				if i%4 == 0 {
					crowded.Go(func() {
						count(post(server, objects+fmt.Sprintf("healthcare/%d.png", i), token, "image/png", bytes.NewReader(large)))
					})
				}
			}
			for i := range all {
				playing.Go(func() {
					for ctx.Err() == nil && !all[i].done && all[i].say(ctx, t, server) != 0 {
					}
				})
			}
			most := int64(0)
			over := make(chan struct{})
			go func() {
				crowded.Wait()
				close(over)
			}()
			for watching := true; watching; {
				if now, err := server.Memory(); err == nil {
					most = max(most, now)
				}
				select {
				case <-over:
					watching = false
				case <-time.After(10 * time.Millisecond):
				}
			}
			stop()
			playing.Wait()
			_, err := server.Memory()
			alive := err == nil
			t.Logf("%d MB at most, answers %v, alive: %t", most>>20, statuses, alive)
			if room == roomy {
				require.True(t, alive)
				for status := range statuses {
					assert.Contains(t, []int{200, 400, 413, 429, 503}, status)
				}
				require.Eventually(t, func() bool { return get(t, server.URL+"/readyz") == http.StatusOK }, 20*time.Second, 50*time.Millisecond)
			}
			server.Kill()

			server = product.Start(t, dir, env...)
			for _, l := range all {
				for l.id != "" && l.pending != nil {
					require.Equal(t, http.StatusOK, l.say(t.Context(), t, server))
				}
			}
			server.Kill()
			turns := examine(t, dir, "", all)
			t.Logf("%d turns", turns)
			require.GreaterOrEqual(t, turns, len(all))
		})
	}
}

// limit lets a process have so many more bytes of address space.
func limit(t *testing.T, s *product.Server, room int64) {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.PID()))
	require.NoError(t, err)
	var kilobytes int64
	for line := range strings.Lines(string(status)) {
		if _, err := fmt.Sscanf(line, "VmSize: %d kB", &kilobytes); err == nil {
			break
		}
	}
	require.Positive(t, kilobytes)
	out, err := exec.CommandContext(t.Context(), "prlimit", fmt.Sprintf("--pid=%d", s.PID()), fmt.Sprintf("--as=%d", kilobytes<<10+room)).CombinedOutput()
	require.NoError(t, err, "%s", out)
}

func picture(t *testing.T, width, height int) []byte {
	t.Helper()
	var b bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestSpeed}
	require.NoError(t, encoder.Encode(&b, image.NewNRGBA(image.Rect(0, 0, width, height))))
	return b.Bytes()
}
