package faults_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"simora/server/session"
	"simora/tests/pgserver"
	"simora/tests/product"
)

var restarts = flag.Int("restarts", 3, "how many times an instance is restarted in turn")

// drain is longer than the proxy takes to notice.
const drain = time.Second

// proxy spreads requests over the instances that say they are ready, as any
// load balancer does: it asks /readyz, and tries another instance only when a
// request has not reached the first.
type proxy struct {
	backends []string
	ready    []atomic.Bool
	turn     atomic.Int64
	inner    http.Transport
}

func startProxy(t *testing.T, backends ...string) string {
	t.Helper()
	p := &proxy{backends: backends, ready: make([]atomic.Bool, len(backends))}
	p.inner.MaxIdleConnsPerHost = 64
	front := httptest.NewServer(&httputil.ReverseProxy{
		Rewrite:   func(r *httputil.ProxyRequest) { r.Out.URL.Scheme = "http"; r.SetXForwarded() },
		Transport: p, FlushInterval: -1,
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
	})
	ctx, stop := context.WithCancel(context.Background())
	t.Cleanup(func() { stop(); front.Close(); p.inner.CloseIdleConnections() })
	for i := range backends {
		go p.watch(ctx, i)
	}
	require.Eventually(t, func() bool { return p.ready[0].Load() && p.ready[1].Load() }, 30*time.Second, 20*time.Millisecond)
	return front.URL
}

// startCaddy runs deploy/Caddyfile with other addresses.
func startCaddy(t *testing.T, backends ...string) string {
	t.Helper()
	raw, err := os.ReadFile("../../deploy/Caddyfile")
	require.NoError(t, err)
	text := strings.Replace(string(raw), "simora-1:8080 simora-2:8080", strings.Join(backends, " "), 1)
	file := filepath.Join(t.TempDir(), "Caddyfile")
	require.NoError(t, os.WriteFile(file, []byte("{\n\tadmin off\n}\n"+text), 0o600))
	url := "http://" + freeAddress(t)
	command := exec.CommandContext(t.Context(), "caddy", "run", "--config", file, "--adapter", "caddyfile")
	command.Env = append(os.Environ(), "DOMAIN="+url, "XDG_CONFIG_HOME="+t.TempDir(), "XDG_DATA_HOME="+t.TempDir())
	require.NoError(t, command.Start())
	t.Cleanup(func() { _ = command.Wait() })
	require.Eventually(t, func() bool {
		response, err := http.Get(url + "/readyz")
		if err == nil {
			_ = response.Body.Close()
		}
		return err == nil && response.StatusCode == http.StatusOK
	}, 30*time.Second, 100*time.Millisecond)
	return url
}

func (p *proxy) watch(ctx context.Context, i int) {
	client := http.Client{Timeout: 5 * time.Second}
	for ctx.Err() == nil {
		response, err := client.Get("http://" + p.backends[i] + "/readyz")
		p.ready[i].Store(err == nil && response.StatusCode == http.StatusOK)
		if err == nil {
			_ = response.Body.Close()
		}
		time.Sleep(50 * time.Millisecond)
	}
}

func (p *proxy) RoundTrip(r *http.Request) (*http.Response, error) {
	var body []byte
	var err error
	if r.Body != nil {
		if body, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
	}
	for range 1000 {
		i := int(p.turn.Add(1)) % len(p.backends)
		if !p.ready[i].Load() {
			time.Sleep(10 * time.Millisecond)
			continue
		}
		r.URL.Host, r.Body = p.backends[i], io.NopCloser(bytes.NewReader(body))
		var response *http.Response
		if response, err = p.inner.RoundTrip(r); err == nil {
			return response, nil
		}
		if op := new(net.OpError); !errors.As(err, &op) || op.Op != "dial" {
			return nil, err // it may have been worked on
		}
	}
	return nil, fmt.Errorf("no instance is ready: %w", err)
}

// pair is two instances on one database behind a proxy.
type pair struct {
	dir     string
	url     string // of the database
	env     [2][]string
	servers [2]*product.Server
	front   *product.Server
}

