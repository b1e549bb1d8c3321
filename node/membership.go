package node

import (
	"fmt"
	"sync/atomic"

	"shoal/consensus"
	"shoal/consensus/state"
	"shoal/node/folder"
	"shoal/wire"
)

// membership is what this node knows of the cluster that it belongs to: its id, and its
// catalogue once the log is open. Other nodes ask for it earlier. Safe for concurrent use.
type membership struct {
	folder *folder.Folder
	name   atomic.Pointer[string]
	group  atomic.Pointer[consensus.Group] // nil until the log is open
}

func openMembership(f *folder.Folder) (*membership, error) {
	id, err := f.ClusterID()
	if err != nil {
		return nil, err
	}
	m := &membership{folder: f}
	m.name.Store(&id)
	return m, nil
}

// id is the id of this node's cluster, "" if it belongs to none yet.
func (m *membership) id() string { return *m.name.Load() }

// adopt records the id of the cluster whose log this node has. It refuses another cluster
// than the one before. first tells whether this node belonged to none before.
func (m *membership) adopt(id string) (first bool, err error) {
	mine := m.id()
	switch {
	case mine == id:
		return false, nil
	case mine != "":
		return false, fmt.Errorf("data folder %s belongs to cluster %s, but the log is of cluster %s: the folder was mixed from two nodes: keep it aside, and start this node with an empty one and --join or its --init-members", m.folder.Path, mine, id)
	}
	if err := m.folder.SetClusterID(id); err != nil {
		return false, err
	}
	m.name.Store(&id)
	return true, nil
}

// catalog is the catalogue. It is nil until the log is open.
func (m *membership) catalog() *state.Catalog {
	if g := m.group.Load(); g != nil {
		return g.Catalog()
	}
	return nil
}

// node finds a node in the catalogue.
func (m *membership) node(id wire.NodeID) (d *wire.Node, known bool) {
	if c := m.catalog(); c != nil {
		return c.Node(id)
	}
	return nil, false
}

// knows tells whether the catalogue lists a node.
func (m *membership) knows(id wire.NodeID) bool {
	_, known := m.node(id)
	return known
}

// lost tells whether this node's cluster was recovered without another node.
func (m *membership) lost(id wire.NodeID) bool {
	g := m.group.Load()
	return g != nil && g.Lost(id)
}

// bar refuses calls of lost nodes, because they speak for another cluster.
func (m *membership) bar(id wire.NodeID, method string) error {
	if method == methodHello || method == methodForm || !m.lost(id) {
		return nil
	}
	return fmt.Errorf("cluster %s was recovered without this node: %w", m.id(), wire.ErrUnavailable)
}
