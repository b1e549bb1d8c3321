package address

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"net"
)

// Chosen ports are outside the range from which systems take the local ports of outgoing
// connections (32768 and above), because a port of that range can be taken again before its
// node listens.
//
// Local clusters take ports by slots. The first port of a slot is its guard: the process
// that listens on it owns the slot, even before its nodes listen, so clusters that start at
// the same time never collide.
const (
	firstClusterPort, slotPorts, clusterSlots = 20000, 64, 160
	firstLonePort, lonePorts                  = firstClusterPort + slotPorts*clusterSlots, 1500
)

var errNoPorts = errors.New("not enough free ports on the loopback interface")

// ClusterPorts returns n free ports, fewer than slotPorts, that no other local cluster
// takes until guard is closed. A cluster gets the same ports for its name at every start,
// unless they have been taken meanwhile.
func ClusterPorts(n int, name string) (ports []int, guard io.Closer, err error) {
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(name)) // never fails
	start := int(sum.Sum32() % clusterSlots)
	for tries := range clusterSlots {
		first := firstClusterPort + slotPorts*((start+tries)%clusterSlots)
		guard, err := net.Listen("tcp", Loopback(first))
		if err != nil {
			continue
		}
		if ports := freePorts(n, first+1, slotPorts-1, 0); len(ports) == n {
			return ports, guard, nil
		}
		if err := guard.Close(); err != nil {
			return nil, nil, err
		}
	}
	return nil, nil, errNoPorts
}

// LonePort returns a free port outside all slots.
func LonePort() (int, error) {
	ports := freePorts(1, firstLonePort, lonePorts, rand.IntN(lonePorts))
	if len(ports) == 0 {
		return 0, errNoPorts
	}
	return ports[0], nil
}

// freePorts finds up to n ports of a range that are free for TCP and UDP, beginning with
// one of them. It holds all of them open until it has the last one.
func freePorts(n, first, count, from int) (ports []int) {
	var held []io.Closer
	defer func() {
		for _, h := range held {
			_ = h.Close() // nothing was received
		}
	}()
	for i := 0; len(ports) < n && i < count; i++ {
		port := first + (from+i)%count
		l, err := net.Listen("tcp", Loopback(port))
		if err != nil {
			continue
		}
		held = append(held, l)
		u, err := net.ListenPacket("udp", Loopback(port))
		if err != nil {
			continue
		}
		held = append(held, u)
		ports = append(ports, port)
	}
	return ports
}

// Loopback is the address of a port on this machine only.
func Loopback(port int) string { return fmt.Sprintf("127.0.0.1:%d", port) }
