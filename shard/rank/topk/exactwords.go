package topk

import (
	"slices"

	"shoal/shard/docset"
	"shoal/shard/record"
)

// exactWordCosts returns the costs of a node with and without its exact form.
func (t *top) exactWordCosts(k int) ([]costSet, error) {
	return []costSet{
		{0, func(docs docset.Set) docset.Set { return docs.And(t.exactDocs(k)) }},
		{uint32(t.terms[k].Size()), nil},
	}, nil
}

// exactDocs returns the documents with the exact form of a node. The list is read on
// first use. After an error it is empty.
func (t *top) exactDocs(k int) docset.Set {
	if t.exactSets == nil {
		t.exactSets = make([]*docset.Set, len(t.refs))
	}
	if t.exactSets[k] == nil {
		exact, err := t.s.Exact(t.refs[k])
		if err != nil {
			t.err = err
		}
		t.exactSets[k] = &exact
	}
	return *t.exactSets[k]
}

// exactWordsCost returns the cost of the rule exact words.
func (t *top) exactWordsCost(_ int, ord uint32) (cost uint32, ok bool) {
	for k := range t.refs {
		if !t.hasExact(k, ord) {
			cost += uint32(t.terms[k].Size())
		}
	}
	return cost, t.err == nil
}

// hasExact reports whether a document has the exact form of a node.
func (t *top) hasExact(k int, ord uint32) bool {
	if term := t.terms[k]; t.followed && !term.IsPhrase() {
		return term.HasExact(t.refs[k].Sub) && slices.ContainsFunc(t.extract.Nodes[k].Own, t.searches)
	}
	return t.exactDocs(k).Contains(ord)
}

// searches reports whether an occurrence is in a searched field. All fields of the
// index are searchable, unless the search is restricted.
func (t *top) searches(o record.Occurrence) bool { return !t.s.Restricted || t.s.Searched(o.Field) }
