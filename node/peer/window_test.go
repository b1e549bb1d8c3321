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

// Each message that came alone was answered by a window update and a ping, and the ping
// by its receiver: links measured how much they may bring at a time.
func TestAMessageIsNotFollowedByPings(t *testing.T) {
	link := start(t, secretOfTests, secretOfTests)
	network := &weighed{Network: link.network}
	link.network = network
	st, err := link.Open(t.Context(), "n", "upper")
	if err != nil {
		t.Fatal(err)
	}
	ask := func() {
		if err := st.Send(&echo{Text: "a"}); err != nil {
			t.Fatal(err)
		}
		if err := st.Recv(new(echo)); err != nil {
			t.Fatal(err)
		}
	}
	ask()
	const rounds = 200
	before := network.sent.Load()
	for range rounds {
		ask()
	}
	// The echo takes 6 bytes, a message of gRPC 5, a frame 9, a record of TLS 22.
	if got := float64(network.sent.Load()-before) / rounds; got > 50 {
		t.Errorf("%.0f bytes were sent for each message of 42", got)
	}
}
