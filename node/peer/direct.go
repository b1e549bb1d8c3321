package peer

import (
	"context"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"google.golang.org/grpc/codes"
	grpcstatus "google.golang.org/grpc/status"

	"shoal/wire"
)

// A direct connection is one stream for as long as it lasts. Who sends a frame writes it to
// the connection, and who waits for one reads it from there: no other goroutine is woken on
// either end, which is half of what a short message costs by gRPC (docs/adr/0014). The first
// frame names the method. A frame is its length in four bytes, little end first, the byte of
// its kind and its data.
const (
	frameHeader = 5
	// keptBuffer is how large a buffer for sending is kept for the next frame.
	keptBuffer = 64 << 10
	// maxDirect is how many direct connections there may be to a node.
	maxDirect = 16
	// directTime bounds the making of one.
	directTime = 5 * time.Second
	// directPause is how long none is tried after one could not be made: the other node may
	// run an older program.
	directPause = 10 * time.Second
)

// direct is one end of a direct connection. SendMsg and RecvMsg may be used by one goroutine
// each, Close by any.
type direct struct {
	net.Conn
	out []byte // the frame that is being sent
}

// SendMsg sends a frame.
func (d *direct) SendMsg(m any) error {
	f := m.(*frame)
	if len(f.data) > maxFrame {
		return grpcstatus.Errorf(codes.ResourceExhausted, "a message of %d bytes, %d are allowed", len(f.data), maxFrame)
	}
	d.out = binary.LittleEndian.AppendUint32(d.out[:0], uint32(len(f.data)))
	d.out = append(append(d.out, f.kind), f.data...)
	_, err := d.Write(d.out)
	if cap(d.out) > keptBuffer {
		d.out = nil
	}
	return directError(err)
}

// RecvMsg waits for a frame. The end of the connection is an error like any other: who serves
// a direct stream says why it ends before that.
func (d *direct) RecvMsg(m any) error {
	var header [frameHeader]byte
	if _, err := io.ReadFull(d, header[:]); err != nil {
		return directError(err)
	}
	size := binary.LittleEndian.Uint32(header[:])
	if size > maxFrame {
		return grpcstatus.Errorf(codes.ResourceExhausted, "a message of %d bytes, %d are allowed", size, maxFrame)
	}
	f := m.(*frame)
	f.kind, f.data = header[frameHeader-1], make([]byte, size)
	if _, err := io.ReadFull(d, f.data); err != nil {
		return directError(err)
	}
	return nil
}

// CloseSend ends the stream: nobody sends without waiting for the answer.
func (d *direct) CloseSend() error { return d.Close() }

// Close ends the connection at once, without a farewell that might have to wait.
func (d *direct) Close() error {
	if tc, ok := d.Conn.(interface{ NetConn() net.Conn }); ok {
		return tc.NetConn().Close()
	}
	return d.Conn.Close()
}

// directError names what became of a connection as gRPC does.
func directError(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, net.ErrClosed):
		return grpcstatus.Error(codes.Canceled, err.Error())
	}
	return grpcstatus.Error(codes.Unavailable, err.Error())
}

// directs are the direct connections of a link.
type directs struct {
	directSet
	ctx    context.Context // of those that are being made
	stop   context.CancelFunc
	making map[target]bool      // guarded by mu
	pause  map[target]time.Time // until when none is made; guarded by mu
}

func newDirects() *directs {
	d := &directs{making: map[target]bool{}, pause: map[target]time.Time{}}
	d.live = map[*direct]target{}
	d.ctx, d.stop = context.WithCancel(context.Background())
	return d
}

// admit reserves the making of a connection: one at a time for each node.
func (d *directs) admit(at target) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := time.Now()
	if d.closed || d.making[at] || d.pause[at].After(now) {
		return false
	}
	n := 0
	for _, to := range d.live {
		if to == at {
			n++
		}
	}
	if n >= maxDirect {
		return false
	}
	for other, until := range d.pause {
		if !until.After(now) {
			delete(d.pause, other)
		}
	}
	d.making[at] = true
	d.work.Add(1)
	return true
}

// made takes a connection that was admitted, nil when it could not be made. One that comes
// after close is not taken.
func (d *directs) made(at target, c *direct) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if c == nil {
		d.pause[at] = time.Now().Add(directPause)
		return false
	}
	if !d.closed {
		d.live[c] = at
	}
	return !d.closed
}

// settle ends what admit began: the connection is given away, or there is none.
func (d *directs) settle(at target) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.making, at)
	d.work.Done()
}

// close ends all connections and waits for those that are being made.
func (d *directs) close() {
	d.stop()
	d.directSet.close()
}

// Straighten makes a direct connection to a node, in the background, on which a method is
// called, and gives it away: a stream that costs less than others for each message, but more
// to begin. It is made for a node whose streams are used again and again. Nothing is given
// when the node has enough of them, one is being made, or none can be.
func (l *Link) Straighten(node wire.NodeID, method string, give func(s *ClientStream, end context.CancelFunc)) {
	addr, ok := l.resolve(node)
	at := target{node, addr}
	if !ok || !l.direct.admit(at) {
		return
	}
	go func() {
		defer l.direct.settle(at)
		c, err := l.makeDirect(at, method)
		if !l.direct.made(at, c) {
			if err == nil {
				_ = c.Close() // never used
			}
			return
		}
		life, end := context.WithCancel(context.Background())
		cut := func() {
			_ = c.Close() // it fails only when it was closed before
			l.direct.forget(c)
		}
		give(&ClientStream{ctx: life, cancel: cut, st: c, direct: true, link: l, counts: l.traffic.method(method), at: at}, func() { end(); cut() })
	}()
}

// makeDirect connects, and names the method.
func (l *Link) makeDirect(at target, method string) (*direct, error) {
	ctx, cancel := context.WithTimeout(l.direct.ctx, directTime)
	defer cancel()
	conn, err := l.dial(ctx, at, protoDirect, protoRPC)
	if err != nil {
		return nil, err
	}
	c := &direct{Conn: conn}
	if err = errOlder; conn.(*tls.Conn).ConnectionState().NegotiatedProtocol == protoDirect {
		err = c.SendMsg(&frame{kind: frameOpen, data: []byte(method)})
	}
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// errOlder: the program of the other node knows no direct connections.
var errOlder = fmt.Errorf("peer: %s is not known there", protoDirect)
