package topk

import (
	"shoal/shard/docset"
)

// exactWordCosts lists for a node that its exact form is there, or not.
func (t *top) exactWordCosts(k int) ([]costSet, error) {
	exact, err := t.s.Exact(t.refs[k])
	if err != nil {
		return nil, err
	}
	return []costSet{{0, exact.And}, {uint32(t.terms[k].Size()), nil}}, nil
}

// prepareExactWords finds the documents with the exact form of each node.
func (t *top) prepareExactWords() error {
	t.exactSets = make([]docset.Set, len(t.refs))
	for k, ref := range t.refs {
		exact, err := t.s.Exact(ref)
		if err != nil {
			return err
		}
		t.exactSets[k] = exact
	}
	return nil
}

// exactWordsCost is the cost of the rule exact words.
func (t *top) exactWordsCost(_ int, ord uint32) (cost uint32, ok bool) {
	for k := range t.refs {
		if !t.exactSets[k].Contains(ord) {
			cost += uint32(t.terms[k].Size())
		}
	}
	return cost, true
}
