package rank

import (
	"shoal/shard/docset"
)

// pairDocs is what is known of two neighbouring words: in how many documents left
// stands directly before right, or at least, and in which when complete.
type pairDocs struct {
	n        uint32
	complete bool
	docs     docset.Set
}

// pairOf returns what is known of a pair, brought up to date.
func (s *Scope) pairOf(k pairKey) (p pairDocs, ok bool, err error) {
	memo := s.ix.Memo()
	p, stale, ok := find(memo, s.schema, pairsOf, k)
	if !ok || stale.Empty() {
		return p, ok, nil
	}
	if !p.complete {
		return p, false, nil
	}
	both, err := s.both(k)
	if err != nil {
		return p, false, err
	}
	fresh, err := s.sideBySide(k, both.And(stale))
	if err != nil {
		return p, false, err
	}
	p.docs = p.docs.AndNot(stale).Or(fresh)
	p.n = uint32(p.docs.Len())
	s.keepPair(k, p)
	return p, true, nil
}

func (s *Scope) keepPair(k pairKey, p pairDocs) {
	keep(s.ix.Memo(), s.schema, pairsOf, k, p, p.docs.MemBytes()+len(k.left)+len(k.right))
}

// neighbours returns the documents of a set, which all have both words, in which
// left stands directly before right.
func (s *Scope) neighbours(k pairKey, set docset.Set) (docset.Set, error) {
	if p, ok, err := s.pairOf(k); err != nil || ok && p.complete {
		return p.docs.And(set), err
	}
	all, err := s.both(k)
	if err != nil {
		return docset.Set{}, err
	}
	if all.Len() > 2*set.Len() {
		return s.sideBySide(k, set)
	}
	docs, err := s.sideBySide(k, all)
	if err != nil {
		return docset.Set{}, err
	}
	s.keepPair(k, pairDocs{n: uint32(docs.Len()), complete: true, docs: docs})
	return docs.And(set), nil
}

// sideBySide is neighbours without what is known of the pair: the words in their
// order tell, or the records of the documents do.
func (s *Scope) sideBySide(k pairKey, set docset.Set) (docset.Set, error) {
	test := func(d *document) bool { return d.stored(k.left, k.right) == 1 }
	if s.schema.byAttribute || s.restricted {
		return s.keep(set, test)
	}
	var found, read docset.Set
	err := s.reading(func(columns *Columns) error {
		found, read = columns.sideBySide(k, set)
		return nil
	})
	if err != nil {
		return docset.Set{}, err
	}
	more, err := s.keep(read, test)
	return found.Or(more), err
}

// both returns the documents that have both words of a pair.
func (s *Scope) both(k pairKey) (docset.Set, error) {
	left, err := s.word(k.left, false)
	if err != nil {
		return docset.Set{}, err
	}
	right, err := s.word(k.right, false)
	if err != nil {
		return docset.Set{}, err
	}
	return left.And(right), nil
}

// countPair looks for the documents of a pair until enough are found.
func (s *Scope) countPair(k pairKey, enough uint32) (pairDocs, error) {
	both, err := s.both(k)
	if err != nil {
		return pairDocs{}, err
	}
	p := pairDocs{complete: true}
	var some docset.Builder
	n, most := 0, pairGroup
	look := func() bool {
		var found docset.Set
		if found, err = s.sideBySide(k, some.Set()); err != nil {
			return false
		}
		p.docs = p.docs.Or(found)
		p.n += uint32(found.Len())
		some, n, most = docset.Builder{}, 0, min(2*most, maxPairGroup)
		return p.n < enough
	}
	goOn := true
	both.Each(func(ord uint32) bool {
		some.Add(ord)
		if n++; n == most {
			goOn = look()
		}
		return goOn
	})
	if goOn && n > 0 {
		goOn = look()
	}
	if err == nil && !goOn {
		return pairDocs{n: enough}, nil
	}
	return p, err
}

// pairGroup is the number of documents that are looked at before those found are first
// counted; it grows up to maxPairGroup.
const pairGroup, maxPairGroup = 64, 1 << 13
