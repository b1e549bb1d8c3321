package cables

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"

	clustertest "shoal/cluster-test"
)

// ErrNotAllowed: this process cannot make network namespaces.
var ErrNotAllowed = errors.New("needs the right to make network namespaces with ip")

// nowhere is the hardware address of no node: what is sent there is lost without a word.
const nowhere = "02:00:00:00:00:99"

// laid counts the switches of this process; it makes their names differ.
var laid atomic.Int32

// Switch connects the nodes of one cluster. Not safe for concurrent use.
type Switch struct {
	name string // of its namespace, and what the others begin with
	at   map[*clustertest.Node]string
	made []string // namespaces
	told []string // folders of files that are mounted over those of the system
}

// Lay lays a cable to each node of a cluster that was not started yet, and renames the
// nodes by their new addresses. Close takes everything away again, after the cluster.
func Lay(c *clustertest.Cluster) (*Switch, error) {
	s, err := New()
	if err != nil {
		return nil, err
	}
	for i, n := range c.Nodes {
		if err := s.Plug(n, address(i)); err != nil {
			return nil, errors.Join(err, s.Close())
		}
	}
	c.Rename(address)
	return s, nil
}

// New makes a switch without cables.
func New() (*Switch, error) {
	s := &Switch{name: fmt.Sprintf("shoal%d-%d", os.Getpid(), laid.Add(1)), at: map[*clustertest.Node]string{}}
	if err := s.namespace(s.name); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotAllowed, err)
	}
	if err := all(
		[]string{"-n", s.name, "link", "add", "switch", "type", "bridge"},
		[]string{"-n", s.name, "link", "set", "switch", "up"},
	); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Plug lays a cable to a node that does not run, which gets an address of 10.77.0.0/24.
func (s *Switch) Plug(n *clustertest.Node, host string) error {
	n.Namespace = s.name + n.Name
	if err := s.namespace(n.Namespace); err != nil {
		return err
	}
	s.at[n] = host
	return all(
		[]string{"-n", s.name, "link", "add", n.Name, "type", "veth", "peer", "name", "eth0", "netns", n.Namespace},
		[]string{"-n", s.name, "link", "set", n.Name, "master", "switch", "up"},
		[]string{"-n", n.Namespace, "link", "set", "lo", "up"},
		[]string{"-n", n.Namespace, "addr", "add", host + "/24", "dev", "eth0"},
		[]string{"-n", n.Namespace, "link", "set", "eth0", "up"},
	)
}

// Move gives a node that does not run another address.
func (s *Switch) Move(n *clustertest.Node, host string) error {
	s.at[n] = host
	return all(
		[]string{"-n", n.Namespace, "addr", "flush", "dev", "eth0"},
		[]string{"-n", n.Namespace, "addr", "add", host + "/24", "dev", "eth0"},
	)
}

func (s *Switch) namespace(name string) error {
	if err := ip("netns", "add", name); err != nil {
		return err
	}
	s.made = append(s.made, name)
	return nil
}

// Close takes the cables and the switch away.
func (s *Switch) Close() error {
	var errs []error
	for _, name := range s.made {
		errs = append(errs, ip("netns", "del", name))
	}
	for _, folder := range s.told {
		errs = append(errs, os.RemoveAll(folder))
	}
	s.made, s.told = nil, nil
	return errors.Join(errs...)
}

// Cut pulls a node's cable at the switch: nothing tells the node or the others.
func (s *Switch) Cut(o *clustertest.Node) error {
	return ip("-n", s.name, "link", "set", o.Name, "nomaster")
}

// Heal plugs it in again.
func (s *Switch) Heal(o *clustertest.Node) error {
	return ip("-n", s.name, "link", "set", o.Name, "master", "switch")
}

// Lose loses all that one node sends to another; the other way stays as it is.
func (s *Switch) Lose(from, to *clustertest.Node) error {
	return ip("-n", from.Namespace, "neigh", "replace", s.at[to], "lladdr", nowhere, "dev", "eth0", "nud", "permanent")
}

// Find undoes Lose.
func (s *Switch) Find(from, to *clustertest.Node) error {
	return ip("-n", from.Namespace, "neigh", "del", s.at[to], "dev", "eth0")
}

func address(i int) string { return fmt.Sprintf("10.77.0.%d", i+1) }

// all runs ip several times, until one fails.
func all(commands ...[]string) error {
	for _, args := range commands {
		if err := ip(args...); err != nil {
			return err
		}
	}
	return nil
}

func ip(args ...string) error {
	out, err := exec.Command("ip", args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("ip %s: %s: %w", strings.Join(args, " "), strings.TrimSpace(string(out)), err)
	}
	return nil
}
