package transport

import (
	"errors"
	"net"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/raft"

	"shoal/consensus/raftlog"
	"shoal/wire"
)

// Config is what a Transport needs of its node.
type Config struct {
	Self wire.NodeID
	// Listener yields the connections of peers; the Transport closes it. Dial connects to a
	// node by its id.
	Listener net.Listener
	Dial     func(node wire.NodeID, timeout time.Duration) (net.Conn, error)
	// Lost tells whether a node was left out of the group and must not reach it.
	Lost func(wire.NodeID) bool
	// Send sends a message to a follower with now, when it is due. It may change the message.
	Send func(to raft.ServerID, m *raft.AppendEntriesRequest, answer *raft.AppendEntriesResponse, now func(*raft.AppendEntriesRequest) error) error
	// Beat lets raft take a heartbeat.
	Beat func(rpc raft.RPC, take func(raft.RPC))
	Log  hclog.Logger
}

// Transport is raft's network. This node sends through NetworkTransport. What it receives
// is handled per caller: a message names its own sender, and only the connection knows
// whether the name is true. Each caller with open connections has a receiver. Messages that
// name another sender are refused.
type Transport struct {
	*raft.NetworkTransport
	cfg      Config
	listener net.Listener
	config   raft.NetworkTransportConfig // of receivers, without the stream
	rpcs     chan raft.RPC
	done     chan struct{}
	work     sync.WaitGroup

	mu        sync.Mutex
	receivers map[wire.NodeID]*receiver
	heartbeat func(raft.RPC)
	closed    bool
}

// Open makes raft's transport over the process's connections.
func Open(cfg Config) *Transport {
	// Each follower gets one message at a time. Raft's pipeline (the default) stops for
	// ever when a follower refuses an entry while the next one is being sent. Heartbeats
	// continue, so no other node is elected, but the follower gets no more entries, and
	// Shutdown never returns (github.com/hashicorp/raft, issue 612). Entries that wait are
	// sent together anyway.
	conf := raft.NetworkTransportConfig{MaxPool: 3, MaxRPCsInFlight: 1, Timeout: 10 * time.Second, Logger: cfg.Log}
	t := &Transport{
		cfg: cfg, listener: &guarded{cfg.Listener, cfg.Lost}, config: conf, rpcs: make(chan raft.RPC), done: make(chan struct{}),
		receivers: map[wire.NodeID]*receiver{},
	}
	conf.Stream = raftlog.NewStream(cfg.Self, cfg.Dial)
	t.NetworkTransport = raft.NewNetworkTransportWithConfig(&conf)
	t.work.Add(1)
	go t.accept()
	return t
}

// AppendEntries sends a message to a follower, when it is due.
func (t *Transport) AppendEntries(id raft.ServerID, to raft.ServerAddress, m *raft.AppendEntriesRequest, answer *raft.AppendEntriesResponse) error {
	return t.cfg.Send(id, m, answer, func(m *raft.AppendEntriesRequest) error {
		return t.NetworkTransport.AppendEntries(id, to, m, answer)
	})
}

// Consumer yields the messages whose senders are who they claim to be.
func (t *Transport) Consumer() <-chan raft.RPC { return t.rpcs }

// SetHeartbeatHandler sets a handler for heartbeats, which do not go through the queue of
// messages.
func (t *Transport) SetHeartbeatHandler(f func(raft.RPC)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.heartbeat = f
}

// CloseStreams drops the connections that are not in use.
func (t *Transport) CloseStreams() {
	t.NetworkTransport.CloseStreams()
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, d := range t.receivers {
		d.in.CloseStreams()
	}
}

// Close ends all connections and waits for the goroutines that receive from them.
func (t *Transport) Close() error {
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

func (t *Transport) accept() {
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
			t.cfg.Log.Error("failed to accept connection", "error", err)
		}
	}
}

// admit passes a connection to the receiver of its caller.
func (t *Transport) admit(c net.Conn) {
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
