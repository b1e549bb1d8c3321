package filter

import (
	"math"
	"strings"

	"shoal/query/filter"
	"shoal/shard/docset"
	"shoal/shard/record"
)

// condition evaluates one operator on one field. A field that the index has
// never seen gives nothing, not even an error.
func (e *evaluation) condition(n *filter.Node, left scope) (docset.Set, error) {
	if n.OnShard() {
		if err := n.CheckShard(); err != nil {
			return docset.Set{}, err
		}
		return docset.Set{}, nil
	}
	fid, known := e.ix.FieldID(n.Field.Value)
	if !known {
		return docset.Set{}, nil
	}
	if err := n.CheckOperator(e.filterable); err != nil {
		return docset.Set{}, err
	}
	switch n.Op {
	case filter.FilterExists:
		return e.ix.Exists(fid)
	case filter.FilterNull:
		return e.ix.Null(fid)
	case filter.FilterEmpty:
		return e.ix.Empty(fid)
	case filter.FilterEqual:
		return e.equal(fid, n.Values[0].Value)
	case filter.FilterNotEqual:
		set, err := e.equal(fid, n.Values[0].Value)
		return e.live.AndNot(set), err
	case filter.FilterIn:
		return e.in(fid, n.Values)
	case filter.FilterContains:
		return e.contains(fid, filter.FilterForm(n.Values[0].Value), left)
	}
	return e.span(fid, boundsOf(n), left)
}

// equal is the union of the documents with the value as string and as number.
func (e *evaluation) equal(fid uint16, value string) (docset.Set, error) {
	set, err := e.ix.String(fid, filter.FilterForm(value))
	if err != nil {
		return docset.Set{}, err
	}
	v, ok := facetNumber(value)
	if !ok {
		return set, nil
	}
	numbers, err := e.ix.Number(fid, v)
	if err != nil {
		return docset.Set{}, err
	}
	return set.Or(numbers), nil
}

func (e *evaluation) in(fid uint16, values []filter.FilterToken) (docset.Set, error) {
	var sets []docset.Set // a long list names mostly what is not there
	for _, v := range values {
		if err := e.poll(); err != nil {
			return docset.Set{}, err
		}
		set, err := e.equal(fid, v.Value)
		if err != nil {
			return docset.Set{}, err
		}
		if !set.Empty() {
			sets = append(sets, set)
		}
	}
	return docset.Union(sets...), nil
}

// bounds is what a comparison accepts: numbers from..to inclusive if numeric,
// and facet forms first <= form < last, last "" being no bound, if textual. A
// value is compared in both domains (spec search-api 7.7).
type bounds struct {
	numeric, textual, exists bool
	from, to                 float64
	first, last              string
}

// after is the smallest string greater than s.
func after(s string) string { return s + "\x00" }

func boundsOf(n *filter.Node) bounds {
	value := n.Values[0].Value
	form := filter.FilterForm(value)
	v, number := facetNumber(value)
	b := bounds{numeric: number, textual: true, from: -math.MaxFloat64, to: math.MaxFloat64}
	switch n.Op {
	case filter.FilterGreater:
		b.from, b.first = math.Nextafter(v, math.Inf(1)), after(form)
	case filter.FilterGreaterEqual:
		b.from, b.first = v, form
	case filter.FilterLess:
		b.to, b.last = math.Nextafter(v, math.Inf(-1)), form
		b.textual = form != ""
	case filter.FilterLessEqual:
		b.to, b.last = v, after(form)
	case filter.FilterBetween:
		upper := n.Values[1].Value
		w, finite := facetNumber(upper)
		b.numeric = number && finite && v <= w
		b.from, b.to = v, w
		b.first, b.last = form, after(filter.FilterForm(upper))
		b.textual = b.first < b.last
	case filter.FilterStartsWith:
		b.numeric = false
		if form == "" {
			return bounds{exists: true}
		}
		b.first, b.last = form, pastPrefix(form)
	}
	return b
}

// facetNumber is the facet number that a value is compared as.
func facetNumber(value string) (float64, bool) {
	v, ok := filter.ParseFinite(value)
	return filter.FacetNumber(v), ok
}

// pastPrefix is the smallest string greater than all that start with a prefix.
func pastPrefix(prefix string) string {
	last := []byte(prefix)
	for len(last) > 0 && last[len(last)-1] == 0xff {
		last = last[:len(last)-1]
	}
	if len(last) == 0 {
		return ""
	}
	last[len(last)-1]++
	return string(last)
}

// admits tells whether a document's values have one within the bounds.
func (b *bounds) admits(f record.FieldValues) bool {
	if b.numeric && f.NumberCount() > 0 {
		for v := range f.Numbers() {
			if v >= b.from && v <= b.to {
				return true
			}
		}
	}
	if !b.textual {
		return false
	}
	for form := range f.Strings() {
		if string(form) >= b.first && (b.last == "" || string(form) < b.last) {
			return true
		}
	}
	return false
}

// span is the documents with a value within the bounds.
func (e *evaluation) span(fid uint16, b bounds, left scope) (docset.Set, error) {
	if b.exists {
		return e.ix.Exists(fid)
	}
	if left.few() {
		return e.fromRecords(fid, left, b.admits)
	}
	var numbers, strings docset.Set
	var err error
	if b.numeric && b.from <= b.to {
		if numbers, err = e.ix.NumberRange(fid, b.from, b.to); err != nil {
			return docset.Set{}, err
		}
	}
	if b.textual {
		if strings, err = e.ix.StringRange(fid, b.first, b.last); err != nil {
			return docset.Set{}, err
		}
	}
	return numbers.Or(strings), nil
}

// contains is the documents with a facet form that contains a text.
func (e *evaluation) contains(fid uint16, part string, left scope) (docset.Set, error) {
	if left.few() {
		return e.fromRecords(fid, left, func(f record.FieldValues) bool {
			for form := range f.Strings() {
				if strings.Contains(string(form), part) {
					return true
				}
			}
			return false
		})
	}
	var sets []docset.Set
	var failed error
	err := e.ix.StringForms(fid, func(form string, docs func() (docset.Set, error)) bool {
		if failed = e.poll(); failed != nil {
			return false
		}
		if !strings.Contains(form, part) {
			return true
		}
		set, err := docs()
		sets = append(sets, set)
		failed = err
		return err == nil
	})
	if err == nil {
		err = failed
	}
	if err != nil {
		return docset.Set{}, err
	}
	return docset.Union(sets...), nil
}

// fromRecords tests the value records of the documents left.
func (e *evaluation) fromRecords(fid uint16, left scope, admits func(record.FieldValues) bool) (docset.Set, error) {
	var kept []uint32
	for ord := range left.docs.All() {
		if err := e.poll(); err != nil {
			return docset.Set{}, err
		}
		v, ok, err := e.ix.Values(ord)
		if err != nil {
			return docset.Set{}, err
		}
		if !ok {
			continue
		}
		if f, ok := v.Field(fid); ok && admits(f) {
			kept = append(kept, ord)
		}
	}
	return docset.FromSorted(kept), nil
}

// vectors evaluates a `_vectors` condition.
func (e *evaluation) vectors(n *filter.Node) (docset.Set, error) {
	if fault := n.Refusal(e.settings); fault != nil {
		return docset.Set{}, e.refuse(fault)
	}
	return e.ix.Vectors(n.Vector)
}
