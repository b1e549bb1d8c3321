package transport

import (
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/raft"

	"shoal/consensus/raftlog"
	"shoal/wire"
)

// knownListener yields connections that are known to be of one node.
type knownListener struct {
	net.Listener
	caller wire.NodeID
}

type known struct {
	net.Conn
	node wire.NodeID
}

func (k known) Node() wire.NodeID { return k.node }

func (l knownListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return known{c, l.caller}, nil
}

// alone configures the transport of the node a, whose messages are not held back.
func alone(ln net.Listener) Config {
	return Config{
		Self: "a", Listener: ln, Log: hclog.NewNullLogger(),
		Dial: func(wire.NodeID, time.Duration) (net.Conn, error) { return net.Dial("tcp", ln.Addr().String()) },
		Lost: func(wire.NodeID) bool { return false },
		Send: func(_ raft.ServerID, m *raft.AppendEntriesRequest, _ *raft.AppendEntriesResponse, now func(*raft.AppendEntriesRequest) error) error {
			return now(m)
		},
		Beat: func(rpc raft.RPC, take func(raft.RPC)) { take(rpc) },
	}
}

func TestAVoteInTheNameOfAnotherNodeDoesNotCount(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	dial := func(wire.NodeID, time.Duration) (net.Conn, error) { return net.Dial("tcp", ln.Addr().String()) }
	in := Open(alone(knownListener{ln, "stranger"}))
	beats := 0
	in.SetHeartbeatHandler(func(rpc raft.RPC) {
		beats++
		rpc.Respond(&raft.AppendEntriesResponse{}, nil)
	})
	var senders []string
	over := make(chan struct{})
	go func() {
		defer close(over)
		for {
			select {
			case rpc := <-in.Consumer():
				senders = append(senders, string(rpc.Command.(raft.WithRPCHeader).GetRPCHeader().ID))
				rpc.Respond(&raft.RequestVoteResponse{Granted: true}, nil)
			case <-in.done:
				return
			}
		}
	}()
	out := raft.NewNetworkTransportWithConfig(&raft.NetworkTransportConfig{
		Stream: raftlog.NewStream("stranger", dial), MaxPool: 3, Timeout: 5 * time.Second, Logger: hclog.NewNullLogger(),
	})
	for _, sender := range []string{"voter", "stranger", ""} {
		header := raft.RPCHeader{ProtocolVersion: 3, ID: []byte(sender), Addr: []byte(sender)}
		var vote raft.RequestVoteResponse
		err := out.RequestVote("a", "a", &raft.RequestVoteRequest{RPCHeader: header, Term: 7}, &vote)
		if own := sender == "stranger"; own != (err == nil && vote.Granted) {
			t.Errorf("a vote asked for in the name of %q: %v %v", sender, vote.Granted, err)
		} else if !own && (err == nil || !strings.Contains(err.Error(), errWrongSender.Error())) {
			t.Errorf("the refusal of %q does not say why: %v", sender, err)
		}
		var done raft.AppendEntriesResponse
		if err := out.AppendEntries("a", "a", &raft.AppendEntriesRequest{RPCHeader: header, Term: 7}, &done); (sender == "stranger") != (err == nil) {
			t.Errorf("a heartbeat in the name of %q: %v", sender, err)
		}
	}
	if err := out.Close(); err != nil {
		t.Error(err)
	}
	for deadline := time.Now().Add(10 * time.Second); in.receiving() != 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("there is a receiver of a caller without connections")
		}
	}
	if err := in.Close(); err != nil {
		t.Error(err)
	}
	<-over
	if len(senders) != 1 || beats != 1 {
		t.Errorf("messages of %q and %d heartbeats reached the group, one of each was honest", senders, beats)
	}
}

// receiving is how many callers have a receiver.
func (t *Transport) receiving() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.receivers)
}

// A leader that lost its leadership in a busy moment could never be stopped, and a follower
// that refused one entry got no more entries, because raft's pipeline waited for itself.
func TestReplicationDoesNotWaitForItself(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	out := Open(alone(ln))
	defer func() {
		if err := out.Close(); err != nil {
			t.Error(err)
		}
	}()
	if _, err := out.AppendEntriesPipeline("b", "b"); !errors.Is(err, raft.ErrPipelineReplicationNotSupported) {
		t.Errorf("entries are sent while earlier ones are under way: %v", err)
	}
}
