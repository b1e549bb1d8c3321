package posting

import (
	"bytes"
	"slices"

	"shoal/shard/docset"
	"shoal/shard/store"
)

// change is the effect of an op on one block of a cached posting list.
type change struct {
	block uint16
	kind  store.OpKind
	value []byte // of the op
}

// maxChanges bounds the pending changes of an entry. An entry with more is dropped.
const maxChanges = 128

func (c *change) bytes() int { return len(c.value) + 48 }

// change applies an op to a cached set, valid from version on. The set is computed when
// it is next read.
func (c *Cache) change(n name, version uint64, by change) {
	p := c.partOf(n)
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

// apply applies the pending changes of an entry. It returns false, and drops the
// entry, if they are corrupt or the set is too large. The caller holds mu.
func (p *part) apply(e *entry) bool {
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

// changed returns a set after some changes, oldest first. It sorts them.
func changed(set docset.Set, changes []change) (docset.Set, error) {
	slices.SortStableFunc(changes, func(a, b change) int { return int(a.block) - int(b.block) })
	var keys []uint16
	var of [][]change
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
func changedBlock(c docset.Container, changes []change) (docset.Container, error) {
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
