package query

// ReplaceForeign returns the filter with every outermost `_foreign` condition
// replaced, in order of writing; nodes without one are shared.
func (f *Filter) ReplaceForeign(by func(*FilterNode) *FilterNode) *Filter {
	if f == nil {
		return nil
	}
	return &Filter{Root: replaceForeign(f.Root, by)}
}

func replaceForeign(n *FilterNode, by func(*FilterNode) *FilterNode) *FilterNode {
	if n.Op == FilterForeign {
		return by(n)
	}
	if len(n.Kids) == 0 {
		return n
	}
	c := *n
	c.Kids = make([]*FilterNode, len(n.Kids))
	for i, kid := range n.Kids {
		c.Kids[i] = replaceForeign(kid, by)
	}
	return &c
}

// InNode is the condition `field IN [values]`.
func InNode(field FilterToken, values []string) *FilterNode {
	n := &FilterNode{Op: FilterIn, Field: field, Values: make([]FilterToken, len(values))}
	for i, v := range values {
		n.Values[i] = FilterToken{Value: v, source: v, to: len(v)}
	}
	return n
}
