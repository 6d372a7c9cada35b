package smtp

import (
	"bufio"
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

// Script starts a server, without TLS, that says one reply after another,
// whatever it is told, and then behaves as end says. The first reply is the
// greeting. It returns the port.
func Script(t testing.TB, end End, replies ...string) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go perform(conn, end, replies)
		}
	}()
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	return port
}

// End is what a Script does after its last reply.
type End int

// The ends.
const (
	Drop   End = iota // close the connection
	Silent            // say nothing more until the client goes away
	Tarpit            // say a line now and then that is never the last one
)

const tarpitPace = 10 * time.Millisecond

func perform(conn net.Conn, end End, replies []string) {
	defer func() { _ = conn.Close() }()
	client := bufio.NewReader(conn)
	for i, reply := range replies {
		if i > 0 && !listen(client, replies[i-1]) {
			return
		}
		if _, err := conn.Write([]byte(reply + "\r\n")); err != nil {
			return
		}
	}
	switch end {
	case Drop:
	case Silent:
		_, _ = io.Copy(io.Discard, conn)
	case Tarpit:
		for pace := time.NewTicker(tarpitPace); ; <-pace.C {
			if _, err := conn.Write([]byte("250-wait\r\n")); err != nil {
				pace.Stop()
				return
			}
		}
	}
}

// listen takes what the client says: a line, or after 354 a message.
func listen(client *bufio.Reader, said string) bool {
	for {
		line, err := client.ReadString('\n')
		if err != nil {
			return false
		}
		if !strings.HasPrefix(said, "354") || line == ".\r\n" {
			return true
		}
	}
}
