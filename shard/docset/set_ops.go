package docset

import "slices"

// And returns the rows in both sets.
func (s Set) And(t Set) Set {
	if s.n == 0 || t.n == 0 {
		return Set{}
	}
	a := NewAssembler(min(len(s.blocks), len(t.blocks)))
	s.pairs(t, func(key uint16, c, d Container) bool {
		a.Append(key, c.And(d))
		return true
	})
	return a.Set()
}

// AndLen returns the number of rows in both sets without building the intersection.
func (s Set) AndLen(t Set) int {
	n := 0
	s.pairs(t, func(_ uint16, c, d Container) bool {
		n += c.AndLen(d)
		return true
	})
	return n
}

// Intersects reports whether some row is in both sets.
func (s Set) Intersects(t Set) bool {
	found := false
	s.pairs(t, func(_ uint16, c, d Container) bool {
		found = c.Intersects(d)
		return !found
	})
	return found
}

// pairs visits the blocks in both sets.
func (s Set) pairs(t Set, visit func(key uint16, c, d Container) bool) {
	i, j := 0, 0
	for i < len(s.blocks) && j < len(t.blocks) {
		x, y := &s.blocks[i], &t.blocks[j]
		switch {
		case x.key < y.key:
			i++
		case y.key < x.key:
			j++
		default:
			if !visit(x.key, x.c, y.c) {
				return
			}
			i++
			j++
		}
	}
}

// Or returns the rows in either set.
func (s Set) Or(t Set) Set {
	if s.n == 0 {
		return t
	}
	if t.n == 0 {
		return s
	}
	a := NewAssembler(max(len(s.blocks), len(t.blocks)))
	i, j := 0, 0
	for i < len(s.blocks) && j < len(t.blocks) {
		x, y := &s.blocks[i], &t.blocks[j]
		switch {
		case x.key < y.key:
			a.Append(x.key, x.c)
			i++
		case y.key < x.key:
			a.Append(y.key, y.c)
			j++
		default:
			a.Append(x.key, x.c.Or(y.c))
			i++
			j++
		}
	}
	for ; i < len(s.blocks); i++ {
		a.Append(s.blocks[i].key, s.blocks[i].c)
	}
	for ; j < len(t.blocks); j++ {
		a.Append(t.blocks[j].key, t.blocks[j].c)
	}
	return a.Set()
}

// AndNot returns the rows of s that are not in t.
func (s Set) AndNot(t Set) Set {
	if s.n == 0 || t.n == 0 {
		return s
	}
	a := NewAssembler(len(s.blocks))
	j := 0
	for i := range s.blocks {
		x := &s.blocks[i]
		for j < len(t.blocks) && t.blocks[j].key < x.key {
			j++
		}
		if j < len(t.blocks) && t.blocks[j].key == x.key {
			a.Append(x.key, x.c.AndNot(t.blocks[j].c))
		} else {
			a.Append(x.key, x.c)
		}
	}
	return a.Set()
}

// Union returns the rows in any of the sets.
func Union(sets ...Set) Set {
	switch len(sets) {
	case 0:
		return Set{}
	case 1:
		return sets[0]
	case 2:
		return sets[0].Or(sets[1])
	}
	at := make([]int, len(sets))
	group := make([]block, 0, len(sets))
	most := 0
	for _, s := range sets {
		most = max(most, len(s.blocks))
	}
	a := NewAssembler(most)
	for {
		key, found := uint16(0), false
		for i, s := range sets {
			if at[i] < len(s.blocks) && (!found || s.blocks[at[i]].key < key) {
				key, found = s.blocks[at[i]].key, true
			}
		}
		if !found {
			return a.Set()
		}
		group = group[:0]
		for i, s := range sets {
			if at[i] < len(s.blocks) && s.blocks[at[i]].key == key {
				group = append(group, s.blocks[at[i]])
				at[i]++
			}
		}
		a.Append(key, unionBlocks(group))
	}
}

// UnionContainers returns the elements of any of n containers.
func UnionContainers(n int, at func(int) Container) Container {
	group := make([]block, 0, n)
	for i := range n {
		if c := at(i); c.n > 0 {
			group = append(group, block{c: c})
		}
	}
	if len(group) == 0 {
		return Container{}
	}
	return unionBlocks(group)
}

// unionBlocks unites containers of one block.
func unionBlocks(group []block) Container {
	if len(group) == 1 {
		return group[0].c
	}
	if len(group) == 2 {
		return group[0].c.Or(group[1].c)
	}
	total := 0
	for i := range group {
		total += group[i].c.Len()
	}
	// Sorting a few values is faster than clearing and scanning 8 KiB.
	if total <= 128 {
		arr := make([]uint16, 0, total)
		for i := range group {
			arr = append(arr, group[i].c.arr...)
		}
		slices.Sort(arr)
		return ofArray(slices.Compact(arr))
	}
	var b bitmap
	for i := range group {
		b.or(group[i].c)
	}
	return b.sealCopy()
}

func (b *bitmap) or(c Container) {
	if c.bits != nil {
		for i, w := range c.bits {
			b[i] |= w
		}
		return
	}
	b.set(c.arr)
}

// Rewrite returns the set with some blocks replaced by the results of with, which
// receives the container of the i-th key, empty if there is none. Keys must ascend.
// Other blocks are shared.
func (s Set) Rewrite(keys []uint16, with func(i int, c Container) Container) Set {
	a := NewAssembler(len(s.blocks) + len(keys))
	at := 0
	for i, key := range keys {
		for ; at < len(s.blocks) && s.blocks[at].key < key; at++ {
			a.Append(s.blocks[at].key, s.blocks[at].c)
		}
		var c Container
		if at < len(s.blocks) && s.blocks[at].key == key {
			c = s.blocks[at].c
			at++
		}
		a.Append(key, with(i, c))
	}
	for ; at < len(s.blocks); at++ {
		a.Append(s.blocks[at].key, s.blocks[at].c)
	}
	return a.Set()
}
