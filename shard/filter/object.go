package filter

import (
	"strings"

	"shoal/query/filter"
	"shoal/shard/docset"
	"shoal/shard/element"
	"shoal/shard/record"
)

// objectLimit is the number of documents up to which elements are made from their texts
// if ranges of values are asked for. A variable so that tests can reach both ways.
var objectLimit = 256

// object evaluates braces: the documents with an object at the field in which all that
// stands in the braces holds.
func (e *evaluation) object(n *filter.Node, left scope) (docset.Set, error) {
	if err := e.checkObject(n); err != nil {
		return docset.Set{}, err
	}
	inner, o := n.Kids[0], objects{evaluation: e, from: e.ix}
	if cost(inner) > 1 { // ranges: the conditions on whole documents rule out most of them
		candidates, err := e.candidates(inner, left)
		if err != nil {
			return docset.Set{}, err
		}
		if !candidates.all && candidates.docs.Len() <= objectLimit {
			if o.from, err = e.ix.ElementsOf(candidates.docs); err != nil {
				return docset.Set{}, err
			}
		}
	}
	return o.docs(inner, n.Field.Value)
}

// checkObject returns the error of the first condition in braces whose operator its rule
// does not allow. It does not depend on documents, so that all shards find the same one.
func (e *evaluation) checkObject(n *filter.Node) error {
	for _, kid := range n.Kids {
		if kid.Connects() || kid.Op == filter.FilterObject {
			if err := e.checkObject(kid); err != nil {
				return err
			}
			continue
		}
		if _, known := e.ix.FieldID(kid.Field.Value); !known {
			continue
		}
		if err := kid.CheckOperator(e.filterable); err != nil {
			return err
		}
	}
	return nil
}

// candidates are documents among which are all that have an object in which a node holds:
// those in which its conditions hold for objects that may be different ones.
func (e *evaluation) candidates(n *filter.Node, left scope) (scope, error) {
	switch n.Op {
	case filter.FilterNot, filter.FilterNotEqual:
		return left, nil
	case filter.FilterObject:
		return e.candidates(n.Kids[0], left)
	case filter.FilterAnd:
		for _, kid := range byCost(n.Kids) {
			var err error
			if left, err = e.candidates(kid, left); err != nil || !left.all && left.docs.Empty() {
				return left, err
			}
		}
		return left, nil
	case filter.FilterOr:
		sets := make([]docset.Set, len(n.Kids))
		for i, kid := range n.Kids {
			some, err := e.candidates(kid, left)
			if err != nil || some.all {
				return some, err
			}
			sets[i] = some.docs
		}
		return scope{docs: docset.Union(sets...)}, nil
	}
	set, err := e.condition(n, left)
	if err == nil && !left.all {
		set = set.And(left.docs)
	}
	return scope{docs: set}, err
}

// objects evaluates what stands in braces.
type objects struct {
	*evaluation
	from interface {
		Elements(r *element.Range) (element.Set, error)
	}
}

// docs returns the documents that have an object at a path in which a node holds.
func (o *objects) docs(n *filter.Node, path string) (docset.Set, error) {
	if n.Op != filter.FilterAnd {
		set, err := o.node(n, path)
		return set.Docs(), err
	}
	kids := byCost(n.Kids)
	last := len(kids) - 1
	set, err := o.and(kids[:last], path)
	if err != nil || len(set) == 0 {
		return docset.Set{}, err
	}
	other, err := o.node(kids[last], path)
	return set.AndDocs(other), err
}

// node returns the objects at a path in which a node holds.
func (o *objects) node(n *filter.Node, path string) (element.Set, error) {
	if err := o.ctx.Err(); err != nil {
		return nil, err
	}
	switch n.Op {
	case filter.FilterAnd:
		return o.and(byCost(n.Kids), path)
	case filter.FilterOr:
		sets := make([]element.Set, len(n.Kids))
		for i, kid := range n.Kids {
			var err error
			if sets[i], err = o.node(kid, path); err != nil {
				return nil, err
			}
		}
		return element.Union(sets...), nil
	case filter.FilterNot:
		set, err := o.node(n.Kids[0], path)
		if err != nil {
			return nil, err
		}
		return o.others(set, path)
	case filter.FilterObject:
		deeper, err := o.node(n.Kids[0], n.Field.Value)
		if err != nil {
			return nil, err
		}
		return deeper.Around(depthOf(path)), nil
	}
	fid, known := o.ix.FieldID(n.Field.Value)
	if !known {
		return nil, nil
	}
	return o.holding(n, fid, path)
}

