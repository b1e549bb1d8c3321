package routing

import (
	"bufio"
	"io"
	"log/slog"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

// pipes is a listener whose connections are pipes, for a virtual clock.
type pipes struct {
	accepted chan net.Conn
	closed   chan struct{}
}

func (l *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-l.accepted:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *pipes) Close() error   { close(l.closed); return nil }
func (l *pipes) Addr() net.Addr { return &net.TCPAddr{} }

// onPipes calls test with a function that opens a connection to a router with at most most
// connections.
func onPipes(t *testing.T, most int, test func(t *testing.T, open func(beginning string) net.Conn)) {
	synctest.Test(t, func(t *testing.T) {
		s := rig(Config{Connections: most, Log: slog.New(slog.DiscardHandler)}, "")
		l := &pipes{accepted: make(chan net.Conn), closed: make(chan struct{})}
		done := make(chan error, 1)
		go func() { done <- s.Serve(l) }()
		var clients []net.Conn
		test(t, func(beginning string) net.Conn {
			client, server := net.Pipe()
			clients = append(clients, client)
			if err := client.SetDeadline(time.Now().Add(5 * time.Minute)); err != nil {
				t.Error(err)
			}
			l.accepted <- server
			// A server that refuses the connection does not read it.
			go func() { _, _ = io.WriteString(client, beginning) }()
			synctest.Wait()
			return client
		})
		for _, c := range clients {
			_ = c.Close()
		}
		if err := s.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

// status reads an answer and returns its status, or 0 if the connection ends before.
func status(c net.Conn) int {
	res, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		return 0
	}
	defer res.Body.Close()
	if _, err := io.Copy(io.Discard, res.Body); err != nil {
		return 0
	}
	return res.StatusCode
}

const (
	standing = "POST /indexes/films/search HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"
	health   = "GET /health HTTP/1.1\r\nHost: x\r\n\r\n"
)

// Package net/http answered it itself, 200.
func TestOptionsOfTheWholeServerAreNotFound(t *testing.T) {
	onPipes(t, 1, func(t *testing.T, open func(string) net.Conn) {
		if got := status(open("OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n")); got != http.StatusNotFound {
			t.Errorf("status %d", got)
		}
	})
}

func TestABusyConnectionIsNotClosedForANewOne(t *testing.T) {
	onPipes(t, 2, func(t *testing.T, open func(string) net.Conn) {
		open(standing)
		open(standing)
		// The server does not wait until a refused client reads: a pipe loses the answer.
		if got := status(open(health)); got != 0 && got != http.StatusServiceUnavailable {
			t.Errorf("status %d", got)
		}
	})
}

func TestAnAnsweredConnectionMakesRoomForANewOne(t *testing.T) {
	onPipes(t, 2, func(t *testing.T, open func(string) net.Conn) {
		for range 3 {
			if got := status(open(health)); got != http.StatusOK {
				t.Errorf("status %d", got)
			}
			synctest.Wait()
		}
	})
}

func TestABodyOfARequestMayNotStandStill(t *testing.T) {
	onPipes(t, 2, func(t *testing.T, open func(string) net.Conn) {
		begun := time.Now()
		if got := status(open(standing)); got != http.StatusBadRequest {
			t.Errorf("status %d", got)
		}
		if took := time.Since(begun); took < 25*time.Second || took > 40*time.Second {
			t.Errorf("cut after %s", took)
		}
	})
}

// A body that came byte by byte once kept the place of a search for hours.
func TestTheBodyOfASearchHasADeadline(t *testing.T) {
	onPipes(t, 2, func(t *testing.T, open func(string) net.Conn) {
		begun := time.Now()
		c := open(standing)
		answered := make(chan int, 1)
		go func() { answered <- status(c) }()
		for range 100 {
			time.Sleep(time.Second)
			if _, err := io.WriteString(c, " "); err != nil {
				break // cut
			}
		}
		if got := <-answered; got != http.StatusBadRequest {
			t.Errorf("status %d", got)
		}
		if took := time.Since(begun); took < searchBodyTime-5*time.Second || took > searchBodyTime+40*time.Second {
			t.Errorf("cut after %s", took)
		}
	})
}
