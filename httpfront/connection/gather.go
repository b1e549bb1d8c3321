package connection

import "net"

// net/http puts the head and the beginning of a body into a buffer of 4 KiB, so that a
// larger answer leaves in two writes: the full buffer, then the rest. A gatherConn holds
// the first write back and sends both with one system call.

// httpBuffer is the size of net/http's buffer. A larger body is always written in exactly
// two pieces.
const httpBuffer = 4 << 10

// clientListener accepts connections while the table has room, and wraps TCP connections.
// Others, such as TLS, stay as they are.
type clientListener struct {
	net.Listener
	table *table
}

// Accept implements net.Listener.
func (l clientListener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if !l.table.room() {
			l.table.refuse(c)
			continue
		}
		if tcp, ok := c.(*net.TCPConn); ok {
			return &gatherConn{TCPConn: tcp}, nil
		}
		return c, nil
	}
}

// gatherConn is one connection. Only the goroutine that serves it writes to it.
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
	// After an error the connection is lost, so it does not matter how much of p was sent.
	if _, err := both.WriteTo(c.TCPConn); err != nil {
		return 0, err
	}
	return len(p), nil
}

// gatherNext prepares the connection for an answer of this size, in bytes.
func (c *Conn) gatherNext(body int) {
	if c != nil && c.gather != nil && body > httpBuffer {
		c.gather.armed = true
	}
}
