package peer

import (
	"context"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"shoal/node/machine"
	"shoal/wire"
)

// The stores of handlers are closed after the server. A slow handler once used a store that
// was closed already.
func TestCloseWaitsForHandlers(t *testing.T) {
	log := slog.New(slog.DiscardHandler)
	ln, err := Listen(machine.System{}, "127.0.0.1:0", identify(t, "n"), log)
	if err != nil {
		t.Fatal(err)
	}
	srv := NewServer(log)
	begun, ended := make(chan struct{}), atomic.Bool{}
	Handle(srv, "slow", func(ctx context.Context, _ *echo) (*echo, error) {
		close(begun)
		<-ctx.Done()
		time.Sleep(20 * time.Millisecond) // what it had begun
		ended.Store(true)
		return nil, ctx.Err()
	})
	served := make(chan error, 1)
	go func() { served <- srv.Serve(ln.RPC()) }()
	addr := ln.Addr().String()
	link := NewLink(machine.System{}, identify(t, "client"), func(wire.NodeID) (string, bool) { return addr, true })
	answered := make(chan error, 1)
	go func() {
		_, err := Call[echo, echo](t.Context(), link, "n", "slow", &echo{})
		answered <- err
	}()
	<-begun
	srv.Close()
	if !ended.Load() {
		t.Error("the server was closed while a handler was at work")
	}
	if err := <-answered; err == nil {
		t.Error("a call that was ended has an answer")
	}
	if err := link.Close(); err != nil {
		t.Error(err)
	}
	if err := ln.Close(); err != nil {
		t.Error(err)
	}
	if err := <-served; err != nil {
		t.Error(err)
	}
}
