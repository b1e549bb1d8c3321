package version

import (
	"context"
	"slices"
	"sync"

	"shoal/shard/docset"
	"shoal/shard/facet"
	"shoal/shard/lexicon"
	"shoal/shard/posting"
	"shoal/shard/rank/scope"
	"shoal/shard/rows"
	"shoal/text/dictionary"
)

// Space is the documents of one version of a shard, or of versions of several shards of
// one index read as one. Its rows are those of the first part, then those of the second
// from the next multiple of 2^16 on, and so on. So posting lists and columns are those
// of the parts one after the other. Immutable. Methods are safe for concurrent use and
// return shared sets and values: do not modify them. Readers hold a reference to every
// part.
type Space struct {
	parts []*Version
	// bases are the first blocks of the parts.
	bases    []uint16
	order    func() *rows.Order
	live     docset.Set
	lexica   lexica
	fields   []string
	fieldIDs func() map[string]uint16
	// read returns a posting list, from a cache or from the parts.
	read   func(posting.List) (docset.Set, error)
	shared *Shared
	caches Caches
}

// begin initializes the space of some versions. The caller sets the documents, the
// dictionaries and the fields.
func (s *Space) begin(shared *Shared, parts []*Version, bases []uint16, read func(posting.List) (docset.Set, error)) {
	s.shared, s.parts, s.bases, s.read = shared, parts, bases, read
	s.order = sync.OnceValue(func() *rows.Order {
		list := make([]rows.Part, len(parts))
		for i, part := range parts {
			list[i] = rows.Part{Base: uint32(bases[i]) << 16, Table: part.rows, Live: part.live}
		}
		return rows.NewOrder(list)
	})
	s.caches.bound(shared.Bounds)
	s.fieldIDs = sync.OnceValue(func() map[string]uint16 {
		m := make(map[string]uint16, len(s.fields))
		for i, name := range s.fields {
			m[name] = uint16(i)
		}
		return m
	})
}

// Unite initializes the space of versions of several shards of one index. The rows of
// each begin at a block of their own (bases, ascending). read returns posting lists of all parts
// together. The caller must call SumDictionaries or SetDictionaries next. It holds a reference
// to every part as long as the space is in use.
func (s *Space) Unite(shared *Shared, parts []*Version, bases []uint16, read func(posting.List) (docset.Set, error)) {
	s.begin(shared, parts, bases, read)
	live := make([]docset.Set, len(parts))
	for i, part := range parts {
		live[i] = part.live
		if len(part.fields) > len(s.fields) { // each part has the fields of its last change
			s.fields = part.fields
		}
	}
	s.live = docset.Joined(live, bases)
}

// SetDictionaries sets the sums of the dictionaries of the parts.
func (s *Space) SetDictionaries(words, exact *lexicon.Dictionary) { s.lexica.set(words, exact) }

// SumDictionaries adds up the dictionaries of the parts when they are needed.
func (s *Space) SumDictionaries() {
	s.lexica.read = func(ctx context.Context) (words, exact *lexicon.Dictionary, err error) {
		all, exacts := make([]*lexicon.Dictionary, len(s.parts)), make([]*lexicon.Dictionary, len(s.parts))
		for i, part := range s.parts {
			if all[i], exacts[i], err = part.lexica.get(ctx); err != nil {
				return nil, nil, err
			}
		}
		return lexicon.Sum(all...), lexicon.Sum(exacts...), nil
	}
}

// dictionaries returns those that segmented the texts.
func (s *Space) dictionaries() dictionary.Set {
	return s.parts[0].state.Generations.Dictionaries()
}

// Inherit takes over results of an older space of the same shards that do not concern
// the changed documents.
func (s *Space) Inherit(old *Space, changed docset.Set) { s.caches.inherit(&old.caches, changed) }

// owner returns the index of the part with a row of the space, and the row in the part.
func (s *Space) owner(row uint32) (part int, own uint32) {
	if len(s.parts) > 1 {
		at, found := slices.BinarySearch(s.bases, uint16(row>>16))
		if part = at; !found {
			part--
		}
	}
	return part, row - uint32(s.bases[part])<<16
}

// own returns the rows of a part among those of the space.
func (s *Space) own(part int, set docset.Set) docset.Set {
	to := uint32(1 << 16)
	if part+1 < len(s.parts) {
		to = uint32(s.bases[part+1])
	}
	return set.Blockwise(uint32(s.bases[part]), to)
}

// Order returns the order of the documents.
func (s *Space) Order() *rows.Order { return s.order() }

// Live returns all documents.
func (s *Space) Live() docset.Set { return s.live }

// Fields returns the field names in field-id order. Do not modify it.
func (s *Space) Fields() []string { return s.fields }

// FieldID returns the id of a field name.
func (s *Space) FieldID(name string) (uint16, bool) {
	fid, ok := s.fieldIDs()[name]
	return fid, ok
}

// FacetColumns caches columns of facets that are counted often.
func (s *Space) FacetColumns() *facet.Columns { return &s.caches.facets }

// Memo caches costly results for this space.
func (s *Space) Memo() *scope.Memo { return &s.caches.memo }
