package rank

import (
	"shoal/shard/docset"
	"shoal/wire"
)

// pin removes the pinned documents from the scope (spec ranking 5.12). They are not
// ranked, whether they match the query or not. A word that the query excludes does not
// exclude them.
func (s *Ranker) pin(ordinals []uint32) {
	if len(ordinals) == 0 {
		return
	}
	s.pinned = s.Index.Order().Set(ordinals).And(s.Docs)
	s.Docs = s.Docs.AndNot(s.pinned)
}

// extent describes the present universe.
func (s *Ranker) extent() *wire.UniverseReply {
	r := &wire.UniverseReply{Count: uint64(s.universe.Len())}
	if !s.pinned.Empty() {
		r.Pinned = s.Index.Order().FirstOrdinals(s.pinned, s.pinned.Len())
	}
	s.tellWeights(r)
	return r
}

// Counted returns what facets count: the documents found and the pinned ones.
func (s *Ranker) Counted() docset.Set {
	if s.pinned.Empty() {
		return s.Found()
	}
	return s.Found().Or(s.pinned)
}
