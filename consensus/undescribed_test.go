package consensus

import (
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hashicorp/raft"

	"shoal/consensus/entry"
	"shoal/consensus/lease"
	"shoal/consensus/voters"
	"shoal/text/dictionary"
	"shoal/wire"
)

// commands are the entries of a node's log that the state machine sees.
func commands(t *testing.T, m *member) (list [][]byte) {
	t.Helper()
	first, err := m.logs.FirstIndex()
	if err != nil {
		t.Fatal(err)
	}
	for at := max(first, 1); at <= m.raft.LastIndex(); at++ {
		var l raft.Log
		if err := m.logs.GetLog(at, &l); err != nil {
			t.Fatal(err)
		}
		if l.Type == raft.LogCommand {
			list = append(list, l.Data)
		}
	}
	if len(list) == 0 {
		t.Fatal("no entry of the log is a command")
	}
	return list
}

// changes are the catalogue changes of all updates in a node's log.
func changes(t *testing.T, m *member) (list []wire.Change) {
	t.Helper()
	for _, data := range commands(t, m) {
		cmd, _, err := entry.Decode(data)
		if err != nil {
			t.Fatal(err)
		}
		if cmd.Update != nil {
			list = append(list, cmd.Update.Changes...)
		}
	}
	return list
}

// The catalogue described no members yet, so no member seemed to be old, and entries were
// written with checksums.
func TestTheFirstEntriesOfANewClusterAreReadableByOlderMembers(t *testing.T) {
	n := newNetwork(t)
	n.cluster(3, nil)
	leader := n.leader()
	summed := func(data []byte) bool { return data[0] == entry.Stamp(0, 0, nil, true)[0] }
	if slices.ContainsFunc(commands(t, leader), summed) {
		t.Error("an entry has a sum before the program of any member is known")
	}
	if c := leader.leaseConfig(1); c.Program >= lease.ShortSince {
		t.Errorf("members whose programs are not known grant leases like version %d", c.Program)
	}
	for i := range 3 {
		put := &wire.Update{Changes: []wire.Change{{PutNode: &wire.Node{ID: nodeName(i), Name: string(nodeName(i)), Version: wire.Version}}}}
		if _, err := leader.Propose(within(t, 10*time.Second), &wire.Command{Update: put}); err != nil {
			t.Fatal(err)
		}
	}
	eventually(t, "the log to be of their version", func() bool { return leader.Catalog().Program() == wire.Version })
	addTaskTo(t, leader)
	if list := commands(t, leader); !summed(list[len(list)-1]) {
		t.Error("all programs are known to read sums, and an entry has none")
	}
}

func addTaskTo(t *testing.T, m *member) {
	t.Helper()
	if _, err := m.Propose(within(t, 10*time.Second), addTask("movies")); err != nil {
		t.Fatal(err)
	}
}

// The descriptions of the other members named their dictionaries, which older programs do
// not know. Older programs do not know zones, sizes of disks or the change of a draining mark either.
func TestTheDescriptionsInANewClusterAreReadableByOlderMembers(t *testing.T) {
	n := newNetwork(t)
	n.cluster(3, func(c *Config) {
		c.Membership = MembershipConfig{Interval: 10 * time.Millisecond, Rules: voters.Rules{PromoteAfter: -1}}
		c.Nominees = func() (list []wire.Node) {
			for i, version := range []int{wire.Version, wire.Version, wire.DictionariesSince - 1} {
				one := wire.Node{ID: nodeName(i), Name: string(nodeName(i)), Voter: true, Data: true, Version: version}
				if version == wire.Version {
					one.Dictionaries, one.Zone, one.Disk = dictionary.All, "a", 1<<40
				}
				list = append(list, one)
			}
			return list
		}
	})
	leader := n.leader()
	eventually(t, "the catalogue to know them", func() bool { return len(leader.Catalog().Nodes()) == 3 })
	for _, c := range changes(t, leader) {
		if c.KeepDraining {
			t.Errorf("%s is described with its draining mark left out", c.PutNode.ID)
		}
		if c.PutNode != nil && (c.PutNode.Dictionaries != 0 || c.PutNode.Zone != "" || c.PutNode.Disk != 0) {
			t.Errorf("%s is described with the dictionaries %s, the zone %q and a disk of %d bytes", c.PutNode.ID, c.PutNode.Dictionaries, c.PutNode.Zone, c.PutNode.Disk)
		}
	}
}

func TestTheLeaderDescribesANodeWithoutItsDrainingMark(t *testing.T) {
	n := newNetwork(t)
	var moved atomic.Bool
	n.cluster(3, func(c *Config) {
		c.Membership = MembershipConfig{Interval: 10 * time.Millisecond, Rules: voters.Rules{PromoteAfter: -1}}
		c.Nominees = func() (list []wire.Node) {
			for i := range 3 {
				one := wire.Node{ID: nodeName(i), Name: string(nodeName(i)), Version: wire.Version}
				if moved.Load() {
					one.HTTPAddr = "elsewhere"
				}
				list = append(list, one)
			}
			return list
		}
	})
	leader := n.leader()
	eventually(t, "the log to be of their version", func() bool { return leader.Catalog().Program() == wire.Version })
	moved.Store(true)
	there := func(n *wire.Node) bool { return n.HTTPAddr == "elsewhere" }
	eventually(t, "the nodes to have moved", func() bool {
		return !slices.ContainsFunc(leader.Catalog().Nodes(), func(n *wire.Node) bool { return !there(n) })
	})
	for _, c := range changes(t, leader) {
		if c.PutNode != nil && there(c.PutNode) && !c.KeepDraining {
			t.Errorf("the description of %s sets its draining mark", c.PutNode.ID)
		}
	}
}
