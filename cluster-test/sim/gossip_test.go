package sim

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"sync"
	"time"

	"github.com/hashicorp/memberlist"
)

// gossipPort carries gossip: packets that may get lost, and connections.
type gossipPort struct {
	port    *port
	at      *net.TCPAddr
	packets chan *memberlist.Packet
	streams chan net.Conn
	ln      net.Listener
	work    sync.WaitGroup
	done    chan struct{}
	once    sync.Once

	mu     sync.Mutex
	random *rand.Rand
}

var _ memberlist.NodeAwareTransport = (*gossipPort)(nil)

// Gossip implements machine.Network.
func (p *port) Gossip(host string, at int) (memberlist.NodeAwareTransport, error) {
	addr := net.JoinHostPort(host, fmt.Sprint(at))
	ln, err := p.Listen(addr)
	if err != nil {
		return nil, err
	}
	g := &gossipPort{
		port: p, at: tcpAddr(addr), ln: ln, packets: make(chan *memberlist.Packet, 256), streams: make(chan net.Conn), done: make(chan struct{}),
		random: p.net.source(host, "gossip"),
	}
	p.net.mu.Lock()
	p.net.gossips[addr] = g
	p.net.mu.Unlock()
	g.work.Go(g.accept)
	return g, nil
}

func (g *gossipPort) accept() {
	for {
		c, err := g.ln.Accept()
		if err != nil {
			return
		}
		select {
		case g.streams <- c:
		case <-g.done:
			_ = c.Close() // nobody wants it
			return
		}
	}
}

// FinalAdvertiseAddr implements memberlist.Transport.
func (g *gossipPort) FinalAdvertiseAddr(string, int) (net.IP, int, error) {
	return g.at.IP, g.at.Port, nil
}

// WriteTo implements memberlist.Transport.
func (g *gossipPort) WriteTo(b []byte, addr string) (time.Time, error) {
	now := time.Now()
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return now, err
	}
	g.port.mu.Lock()
	dead := g.port.dead
	g.port.mu.Unlock()
	if dead {
		return now, errDead
	}
	n := g.port.net
	g.mu.Lock()
	d := n.delay(g.random, g.port.host, host)
	chance := g.random.Float64()
	g.mu.Unlock()
	n.mu.Lock()
	lost := chance < max(n.loss[g.port.host], n.loss[host])
	n.mu.Unlock()
	if blocked, _ := n.blocked(g.port.host, host); blocked || lost {
		return now, nil
	}
	p := &memberlist.Packet{Buf: append([]byte(nil), b...), From: g.at}
	time.AfterFunc(d, func() {
		n.mu.Lock()
		to := n.gossips[addr]
		n.mu.Unlock()
		if to == nil {
			return
		}
		p.Timestamp = time.Now()
		select {
		case to.packets <- p:
		default: // its buffer is full
		}
	})
	return now, nil
}

// WriteToAddress implements memberlist.NodeAwareTransport.
func (g *gossipPort) WriteToAddress(b []byte, a memberlist.Address) (time.Time, error) {
	return g.WriteTo(b, a.Addr)
}

// PacketCh implements memberlist.Transport.
func (g *gossipPort) PacketCh() <-chan *memberlist.Packet { return g.packets }

// DialTimeout implements memberlist.Transport.
func (g *gossipPort) DialTimeout(addr string, timeout time.Duration) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	return g.port.Dial(ctx, addr)
}

// DialAddressTimeout implements memberlist.NodeAwareTransport.
func (g *gossipPort) DialAddressTimeout(a memberlist.Address, timeout time.Duration) (net.Conn, error) {
	return g.DialTimeout(a.Addr, timeout)
}

// StreamCh implements memberlist.Transport.
func (g *gossipPort) StreamCh() <-chan net.Conn { return g.streams }

// Shutdown implements memberlist.Transport.
func (g *gossipPort) Shutdown() error {
	g.once.Do(func() {
		close(g.done)
		_ = g.ln.Close() // the process may have ended before
		n := g.port.net
		n.mu.Lock()
		if n.gossips[g.at.String()] == g {
			delete(n.gossips, g.at.String())
		}
		n.mu.Unlock()
	})
	g.work.Wait()
	return nil
}
