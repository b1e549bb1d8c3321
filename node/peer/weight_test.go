package peer

import (
	"context"
	"net"
	"sync/atomic"
	"testing"

	"shoal/node/machine"
)

// weighed counts the bytes that its connections send.
type weighed struct {
	machine.Network
	sent atomic.Int64
}

func (w *weighed) Dial(ctx context.Context, addr string) (net.Conn, error) {
	c, err := w.Network.Dial(ctx, addr)
	if err != nil {
		return nil, err
	}
	return &weighedConn{c, &w.sent}, nil
}

type weighedConn struct {
	net.Conn
	sent *atomic.Int64
}

func (c *weighedConn) Write(b []byte) (int, error) {
	c.sent.Add(int64(len(b)))
	return c.Conn.Write(b)
}

// Each single message was once answered by a window update and a ping, and the ping by its
// receiver.
func TestASingleMessageCausesNoOtherFrames(t *testing.T) {
	link := start(t, secretOfTests, secretOfTests)
	network := &weighed{Network: link.network}
	link.network = network
	s := openTo(t, link, "upper")
	one := func() {
		if _, err := ask(s, "a"); err != nil {
			t.Fatal(err)
		}
	}
	one()
	const rounds = 200
	before := network.sent.Load()
	for range rounds {
		one()
	}
	// The echo takes 5 bytes, a frame 6, a record of TLS 22.
	if got := float64(network.sent.Load()-before) / rounds; got > 34 {
		t.Errorf("%.0f bytes were sent for each message of 33", got)
	}
}
