package gossip

import (
	"bytes"
	"log/slog"
	"testing"
	"time"

	"shoal/node/machine"
	"shoal/wire"
)

// Each of the two is told the address of the other one.
func TestTwoNodesOfOneIDHearOfEachOther(t *testing.T) {
	key := bytes.Repeat([]byte{1}, 32)
	open := func(peerAddr string, seeds ...string) (*Gossip, chan string) {
		heard := make(chan string, 10)
		g, err := Open(machine.System{}, wire.Node{ID: "twin", PeerAddr: peerAddr, GossipAddr: "127.0.0.1:0"}, "127.0.0.1:0", [][]byte{key}, seeds,
			func(at string) {
				select {
				case heard <- at:
				default:
				}
			}, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := g.Close(false); err != nil {
				t.Error(err)
			}
		})
		return g, heard
	}
	first, firstHeard := open("10.0.0.1:7701")
	second, secondHeard := open("10.0.0.2:7701")
	if _, err := second.list.Join([]string{first.bound()}); err != nil {
		t.Fatal(err)
	}
	for want, heard := range map[string]chan string{"10.0.0.2:7701": firstHeard, "10.0.0.1:7701": secondHeard} {
		select {
		case got := <-heard:
			if got != want {
				t.Errorf("a twin at %s, want %s", got, want)
			}
		case <-time.After(10 * time.Second):
			t.Errorf("nobody was told of the twin at %s", want)
		}
	}
}
