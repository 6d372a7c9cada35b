package network_test

import (
	"bytes"
	"crypto/tls"
	"flag"
	"fmt"
	"io"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"simora/tests/acmeserver"
	"simora/tests/product"
)

var resets = flag.Int("resets", 8_000, "how many streams of HTTP/2 are opened and reset")

const (
	flooders   = 4
	mostGrowth = 96 << 20 // bytes
	fewMore    = 10       // goroutines that come and go by themselves
)

// Whoever opens streams of HTTP/2 and resets them at once keeps nobody from
// being served, and leaves nothing behind.
func TestFloodOfResets(t *testing.T) {
	if testing.Short() {
		t.Skip("floods")
	}
	metrics := acmeserver.FreeAddress(t)
	d := encrypted(t, "SIMORA_METRICS_LISTEN="+metrics)
	visitor := &http.Client{Timeout: patience, Transport: &http.Transport{TLSClientConfig: d.trust, ForceAttemptHTTP2: true}}
	visit := func() {
		response, err := visitor.Get(d.URL + "/industries/healthcare")
		if assert.NoError(t, err) {
			_, _ = io.Copy(io.Discard, response.Body)
			_ = response.Body.Close()
			assert.Equal(t, http.StatusOK, response.StatusCode)
		}
	}
	visit()
	before := product.Goroutines(t, metrics)
	memory, err := d.Memory()
	require.NoError(t, err)

	connections := make([]int, flooders)
	var flood sync.WaitGroup
	for i := range flooders {
		flood.Go(func() {
			for sent := 0; sent < *resets/flooders && !t.Failed(); connections[i]++ {
				sent += d.reset(t, *resets/flooders-sent)
			}
		})
	}
	began := time.Now()
	over := make(chan struct{})
	go func() {
		flood.Wait()
		close(over)
	}()
	visits := 0
	for flooding := true; flooding; visits++ {
		visit()
		select {
		case <-over:
			flooding = false
		default:
		}
	}
	took := time.Since(began)
	require.Eventually(t, func() bool { return product.Goroutines(t, metrics) <= before+fewMore }, patience, 100*time.Millisecond)
	after, err := d.Memory()
	require.NoError(t, err)
	assert.Less(t, after-memory, int64(mostGrowth))
	t.Logf("%d resets over %v connections in %v, %d visits meanwhile; %d goroutines before, %d after; %d MB more", *resets, connections, took.Round(time.Millisecond), visits, before, product.Goroutines(t, metrics), (after-memory)>>20)
}

// reset opens and resets up to n streams on one connection, and returns how
// many it got to before the server hung up.
func (d door) reset(t *testing.T, n int) (sent int) {
	trust := d.trust.Clone()
	trust.NextProtos = []string{http2.NextProtoTLS}
	conn, err := tls.Dial("tcp", d.address, trust)
	if !assert.NoError(t, err) {
		return 0
	}
	defer func() { _ = conn.Close() }()
	_ = conn.SetDeadline(time.Now().Add(patience))
	go func() { _, _ = io.Copy(io.Discard, conn) }()
	var block bytes.Buffer
	encoder := hpack.NewEncoder(&block)
	framer := http2.NewFramer(conn, nil)
	if _, err := io.WriteString(conn, http2.ClientPreface); err != nil {
		return 0
	}
	if err := framer.WriteSettings(); err != nil {
		return 0
	}
	for ; sent < n; sent++ {
		block.Reset()
		for _, field := range [][2]string{{":method", "GET"}, {":scheme", "https"}, {":authority", "localhost"}, {":path", fmt.Sprint("/rest/v1/scenarios?slug=eq.", sent)}, {"apikey", d.Key}} {
			_ = encoder.WriteField(hpack.HeaderField{Name: field[0], Value: field[1]})
		}
		stream := uint32(2*sent + 1)
		if err := framer.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: block.Bytes(), EndStream: true, EndHeaders: true}); err != nil {
			return sent
		}
		if err := framer.WriteRSTStream(stream, http2.ErrCodeCancel); err != nil {
			return sent
		}
	}
	return sent
}
