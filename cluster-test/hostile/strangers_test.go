package hostile

import (
	"context"
	"crypto/tls"
	"encoding/binary"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

const (
	// moreMemory is what a node may take under strangers, in MiB.
	moreMemory = 64
	// loggedEach is how much it may log each second for them.
	loggedEach = 1 << 10
	// A stranger pauses after each connection and each packet, because the machine of the
	// test runs the strangers beside the node. On two cores four of them make about 4,000
	// connections and packets a second.
	redial, resend = 20 * time.Millisecond, time.Millisecond
)

// stranger has the addresses of a node, an address of its own, and no secret.
type stranger struct {
	v      *target
	dialer net.Dialer
	from   net.IP
	// tried counts connections and packets.
	tried *atomic.Int64
}

// on sends something on one connection after the other, and waits until each one ends.
func (s stranger) on(ctx context.Context, addr string, send func(c net.Conn)) {
	for ctx.Err() == nil {
		time.Sleep(redial)
		c, err := s.dialer.DialContext(ctx, "tcp", addr)
		if err != nil {
			continue
		}
		s.tried.Add(1)
		end := context.AfterFunc(ctx, func() { _ = c.Close() })
		send(c)
		end()
		_ = c.Close()
	}
}

// attack does all that a stranger can do.
func (s stranger) attack(ctx context.Context, all *sync.WaitGroup) {
	shake := func(c net.Conn) {
		_ = tls.Client(c, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2"}}).HandshakeContext(ctx)
	}
	wait := func(c net.Conn) { _, _ = c.Read(make([]byte, 1)) }
	gossip := append([]byte{244, 5}, "shoal\x0a"...)
	much := func(size uint32) func(c net.Conn) {
		return func(c net.Conn) {
			if _, err := c.Write(binary.BigEndian.AppendUint32(gossip[:8:8], size)); err != nil {
				return
			}
			for block, sent := make([]byte, 64<<10), 0; sent+len(block) < int(size); sent += len(block) {
				if _, err := c.Write(block); err != nil {
					return
				}
			}
			wait(c)
		}
	}
	for range connections {
		all.Go(func() { s.on(ctx, s.v.Peer, shake) })
		all.Go(func() { s.on(ctx, s.v.Peer, wait) })
		all.Go(func() { s.on(ctx, s.v.Gossip, much(20<<20)) })
		all.Go(func() { s.on(ctx, s.v.Gossip, much(500<<10)) })
		all.Go(func() {
			s.on(ctx, s.v.HTTP, func(c net.Conn) {
				_, _ = c.Write([]byte("POST /indexes/things/search HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer nothing\r\nContent-Length: 99999999\r\n\r\n"))
				wait(c)
			})
		})
	}
	all.Go(func() {
		dialer := net.Dialer{LocalAddr: &net.UDPAddr{IP: s.from}}
		c, err := dialer.DialContext(ctx, "udp", s.v.Gossip)
		if err != nil {
			s.v.t.Error(err)
			return
		}
		defer c.Close()
		for packet := append(gossip[:7:7], make([]byte, 1000)...); ctx.Err() == nil; {
			if _, err := c.Write(packet); err == nil {
				s.tried.Add(1)
			}
			time.Sleep(resend)
		}
	})
}

// Strangers without the secret once made a node take 5.8 GiB through its gossip port, made
// searches fail through its peer port, and let the log grow by 10.7 MB in 25 s.
func TestFourStrangersOnAllPortsCostLittle(t *testing.T) {
	v := newTarget(t)
	c := from("127.0.0.1")
	defer c.CloseIdleConnections()
	v.searches(t.Context(), c, time.Second) // warm
	memory, err := v.Resident()
	if err != nil {
		t.Fatal(err)
	}
	best := 0.0
	// The best of six rounds counts: the machine may do other things too.
	for round := 0; round < 6 && (round == 0 || best > slower); round++ {
		alone := v.searches(t.Context(), c, time.Second)
		logged, begun := v.LogSize(), time.Now()
		ctx, stop := context.WithCancel(t.Context())
		var all sync.WaitGroup
		var tried atomic.Int64
		for i := range clients {
			ip := net.IPv4(127, 0, 0, byte(2+i))
			s := stranger{v: v, from: ip, dialer: net.Dialer{LocalAddr: &net.TCPAddr{IP: ip}}, tried: &tried}
			s.attack(ctx, &all)
		}
		used, err := v.CPU()
		if err != nil {
			t.Fatal(err)
		}
		under := v.searches(ctx, c, 3*time.Second)
		now, err := v.CPU()
		if err != nil {
			t.Fatal(err)
		}
		most, err := v.Resident()
		stop()
		all.Wait()
		if err != nil {
			t.Fatal(err)
		}
		each := float64(v.LogSize()-logged) / time.Since(begun).Seconds()
		t.Logf("%d connections and packets; half of the searches within %s, alone %s; %d MiB, before %d; %.0f bytes of log a second; %s of CPU",
			tried.Load(), under[len(under)/2], alone[len(alone)/2], most, memory, each, now-used)
		times := float64(under[len(under)/2]) / float64(alone[len(alone)/2])
		if round == 0 || times < best {
			best = times
		}
		if most > memory+moreMemory {
			t.Errorf("the node takes %d MiB, before %d", most, memory)
		}
		if each > loggedEach {
			t.Errorf("it logs %.0f bytes a second", each)
		}
	}
	if best > slower {
		t.Errorf("half of the searches take more than %.1f times as long", best)
	}
}
