package version

import (
	"bytes"
	"slices"

	"shoal/shard/docset"
	"shoal/shard/store"
)

// postingChange is what an op does to one block of a kept posting list.
type postingChange struct {
	block uint16
	kind  store.OpKind
	value []byte // of the op
}

// maxChanges bounds what an entry that nobody asks for gathers before it is forgotten.
const maxChanges = 128

func (c *postingChange) bytes() int { return len(c.value) + 48 }

// change has an op change a kept set, from version on. The set is made anew when somebody
// asks for it.
func (c *PostingCache) change(n postingName, version uint64, by postingChange) {
	p := c.part(n)
	p.mu.Lock()
	defer p.mu.Unlock()
	e := p.m[n]
	if e == nil {
		return
	}
	if len(e.changes) == maxChanges {
		p.remove(e)
		return
	}
	by.value = bytes.Clone(by.value)
	e.changes, e.from = append(e.changes, by), version
	e.bytes += by.bytes()
	p.bytes += by.bytes()
}

// settle makes the set of an entry what its changes make of it; false when they cannot be
// read, or the set has become too large, and the entry is gone. The caller holds mu.
func (p *postingPart) settle(e *postingEntry) bool {
	if len(e.changes) == 0 {
		return true
	}
	set, err := changed(e.set, e.changes)
	size := e.size(set)
	if err != nil || size > p.max/4 {
		p.remove(e)
		return false
	}
	p.bytes += size - e.bytes
	e.set, e.changes, e.bytes = set, nil, size
	return true
}

// changed returns a set after some changes, the oldest first. It sorts them.
func changed(set docset.Set, changes []postingChange) (docset.Set, error) {
	slices.SortStableFunc(changes, func(a, b postingChange) int { return int(a.block) - int(b.block) })
	var keys []uint16
	var of [][]postingChange
	for from := 0; from < len(changes); {
		to := from + 1
		for to < len(changes) && changes[to].block == changes[from].block {
			to++
		}
		keys, of = append(keys, changes[from].block), append(of, changes[from:to])
		from = to
	}
	var failed error
	out := set.Rewrite(keys, func(i int, c docset.Container) docset.Container {
		c, err := changedBlock(c, of[i])
		if err != nil {
			failed = err
		}
		return c
	})
	return out, failed
}

// changedBlock returns one block after its changes.
func changedBlock(c docset.Container, changes []postingChange) (docset.Container, error) {
	var all store.Operand
	for i := range changes {
		switch by := &changes[i]; by.kind {
		case store.OpMerge:
			o, err := store.DecodeOperand(by.value)
			if err != nil {
				return docset.Container{}, err
			}
			all = o.Over(all)
		case store.OpSet:
			whole, err := store.DecodePosting(by.value)
			if err != nil {
				return docset.Container{}, err
			}
			c, all = whole, store.Operand{}
		case store.OpDelete:
			c, all = docset.Container{}, store.Operand{}
		}
	}
	return c.AndNot(all.Clear).Or(all.Set), nil
}
