package formation

import (
	"cmp"
	"slices"

	"shoal/wire"
)

// Member is one first member of a cluster: its name in the list and the id of its data
// folder. A member with another folder is another Member.
type Member struct {
	Name string      `msgpack:"n" json:"name"`
	ID   wire.NodeID `msgpack:"i" json:"id"`
}

// Members is a set of first members, sorted by name.
type Members []Member

// newMembers puts members in order.
func newMembers(list ...Member) Members {
	m := Members(slices.Clone(list))
	slices.SortFunc(m, func(x, y Member) int { return cmp.Compare(x.Name, y.Name) })
	return m
}

// Equal tells whether two sets are the same.
func (m Members) Equal(o Members) bool { return slices.Equal(m, o) }

// Has tells whether a member belongs to the set.
func (m Members) Has(o Member) bool { return slices.Contains(m, o) }

// IDs lists the nodes of the set.
func (m Members) IDs() []wire.NodeID {
	ids := make([]wire.NodeID, len(m))
	for i, o := range m {
		ids[i] = o.ID
	}
	return ids
}

// Name is the name of a node in the set.
func (m Members) Name(id wire.NodeID) (string, bool) {
	for _, o := range m {
		if o.ID == id {
			return o.Name, true
		}
	}
	return "", false
}
