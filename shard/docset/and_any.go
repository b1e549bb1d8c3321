package docset

// AndAny returns the rows of s that are in any of the sets: the union of their
// intersections with s, without building these.
func (s Set) AndAny(sets []Set) Set {
	switch {
	case s.n == 0 || len(sets) == 0:
		return Set{}
	case len(sets) == 1:
		return s.And(sets[0])
	}
	a := NewAssembler(len(s.blocks))
	at := make([]int, len(sets))
	group := make([]Container, 0, len(sets))
	for i := range s.blocks {
		x := &s.blocks[i]
		group = group[:0]
		for k := range sets {
			blocks := sets[k].blocks
			for at[k] < len(blocks) && blocks[at[k]].key < x.key {
				at[k]++
			}
			if at[k] < len(blocks) && blocks[at[k]].key == x.key {
				group = append(group, blocks[at[k]].c)
			}
		}
		if len(group) > 0 {
			a.Append(x.key, x.c.andAny(group))
		}
	}
	return a.Set()
}

// andAny returns the elements that are in any container of a non-empty group.
func (c Container) andAny(group []Container) Container {
	if len(group) == 1 {
		return c.And(group[0])
	}
	if c.bits == nil && len(c.arr) < probeMin { // not worth a bitmap
		return UnionContainers(len(group), func(k int) Container { return c.And(group[k]) })
	}
	var m bitmap
	for _, g := range group {
		if g.n == all {
			return c
		}
		m.or(g)
	}
	if c.bits == nil {
		return filterArray(c.arr, &m, 1)
	}
	n := countBoth(c.bits, &m)
	if n == int(c.n) {
		return c
	}
	return bothOf(c.bits, &m, n)
}
