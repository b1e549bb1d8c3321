package address

import (
	"fmt"
	"net"
	"slices"
	"testing"
)

// Local clusters that started together sometimes got the same ports: between choosing ports
// and listening on them, another one could choose them too.
func TestLocalClustersThatStartTogetherHaveTheirOwnPorts(t *testing.T) {
	taken := map[int]bool{}
	for range 40 {
		ports, guard, err := ClusterPorts(47, fmt.Sprint("cluster ", len(taken)))
		if err != nil {
			t.Fatal(err)
		}
		defer guard.Close()
		if len(ports) != 47 {
			t.Fatalf("%d ports", len(ports))
		}
		for _, p := range ports {
			if taken[p] {
				t.Fatalf("port %d was given twice", p)
			}
			taken[p] = true
		}
	}
}

// A port that some program listens on is not given.
func TestPortsInUseAreLeftOut(t *testing.T) {
	ports, guard, err := ClusterPorts(2, "x")
	if err != nil {
		t.Fatal(err)
	}
	defer guard.Close()
	for _, network := range []string{"tcp", "udp"} {
		var used interface{ Close() error }
		if network == "tcp" {
			used, err = net.Listen(network, Loopback(ports[0]))
		} else {
			used, err = net.ListenPacket(network, Loopback(ports[0]))
		}
		if err != nil {
			t.Fatal(err)
		}
		got := freePorts(1, ports[0], ports[1]-ports[0]+1, 0)
		if err := used.Close(); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, ports[1:]) {
			t.Errorf("%s port %d in use: got %v, want %v", network, ports[0], got, ports[1:])
		}
	}
}