func startPair(t *testing.T, front func(t *testing.T, backends ...string) (url string), env ...string) *pair {
	t.Helper()
	if testing.Short() {
		t.Skip("restarts and kills processes for a while")
	}
	p := &pair{dir: t.TempDir(), url: pgserver.Database(t)}
	var addresses []string
	for i := range p.servers {
		address := freeAddress(t)
		addresses = append(addresses, address)
		p.env[i] = append([]string{"SIMORA_DATABASE_URL=" + p.url, "SIMORA_LISTEN=" + address, "SIMORA_TRUSTED_PROXIES=127.0.0.0/8"}, env...)
	}
	for i := range p.servers {
		p.restart(t, i)
		warm(t, p.servers[i])
	}
	p.front = p.servers[0].Via(front(t, addresses...))
	t.Cleanup(func() {
		for _, s := range p.servers {
			s.Kill()
		}
	})
	return p
}

func (p *pair) restart(t *testing.T, i int) {
	t.Helper()
	var err error
	p.servers[i], err = product.TryStart(p.dir, p.env[i]...)
	require.NoError(t, err)
}

func freeAddress(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { require.NoError(t, l.Close()) }()
	return l.Addr().String()
}

// Instances are restarted one after the other under load: no request fails, and
// no turn that is being read while it is written.
func TestRollingRestartFailsNoRequest(t *testing.T) {
	restartInTurn(t, startPair(t, startProxy, "SIMORA_DRAIN_DELAY="+drain.String()))
}

// The same with the proxy and the delay that deploy/ has.
func TestRollingRestartBehindCaddy(t *testing.T) {
	if _, err := exec.LookPath("caddy"); err != nil {
		t.Skip("no caddy on this machine")
	}
	restartInTurn(t, startPair(t, startCaddy, "SIMORA_DRAIN_DELAY=3s"))
}

func restartInTurn(t *testing.T, p *pair) {
	ctx, stop := context.WithCancel(t.Context())
	var requests atomic.Int64
	var load sync.WaitGroup
	defer func() { stop(); load.Wait() }()
	for i := range 4 {
		load.Go(func() {
			for ctx.Err() == nil {
				playOnce(t, p.front, i%2 == 0, &requests)
			}
		})
	}
	for n := range *restarts {
		before := requests.Load()
		require.Zero(t, p.servers[n%2].Stop(), "an orderly end")
		p.restart(t, n%2)
		require.Eventually(t, func() bool { return get(t, p.servers[n%2].URL+"/readyz") == http.StatusOK }, 30*time.Second, 20*time.Millisecond)
		time.Sleep(200 * time.Millisecond) // the proxy notices
		require.Eventually(t, func() bool { return requests.Load() > before+10 }, time.Minute, 10*time.Millisecond, "there is load")
	}
	stop()
	load.Wait()
	t.Logf("%d restarts, %d requests, none failed", *restarts, requests.Load())
}

// playOnce is a page view and a run; turns are read aloud or whole.
func playOnce(t *testing.T, s *product.Server, aloud bool, requests *atomic.Int64) {
	ctx := context.Background()
	assert.Equal(t, http.StatusOK, get(t, s.URL+"/industries/healthcare"))
	var started session.Started
	_, err := s.Call(ctx, "session-start", "", session.StartInput{ScenarioSlug: "healthcare-emergency"}, &started)
	if !assert.NoError(t, err) {
		return
	}
	requests.Add(2)
	for n := range 3 {
		in := session.TurnInput{SessionID: started.SessionID, UserMessage: fmt.Sprintf("Message %d: where does it hurt?", n)}
		if aloud {
			assert.NoError(t, turnAloud(ctx, s, in))
		} else {
			_, err = s.Call(ctx, "session-turn", "", in, &session.TurnOutput{})
			assert.NoError(t, err)
		}
		requests.Add(1)
	}
}

func turnAloud(ctx context.Context, s *product.Server, in session.TurnInput) error {
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+"/functions/v1/session-turn", bytes.NewReader(body))
	if err != nil {
		return err
	}
	for name, value := range map[string]string{"Content-Type": "application/json", "Apikey": s.Key, "Authorization": "Bearer " + s.Key, "Accept": "text/event-stream"} {
		r.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	events, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK || !bytes.Contains(events, []byte("event: answer")) {
		return fmt.Errorf("turn aloud: %d %q %w", response.StatusCode, events, err)
	}
	return nil
}

