package peer

import (
	"context"
	"net"
	"sync"
	"time"

	grpcpeer "google.golang.org/grpc/peer"
)

const (
	// directSilence is how long a direct connection may bring nothing. It is longer than a
	// caller keeps one that it does not use.
	directSilence = 90 * time.Second
	// directWork is how long a handler works until somebody waits for the caller to go away.
	directWork = 20 * time.Millisecond
)

// apart takes the direct connections of a listener out, for the server to answer.
type apart struct {
	net.Listener
	server *Server
}

// Accept waits for the next connection that is not a direct one.
func (a apart) Accept() (net.Conn, error) {
	for {
		c, err := a.Listener.Accept()
		if known, ok := c.(*Conn); err != nil || !ok || !known.direct {
			return c, err
		}
		a.server.direct.begin(c.(*Conn), a.server.converse)
	}
}

// directServer are the direct connections that a server answers.
type directServer struct{ directSet }

func (d *directServer) begin(conn *Conn, converse func(*Conn, *direct)) {
	c := &direct{Conn: conn.Conn}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		_ = c.Close() // never used
		return
	}
	if d.live == nil {
		d.live = map[*direct]target{}
	}
	d.live[c] = target{node: conn.node}
	d.work.Add(1)
	go func() {
		defer d.work.Done()
		converse(conn, c)
		_ = c.Close() // it fails only when it was closed before
		d.forget(c)
	}()
}

// converse answers one direct connection until it ends.
func (s *Server) converse(conn *Conn, c *direct) {
	in := &attentive{direct: c}
	defer in.close()
	var first frame
	if err := in.RecvMsg(&first); err != nil || first.kind != frameOpen {
		return
	}
	ctx, cancel := context.WithCancel(grpcpeer.NewContext(context.Background(), &grpcpeer.Peer{AuthInfo: proof{node: conn.node}}))
	defer cancel()
	in.gone = cancel
	name := string(first.data)
	admitted := s.admits(ctx, name)
	err := admitted()
	if err == nil {
		h, ok := s.method(name)
		if !ok {
			return // the caller asks in another way, and is told why that fails
		}
		err = s.answer(name, h, serverStream{in, s.traffic.method(name), ctx, admitted})
	}
	if err != nil && ctx.Err() == nil {
		_ = in.SendMsg(errorFrame(err)) // the connection ends in any case
	}
}

// attentive is a direct connection whose handler is told when the caller goes away while it
// works. To read all the time would wake a goroutine for each message: only a handler that
// works for long has one, which reads what it asks for next.
type attentive struct {
	*direct
	gone    func()      // nil: nobody works yet
	timer   *time.Timer // runs out when the handler works for long
	mu      sync.Mutex  // guards the rest
	working bool
	ahead   chan arrival // of who reads ahead, if anybody does
	work    sync.WaitGroup
}

// arrival is what came next.
type arrival struct {
	frame frame
	err   error
}

// RecvMsg waits for a frame; from its return on the handler works.
func (a *attentive) RecvMsg(m any) error {
	if a.timer != nil {
		a.timer.Stop()
	}
	ahead := a.rest()
	err := a.SetReadDeadline(time.Now().Add(directSilence))
	switch {
	case ahead != nil:
		got := <-ahead
		*m.(*frame), err = got.frame, got.err
	case err == nil:
		err = a.direct.RecvMsg(m)
	}
	if err == nil && a.gone != nil {
		a.begin()
	}
	return err
}

// rest ends the work of the handler. It returns where its next message comes from if
// somebody reads that already.
func (a *attentive) rest() chan arrival {
	a.mu.Lock()
	defer a.mu.Unlock()
	ahead := a.ahead
	a.working, a.ahead = false, nil
	return ahead
}

// begin has somebody read ahead when the handler works for long.
func (a *attentive) begin() {
	a.mu.Lock()
	a.working = true
	a.mu.Unlock()
	if a.timer == nil {
		a.timer = time.AfterFunc(directWork, a.listen)
		return
	}
	a.timer.Reset(directWork)
}

// listen reads ahead of the handler.
func (a *attentive) listen() {
	a.mu.Lock()
	if !a.working || a.ahead != nil {
		a.mu.Unlock()
		return
	}
	ahead := make(chan arrival, 1)
	a.ahead = ahead
	a.work.Add(1)
	a.mu.Unlock()
	defer a.work.Done()
	var got arrival
	if got.err = a.SetReadDeadline(time.Time{}); got.err == nil {
		got.err = a.direct.RecvMsg(&got.frame)
	}
	if got.err != nil {
		a.gone()
	}
	ahead <- got
}

// close ends the connection and waits for who reads ahead.
func (a *attentive) close() {
	if a.timer != nil {
		a.timer.Stop()
	}
	a.rest()
	_ = a.Close() // it fails only when it was closed before
	a.work.Wait()
}
