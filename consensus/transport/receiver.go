package transport

import (
	"errors"
	"fmt"
	"net"
	"sync"

	"github.com/hashicorp/raft"

	"shoal/consensus/raftlog"
	"shoal/wire"
)

// receiver receives from one caller. A receiver without a name receives from connections that do
// not know their caller.
type receiver struct {
	of     *Transport
	caller wire.NodeID
	conns  chan net.Conn
	open   int // connections; guarded by of.mu
	shut   chan struct{}
	in     *raft.NetworkTransport
}

// errWrongSender: a message names another node than the one that sent it.
var errWrongSender = errors.New("a message of the log's group does not come from the node that it names")

// newReceiver starts to receive from a caller. The caller of newReceiver holds t.mu.
func (t *Transport) newReceiver(caller wire.NodeID) *receiver {
	d := &receiver{of: t, caller: caller, conns: make(chan net.Conn), shut: make(chan struct{})}
	conf := t.config
	conf.Stream = &receiverStream{Stream: raftlog.NewStream("", nil), receiver: d}
	d.in = raft.NewNetworkTransportWithConfig(&conf)
	d.in.SetHeartbeatHandler(d.heartbeat)
	t.work.Add(1)
	go d.receive()
	return d
}

// left is called when a connection of a receiver has ended. A receiver without connections is
// removed.
func (d *receiver) left() {
	t := d.of
	t.mu.Lock()
	d.open--
	last := d.open == 0 && !t.closed && t.receivers[d.caller] == d
	if last {
		delete(t.receivers, d.caller)
		close(d.shut)
	}
	t.mu.Unlock()
	if last {
		_ = d.in.Close() // it has no connection left
	}
}

func (d *receiver) receive() {
	t := d.of
	defer t.work.Done()
	for {
		select {
		case rpc := <-d.in.Consumer():
			if !d.knows(rpc) {
				continue
			}
			select {
			case t.rpcs <- rpc:
			case <-t.done:
				return
			}
		case <-d.shut:
			return
		}
	}
}

func (d *receiver) heartbeat(rpc raft.RPC) {
	d.of.mu.Lock()
	f := d.of.heartbeat
	d.of.mu.Unlock()
	switch {
	case !d.knows(rpc):
	case f != nil:
		d.of.cfg.Beat(rpc, f)
	default:
		select {
		case d.of.rpcs <- rpc:
		case <-d.of.done:
			rpc.Respond(nil, net.ErrClosed)
		}
	}
}

// knows tells whether the message names its caller as the sender. It refuses the message
// otherwise.
func (d *receiver) knows(rpc raft.RPC) bool {
	if d.caller == "" {
		return true
	}
	var sender wire.NodeID
	if m, ok := rpc.Command.(raft.WithRPCHeader); ok {
		sender = wire.NodeID(m.GetRPCHeader().ID)
	}
	if sender == d.caller {
		return true
	}
	d.of.cfg.Log.Error("refused a message that does not come from the node that it names", "sender", string(d.caller), "named", string(sender))
	rpc.Respond(nil, fmt.Errorf("%w: %s names %s", errWrongSender, d.caller, sender))
	return false
}

// receiverStream is the listener of one receiver. Nothing is dialled through it.
type receiverStream struct {
	*raftlog.Stream
	receiver *receiver
}

// Accept waits for the caller's next connection.
func (s *receiverStream) Accept() (net.Conn, error) {
	select {
	case c := <-s.receiver.conns:
		return s.Track(c, nil)
	case <-s.Ended:
		return nil, net.ErrClosed
	}
}

// receiverConn is a connection that its receiver counts.
type receiverConn struct {
	net.Conn
	receiver *receiver
	once     sync.Once
}

func (c *receiverConn) Close() error {
	err := c.Conn.Close()
	c.once.Do(c.receiver.left)
	return err
}
