package peer

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"strings"
	"testing"
	"time"

	"shoal/node/machine"
	"shoal/wire"
)

const secretOfTests = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

// identify makes the identity of a node of the tests' cluster.
func identify(t *testing.T, node wire.NodeID) *Identity {
	t.Helper()
	s, err := NewSecret(secretOfTests)
	if err != nil {
		t.Fatal(err)
	}
	id, err := s.Identify(node)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func TestANodeAtTheAddressOfAnotherGetsNoCallsForIt(t *testing.T) {
	link := start(t, secretOfTests, secretOfTests) // node n is there, whoever is asked for
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	_, err := Call[echo, echo](ctx, link, "dead", "echo", &echo{Text: "stage this"})
	if !errors.Is(err, wire.ErrUnavailable) || !strings.Contains(err.Error(), "node n answers at") {
		t.Errorf("a call for another node was answered by the one at its address: %v", err)
	}
	if st, err := link.Open(ctx, "dead", "upper"); err == nil {
		if err = st.Send(&echo{Text: "a delta"}); err == nil {
			err = st.Recv(&echo{})
		}
		if !errors.Is(err, wire.ErrUnavailable) {
			t.Errorf("a stream for another node was answered by the one at its address: %v", err)
		}
	}
	if !link.Suspect("dead") {
		t.Error("a node at whose address another one answers is not suspect")
	}
	if link.Suspect("n") {
		t.Error("the node that has the address is suspect for the one that has not")
	}
	if got, err := Call[echo, echo](ctx, link, "n", "echo", &echo{Text: "hello"}); err != nil || got.Text != "hello" {
		t.Errorf("the node that has the address: %v %v", got, err)
	}
	addr, _ := link.resolve("n")
	if got, err := CallAddr[echo, echo](ctx, link, addr, "echo", &echo{Text: "hello"}); err != nil || got.Text != "hello" {
		t.Errorf("a call of whoever is there: %v %v", got, err)
	}
}

func TestANodeAtTheAddressOfAnotherGetsNoRaftConnection(t *testing.T) {
	ln, err := Listen(machine.System{}, "127.0.0.1:0", identify(t, "stranger"), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	arrived := make(chan net.Conn)
	go func() {
		defer close(arrived)
		for {
			c, err := ln.Raft().Accept()
			if err != nil {
				return
			}
			arrived <- c
		}
	}()
	go func() {
		for c := range arrived {
			_, _ = io.Copy(c, c)
			_ = c.Close()
		}
	}()
	self := identify(t, "leader")
	var wrong *WrongNode
	if _, err := DialRaft(machine.System{}, self, "voter", ln.Addr().String(), nowhereElse, time.Second); !errors.As(err, &wrong) || wrong.Answer != "stranger" || wrong.Want != "voter" {
		t.Fatalf("a Raft connection to a dead voter was taken by the node at its address: %v", err)
	}
	c, err := DialRaft(machine.System{}, self, "stranger", ln.Addr().String(), nowhereElse, time.Second)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Write([]byte("x")); err != nil {
		t.Error(err)
	}
	if _, err := io.ReadFull(c, make([]byte, 1)); err != nil {
		t.Error(err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

func TestAListenerKnowsWhoCalls(t *testing.T) {
	ln, err := Listen(machine.System{}, "127.0.0.1:0", identify(t, "server"), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	came := make(chan wire.NodeID, 1)
	ln.Tell(func(node wire.NodeID) { came <- node })
	c, err := DialRaft(machine.System{}, identify(t, "caller"), "server", ln.Addr().String(), nowhereElse, time.Second)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	in, err := ln.Raft().Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if known, ok := in.(*Conn); !ok || known.Node() != "caller" {
		t.Errorf("the caller is unknown: %#v", in)
	}
	if node := <-came; node != "caller" {
		t.Errorf("%q came, as was told", node)
	}
}

func TestAHandlerKnowsWhoCalls(t *testing.T) {
	link := start(t, secretOfTests, secretOfTests)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	got, err := Call[echo, echo](ctx, link, "n", "caller", &echo{})
	if err != nil || got.Text != "client" {
		t.Errorf("the caller is unknown to the handler: %v %v", got, err)
	}
}
