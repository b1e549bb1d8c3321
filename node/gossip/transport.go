package gossip

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"sync"
	"time"

	"github.com/hashicorp/memberlist"

	"shoal/node/gate"
)

const (
	// proofTime bounds the reading of a stream's first message.
	proofTime = 5 * time.Second
	// acceptRest is the pause after a failed accept.
	acceptRest = 50 * time.Millisecond
	// packetRoom is the system's buffer for waiting packets, in bytes.
	packetRoom = 2 << 20
)

// unproven bounds the streams whose first message is being read: 16 MiB in all.
var unproven = gate.Limits{Total: 32, PerSource: 8, Burst: 100, Rate: 20}

// transport is the gossip address on this machine. memberlist gets only messages that were
// made with a key of the cluster, because it would read, keep and log far more of a
// stranger's. Shutdown ends the transport and waits for its goroutines.
type transport struct {
	tcp     *net.TCPListener
	udp     *net.UDPConn
	keys    func() [][]byte
	log     *slog.Logger
	gate    *gate.Gate
	packets chan *memberlist.Packet
	streams chan net.Conn
	ctx     context.Context // ends with Shutdown
	stop    context.CancelFunc
	work    sync.WaitGroup
}

var _ memberlist.NodeAwareTransport = (*transport)(nil)

// listen binds a gossip address for TCP and UDP.
func listen(host string, port int, keys func() [][]byte, log *slog.Logger) (*transport, error) {
	ip := net.ParseIP(host)
	tcp, err := net.ListenTCP("tcp", &net.TCPAddr{IP: ip, Port: port})
	if err != nil {
		return nil, err
	}
	udp, err := net.ListenUDP("udp", &net.UDPAddr{IP: ip, Port: port})
	if err != nil {
		return nil, errors.Join(err, tcp.Close())
	}
	for room := packetRoom; room > 0 && udp.SetReadBuffer(room) != nil; {
		room /= 2 // as much as the system gives
	}
	t := &transport{
		tcp: tcp, udp: udp, keys: keys, log: log, gate: gate.New(unproven),
		packets: make(chan *memberlist.Packet), streams: make(chan net.Conn),
	}
	t.ctx, t.stop = context.WithCancel(context.Background())
	t.work.Go(t.accept)
	t.work.Go(t.receive)
	return t, nil
}

// accept takes connections until Shutdown.
func (t *transport) accept() {
	for {
		c, err := t.tcp.Accept()
		if err != nil {
			if t.ctx.Err() != nil || errors.Is(err, net.ErrClosed) {
				return
			}
			t.log.Warn("no connection of gossip can be accepted", "error", err)
			if !t.rest() {
				return
			}
			continue
		}
		visit, ok := t.gate.Enter(c)
		if !ok {
			t.refused(c.RemoteAddr(), errFailedOften)
			_ = c.Close() // nothing was read
			continue
		}
		t.work.Go(func() { t.prove(c, visit) })
	}
}

// errFailedOften: connections from one address failed many times to prove the secret.
var errFailedOften = errors.New("too many connections from there failed to prove the cluster's secret")

// prove passes a connection on to memberlist if its first message proves the secret.
func (t *transport) prove(c net.Conn, visit *gate.Visit) {
	giveUp := context.AfterFunc(t.ctx, func() { _ = c.Close() })
	defer giveUp()
	read, err := t.first(c)
	visit.Leave(err == nil)
	if err != nil {
		t.refused(c.RemoteAddr(), err)
	}
	switch {
	case errors.Is(err, errUnproven):
		read = unreadable()
	case err != nil:
		_ = c.Close() // without a proof there is nothing to answer
		return
	}
	select {
	case t.streams <- &begun{Conn: c, rest: bytes.NewReader(read)}:
	case <-t.ctx.Done():
		_ = c.Close() // nobody takes it
	}
}

// first reads the first message of a connection.
func (t *transport) first(c net.Conn) ([]byte, error) {
	if err := c.SetReadDeadline(time.Now().Add(proofTime)); err != nil {
		return nil, err
	}
	return provenStream(t.keys(), c)
}

// begun is a connection whose first bytes were already read.
type begun struct {
	net.Conn
	rest *bytes.Reader
}

// Read implements net.Conn.
func (b *begun) Read(p []byte) (int, error) {
	if b.rest.Len() > 0 {
		return b.rest.Read(p)
	}
	return b.Conn.Read(p)
}

// receive receives packets until Shutdown. Packets of strangers share one buffer.
func (t *transport) receive() {
	buf := make([]byte, maxPacket+1)
	for {
		n, from, err := t.udp.ReadFromUDP(buf)
		at := time.Now()
		if err != nil {
			if t.ctx.Err() != nil || errors.Is(err, net.ErrClosed) {
				return
			}
			t.log.Warn("no packet of gossip can be read", "error", err)
			if !t.rest() {
				return
			}
			continue
		}
		if n > maxPacket {
			err = fmt.Errorf("a packet of more than %d bytes", maxPacket)
		} else {
			err = provenPacket(t.keys(), buf[:n])
		}
		if err != nil {
			t.refused(from, err)
			continue
		}
		select {
		case t.packets <- &memberlist.Packet{Buf: bytes.Clone(buf[:n]), From: from, Timestamp: at}:
		case <-t.ctx.Done():
			return
		}
	}
}

func (t *transport) refused(from net.Addr, err error) {
	if !errors.Is(err, io.EOF) && !errors.Is(err, net.ErrClosed) { // a caller that left at once sent nothing
		t.log.Warn("refused gossip", "from", from, "error", err)
	}
}

// rest waits after an error. It returns false if the transport ends meanwhile.
func (t *transport) rest() bool {
	select {
	case <-time.After(acceptRest):
		return true
	case <-t.ctx.Done():
		return false
	}
}

// FinalAdvertiseAddr implements memberlist.Transport. The node chooses its own address.
func (t *transport) FinalAdvertiseAddr(host string, port int) (net.IP, int, error) {
	ip := net.ParseIP(host)
	if ip == nil {
		return nil, 0, fmt.Errorf("%q is no IP address", host)
	}
	if v4 := ip.To4(); v4 != nil {
		ip = v4
	}
	return ip, port, nil
}

// WriteTo implements memberlist.Transport.
func (t *transport) WriteTo(b []byte, addr string) (time.Time, error) {
	to, err := net.ResolveUDPAddr("udp", addr)
	if err != nil {
		return time.Time{}, err
	}
	_, err = t.udp.WriteTo(b, to)
	return time.Now(), err
}

// WriteToAddress implements memberlist.NodeAwareTransport.
func (t *transport) WriteToAddress(b []byte, to memberlist.Address) (time.Time, error) {
	return t.WriteTo(b, to.Addr)
}

// PacketCh implements memberlist.Transport.
func (t *transport) PacketCh() <-chan *memberlist.Packet { return t.packets }

// StreamCh implements memberlist.Transport.
func (t *transport) StreamCh() <-chan net.Conn { return t.streams }

// DialTimeout implements memberlist.Transport. The carrier dials instead.
func (t *transport) DialTimeout(string, time.Duration) (net.Conn, error) {
	return nil, errors.ErrUnsupported
}

// DialAddressTimeout implements memberlist.NodeAwareTransport.
func (t *transport) DialAddressTimeout(memberlist.Address, time.Duration) (net.Conn, error) {
	return nil, errors.ErrUnsupported
}

// Shutdown implements memberlist.Transport.
func (t *transport) Shutdown() error {
	t.stop()
	err := errors.Join(t.tcp.Close(), t.udp.Close())
	t.work.Wait()
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}
