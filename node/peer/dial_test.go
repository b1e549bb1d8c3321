package peer

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"testing"
	"time"

	"shoal/node/machine"
	"shoal/wire"
)

// elsewhere is a network on which a name leads to where a node was before.
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

// accepting is a node that shakes hands with whoever comes.
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
