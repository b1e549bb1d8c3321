package rank

import (
	"shoal/shard/docset"
	"shoal/shard/record"
)

// exactAttribute yields the documents with a field that is exactly the query,
// those with a field that starts with it, and the rest (spec ranking 5.7). Costs
// are 0, 1 and 2.
type exactAttribute struct {
	classes [3]docset.Set
	at      int
}

func newExactAttribute(s *Scope, l *level) (*exactAttribute, error) {
	it := new(exactAttribute)
	words, positions := s.exactWords(l.start.Graph)
	set := l.base
	for _, w := range words {
		docs, err := s.word(w.word, false)
		if err != nil {
			return nil, err
		}
		set = set.And(docs)
	}
	if len(words) == 0 {
		set = docset.Set{}
	}
	var match, starts docset.Builder
	d := document{scope: s}
	err := s.eachRecord(set, func(ord uint32, t record.Tokens) bool {
		d.tokens = t
		switch d.exactness(words, positions) {
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
	it.classes[2] = l.base.AndNot(it.classes[0]).AndNot(it.classes[1])
	return it, nil
}

func (it *exactAttribute) next(int) (b bucket, ok bool, err error) {
	for it.at < len(it.classes) {
		set, cost := it.classes[it.at], uint32(it.at)
		it.at++
		if !set.Empty() {
			return bucket{set: set, cost: cost}, true, nil
		}
	}
	return bucket{}, false, nil
}
