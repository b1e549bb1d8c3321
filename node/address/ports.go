package address

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"net"
)

// The ports that are chosen here are outside the range from which systems take the
// near ends of outgoing connections (from 32768 on): a port of that range can be gone
// again before its node listens.
//
// Local clusters take theirs by slots. The first port of a slot is its guard: whoever
// listens on it has the others, also between choosing them and the moment their nodes
// listen, so clusters that start at the same time never meet.
const (
	firstClusterPort, slotPorts, clusterSlots = 20000, 64, 160
	firstLonePort, lonePorts                  = firstClusterPort + slotPorts*clusterSlots, 1500
)

var errNoPorts = errors.New("not enough free ports on the loopback interface")

// ClusterPorts returns n ports, fewer than slotPorts, that are free and that no other
// local cluster takes until guard is closed. A cluster gets the same ones by its name at
// every start, unless somebody else has taken them meanwhile.
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

// LonePort returns a free port of no slot.
func LonePort() (int, error) {
	ports := freePorts(1, firstLonePort, lonePorts, rand.IntN(lonePorts))
	if len(ports) == 0 {
		return 0, errNoPorts
	}
	return ports[0], nil
}

// freePorts finds up to n ports of a range that are free for TCP and UDP, from one of
// them on, all held open until the last one is found.
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

// Loopback is the address of a port that this machine only reaches.
func Loopback(port int) string { return fmt.Sprintf("127.0.0.1:%d", port) }
