package gossip

import (
	"log/slog"
	"strings"
	"testing"

	"shoal/node/machine"
	"shoal/wire"
)

// The last line of a removed node said that it could not send gossip, and not why it had
// ended: the goroutines of memberlist continue after Shutdown.
func TestGossipSaysNothingAfterClose(t *testing.T) {
	var out strings.Builder
	log := slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug}))
	g, err := Open(machine.Real().Network, wire.Node{ID: "a", GossipAddr: "127.0.0.1:0"}, "127.0.0.1:0", [][]byte{make([]byte, 32)}, nil, nil, log)
	if err != nil {
		t.Fatal(err)
	}
	const late = "2026/11/23 16:50:28 [ERR] memberlist: Failed to send gossip to 127.0.0.1:12011: use of closed network connection"
	if _, err := g.said.Write([]byte(late)); err != nil || !strings.Contains(out.String(), "level=INFO msg=\"Failed to send gossip") {
		t.Fatalf("while it is open: %v, %s", err, out.String())
	}
	if err := g.Close(false); err != nil {
		t.Fatal(err)
	}
	before := out.Len()
	if _, err := g.said.Write([]byte(late)); err != nil || out.Len() != before {
		t.Fatalf("after Close: %v, %s", err, out.String()[before:])
	}
}
