package peer

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"shoal/node/machine"
	"shoal/wire"
)

// elsewhere is a network on which a name leads to the former address of a node.
type elsewhere struct {
	machine.System
	stale func(context.Context) (net.Conn, error)
}

func (e elsewhere) Dial(ctx context.Context, addr string) (net.Conn, error) {
	if addr == "pod:7701" {
		return e.stale(ctx)
	}
	return e.System.Dial(ctx, addr)
}

func nowhereElse() string { return "" }

// TestANodeThatMovedIsReachedWhileItsNameLeadsNowhere, to a refusal, or to another node.
func TestANodeThatMovedIsReachedWhileItsNameLeadsNowhere(t *testing.T) {
	moved, stranger := accepting(t, "pod"), accepting(t, "stranger")
	self := identify(t, "caller")
	for what, stale := range map[string]func(context.Context) (net.Conn, error){
		"nowhere":         func(ctx context.Context) (net.Conn, error) { <-ctx.Done(); return nil, ctx.Err() },
		"to a refusal":    func(context.Context) (net.Conn, error) { return nil, errors.New("refused") },
		"to another node": func(ctx context.Context) (net.Conn, error) { return machine.System{}.Dial(ctx, stranger) },
	} {
		t.Run(what, func(t *testing.T) {
			asked := 0
			heard := func() string { // it comes up while it is dialled, but for a refusal
				if asked++; asked == 1 && what == "nowhere" {
					return ""
				}
				return moved
			}
			c, err := DialRaft(elsewhere{stale: stale}, self, "pod", "pod:7701", heard, 5*time.Second)
			if err != nil {
				t.Fatal(err)
			}
			if err := c.Close(); err != nil {
				t.Error(err)
			}
			if _, err := DialRaft(elsewhere{stale: stale}, self, "pod", "pod:7701", func() string { return stranger }, 500*time.Millisecond); err == nil {
				t.Error("connected to another node")
			}
		})
	}
}

// accepting is a node that shakes hands with any caller.
func accepting(t *testing.T, name wire.NodeID) (addr string) {
	t.Helper()
	ln, err := Listen(machine.System{}, "127.0.0.1:0", identify(t, name), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := ln.Close(); err != nil {
			t.Error(err)
		}
	})
	return ln.Addr().String()
}

// refusing is a network on which nothing answers until it is back.
type refusing struct {
	machine.System
	back  *atomic.Bool
	tried chan struct{} // one for each try to connect
}

func (r refusing) Dial(ctx context.Context, addr string) (net.Conn, error) {
	r.tried <- struct{}{}
	if !r.back.Load() {
		return nil, errors.New("refused")
	}
	return r.System.Dial(ctx, addr)
}

// A search found no copy of its data for a second after the node was back, because the
// pause between two attempts to connect had grown that long.
func TestANodeThatConnectsAfterItWasAwayIsCalledAtOnce(t *testing.T) {
	good := start(t, secretOfTests, secretOfTests)
	addr, _ := good.resolve("n")
	net := refusing{back: new(atomic.Bool), tried: make(chan struct{}, 64)}
	link := NewLink(net, identify(t, "client"), func(wire.NodeID) (string, bool) { return addr, true })
	defer link.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	call := func() error {
		_, err := Call[echo, echo](ctx, link, "n", "echo", &echo{})
		return err
	}
	// 50 ms, 80, 128 and so on: the pause after the eighth try is 0.8 s and more. A failed
	// call has the node asked for a sign of life again and again.
	if err := call(); !errors.Is(err, wire.ErrUnavailable) {
		t.Fatal(err)
	}
	for range 8 {
		select {
		case <-net.tried:
		case <-ctx.Done():
			t.Fatal("nobody tries to connect")
		}
	}
	// The eighth attempt is failing now, or its pause has begun.
	net.back.Store(true)
	link.Back("n")
	if err := call(); err != nil {
		t.Error(err)
	}
}
