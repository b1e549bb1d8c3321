package version

import (
	"shoal/shard/docset"
	"shoal/shard/posting"
	"shoal/shard/store"
)

// ReadPosting reads a posting list from the store, past the cache.
func (c *Version) ReadPosting(p posting.List) (docset.Set, error) {
	if p.Table == store.TableWord || p.Table == store.TableExact {
		return c.readWord(p.Table, p.Name)
	}
	return c.readSet(p.Table, []byte(p.Name))
}

// Posting returns a posting list from the cache or reads it.
func (c *Version) Posting(p posting.List) (docset.Set, error) {
	return c.line().Posting(p, c.state.Version, c.caching, c.ReadPosting)
}

// line is the line of c in the cache.
func (c *Version) line() posting.Line { return c.shared.Postings.Line(c.epoch) }

// NewLine starts a line with an empty cache.
func (s *Shared) NewLine() posting.Line { return s.Postings.Line(s.epochs.Add(1)) }

// Word returns the documents with a tolerant occurrence of w (spec ranking 2).
func (s *Space) Word(w string) (docset.Set, error) {
	return s.read(posting.List{Table: store.TableWord, Name: w})
}

// ExactWord returns the documents with an exact occurrence of w.
func (s *Space) ExactWord(w string) (docset.Set, error) {
	if _, exact, err := s.Dictionaries(); err != nil || exact.Len() == 0 {
		return docset.Set{}, err
	}
	return s.read(posting.List{Table: store.TableExact, Name: w})
}

// FieldCount returns the documents whose field has exactly n indexed tokens, 1 <= n <=
// 30.
func (s *Space) FieldCount(fid uint16, n int) (docset.Set, error) {
	if n < 1 || n > store.MaxFieldCount {
		return docset.Set{}, nil
	}
	return s.read(posting.List{Table: store.TableCount, Name: string(store.CountName(nil, fid, uint8(n)))})
}

// Exists, Null and Empty return the documents where the faceted field exists, is null,
// or is one of [], {} and "".
func (s *Space) Exists(fid uint16) (docset.Set, error) {
	return s.read(posting.State(fid, store.StateExists))
}

// Null: see Exists.
func (s *Space) Null(fid uint16) (docset.Set, error) {
	return s.read(posting.State(fid, store.StateNull))
}

// Empty: see Exists.
func (s *Space) Empty(fid uint16) (docset.Set, error) {
	return s.read(posting.State(fid, store.StateEmpty))
}

// Number returns the documents in which a faceted field has a number.
func (s *Space) Number(fid uint16, x float64) (docset.Set, error) {
	return s.read(posting.Number(fid, x))
}

// String returns the documents in which a faceted field has a string, by facet form.
func (s *Space) String(fid uint16, form string) (docset.Set, error) {
	return s.read(posting.String(fid, form))
}

// Prefix returns the union of Word over all words that start with prefix, up to and
// including last ("" is no limit).
func (s *Space) Prefix(prefix, last string) (docset.Set, error) {
	return s.readPrefix(store.TableWord, prefix, last)
}

// ExactPrefix is Prefix for exact occurrences.
func (s *Space) ExactPrefix(prefix, last string) (docset.Set, error) {
	if _, exact, err := s.Dictionaries(); err != nil || exact.Len() == 0 {
		return docset.Set{}, err
	}
	return s.readPrefix(store.TableExact, prefix, last)
}

func (s *Space) readPrefix(t store.Table, prefix, last string) (docset.Set, error) {
	var out docset.Accumulator
	for i, part := range s.parts {
		if err := part.addPrefix(&out, s.bases[i], t, prefix, last); err != nil {
			return docset.Set{}, err
		}
	}
	return out.Set(), nil
}
