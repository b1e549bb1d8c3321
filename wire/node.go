package wire

import (
	"slices"

	"shoal/text/dictionary"
)

// NodeID is the uuid in a node's data folder.
type NodeID string

// Node is a member of the cluster as the log knows it. Addresses are hints from gossip; ID is
// the identity.
type Node struct {
	ID         NodeID `msgpack:"id"`
	Name       string `msgpack:"name"`
	HTTPAddr   string `msgpack:"http"`
	PeerAddr   string `msgpack:"peer"`
	GossipAddr string `msgpack:"gossip"`
	Data       bool   `msgpack:"data"`  // may hold replicas
	Voter      bool   `msgpack:"voter"` // may be made a voter
	Draining   bool   `msgpack:"drain"`
	Version    int    `msgpack:"ver"` // wire.Version of its program
	// Dictionaries are those of the node. All nodes must know DictionariesSince.
	Dictionaries dictionary.Set `msgpack:"dic"`
	// Zone names what the node shares with others that fail together with it, such as a data
	// centre; "" if its operator names none. All nodes must know ZonesSince.
	Zone string `msgpack:"zone"`
	// Disk is how many bytes files may take on the disk of its data folder, as it was when the
	// node was started; 0 when nobody can tell. All nodes must know WideSince.
	Disk uint64 `msgpack:"disk"`
}

// MaxZone bounds the bytes of a zone's name, as Kubernetes bounds its labels.
const MaxZone = 63

// ValueRemoved names the value with the nodes that were removed from the cluster for good, a
// JSON array of Removal, oldest first. The leader writes it.
const ValueRemoved = "removedNodes"

// Removal is one node that may never come back.
type Removal struct {
	ID   NodeID `json:"id"`
	Name string `json:"name"`
	At   int64  `json:"at"` // UnixNano
	// By is the node that replaced it under its name, "" when an operator removed it. Draining
	// is the node's draining mark, which By inherits.
	By       NodeID `json:"by,omitempty"`
	Draining bool   `json:"draining,omitempty"`
	// Lost: the cluster was recovered without the node (shoal recover).
	Lost bool `json:"lost,omitempty"`
}

// OnlyHolder lists the indexes with a shard whose published content only this node has, as far
// as the catalogue knows. member tells which nodes count.
func OnlyHolder(indexes []*Index, node NodeID, member func(NodeID) bool) []string {
	var uids []string
	for _, x := range indexes {
		if x.Version > 0 && slices.ContainsFunc(x.Shards, func(s Shard) bool { return s.onlyOn(node, member) }) {
			uids = append(uids, x.UID)
		}
	}
	return uids
}

func (s *Shard) onlyOn(node NodeID, member func(NodeID) bool) bool {
	held := false
	for _, r := range s.Replicas {
		switch {
		case r.State == Copying:
		case r.Node == node:
			held = true
		case r.State == InSync && member(r.Node):
			return false
		}
	}
	return held
}

// DictionariesSince is the Version that brought Node.Dictionaries.
const DictionariesSince = 6

// ZonesSince is the Version that brought Node.Zone.
const ZonesSince = 11

// Zoned tells whether zones count: every node that may hold copies or vote names one, and they
// name more than one. So nothing moves while a cluster is restarted node by node to introduce
// zones.
func Zoned(nodes []*Node) bool {
	first, several := "", false
	for _, n := range nodes {
		switch {
		case !n.Data && !n.Voter:
		case n.Zone == "":
			return false
		case first == "":
			first = n.Zone
		case n.Zone != first:
			several = true
		}
	}
	return several
}

// CommonDictionaries returns the dictionaries that all nodes have. New texts are indexed with
// these.
func CommonDictionaries(nodes []*Node) dictionary.Set {
	common := dictionary.All
	for _, n := range nodes {
		common &= n.Dictionaries
	}
	if len(nodes) == 0 {
		return 0
	}
	return common
}

// NeededDictionaries returns the dictionaries that indexes use. A node that lacks one of them
// can neither hold nor search these indexes.
func NeededDictionaries(indexes []*Index) (needed dictionary.Set) {
	for _, x := range indexes {
		needed |= x.Generations.Dictionaries()
	}
	return needed
}
