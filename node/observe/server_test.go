package observe

import (
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"shoal/httpfront"
)

// A client that reaches --metrics-addr could hold any number of connections, and with them
// the file descriptors for clients and nodes.
func TestWatchersHoldFewConnections(t *testing.T) {
	s, err := Serve("127.0.0.1:0", new(httpfront.Server), func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	// ask sends a request on a connection that stays open, and tells whether it was answered.
	ask := func(within time.Duration) (net.Conn, bool) {
		t.Helper()
		c, err := net.Dial("tcp", s.Addr())
		if err == nil {
			_, err = io.WriteString(c, "GET /debug/pprof/cmdline HTTP/1.1\r\nHost: x\r\n\r\n")
		}
		if err == nil {
			err = c.SetReadDeadline(time.Now().Add(within))
		}
		if err != nil {
			t.Fatal(err)
		}
		b := make([]byte, 12)
		_, err = io.ReadFull(c, b)
		return c, err == nil && strings.HasPrefix(string(b), "HTTP/1.1 404")
	}
	var held []net.Conn
	for range maxWatchers {
		c, answered := ask(10 * time.Second)
		defer c.Close()
		if !answered {
			t.Fatalf("connection %d is not answered", len(held)+1)
		}
		held = append(held, c)
	}
	more, answered := ask(200 * time.Millisecond)
	defer more.Close()
	if answered {
		t.Error("there is a connection too many")
	}
	for _, c := range []net.Conn{more, held[0]} {
		_ = c.Close() // they were open
	}
	if _, answered := ask(10 * time.Second); !answered {
		t.Error("nobody is answered after a connection has ended")
	}
}
