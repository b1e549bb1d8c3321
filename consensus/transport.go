package consensus

import (
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/raft"

	"shoal/consensus/raftlog"
	"shoal/wire"
)

// namedConn is a connection that knows which node is at the other end.
type namedConn interface{ Node() wire.NodeID }

// guarded is a listener that rejects lost nodes. Raft itself accepts entries from any node
// with a higher term.
type guarded struct {
	net.Listener
	lost func(wire.NodeID) bool
}

// Accept returns the next connection from a node that is not lost.
func (l *guarded) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if named, ok := c.(namedConn); !ok || !l.lost(named.Node()) {
			return c, nil
		}
		_ = c.Close() // the node tries again
	}
}

// transport is raft's network. This node sends through NetworkTransport. What it receives
// is handled per caller: a message names its own sender, and only the connection knows
// whether the name is true. Each caller with open connections has a receiver. Messages that
// name another sender are refused.
type transport struct {
	*raft.NetworkTransport
	group    *Group
	listener net.Listener
	config   raft.NetworkTransportConfig // of receivers, without the stream
	log      hclog.Logger
	rpcs     chan raft.RPC
	done     chan struct{}
	work     sync.WaitGroup

	mu        sync.Mutex
	receivers map[wire.NodeID]*receiver
	heartbeat func(raft.RPC)
	closed    bool
}

// receiver receives from one caller. A receiver without a name receives from connections that do
// not know their caller.
type receiver struct {
	of     *transport
	caller wire.NodeID
	conns  chan net.Conn
	open   int // connections; guarded by of.mu
	shut   chan struct{}
	in     *raft.NetworkTransport
}

// errWrongSender: a message names another node than the one that sent it.
var errWrongSender = errors.New("a message of the log's group does not come from the node that it names")

// openTransport makes raft's transport over the process's connections.
func openTransport(cfg *Config, g *Group, log hclog.Logger) raft.Transport {
	if cfg.transport != nil {
		return cfg.transport(g)
	}
	// Each follower gets one message at a time. Raft's pipeline (the default) stops for
	// ever when a follower refuses an entry while the next one is being sent. Heartbeats
	// continue, so no other node is elected, but the follower gets no more entries, and
	// Shutdown never returns (github.com/hashicorp/raft, issue 612). Entries that wait are
	// sent together anyway.
	conf := raft.NetworkTransportConfig{MaxPool: 3, MaxRPCsInFlight: 1, Timeout: 10 * time.Second, Logger: log}
	t := &transport{
		group: g, listener: cfg.Listener, config: conf, log: log, rpcs: make(chan raft.RPC), done: make(chan struct{}),
		receivers: map[wire.NodeID]*receiver{},
	}
	conf.Stream = raftlog.NewStream(cfg.NodeID, cfg.Dial)
	t.NetworkTransport = raft.NewNetworkTransportWithConfig(&conf)
	t.work.Add(1)
	go t.accept()
	return t
}

// AppendEntries sends a message to a follower, when it is due.
func (t *transport) AppendEntries(id raft.ServerID, to raft.ServerAddress, m *raft.AppendEntriesRequest, answer *raft.AppendEntriesResponse) error {
	return t.group.send(id, m, answer, func(m *raft.AppendEntriesRequest) error {
		return t.NetworkTransport.AppendEntries(id, to, m, answer)
	})
}

// Consumer yields the messages whose senders are who they claim to be.
func (t *transport) Consumer() <-chan raft.RPC { return t.rpcs }

// SetHeartbeatHandler sets a handler for heartbeats, which do not go through the queue of
// messages.
func (t *transport) SetHeartbeatHandler(f func(raft.RPC)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.heartbeat = f
}

// CloseStreams drops the connections that are not in use.
func (t *transport) CloseStreams() {
	t.NetworkTransport.CloseStreams()
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, d := range t.receivers {
		d.in.CloseStreams()
	}
}

// Close ends all connections and waits for the goroutines that receive from them.
func (t *transport) Close() error {
	t.mu.Lock()
	if t.closed {
		t.mu.Unlock()
		return nil
	}
	t.closed = true
	close(t.done)
	receivers := t.receivers
	t.receivers = map[wire.NodeID]*receiver{}
	t.mu.Unlock()
	errs := []error{t.listener.Close(), t.NetworkTransport.Close()}
	for _, d := range receivers {
		close(d.shut)
		errs = append(errs, d.in.Close())
	}
	t.work.Wait()
	return errors.Join(errs...)
}

func (t *transport) accept() {
	defer t.work.Done()
	for {
		c, err := t.listener.Accept()
		if err == nil {
			t.admit(c)
			continue
		}
		select {
		case <-t.done:
			return
		case <-time.After(50 * time.Millisecond):
			if errors.Is(err, net.ErrClosed) {
				return
			}
			t.log.Error("failed to accept connection", "error", err)
		}
	}
}

// admit passes a connection to the receiver of its caller.
func (t *transport) admit(c net.Conn) {
	var caller wire.NodeID
	if known, ok := c.(namedConn); ok {
		caller = known.Node()
	}
	t.mu.Lock()
	if t.closed {
		t.mu.Unlock()
		_ = c.Close() // nobody accepts any more
		return
	}
	d := t.receivers[caller]
	if d == nil {
		d = t.newReceiver(caller)
		t.receivers[caller] = d
	}
	d.open++
	t.mu.Unlock()
	select {
	case d.conns <- &receiverConn{Conn: c, receiver: d}:
	case <-t.done:
		_ = c.Close() // the same
	}
}

// newReceiver starts to receive from a caller. The caller of newReceiver holds t.mu.
func (t *transport) newReceiver(caller wire.NodeID) *receiver {
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
		d.of.group.beat(rpc, f)
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
	d.of.log.Error("refused a message that does not come from the node that it names", "sender", string(d.caller), "named", string(sender))
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
