package peer

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"time"
)

// raftByte opens a Raft connection in plain text; no HTTP/2 preface begins with
// it.
const raftByte = 0x01

// handshakeTime bounds TLS and the first byte, so that a silent connection does
// not stay open.
const handshakeTime = 5 * time.Second

// Listener owns the one port between nodes and splits its connections by what
// they carry. Close ends it and waits for its goroutines.
type Listener struct {
	ln     net.Listener
	tls    *tls.Config
	log    *slog.Logger
	plain  bool // accept peers outside loopback without a secret
	raft   *branch
	rpc    *branch
	cancel context.CancelFunc
	wg     sync.WaitGroup
}

// Listen opens addr. Without a TLS configuration only loopback peers are
// accepted unless insecure is set.
func Listen(addr string, server *tls.Config, insecure bool, log *slog.Logger) (*Listener, error) {
	ln, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("listen for other nodes on %s (--peer-addr): %w", addr, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	l := &Listener{ln: ln, tls: server, log: log, plain: insecure, cancel: cancel}
	l.raft, l.rpc = newBranch(ctx, ln.Addr()), newBranch(ctx, ln.Addr())
	l.wg.Add(1)
	go l.accept(ctx)
	return l, nil
}

// Addr is the address listened on.
func (l *Listener) Addr() net.Addr { return l.ln.Addr() }

// Raft yields the Raft connections.
func (l *Listener) Raft() net.Listener { return l.raft }

// RPC yields the gRPC connections.
func (l *Listener) RPC() net.Listener { return l.rpc }

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
		l.wg.Add(1)
		go func() {
			defer l.wg.Done()
			stop := context.AfterFunc(ctx, func() { _ = c.Close() })
			err := l.route(c)
			if !stop() || err != nil {
				_ = c.Close()
			}
			if err != nil && ctx.Err() == nil {
				l.log.Warn("refused a connection from another node", "from", c.RemoteAddr().String(), "error", err)
			}
		}()
	}
}

// route finds out what the connection carries and hands it over.
func (l *Listener) route(c net.Conn) error {
	if err := c.SetDeadline(time.Now().Add(handshakeTime)); err != nil {
		return err
	}
	if l.tls != nil {
		tc := tls.Server(c, l.tls)
		if err := tc.Handshake(); err != nil {
			return fmt.Errorf("TLS (does the other side use the same --cluster-secret?): %w", err)
		}
		if err := c.SetDeadline(time.Time{}); err != nil {
			return err
		}
		if tc.ConnectionState().NegotiatedProtocol == ProtoRaft {
			return l.raft.push(tc)
		}
		return l.rpc.push(tc)
	}
	if !l.plain && !isLoopback(c.RemoteAddr()) {
		return errors.New("no --cluster-secret is set and the peer is not local: set the same secret on all nodes, or --insecure-cluster")
	}
	br := bufio.NewReaderSize(c, 16)
	first, err := br.Peek(1)
	if err != nil {
		return fmt.Errorf("read the first byte: %w", err)
	}
	if err := c.SetDeadline(time.Time{}); err != nil {
		return err
	}
	if first[0] == raftByte {
		if _, err := br.Discard(1); err != nil {
			return err
		}
		return l.raft.push(&buffered{Conn: c, r: br})
	}
	return l.rpc.push(&buffered{Conn: c, r: br})
}

func isLoopback(a net.Addr) bool {
	host, _, err := net.SplitHostPort(a.String())
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// buffered is a connection whose first bytes were peeked.
type buffered struct {
	net.Conn
	r *bufio.Reader
}

func (b *buffered) Read(p []byte) (int, error) { return b.r.Read(p) }

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

// DialRaft opens a Raft connection to addr.
func DialRaft(addr string, client *tls.Config, timeout time.Duration) (net.Conn, error) {
	d := &net.Dialer{Timeout: timeout}
	if client != nil {
		cfg := client.Clone()
		cfg.NextProtos = []string{ProtoRaft}
		return tls.DialWithDialer(d, "tcp", addr, cfg)
	}
	c, err := d.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	if _, err := c.Write([]byte{raftByte}); err != nil {
		_ = c.Close()
		return nil, err
	}
	return c, nil
}
