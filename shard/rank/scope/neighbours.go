package scope

import (
	"strings"

	"shoal/shard/docset"
	"shoal/shard/rank/columns"
)

// PairDocs describes two neighbouring words. Count is the number of documents with left
// directly before right, a lower bound unless Complete. docs are the documents if
// Complete.
type PairDocs struct {
	Count    uint32
	Complete bool
	docs     docset.Set
}

// PairOf returns the cached facts about a pair, updated.
func (s *Scope) PairOf(k columns.Pair) (p PairDocs, ok bool, err error) {
	memo := s.Index.Memo()
	p, stale, ok := find(memo, s.Schema, pairsOf, k)
	if !ok || stale.Empty() {
		return p, ok, nil
	}
	if !p.Complete {
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
	p.Count = uint32(p.docs.Len())
	s.KeepPair(k, p)
	return p, true, nil
}

// KeepPair caches the facts about a pair for other searches on this state.
func (s *Scope) KeepPair(k columns.Pair, p PairDocs) {
	k.Left, k.Right = strings.Clone(k.Left), strings.Clone(k.Right) // the message that owns them must not be retained
	keep(s.Index.Memo(), s.Schema, pairsOf, k, p, p.docs.MemBytes()+len(k.Left)+len(k.Right))
}

// KnownPhrase returns the documents with a phrase of two words, in any field, if an earlier
// search found them. The posting lists of the words need not be read then.
func (s *Scope) KnownPhrase(words []string) (docs docset.Set, ok bool, err error) {
	if !s.storesPair(words) {
		return docs, false, nil
	}
	p, ok, err := s.PairOf(columns.Pair{Left: words[0], Right: words[1]})
	return p.docs, ok && p.Complete, err
}

// storesPair reports whether a phrase is two words, one directly before the other.
func (s *Scope) storesPair(words []string) bool {
	return len(words) == 2 && words[0] != "" && words[1] != "" && !s.Schema.byAttribute
}

// neighbours returns those documents of a set in which left is directly before right.
// All of the set have both words.
func (s *Scope) neighbours(k columns.Pair, set docset.Set) (docset.Set, error) {
	if p, ok, err := s.PairOf(k); err != nil || ok && p.Complete {
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
	s.KeepPair(k, PairDocs{Count: uint32(docs.Len()), Complete: true, docs: docs})
	return docs.And(set), nil
}

// sideBySide is neighbours without the Memo. It asks columns with word order, or else
// the records of the documents.
func (s *Scope) sideBySide(k columns.Pair, set docset.Set) (docset.Set, error) {
	test := func(d *Document) bool { return d.stored(k.Left, k.Right) == 1 }
	if s.Schema.byAttribute {
		return s.keep(set, test)
	}
	var found, read docset.Set
	err := s.Reading(func(columns *columns.Columns) error {
		found, read = columns.SideBySide(k, set)
		return nil
	})
	if err != nil {
		return docset.Set{}, err
	}
	more, err := s.keep(read, test)
	return found.Or(more), err
}

// both returns the documents with both words of a pair.
func (s *Scope) both(k columns.Pair) (docset.Set, error) {
	left, err := s.Word(k.Left, false)
	if err != nil {
		return docset.Set{}, err
	}
	right, err := s.Word(k.Right, false)
	if err != nil {
		return docset.Set{}, err
	}
	return left.And(right), nil
}

// CountPair searches for documents of a pair until enough are found.
func (s *Scope) CountPair(k columns.Pair, enough uint32) (PairDocs, error) {
	both, err := s.both(k)
	if err != nil {
		return PairDocs{}, err
	}
	p := PairDocs{Complete: true}
	var some docset.Builder
	n, most := 0, pairGroup
	look := func() bool {
		var found docset.Set
		if found, err = s.sideBySide(k, some.Set()); err != nil {
			return false
		}
		p.docs = p.docs.Or(found)
		p.Count += uint32(found.Len())
		some, n, most = docset.Builder{}, 0, min(2*most, maxPairGroup)
		return p.Count < enough
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
		return PairDocs{Count: enough}, nil
	}
	return p, err
}

// pairGroup is the number of documents that are checked before the first count. The
// groups grow up to maxPairGroup.
const pairGroup, maxPairGroup = 64, 1 << 13
