package version

import (
	"sync"

	"shoal/shard/docset"
	"shoal/shard/facet"
	"shoal/shard/lexicon"
	"shoal/shard/rank/scope"
	"shoal/text/dictionary"
)

// Space is the documents of one version of a shard, or of versions of several shards of
// one index read as one. Ordinals are unique in an index, so the posting lists, columns
// and dictionaries of its shards can be united. Immutable. Methods are safe for
// concurrent use and return shared sets and values: do not modify them. Readers hold a
// reference to every part.
type Space struct {
	parts        []*Version
	live         docset.Set
	words, exact *lexicon.Dictionary
	fields       []string
	fieldIDs     func() map[string]uint16
	// read returns a posting list, from a cache or from the parts.
	read   func(Posting) (docset.Set, error)
	shared *Shared
	caches Caches
}

// begin initializes the space of some versions. The caller sets the documents, the
// dictionaries and the fields.
func (s *Space) begin(shared *Shared, parts []*Version, read func(Posting) (docset.Set, error)) {
	s.shared, s.parts, s.read = shared, parts, read
	s.caches.bound(shared.Bounds)
	s.fieldIDs = sync.OnceValue(func() map[string]uint16 {
		m := make(map[string]uint16, len(s.fields))
		for i, name := range s.fields {
			m[name] = uint16(i)
		}
		return m
	})
}

// Unite initializes the space of versions of several shards of one index. words and
// exact are the sums of their dictionaries. read returns posting lists of all parts
// together. The caller holds a reference to every part as long as the space is in use.
func (s *Space) Unite(shared *Shared, parts []*Version, words, exact *lexicon.Dictionary, read func(Posting) (docset.Set, error)) {
	s.begin(shared, parts, read)
	s.words, s.exact = words, exact
	live := make([]docset.Set, len(parts))
	for i, part := range parts {
		live[i] = part.live
		if len(part.fields) > len(s.fields) { // each part has the fields of its last change
			s.fields = part.fields
		}
	}
	s.live = docset.Union(live...)
}

// dictionaries returns those that segmented the texts.
func (s *Space) dictionaries() dictionary.Set {
	return s.parts[0].state.Generations.Dictionaries()
}

// Inherit takes over results of an older space of the same shards that do not concern
// the changed documents.
func (s *Space) Inherit(old *Space, changed docset.Set) { s.caches.inherit(&old.caches, changed) }

// owner returns the part with a document, or nil.
func (s *Space) owner(ord uint32) *Version {
	if len(s.parts) == 1 {
		return s.parts[0]
	}
	for _, part := range s.parts {
		if part.live.Contains(ord) {
			return part
		}
	}
	return nil
}

// Live returns all documents.
func (s *Space) Live() docset.Set { return s.live }

// Fields returns the field names in field-id order. Do not modify it.
func (s *Space) Fields() []string { return s.fields }

// FieldID returns the id of a field name.
func (s *Space) FieldID(name string) (uint16, bool) {
	fid, ok := s.fieldIDs()[name]
	return fid, ok
}

// Dictionary returns the words with a tolerant occurrence and their numbers of
// documents.
func (s *Space) Dictionary() *lexicon.Dictionary { return s.words }

// ExactDictionary returns the words with an exact occurrence.
func (s *Space) ExactDictionary() *lexicon.Dictionary { return s.exact }

// FacetColumns caches columns of facets that are counted often.
func (s *Space) FacetColumns() *facet.Columns { return &s.caches.facets }

// Memo caches costly results for this space.
func (s *Space) Memo() *scope.Memo { return &s.caches.memo }
