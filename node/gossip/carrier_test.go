package gossip

import (
	"context"
	"log/slog"
	"net"
	"testing"
	"time"

	"shoal/node/machine"
	"shoal/wire"
)

// silence is a network with addresses where nothing answers, not even a refusal.
type silence struct {
	machine.System
	asked chan string
}

func (s silence) Dial(ctx context.Context, addr string) (net.Conn, error) {
	s.asked <- addr
	<-ctx.Done()
	return nil, ctx.Err()
}

// A node that was stopped while it contacted old addresses of pods took 20 s to stop.
func TestAStopDoesNotWaitForAddressesWhereNobodyAnswers(t *testing.T) {
	on := silence{asked: make(chan string, 9)}
	g, err := Open(on, wire.Node{ID: "a", GossipAddr: "127.0.0.1:0"}, "127.0.0.1:0", [][]byte{make([]byte, 32)}, []string{"10.77.0.1:7946", "10.77.0.2:7946"}, nil, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		g.Run(ctx, func() []string { return nil }, func([]string) {})
	}()
	if addr := <-on.asked; addr != "10.77.0.1:7946" {
		t.Errorf("asked %s", addr)
	}
	begun := time.Now()
	if err := g.Close(true); err != nil {
		t.Fatal(err)
	}
	stop()
	<-ended
	if took := time.Since(begun); took > 5*time.Second {
		t.Errorf("it took %s", took)
	}
}

// A member that accepts the connection and says nothing does not delay a stop either.
func TestAStopDoesNotWaitForAMemberThatSaysNothing(t *testing.T) {
	mute, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer mute.Close()
	g, err := Open(machine.System{}, wire.Node{ID: "a", GossipAddr: "127.0.0.1:0"}, "127.0.0.1:0", [][]byte{make([]byte, 32)}, nil, nil, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		_, err := g.list.Join([]string{mute.Addr().String()})
		ended <- err
	}()
	conn, err := mute.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	begun := time.Now()
	if err := g.Close(true); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err == nil {
		t.Error("joined somebody who said nothing")
	}
	if took := time.Since(begun); took > 5*time.Second {
		t.Errorf("it took %s", took)
	}
}
