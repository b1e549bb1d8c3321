package hostile

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"testing"
	"time"
)

const (
	// descriptors is what the node may have open, crowd how many connections others open.
	descriptors, crowd = 512, 2000
	// promptly is how long a request may take meanwhile.
	promptly = 5 * time.Second
)

// TestANodeWithFewDescriptorsServesBesideACrowd: connections of clients may use half of
// the descriptors. Without the other half the node could open neither its files nor
// connections to other nodes, and a store that cannot open a file ends its node.
func TestANodeWithFewDescriptorsServesBesideACrowd(t *testing.T) {
	v := newTarget(t)
	v.Stop()
	v.Descriptors = descriptors
	if err := v.Start(v.c); err != nil {
		t.Fatal(err)
	}
	if err := v.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	pid := v.PID()
	var crowded []net.Conn
	defer func() {
		for _, c := range crowded {
			_ = c.Close()
		}
	}()
	addrs := []string{v.HTTP, v.Peer, v.Gossip}
	for i := range crowd {
		d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 1, byte(2+i%50))}, Timeout: time.Second}
		if c, err := d.DialContext(t.Context(), "tcp", addrs[i%len(addrs)]); err == nil {
			crowded = append(crowded, c)
		}
		if i%100 == 0 {
			v.answers(t, i)
		}
	}
	v.answers(t, crowd)
	if v.PID() != pid || !v.Runs() {
		t.Error("the node has ended")
	}
}

// answers writes a document, reads it, and searches as a client that connects just now.
func (v *target) answers(t *testing.T, i int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), promptly)
	defer cancel()
	doc := fmt.Appendf(nil, `{"id":"crowd%d","title":"crowd %d"}`, i, i)
	if err := v.Write(ctx, "POST", "/indexes/things/documents", doc); err != nil {
		t.Fatalf("a write after %d connections: %v", i, err)
	}
	status, b, err := v.Do(ctx, "GET", fmt.Sprintf("/indexes/things/documents/crowd%d", i), nil)
	if err != nil || status != http.StatusOK || !bytes.Contains(b, fmt.Appendf(nil, "crowd %d", i)) {
		t.Fatalf("a read after %d connections: %d %s %v", i, status, b, err)
	}
	fresh := from("127.0.2.2")
	defer fresh.CloseIdleConnections()
	status, err = v.send(ctx, fresh, attack{"/indexes/things/search", fmt.Appendf(nil, `{"q":"crowd %d"}`, i)}, false)
	if err != nil || status != http.StatusOK {
		t.Fatalf("a search of a new client after %d connections: %d %v", i, status, err)
	}
}