// and returns the objects at a path in which all nodes hold, taken in their order.
func (o *objects) and(kids []*filter.Node, path string) (element.Set, error) {
	var set element.Set
	for i, kid := range kids {
		got, err := o.node(kid, path)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			got = set.And(got)
		}
		if set = got; len(set) == 0 {
			break
		}
	}
	return set, nil
}

// others returns the objects at a path that are not in a set.
func (o *objects) others(set element.Set, path string) (element.Set, error) {
	fid, known := o.ix.FieldID(path)
	if !known {
		return nil, nil
	}
	all, err := o.from.Elements(&element.Range{Field: fid, Kind: element.Object, Depth: depthOf(path)})
	if err != nil {
		return nil, err
	}
	return all.AndNot(set), nil
}

// holding returns the objects at a path for which a condition on a field holds.
func (o *objects) holding(n *filter.Node, fid uint16, path string) (element.Set, error) {
	depth := depthOf(path)
	state := func(kind element.Kind) (element.Set, error) {
		return o.from.Elements(&element.Range{Field: fid, Kind: kind, Depth: depth})
	}
	switch n.Op {
	case filter.FilterExists:
		return state(element.Exists)
	case filter.FilterNull:
		return state(element.Null)
	case filter.FilterEmpty:
		return state(element.Empty)
	case filter.FilterEqual, filter.FilterIn:
		return o.equal(fid, depth, n.Values)
	case filter.FilterNotEqual:
		set, err := o.equal(fid, depth, n.Values)
		if err != nil {
			return nil, err
		}
		return o.others(set, path)
	case filter.FilterContains:
		part := filter.FilterForm(n.Values[0].Value)
		return o.from.Elements(&element.Range{Field: fid, Kind: element.String, Depth: depth, Unbounded: true, Contains: part})
	}
	return o.within(fid, depth, boundsOf(n))
}

// equal returns the objects with one of some values, as string or as number.
func (o *objects) equal(fid uint16, depth uint32, values []filter.FilterToken) (element.Set, error) {
	var sets []element.Set
	for i := range values {
		if err := o.poll(); err != nil {
			return nil, err
		}
		form := filter.FilterForm(values[i].Value)
		b := bounds{textual: true, first: form, last: after(form)}
		if b.from, b.numeric = facetNumber(values[i].Value); b.numeric {
			b.to = b.from
		}
		set, err := o.within(fid, depth, b)
		if err != nil {
			return nil, err
		}
		if len(set) > 0 {
			sets = append(sets, set)
		}
	}
	return element.Union(sets...), nil
}

// within returns the objects with a value within bounds.
func (o *objects) within(fid uint16, depth uint32, b bounds) (element.Set, error) {
	if b.exists {
		return o.from.Elements(&element.Range{Field: fid, Kind: element.Exists, Depth: depth})
	}
	var sets []element.Set
	if b.numeric && b.from <= b.to {
		set, err := o.from.Elements(&element.Range{
			Field: fid, Kind: element.Number, Depth: depth, From: record.OrderedFloat(b.from), To: record.OrderedFloat(b.to),
		})
		if err != nil {
			return nil, err
		}
		sets = append(sets, set)
	}
	if b.textual {
		set, err := o.from.Elements(&element.Range{
			Field: fid, Kind: element.String, Depth: depth, First: b.first, Last: b.last, Unbounded: b.last == "",
		})
		if err != nil {
			return nil, err
		}
		sets = append(sets, set)
	}
	return element.Union(sets...), nil
}

// depthOf is the depth of a name, as places count it.
func depthOf(name string) uint32 { return uint32(strings.Count(name, ".")) }
