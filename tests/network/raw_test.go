// Package network_test holds the binary to its promises about connections: who
// may connect how, and to whom it connects.
package network_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"simora/tests/product"
)

// patience is how long an answer may take on a loaded machine; where an end of
// the connection is expected, the server's own limits are shorter.
const patience = 60 * time.Second

// ask writes raw bytes and reads all answers until the server hangs up or has
// nothing more to say.
func ask(t *testing.T, address, raw string) (statuses []int, closed bool) {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	require.NoError(t, err)
	defer func() { _ = conn.Close() }()
	require.NoError(t, conn.SetDeadline(time.Now().Add(patience)))
	go func() { _, _ = io.WriteString(conn, raw) }() // the server may hang up before all is written
	reader := bufio.NewReader(conn)
	for {
		response, err := http.ReadResponse(reader, nil)
		if err != nil {
			return statuses, true
		}
		_, err = io.Copy(io.Discard, response.Body)
		statuses = append(statuses, response.StatusCode)
		if response.Close || err != nil {
			return statuses, true
		}
		if reader.Buffered() == 0 {
			_ = conn.SetReadDeadline(time.Now().Add(300 * time.Millisecond)) // a second answer would be there by now
			if _, err := reader.Peek(1); err != nil {
				return statuses, err == io.EOF
			}
			_ = conn.SetReadDeadline(time.Now().Add(patience))
		}
	}
}

// What parsers disagree about is refused, or is the last thing that is read
// from a connection.
func TestAmbiguousRequests(t *testing.T) {
	server := product.Start(t, t.TempDir())
	host := "Host: localhost\r\n"
	smuggled := "GET /livez HTTP/1.1\r\n" + host + "\r\n"
	call := "POST /functions/v1/session-start HTTP/1.1\r\n" + host + "Content-Type: application/json\r\nApikey: " + server.Key + "\r\nAuthorization: Bearer " + server.Key + "\r\n"
	body := `{"scenarioSlug":"healthcare-emergency"}`
	chunked := fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(body), body)
	for _, c := range []struct {
		name, raw string
		want      []int // the answers
	}{
		{"a good one", "GET /livez HTTP/1.1\r\n" + host + "\r\n", []int{200}},
		{"two good ones", smuggled + smuggled, []int{200, 200}},
		{"a call with a length", call + fmt.Sprintf("Content-Length: %d\r\n\r\n", len(body)) + body + smuggled, []int{200, 200}},
		{"a call in chunks is the last", call + "Transfer-Encoding: chunked\r\n\r\n" + chunked + smuggled, []int{200}},
		{"length and chunks", call + "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n" + chunked + smuggled, []int{200}},
		{"length beyond the chunks", call + fmt.Sprintf("Content-Length: %d\r\nTransfer-Encoding: chunked\r\n\r\n", len(chunked+smuggled)) + chunked + smuggled, []int{200}},
		{"two lengths", call + "Content-Length: 2\r\nContent-Length: 39\r\n\r\n" + body, []int{400}},
		{"a list of lengths", call + "Content-Length: 39, 39\r\n\r\n" + body, []int{400}},
		{"negative length", call + "Content-Length: -1\r\n\r\n", []int{400}},
		{"signed length", call + "Content-Length: +39\r\n\r\n" + body, []int{400}},
		{"length in hexadecimal", call + "Content-Length: 0x27\r\n\r\n" + body, []int{400}},
		{"unknown coding", call + "Transfer-Encoding: xchunked\r\n\r\n" + chunked, []int{501}},
		{"coding twice", call + "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n" + chunked, []int{501}},
		{"coding with a tab in front", call + "Transfer-Encoding:\tchunked\r\n\r\n" + chunked + smuggled, []int{200}},
		{"coding with a space in its name", call + "Transfer-Encoding : chunked\r\n\r\n" + chunked, []int{400}},
		{"bare LF in a chunk's size", call + "Transfer-Encoding: chunked\r\n\r\n" + strings.Replace(chunked, "\r\n", "\n", 1) + smuggled, []int{400}},
		{"chunk's size too large for a number", call + "Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n" + body, []int{400}},
		{"bare CR in a header", "GET /livez HTTP/1.1\r\n" + host + "X: a\rb\r\n\r\n", []int{400}},
		{"zero byte in a header", "GET /livez HTTP/1.1\r\n" + host + "X: a\x00b\r\n\r\n", []int{400}},
		{"continued header", "GET /livez HTTP/1.1\r\n X: y\r\n" + host + "\r\n", []int{400}},
		{"no host", "GET /livez HTTP/1.1\r\n\r\n", []int{400}},
		{"two hosts", "GET /livez HTTP/1.1\r\n" + host + "Host: evil.example\r\n\r\n", []int{400}},
		{"a space in the target", "GET /li vez HTTP/1.1\r\n" + host + "\r\n", []int{400}},
		{"an unknown version", "GET /livez HTTP/3.0\r\n" + host + "\r\n", []int{505}},
		{"HTTP/2 without being asked", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", []int{400}},
		{"header of 40 kB", "GET /livez HTTP/1.1\r\n" + host + "X: " + strings.Repeat("a", 40<<10) + "\r\n\r\n", []int{431}},
		{"many headers", "GET /livez HTTP/1.1\r\n" + host + strings.Repeat("X: y\r\n", 8000) + "\r\n", []int{431}},
		{"TRACE of a page", "TRACE / HTTP/1.1\r\n" + host + "\r\n", []int{405}},
		{"TRACE of a call", "TRACE /functions/v1/session-start HTTP/1.1\r\n" + host + "\r\n", []int{405}},
		{"CONNECT", "CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n\r\n", []int{405}},
		{"nonsense", "\x16\x03\x01\x00\xa5\x01\x00\r\n\r\n", []int{400}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, closed := ask(t, strings.TrimPrefix(server.URL, "http://"), c.raw)
			assert.Equal(t, c.want, got)
			if c.want[0] >= 400 && c.want[0] != http.StatusMethodNotAllowed || strings.Contains(c.raw, "chunked") {
				assert.True(t, closed, "nothing more is read")
			}
		})
	}
}

