package gossip

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"shoal/node/machine"
	"shoal/node/observe"
	"shoal/wire"
)

// member opens gossip for a node of a cluster whose key has one byte again and again.
func member(t *testing.T, name string, key byte, log *slog.Logger) *Gossip {
	t.Helper()
	g, err := Open(machine.System{}, wire.Node{ID: wire.NodeID(name), GossipAddr: "127.0.0.1:0"}, "127.0.0.1:0", [][]byte{bytes.Repeat([]byte{key}, 32)}, nil, nil, log)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := g.Close(false); err != nil {
			t.Error(err)
		}
	})
	return g
}

func (g *Gossip) bound() string { return g.list.LocalNode().FullAddress().Addr }

// claim is the beginning of a stream of gossip that announces so many bytes.
func claim(size uint32) []byte {
	return binary.BigEndian.AppendUint32(append(bytes.Clone(labelled), kindEncrypted), size)
}

// lines is a log that can be read while it is written.
type lines struct {
	mu sync.Mutex
	bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.Buffer.Write(p)
}

func (l *lines) size() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.Len()
}

// A stranger without the secret made a node keep 3.1 GiB over 120 connections.
func TestStreamsOfStrangersTakeLittleMemoryAndKeepNobodyOut(t *testing.T) {
	var said lines
	log := observe.Sparing(slog.New(slog.NewTextHandler(&said, nil)))
	g := member(t, "a", 1, log)
	var before, during runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	megabyte := make([]byte, 1<<20)
	var flood sync.WaitGroup
	for i := range 120 {
		dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, byte(2+i%4))}}
		c, err := dialer.DialContext(t.Context(), "tcp", g.bound())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		flood.Go(func() {
			size := uint32(20 << 20)
			if i%2 == 0 {
				size = maxStream
			}
			if _, err := c.Write(claim(size)); err != nil {
				return // it was closed for another one
			}
			for sent := uint32(0); sent < size-1; {
				n, err := c.Write(megabyte[:min(len(megabyte), int(size-1-sent))])
				if err != nil {
					return
				}
				sent += uint32(n)
			}
		})
	}
	flood.Wait()
	runtime.ReadMemStats(&during)
	if grew := int64(during.HeapAlloc) - int64(before.HeapAlloc); grew > 64<<20 {
		t.Errorf("120 connections of strangers take %d MiB", grew>>20)
	}
	b := member(t, "b", 1, slog.New(slog.DiscardHandler))
	begun := time.Now()
	if _, err := b.list.Join([]string{g.bound()}); err != nil {
		t.Errorf("a node of the cluster cannot join meanwhile: %v", err)
	}
	if took := time.Since(begun); took > 2*time.Second {
		t.Errorf("joining takes %s meanwhile", took)
	}
	if n := said.size(); n > 4<<10 {
		t.Errorf("the log has %d bytes:\n%s", n, said.String())
	}
}

// Bad packets wrote 4.7 MB into the log of a node in 10 s.
func TestPacketsOfStrangersLeaveOneLine(t *testing.T) {
	var said lines
	g := member(t, "a", 1, observe.Sparing(slog.New(slog.NewTextHandler(&said, nil))))
	c, err := net.Dial("udp", g.bound())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	forged := append(bytes.Clone(labelled), make([]byte, 1000)...)
	for i := range 5000 {
		for _, p := range [][]byte{{0}, []byte("GET / HTTP/1.0"), forged, make([]byte, 60_000), labelled} {
			if _, err := c.Write(p[:max(1, len(p)-i%7)]); err != nil {
				t.Fatal(err)
			}
		}
	}
	b := member(t, "b", 1, slog.New(slog.DiscardHandler))
	if _, err := b.list.Join([]string{g.bound()}); err != nil {
		t.Error(err)
	}
	if n := said.size(); n == 0 || n > 2<<10 {
		t.Errorf("the log has %d bytes:\n%s", n, said.String())
	}
}

func TestANodeWithAnotherSecretIsToldSo(t *testing.T) {
	g := member(t, "a", 1, slog.New(slog.DiscardHandler))
	other := member(t, "b", 2, slog.New(slog.DiscardHandler))
	if _, err := other.list.Join([]string{g.bound()}); err == nil || !otherSecret(err) {
		t.Errorf("joining with another secret: %v", err)
	}
}

// A node that was told to join the address for clients ended and said that its secret differs.
func TestAnotherServiceIsNotTakenForANodeWithAnotherSecret(t *testing.T) {
	web := httptest.NewServer(http.NotFoundHandler())
	defer web.Close()
	g := member(t, "a", 1, slog.New(slog.DiscardHandler))
	addr := web.Listener.Addr().String()
	_, err := g.list.Join([]string{addr})
	if err == nil || otherSecret(err) {
		t.Fatalf("joining a web server: %v", err)
	}
	if said := reason(addr, err); !strings.Contains(said, "is not the --gossip-addr of a Shoal node") {
		t.Errorf("it says: %s", said)
	}
	web.Close()
	if _, err = g.list.Join([]string{addr}); err == nil || reason(addr, err) != "dial tcp "+addr+": connect: connection refused" {
		t.Errorf("nobody there: %v", err)
	}
}

func TestOnlyWhatAKeyOpensIsProven(t *testing.T) {
	key := [][]byte{bytes.Repeat([]byte{1}, 32)}
	for i, m := range [][]byte{nil, {kindLabel}, labelled, claim(0), claim(overhead), claim(maxStream + 1), unreadable(), append(claim(5), 1, 2, 3, 4, 5), append(claim(40), make([]byte, 40)...)} {
		if _, err := provenStream(key, bytes.NewReader(m)); err == nil {
			t.Errorf("stream %d is proven", i)
		}
		if err := provenPacket(key, m); err == nil {
			t.Errorf("packet %d is proven", i)
		}
	}
	var got error
	_, got = provenStream(key, bytes.NewReader(unreadable()))
	if fmt.Sprint(got) != errUnproven.Error() {
		t.Errorf("what no key opens: %v", got)
	}
}
