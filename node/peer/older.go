package peer

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"shoal/wire"
	"shoal/wire/span"
)

// Programs up to wire.Version 10 call by gRPC, and answer calls of this program over a
// connection of its own for each exchange (protoDirect). This file answers their calls, so
// that a cluster can be upgraded node by node. It can be deleted once nobody upgrades from
// them.

// olderPrefix begins the path of their methods.
const olderPrefix = "/shoal/"

// older answers the calls of older programs.
type older struct {
	server *Server
	http   http.Server
	conns  chan net.Conn
	over   chan struct{}
	begin  sync.Once
	work   sync.WaitGroup // the server and its handlers
	mu     sync.Mutex     // guards closed
	closed bool
}

func newOlder(s *Server) *older {
	o := &older{server: s, conns: make(chan net.Conn), over: make(chan struct{})}
	o.http = http.Server{Handler: o, ReadHeaderTimeout: handshakeTime, BaseContext: func(net.Listener) context.Context { return s.ctx }}
	return o
}

// push answers a connection.
func (o *older) push(c *Conn) {
	o.begin.Do(func() {
		if o.enter() {
			go func() {
				defer o.work.Done()
				_ = o.http.Serve(o) // it ends with close
			}()
		}
	})
	select {
	case o.conns <- c.Conn:
	case <-o.over:
		_ = c.Close() // never used
	}
}

// enter counts a goroutine that close waits for. It returns false once closed.
func (o *older) enter() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.closed {
		o.work.Add(1)
	}
	return !o.closed
}

// Accept implements net.Listener.
func (o *older) Accept() (net.Conn, error) {
	select {
	case c := <-o.conns:
		return c, nil
	case <-o.over:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener. It does nothing, because close ends the listener.
func (o *older) Close() error { return nil }

// Addr implements net.Listener.
func (o *older) Addr() net.Addr { return &net.TCPAddr{} }

// close ends all calls and waits for their handlers.
func (o *older) close() {
	o.mu.Lock()
	o.closed = true
	o.mu.Unlock()
	close(o.over)
	_ = o.http.Close() // the connections end in any case
	o.work.Wait()
}

// ServeHTTP answers one call.
func (o *older) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !o.enter() {
		return
	}
	defer o.work.Done()
	if r.TLS == nil || len(r.TLS.PeerCertificates) == 0 || r.ProtoMajor != 2 {
		w.WriteHeader(http.StatusForbidden)
		return
	}
	method := strings.TrimPrefix(r.URL.Path, olderPrefix)
	ctx := context.WithValue(r.Context(), callerKey{}, holder(r.TLS))
	w.Header().Set("Content-Type", "application/grpc")
	x := &exchange{carrier: &olderCall{w, r.Body, http.NewResponseController(w)}}
	o.server.serve(ctx, x, method, r.Header.Get(span.Header))
	w.Header().Set(http.TrailerPrefix+"Grpc-Status", "0")
}

// olderCall carries the frames of one call. Each is a byte (0 for not compressed), the
// length in four bytes (big-endian), the kind of the frame and its data.
type olderCall struct {
	w    http.ResponseWriter
	body io.Reader
	ctrl *http.ResponseController
}

// transmit implements carrier.
func (c *olderCall) transmit(f *frame) error {
	kind := f.kind
	switch kind {
	case frameEnd:
		return nil // the trailer says so
	case frameReply:
		kind = frameMessage
	}
	out := binary.BigEndian.AppendUint32([]byte{0}, uint32(1+len(f.data)))
	if err := c.ctrl.SetWriteDeadline(time.Now().Add(silence)); err != nil {
		return err
	}
	if _, err := c.w.Write(append(append(out, kind), f.data...)); err != nil {
		return err
	}
	return c.ctrl.Flush()
}

// await implements carrier.
func (c *olderCall) await(f *frame) error {
	var header [5]byte
	if _, err := io.ReadFull(c.body, header[:]); errors.Is(err, io.EOF) {
		f.kind = frameEnd
		return nil
	} else if err != nil {
		return err
	}
	size := binary.BigEndian.Uint32(header[1:])
	if header[0] != 0 || size == 0 || size > maxFrame {
		return wire.ErrUnavailable
	}
	data := make([]byte, size)
	if _, err := io.ReadFull(c.body, data); err != nil {
		return err
	}
	f.kind, f.data = data[0], data[1:]
	return nil
}
