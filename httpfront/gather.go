package httpfront

import (
	"context"
	"net"
)

// net/http puts a head and the beginning of a body into a buffer of 4 KiB, so
// that an answer larger than that leaves in two writes: the full buffer, then the
// rest. A gatherConn holds the first of the two back and sends both with one
// system call.

// httpBuffer is the size of net/http's buffer: a body above it is always written
// in exactly two pieces.
const httpBuffer = 4 << 10

// gatherListener wraps the TCP connections of a listener. Others, TLS ones among
// them, stay as they are.
type gatherListener struct{ net.Listener }

// Accept implements net.Listener.
func (l gatherListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if tcp, ok := c.(*net.TCPConn); ok && err == nil {
		return &gatherConn{TCPConn: tcp}, nil
	}
	return c, err
}

// gatherConn is one connection. The goroutine that serves it is the only one that
// writes.
type gatherConn struct {
	*net.TCPConn
	// armed: the next write is the first of two.
	armed bool
	held  []byte
}

// Write implements net.Conn.
func (c *gatherConn) Write(p []byte) (int, error) {
	if c.armed {
		c.armed = false
		c.held = append(c.held[:0], p...)
		return len(p), nil
	}
	if len(c.held) == 0 {
		return c.TCPConn.Write(p)
	}
	both := net.Buffers{c.held, p}
	c.held = c.held[:0]
	// After an error the connection is lost; how much of p went out is not asked.
	if _, err := both.WriteTo(c.TCPConn); err != nil {
		return 0, err
	}
	return len(p), nil
}

type connKey struct{}

// keepConn puts the connection where requests find it.
func keepConn(ctx context.Context, c net.Conn) context.Context {
	if g, ok := c.(*gatherConn); ok {
		return context.WithValue(ctx, connKey{}, g)
	}
	return ctx
}

// gather prepares the connection of a request for an answer of that size.
func gather(ctx context.Context, body int) {
	if body <= httpBuffer {
		return
	}
	if c, ok := ctx.Value(connKey{}).(*gatherConn); ok {
		c.armed = true
	}
}
