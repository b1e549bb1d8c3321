package peer

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log/slog"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"shoal/node/machine"
	"shoal/wire"
)

// Connections that send nothing, and handshakes without the secret, used up the file
// descriptors of a node and its time for handshakes.
func TestStrangersHoldFewConnectionsAndKeepNoNodeOut(t *testing.T) {
	ln, err := Listen(machine.System{}, "127.0.0.1:0", identify(t, "n"), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	srv := NewServer(slog.New(slog.DiscardHandler))
	Handle(srv, "echo", func(_ context.Context, e *echo) (*echo, error) { return e, nil })
	served := make(chan error, 1)
	go func() { served <- srv.Serve(ln.RPC()) }()
	addr := ln.Addr().String()
	from := func(host byte) net.Dialer {
		return net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, host)}}
	}
	// Silent connections: most are closed for new ones long before their time is over.
	var silent sync.WaitGroup
	var closed atomic.Int64
	for i := range 400 {
		d := from(byte(2 + i%4))
		c, err := d.DialContext(t.Context(), "tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		silent.Go(func() {
			if err := c.SetReadDeadline(time.Now().Add(handshakeTime / 2)); err != nil {
				t.Error(err)
			}
			_, err := c.Read(make([]byte, 1))
			var timeout net.Error
			if !errors.As(err, &timeout) || !timeout.Timeout() {
				closed.Add(1)
			}
		})
	}
	// Callers without the secret fail as often as is allowed.
	d := from(9)
	for range int(handshakes.Burst) + 50 {
		c, err := d.DialContext(t.Context(), "tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		_ = tls.Client(c, &tls.Config{InsecureSkipVerify: true, MaxVersion: tls.VersionTLS12}).HandshakeContext(t.Context()) // it fails, or is refused
		_ = c.Close()
	}
	link := NewLink(machine.System{}, identify(t, "client"), func(wire.NodeID) (string, bool) { return addr, true })
	if _, err := Call[echo, echo](t.Context(), link, "n", "echo", &echo{}); err != nil {
		t.Errorf("a node cannot connect meanwhile: %v", err)
	}
	silent.Wait()
	if open := 400 - int(closed.Load()); open > handshakes.Total {
		t.Errorf("%d silent connections stay open", open)
	}
	c, err := d.DialContext(t.Context(), "tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	_ = c.Close()
	if err := link.Close(); err != nil {
		t.Error(err)
	}
	srv.Close()
	if err := ln.Close(); err != nil {
		t.Error(err)
	}
	if err := <-served; err != nil {
		t.Error(err)
	}
}

// A server that closes while calls arrive has no running handler afterwards, because the
// stores of handlers are closed next.
func TestNoHandlerBeginsOrWorksAfterClose(t *testing.T) {
	for range 20 {
		ln, err := Listen(machine.System{}, "127.0.0.1:0", identify(t, "n"), slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		srv := NewServer(slog.New(slog.DiscardHandler))
		var over atomic.Bool
		var late atomic.Int64
		begun := make(chan struct{}, 1)
		work := func() {
			select {
			case begun <- struct{}{}:
			default:
			}
			if over.Load() {
				late.Add(1)
			}
		}
		Handle(srv, "echo", func(_ context.Context, e *echo) (*echo, error) {
			work()
			defer work()
			return e, nil
		})
		srv.HandleStream("each", func(st Stream) error {
			for {
				work()
				if err := errors.Join(st.Recv(new(echo)), st.Send(&echo{})); err != nil {
					work()
					return err
				}
			}
		})
		served := make(chan error, 1)
		go func() { served <- srv.Serve(ln.RPC()) }()
		addr := ln.Addr().String()
		link := NewLink(machine.System{}, identify(t, "client"), func(wire.NodeID) (string, bool) { return addr, true })
		ctx, stop := context.WithCancel(t.Context())
		var callers sync.WaitGroup
		for range 4 {
			callers.Go(func() {
				for ctx.Err() == nil {
					if _, err := Call[echo, echo](ctx, link, "n", "echo", &echo{}); err != nil {
						return
					}
				}
			})
		}
		callers.Go(func() {
			st, err := link.Open(ctx, "n", "each")
			for err == nil && ctx.Err() == nil {
				_, err = ask(st, "x")
			}
		})
		<-begun
		srv.Close()
		over.Store(true)
		stop()
		if err := link.Close(); err != nil {
			t.Error(err)
		}
		callers.Wait()
		if err := ln.Close(); err != nil {
			t.Error(err)
		}
		if err := <-served; err != nil {
			t.Error(err)
		}
		if n := late.Load(); n > 0 {
			t.Fatalf("%d handlers were at work after Close", n)
		}
	}
}

// A node that gave up a connection, because this one had been busy, left a line that asked
// for the secrets to be compared.
func TestAConnectionThatWasGivenUpBlamesNoSecret(t *testing.T) {
	var said bytes.Buffer
	ln, err := Listen(machine.System{}, "127.0.0.1:0", identify(t, "n"), slog.New(slog.NewTextHandler(&said, nil)))
	if err != nil {
		t.Fatal(err)
	}
	for _, first := range []string{"", "\x16\x03\x01", "GET / HTTP/1.1\r\n\r\n"} {
		c, err := net.Dial("tcp", ln.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Write([]byte(first)); err != nil {
			t.Error(err)
		}
		if err := c.(*net.TCPConn).CloseWrite(); err != nil {
			t.Error(err)
		}
		_, _ = io.Copy(io.Discard, c) // until the listener has judged it
		_ = c.Close()
	}
	if err := ln.Close(); err != nil {
		t.Error(err)
	}
	if n := strings.Count(said.String(), "\n"); n != 1 || !strings.Contains(said.String(), "it does not speak TLS") {
		t.Errorf("it says:\n%s", said.String())
	}
}