// Whoever dawdles is hung up on, and others are served in the meantime.
func TestSlowRequestsEnd(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for the server's patience")
	}
	server := product.Start(t, t.TempDir())
	ended := make(chan string, 3)
	const open = "POST /functions/v1/session-start HTTP/1.1\r\nHost: localhost\r\n"
	begin := map[string]string{
		"header":  open,
		"body":    open + "Content-Type: application/json\r\nApikey: " + server.Key + "\r\nAuthorization: Bearer " + server.Key + "\r\nContent-Length: 1000\r\n\r\n{",
		"silence": "",
	}
	for name, first := range begin {
		go func() {
			conn, err := net.Dial("tcp", strings.TrimPrefix(server.URL, "http://"))
			if err != nil {
				return
			}
			defer func() { _ = conn.Close() }()
			gone := make(chan struct{})
			go func() {
				_, _ = io.Copy(io.Discard, conn)
				close(gone)
			}()
			_, _ = io.WriteString(conn, first)
			for name != "silence" {
				select {
				case <-gone:
					ended <- name
					return
				case <-time.After(time.Second):
					if _, err := io.WriteString(conn, " "); err != nil {
						ended <- name
						return
					}
				}
			}
			<-gone
			ended <- name
		}()
	}
	var idle []net.Conn
	for range 500 {
		conn, err := net.Dial("tcp", strings.TrimPrefix(server.URL, "http://"))
		require.NoError(t, err)
		idle = append(idle, conn)
	}
	for range 20 {
		response, err := http.Get(server.URL + "/livez")
		require.NoError(t, err)
		_ = response.Body.Close()
		assert.Equal(t, http.StatusOK, response.StatusCode)
	}
	for range begin {
		select {
		case name := <-ended:
			t.Log("hung up on a slow " + name)
		case <-time.After(3 * patience):
			t.Fatal("a slow connection is still open")
		}
	}
	for _, conn := range idle {
		_ = conn.Close()
	}
}
