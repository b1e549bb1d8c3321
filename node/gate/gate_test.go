package gate

import (
	"fmt"
	"net"
	"testing"
	"time"
)

// caller is a connection from an address.
type caller struct {
	net.Conn
	addr   string
	closed bool
}

func (c *caller) RemoteAddr() net.Addr {
	at, err := net.ResolveTCPAddr("tcp", c.addr)
	if err != nil {
		panic(err)
	}
	return at
}

func (c *caller) Close() error { c.closed = true; return nil }

func TestAFloodDisplacesItselfOnly(t *testing.T) {
	g := New(Limits{Total: 8, PerSource: 4, Burst: 1000, Rate: 1})
	friend := &caller{addr: "10.0.0.1:1"}
	if _, ok := g.Enter(friend); !ok {
		t.Fatal("a quiet source was refused")
	}
	var flood []*caller
	for i := range 300 {
		c := &caller{addr: fmt.Sprintf("10.0.1.%d:%d", i%3, 1000+i)}
		flood = append(flood, c)
		if _, ok := g.Enter(c); !ok {
			t.Fatal("an unproven connection was refused without a failure")
		}
		open := map[string]int{}
		for _, c := range flood {
			if !c.closed {
				open[sourceOf(c.RemoteAddr())]++
			}
		}
		all := 1
		for from, n := range open {
			all += n
			if n > 4 {
				t.Fatalf("%s has %d unproven connections", from, n)
			}
		}
		if all > 8 {
			t.Fatalf("%d connections are unproven", all)
		}
	}
	if friend.closed {
		t.Error("the flood of others ended the connection of a quiet source")
	}
}

func TestASourceThatFailsIsRefusedForAWhile(t *testing.T) {
	g := New(Limits{Total: 8, PerSource: 4, Burst: 10, Rate: 2})
	now := time.Unix(1000, 0)
	g.now = func() time.Time { return now }
	try := func(addr string) bool {
		v, ok := g.Enter(&caller{addr: addr})
		if ok {
			v.Leave(false)
		}
		return ok
	}
	for i := range 10 {
		if !try("10.0.0.1:1") {
			t.Fatalf("refused after %d failures", i)
		}
	}
	if try("10.0.0.1:2") {
		t.Error("admitted after 10 failures at once")
	}
	if !try("10.0.0.2:1") {
		t.Error("another source pays for it")
	}
	now = now.Add(time.Second)
	if !try("10.0.0.1:3") || !try("10.0.0.1:4") || try("10.0.0.1:5") {
		t.Error("two failures are forgiven a second")
	}
}

func TestProofCostsNothing(t *testing.T) {
	g := New(Limits{Total: 8, PerSource: 4, Burst: 3, Rate: 0})
	for range 100 {
		v, ok := g.Enter(&caller{addr: "10.0.0.1:1"})
		if !ok {
			t.Fatal("a source that proves the secret was refused")
		}
		v.Leave(true)
	}
	if len(g.sources) != 0 || g.total != 0 {
		t.Errorf("%d sources, %d connections are left", len(g.sources), g.total)
	}
}

func TestTheRecordOfFailuresIsBounded(t *testing.T) {
	g := New(Limits{Total: 8, PerSource: 4, Burst: 1000, Rate: 0})
	for i := range 3 * maxSources {
		v, ok := g.Enter(&caller{addr: fmt.Sprintf("[2001:db8:%x::1]:1", i)})
		if !ok {
			break // the shared record is full
		}
		v.Leave(false)
	}
	if len(g.sources) > maxSources+1 {
		t.Errorf("%d sources are on record", len(g.sources))
	}
}

func TestNeighboursInAnIPv6NetworkAreOneSource(t *testing.T) {
	a := sourceOf(&net.TCPAddr{IP: net.ParseIP("2001:db8::1"), Port: 1})
	b := sourceOf(&net.TCPAddr{IP: net.ParseIP("2001:db8::ffff:2"), Port: 2})
	c := sourceOf(&net.TCPAddr{IP: net.ParseIP("2001:db8:0:1::1"), Port: 1})
	if a != b || a == c {
		t.Errorf("%s %s %s", a, b, c)
	}
	if got := sourceOf(&net.TCPAddr{IP: net.ParseIP("::ffff:10.0.0.1"), Port: 1}); got != "10.0.0.1" {
		t.Errorf("an IPv4 address in IPv6 form is %s", got)
	}
}
