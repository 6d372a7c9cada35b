package faults_test

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"simora/tests/product"
	"simora/tests/s3server"
)

// line is a connection to a server that can be cut.
type line struct {
	address string // of its near end
	to      string

	mu    sync.Mutex
	cut   bool // after room more bytes towards the server
	reset bool // what is cut is hung up on, and not just silent
	room  int
	heal  chan struct{} // closed when a cut line is mended
	stuck atomic.Bool   // something met the cut
}

// lay puts a line before the bucket that address names.
func lay(t *testing.T, address string) (l *line, through string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	before, rest, _ := strings.Cut(address, "@")
	to, name, _ := strings.Cut(rest, "/")
	l = &line{address: listener.Addr().String(), to: to}
	go func() {
		for {
			near, err := listener.Accept()
			if err != nil {
				return
			}
			go l.carry(near.(*net.TCPConn))
		}
	}()
	return l, before + "@" + l.address + "/" + name
}

// Cut lets so many bytes more go to the server, then nothing in either
// direction until Mend.
func (l *line) Cut(room int, reset bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cut, l.reset, l.room, l.heal = true, reset, room, make(chan struct{})
	l.stuck.Store(false)
}

// Mend ends Cut. What was cut stays lost.
func (l *line) Mend() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cut = false
	close(l.heal)
}

func (l *line) carry(near *net.TCPConn) {
	defer func() { _ = near.Close() }()
	server, err := net.Dial("tcp", l.to)
	if err != nil {
		return
	}
	defer func() { _ = server.Close() }()
	go func() {
		l.copy(near, server, false)
		_ = near.Close()
	}()
	l.copy(server, near, true)
}

func (l *line) copy(to, from net.Conn, onward bool) {
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		if err != nil {
			return
		}
		n, heal := l.lets(n, onward)
		if _, err := to.Write(buffer[:n]); err != nil {
			return
		}
		if heal == nil {
			continue
		}
		l.stuck.Store(true)
		if l.reset {
			_ = from.(*net.TCPConn).SetLinger(0)
			return
		}
		<-heal
		return
	}
}

// lets is how much of n bytes may pass; heal is not nil when the line is cut
// there.
func (l *line) lets(n int, onward bool) (allowed int, heal <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case !l.cut, onward && n <= l.room:
		if l.cut {
			l.room -= n
		}
		return n, nil
	case !onward && l.room > 0: // answers pass until then
		return n, nil
	}
	allowed, l.room = l.room, 0
	if !onward {
		allowed = 0
	}
	return allowed, l.heal
}

// film is one of so many bytes, like no other number's.
func film(n uint64, size int) []byte {
	content := make([]byte, size/8*8)
	random := rand.New(rand.NewPCG(n, n))
	for i := 0; i < len(content); i += 8 {
		for j, v := 0, random.Uint64(); j < 8; j++ {
			content[i+j] = byte(v >> (8 * j))
		}
	}
	head := "\x00\x00\x00\x20ftypisom\x00\x00\x02\x00isomiso2avc1mp41" + "\x00\x00\x00\x00mdat" // a box that goes to the end
	return append([]byte(head), content...)
}

const objects = "/storage/v1/object/industry-media/"

// public reads an object as a visitor.
func public(t *testing.T, s *product.Server, name string) (status int, content []byte) {
	t.Helper()
	response, err := http.Get(s.URL + "/storage/v1/object/public/industry-media/" + name)
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	content, err = io.ReadAll(response.Body)
	require.NoError(t, err)
	return response.StatusCode, content
}

// gone is the status of an object that is not there, as the storage says it.
const gone = http.StatusBadRequest

// An upload to a bucket that hangs, or goes away in the middle, fails in its
// time and leaves nothing; everybody else is served meanwhile; and all goes on
// when the bucket is back.
func TestBucketMisbehaves(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for a bucket that says nothing")
	}
	t.Parallel()
	bucket := s3server.Start(t)
	content := film(1, 4<<20)
	for name, cut := range map[string]struct {
		room  int
		reset bool
	}{
		"takes connections and nothing else": {0, false},
		"takes half and is silent":           {2 << 20, false},
		"takes half and resets":              {2 << 20, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			object := fmt.Sprintf("healthcare/%d_%t.mp4", cut.room, cut.reset)
			wire, address := lay(t, bucket)
			server := product.Start(t, t.TempDir(), "SIMORA_MEDIA_URL="+address, "SIMORA_ADMIN_EMAIL="+boss, "SIMORA_ADMIN_PASSWORD="+password)
			warm(t, server)
			token := signIn(t, server)
			wire.Cut(cut.room, cut.reset)

			failed := make(chan string, 1)
			began := time.Now()
			go func() {
				status, said := send(t, server, objects+object, token, "video/mp4", content)
				failed <- fmt.Sprint(status, said)
			}()
			l := &learner{}
			for range 3 {
				assert.Equal(t, http.StatusOK, l.say(t.Context(), t, server))
				assert.Equal(t, http.StatusOK, get(t, server.URL+"/industries/healthcare"))
				assert.Equal(t, http.StatusOK, get(t, server.URL+"/readyz"))
			}
			said := <-failed
			t.Logf("refused after %v", time.Since(began).Round(time.Millisecond))
			assert.True(t, strings.HasPrefix(said, "503"), said)
			assert.Contains(t, said, `"code":"unavailable"`)
			assert.NotContains(t, said, wire.address)
			assert.True(t, wire.stuck.Load())

			wire.Mend()
			require.Eventually(t, func() bool {
				status, _ := public(t, server, object)
				return status == gone
			}, 30*time.Second, 50*time.Millisecond, "nothing is there, not half of it either")
			require.Eventually(t, func() bool {
				status, said := send(t, server, objects+object, token, "video/mp4", content)
				return assert.Equal(t, http.StatusOK, status, said)
			}, 30*time.Second, 50*time.Millisecond)
			status, got := public(t, server, object)
			assert.Equal(t, http.StatusOK, status)
			assert.True(t, bytes.Equal(content, got))
		})
	}
}
