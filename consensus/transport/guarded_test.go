package transport

import (
	"net"
	"testing"

	"shoal/wire"
)

// knownConn is a connection that names its caller.
type knownConn struct {
	net.Conn
	node wire.NodeID
}

func (c *knownConn) Node() wire.NodeID { return c.node }

// callers is a listener with the connections of some nodes.
type callers struct {
	net.Listener
	conns []net.Conn
}

func (l *callers) Accept() (net.Conn, error) {
	if len(l.conns) == 0 {
		return nil, net.ErrClosed
	}
	c := l.conns[0]
	l.conns = l.conns[1:]
	return c, nil
}

// Raft accepts entries from any node with a higher term. An old voter would truncate the
// log of the recovered cluster.
func TestRow22AVoterThatWasLeftBehindReachesNoRaft(t *testing.T) {
	var conns []net.Conn
	for _, node := range []wire.NodeID{"left behind", "member"} {
		here, there := net.Pipe()
		defer there.Close()
		conns = append(conns, &knownConn{here, node})
	}
	l := &guarded{&callers{conns: conns}, func(id wire.NodeID) bool { return id == "left behind" }}
	c, err := l.Accept()
	if err != nil || c.(namedConn).Node() != "member" {
		t.Fatalf("accepted %v %v", c, err)
	}
	defer c.Close()
	if _, err := conns[0].Write([]byte{0}); err == nil {
		t.Error("the connection of the voter that was left behind is open")
	}
}