// Instances are killed one after the other under load: no acknowledged turn is
// lost, none is doubled, and every learner gets on.
func TestInstancesKilledInTurnLoseNothing(t *testing.T) {
	p := startPair(t, startProxy)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var mu sync.Mutex
	var all []*learner
	active := make([]*learner, learners)
	var wg sync.WaitGroup
	for i := range active {
		wg.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				l := &learner{random: rand.New(rand.NewPCG(uint64(i), uint64(n)))}
				mu.Lock()
				all, active[i] = append(all, l), l
				mu.Unlock()
				for ctx.Err() == nil && !l.done {
					l.play(ctx, t, p.front) // comes back when a start fails
				}
			}
		})
	}
	random := rand.New(rand.NewPCG(5, 6))
	for n := range *kills {
		time.Sleep(time.Duration(20+random.IntN(200)) * time.Millisecond)
		p.servers[n%2].Kill()
		p.restart(t, n%2)
	}
	stop()
	wg.Wait()
	for _, l := range active {
		if l.pending != nil {
			l.repeat(t.Context(), t, p.front)
		}
	}
	turns := examine(t, p.dir, p.url, all)
	t.Logf("%d kills, %d sessions, %d acknowledged turns", *kills, len(all), turns)
	require.Greater(t, turns, *kills, "the test must have had something to lose")
}

// A socket that was handed over outlives the process: what connects during a
// restart waits and is answered by the next one.
func TestHandedOverSocketLosesNoConnection(t *testing.T) {
	if testing.Short() {
		t.Skip("restarts processes for a while")
	}
	binary, err := product.Build()
	require.NoError(t, err)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	socket, err := l.(*net.TCPListener).File()
	require.NoError(t, err)
	t.Cleanup(func() { _ = socket.Close() })
	url := "http://" + l.Addr().String()
	require.NoError(t, l.Close()) // the file keeps the socket

	dir := t.TempDir()
	launch := func() *exec.Cmd {
		command := exec.Command("sh", "-c", `LISTEN_PID=$$ exec "$0" serve`, binary)
		command.Env = append(os.Environ(), "SIMORA_DATA="+dir, "LISTEN_FDS=1", "SIMORA_LIMIT_FACTOR=100000", "NOTIFY_SOCKET="+filepath.Join(dir, "notify"))
		command.ExtraFiles = []*os.File{socket}
		require.NoError(t, command.Start())
		t.Cleanup(func() { _ = command.Process.Kill() })
		return command
	}
	notes := listenForNotes(t, filepath.Join(dir, "notify"))
	process := launch()
	require.Equal(t, "READY=1", <-notes)
	ctx, stop := context.WithCancel(t.Context())
	var requests atomic.Int64
	var load sync.WaitGroup
	client := http.Client{Timeout: time.Minute, Transport: &http.Transport{DisableKeepAlives: true}}
	for range 4 {
		load.Go(func() {
			for ctx.Err() == nil {
				response, err := client.Get(url + "/contact")
				if assert.NoError(t, err) {
					_, err = io.Copy(io.Discard, response.Body)
					assert.NoError(t, err)
					assert.Equal(t, http.StatusOK, response.StatusCode)
					_ = response.Body.Close()
				}
				requests.Add(1)
			}
		})
	}
	for range *restarts {
		before := requests.Load()
		require.Eventually(t, func() bool { return requests.Load() > before+20 }, 30*time.Second, time.Millisecond, "there is load")
		require.NoError(t, process.Process.Signal(os.Interrupt))
		require.NoError(t, process.Wait())
		require.Equal(t, "STOPPING=1", <-notes)
		process = launch()
		require.Equal(t, "READY=1", <-notes)
	}
	stop()
	load.Wait()
	t.Logf("%d restarts, %d requests, none failed", *restarts, requests.Load())
}

func listenForNotes(t *testing.T, path string) <-chan string {
	t.Helper()
	conn, err := net.ListenPacket("unixgram", path)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	notes := make(chan string, 100)
	go func() {
		defer close(notes)
		buffer := make([]byte, 4096)
		for {
			n, _, err := conn.ReadFrom(buffer)
			if err != nil {
				return
			}
			lines := bufio.NewScanner(bytes.NewReader(buffer[:n]))
			for lines.Scan() {
				notes <- lines.Text()
			}
		}
	}()
	return notes
}
