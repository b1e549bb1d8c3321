package chaos

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	clustertest "shoal/cluster-test"
)

// network is a switch with one cable to each node, each end in a network namespace
// of its own: nothing of it touches the network of the machine.
type network struct {
	t    *testing.T
	name string // of the namespace of the switch, and what the others begin with
}

// newNetwork lays the cables for the nodes of a cluster that was not started yet. It
// skips the test where that is not allowed.
func newNetwork(t *testing.T, c *clustertest.Cluster) *network {
	t.Helper()
	n := &network{t: t, name: fmt.Sprintf("shoal%d", os.Getpid())}
	if err := n.ip("netns", "add", n.name); err != nil {
		t.Skipf("needs the right to make network namespaces with ip: %v", err)
	}
	t.Cleanup(func() { n.must("netns", "del", n.name) })
	n.must("-n", n.name, "link", "add", "switch", "type", "bridge")
	n.must("-n", n.name, "link", "set", "switch", "up")
	for i, o := range c.Nodes {
		o.Namespace = n.name + o.Name
		n.must("netns", "add", o.Namespace)
		t.Cleanup(func() { n.must("netns", "del", o.Namespace) })
		n.must("-n", n.name, "link", "add", o.Name, "type", "veth", "peer", "name", "eth0", "netns", o.Namespace)
		n.must("-n", n.name, "link", "set", o.Name, "master", "switch", "up")
		n.must("-n", o.Namespace, "link", "set", "lo", "up")
		n.must("-n", o.Namespace, "addr", "add", address(i)+"/24", "dev", "eth0")
		n.must("-n", o.Namespace, "link", "set", "eth0", "up")
	}
	c.Rename(address)
	return n
}

func address(i int) string { return fmt.Sprintf("10.77.0.%d", i+1) }

// cut pulls a node's cable at the switch: nothing tells the node or the others.
func (n *network) cut(o *clustertest.Node) {
	n.t.Helper()
	n.must("-n", n.name, "link", "set", o.Name, "nomaster")
}

// heal plugs it in again.
func (n *network) heal(o *clustertest.Node) {
	n.t.Helper()
	n.must("-n", n.name, "link", "set", o.Name, "master", "switch")
}

func (n *network) must(args ...string) {
	n.t.Helper()
	if err := n.ip(args...); err != nil {
		n.t.Fatal(err)
	}
}

func (n *network) ip(args ...string) error {
	out, err := exec.Command("ip", args...).CombinedOutput()
	if err != nil {
		return errors.Join(fmt.Errorf("ip %s: %s", strings.Join(args, " "), strings.TrimSpace(string(out))), err)
	}
	return nil
}
