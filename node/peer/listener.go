package peer

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"shoal/node/gate"
	"shoal/node/machine"
	"shoal/wire"
)

// handshakeTime bounds TLS, so that a silent connection does not stay open.
const handshakeTime = 5 * time.Second

// handshakes bounds the handshakes under way, and the failed ones of each address.
var handshakes = gate.Limits{Total: 64, PerSource: 32, Burst: 200, Rate: 20}

// errFailedOften refuses an address where too many handshakes have failed.
var errFailedOften = errors.New("too many connections from there failed to prove the cluster's secret")

// Listener owns the one port between nodes and splits its connections by what
// they carry. Close ends it and waits for its goroutines.
type Listener struct {
	ln     net.Listener
	self   *Identity
	log    *slog.Logger
	gate   *gate.Gate
	raft   *branch
	rpc    *branch
	came   atomic.Pointer[func(wire.NodeID)]
	cancel context.CancelFunc
	wg     sync.WaitGroup
}

// Listen opens addr for the node self.
func Listen(network machine.Network, addr string, self *Identity, log *slog.Logger) (*Listener, error) {
	ln, err := network.Listen(addr)
	if err != nil {
		return nil, fmt.Errorf("listen for other nodes on %s (--peer-addr): %w", addr, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	l := &Listener{ln: ln, self: self, log: log, gate: gate.New(handshakes), cancel: cancel}
	l.raft, l.rpc = newBranch(ctx, ln.Addr()), newBranch(ctx, ln.Addr())
	l.wg.Add(1)
	go l.accept(ctx)
	return l, nil
}

// Addr is the address listened on.
func (l *Listener) Addr() net.Addr { return l.ln.Addr() }

// Raft yields the Raft connections.
func (l *Listener) Raft() net.Listener { return l.raft }

// RPC yields the connections of calls and streams.
func (l *Listener) RPC() net.Listener { return l.rpc }

// Tell makes the listener call f with every node that connects from now on. f must return
// at once.
func (l *Listener) Tell(f func(wire.NodeID)) { l.came.Store(&f) }

// Close stops accepting, closes connections that still shake hands and waits.
func (l *Listener) Close() error {
	l.cancel()
	err := l.ln.Close()
	l.wg.Wait()
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}

func (l *Listener) accept(ctx context.Context) {
	defer l.wg.Done()
	for {
		c, err := l.ln.Accept()
		if err != nil {
			if ctx.Err() == nil && !errors.Is(err, net.ErrClosed) {
				// Out of descriptors or the like: pause, then go on serving.
				l.log.Warn("accept from another node", "error", err)
				select {
				case <-time.After(50 * time.Millisecond):
					continue
				case <-ctx.Done():
				}
			}
			return
		}
		visit, ok := l.gate.Enter(c)
		if !ok {
			l.refused(c, errFailedOften)
			_ = c.Close() // nothing was read
			continue
		}
		l.wg.Add(1)
		go func() {
			defer l.wg.Done()
			stop := context.AfterFunc(ctx, func() { _ = c.Close() })
			tc, err := l.shake(c)
			visit.Leave(err == nil)
			if err == nil {
				err = l.route(tc)
			}
			if err != nil && ctx.Err() == nil {
				l.refused(c, err)
			}
			if !stop() || err != nil {
				_ = c.Close()
			}
		}()
	}
}

func (l *Listener) refused(c net.Conn, err error) {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) || errors.Is(err, syscall.ECONNRESET) {
		l.log.Debug("another node hung up", "from", c.RemoteAddr(), "error", err) // it stopped, or waited for too long
		return
	}
	l.log.Warn("refused a connection from another node", "from", c.RemoteAddr(), "error", err)
}

// shake makes the other side prove who it is.
func (l *Listener) shake(c net.Conn) (*tls.Conn, error) {
	if err := c.SetDeadline(time.Now().Add(handshakeTime)); err != nil {
		return nil, err
	}
	tc := tls.Server(c, l.self.server())
	if err := tc.Handshake(); err != nil {
		var remote *net.OpError
		if errors.As(err, &remote) && remote.Op == "remote error" {
			return nil, fmt.Errorf("it did not accept this node: it looks for another node at this address, or uses another --cluster-secret (TLS: %w)", err)
		}
		if _, ok := errors.AsType[tls.RecordHeaderError](err); ok {
			return nil, fmt.Errorf("it does not speak TLS, so it is no node, or it takes this --peer-addr for a --gossip-addr: %w", err)
		}
		return nil, fmt.Errorf("TLS (does the other side use the same --cluster-secret?): %w", err)
	}
	return tc, c.SetDeadline(time.Time{})
}

// route finds out what the connection carries and passes it on.
func (l *Listener) route(tc *tls.Conn) error {
	cs := tc.ConnectionState()
	known := &Conn{Conn: tc, node: holder(&cs), protocol: cs.NegotiatedProtocol}
	if came := l.came.Load(); came != nil {
		(*came)(known.node)
	}
	if cs.NegotiatedProtocol == ProtoRaft {
		return l.raft.push(known)
	}
	return l.rpc.push(known)
}

// branch is the net.Listener of one kind of connection.
type branch struct {
	ctx   context.Context
	stop  context.CancelFunc
	conns chan net.Conn
	addr  net.Addr
}

func newBranch(ctx context.Context, addr net.Addr) *branch {
	ctx, stop := context.WithCancel(ctx)
	return &branch{ctx: ctx, stop: stop, conns: make(chan net.Conn), addr: addr}
}

func (b *branch) push(c net.Conn) error {
	select {
	case b.conns <- c:
		return nil
	case <-b.ctx.Done():
		return net.ErrClosed
	}
}

// Accept waits for the next connection of this kind.
func (b *branch) Accept() (net.Conn, error) {
	select {
	case c := <-b.conns:
		return c, nil
	case <-b.ctx.Done():
		return nil, net.ErrClosed
	}
}

// Close ends this branch only.
func (b *branch) Close() error   { b.stop(); return nil }
func (b *branch) Addr() net.Addr { return b.addr }

// DialRaft opens a Raft connection to a node at addr, or at the address that spare returns
// ("" for none). It fails with a WrongNode when another node answers.
func DialRaft(network machine.Network, self *Identity, node wire.NodeID, addr string, spare func() string, timeout time.Duration) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	c, err := dial(ctx, network, self, target{node, addr}, spare, ProtoRaft)
	if err != nil {
		return nil, err
	}
	return c, nil
}
