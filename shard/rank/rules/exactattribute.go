package rules

import (
	"context"

	"shoal/shard/docset"
	"shoal/shard/rank/scope"
	"shoal/shard/record"
)

// exactAttribute yields the documents with a field that equals the query, those with a
// field that starts with it, and the rest (spec ranking 5.7). The costs are 0, 1 and 2.
type exactAttribute struct {
	classes [3]docset.Set
	at      int
}

func newExactAttribute(s *scope.Scope, l *scope.Level) (*exactAttribute, error) {
	it := new(exactAttribute)
	words, positions := s.ExactWords(l.Start.Graph)
	set := l.Base
	for _, w := range words {
		docs, err := s.Word(w.Word, false)
		if err != nil {
			return nil, err
		}
		set = set.And(docs)
	}
	if len(words) == 0 {
		set = docset.Set{}
	}
	var match, starts docset.Builder
	d := scope.Document{Scope: s}
	err := s.EachRecord(set, func(ord uint32, t record.Tokens) bool {
		d.Tokens = t
		switch d.Exactness(words, positions) {
		case 0:
			match.Add(ord)
		case 1:
			starts.Add(ord)
		}
		return true
	})
	if err != nil {
		return nil, err
	}
	it.classes[0], it.classes[1] = match.Set(), starts.Set()
	it.classes[2] = l.Base.AndNot(it.classes[0]).AndNot(it.classes[1])
	return it, nil
}

func (it *exactAttribute) Next(context.Context, int) (b scope.Bucket, ok bool, err error) {
	for it.at < len(it.classes) {
		set, cost := it.classes[it.at], uint32(it.at)
		it.at++
		if !set.Empty() {
			return scope.Bucket{Set: set, Cost: cost}, true, nil
		}
	}
	return scope.Bucket{}, false, nil
}
