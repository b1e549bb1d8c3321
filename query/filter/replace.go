package filter

// ReplaceForeign returns the filter with every outermost `_foreign` condition
// replaced, in order of writing; nodes without one are shared.
func (f *Filter) ReplaceForeign(by func(*Node) *Node) *Filter {
	if f == nil {
		return nil
	}
	return &Filter{Root: replaceForeign(f.Root, by)}
}

func replaceForeign(n *Node, by func(*Node) *Node) *Node {
	if n.Op == FilterForeign {
		return by(n)
	}
	if len(n.Kids) == 0 {
		return n
	}
	c := *n
	c.Kids = make([]*Node, len(n.Kids))
	for i, kid := range n.Kids {
		c.Kids[i] = replaceForeign(kid, by)
	}
	return &c
}

// InNode is the condition `field IN [values]`.
func InNode(field FilterToken, values []string) *Node {
	n := &Node{Op: FilterIn, Field: field, Values: make([]FilterToken, len(values))}
	for i, v := range values {
		n.Values[i] = FilterToken{Value: v, source: v, to: len(v)}
	}
	return n
}
