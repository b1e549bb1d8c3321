package state

import (
	"bytes"

	"github.com/cockroachdb/pebble/v2"
)

// neighbours reads records that lie close together, one after the other, forwards or
// backwards: a step to the next record costs a fraction of what finding it does.
type neighbours struct {
	it   *pebble.Iterator
	step func() bool
}

// neighbours begins to read records with these numbers under a prefix, in their order,
// which ascends or descends. The caller closes its iterator.
func (s *State) neighbours(prefix byte, order []uint32) (*neighbours, error) {
	lowest, highest := order[0], order[len(order)-1]
	n := new(neighbours)
	if lowest > highest {
		lowest, highest = highest, lowest
	}
	it, err := s.DB.NewIter(&pebble.IterOptions{LowerBound: u32Key(prefix, lowest), UpperBound: append(u32Key(prefix, highest), 0)})
	if err != nil {
		return nil, err
	}
	if n.it, n.step = it, it.Next; order[0] > order[len(order)-1] {
		n.step = it.Prev
	}
	return n, nil
}

// get returns the record of a key; it is valid until the next call. pebble.ErrNotFound:
// there is none.
func (n *neighbours) get(key []byte) ([]byte, error) {
	if !(n.it.Valid() && n.step() && bytes.Equal(n.it.Key(), key)) && !(n.it.SeekGE(key) && bytes.Equal(n.it.Key(), key)) {
		if err := n.it.Error(); err != nil {
			return nil, err
		}
		return nil, pebble.ErrNotFound
	}
	return n.it.ValueAndErr()
}
