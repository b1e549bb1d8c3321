package version

import (
	"encoding/binary"

	"shoal/shard/docset"
	"shoal/shard/record"
	"shoal/shard/store"
)

// Posting identifies one posting list of a version.
type Posting struct {
	table store.Table
	name  string
}

// numberPosting identifies the documents in which a faceted field has a number.
func numberPosting(fid uint16, x float64) Posting {
	return Posting{store.TableNumber, string(store.NumberName(nil, fid, record.OrderedFloat(x)))}
}

func stringPosting(fid uint16, form string) Posting {
	return Posting{store.TableString, string(store.StringName(nil, fid, []byte(form)))}
}

func statePosting(fid uint16, state byte) Posting {
	return Posting{store.TableState, string(store.StateName(nil, fid, state))}
}

// ReadPosting reads a posting list from the store, past the cache.
func (c *Version) ReadPosting(p Posting) (docset.Set, error) {
	if p.table == store.TableWord || p.table == store.TableExact {
		return c.readWord(p.table, p.name)
	}
	return c.readSet(p.table, []byte(p.name))
}

// Posting returns a posting list from the cache or reads it.
func (c *Version) Posting(p Posting) (docset.Set, error) {
	line := Line{c.shared.Postings, c.epoch}
	return line.Posting(p, c.state.Version, c.caching, c.ReadPosting)
}

// Line is a sequence of versions with cached posting lists. Each version follows from
// the one before by known changes, which are applied to the cache.
type Line struct {
	cache *PostingCache
	epoch uint64
}

// NewLine starts a line with an empty cache.
func (s *Shared) NewLine() Line { return Line{s.Postings, s.epochs.Add(1)} }

// Posting returns a posting list of the version `number` from the cache or reads it. It
// caches the list if caching still returns number afterwards.
func (l Line) Posting(p Posting, number uint64, caching func() uint64, read func(Posting) (docset.Set, error)) (docset.Set, error) {
	key := postingName{l.epoch, p}
	if set, ok := l.cache.get(key, number); ok {
		return set, nil
	}
	set, err := read(p)
	if err == nil {
		l.cache.put(key, number, caching, set)
	}
	return set, err
}

// Follow applies the ops of a delta to the cached posting lists, which then are those
// of the version `number`. base is the first block of the delta's shard in the lists. A
// list is dropped if an op does not contain its change.
func (l Line) Follow(ops []byte, number uint64, base uint16) error {
	dec := &store.OpDecoder{Rest: ops}
	for {
		o, ok, err := dec.Next()
		if err != nil || !ok {
			return err
		}
		p, block, ok := postingOf(o.Key)
		if !ok {
			continue
		}
		name := postingName{l.epoch, p}
		if o.Kind == store.OpDelete || len(o.Value) > 0 {
			l.cache.change(name, number, postingChange{base + block, o.Kind, o.Value})
		} else {
			l.cache.remove(name)
		}
	}
}

// postingOf returns the posting list and the block of a key. ok is false for keys of
// other tables.
func postingOf(key []byte) (p Posting, block uint16, ok bool) {
	t := store.TableOf(key)
	switch t {
	case store.TableWord, store.TableExact:
		group := binary.BigEndian.Uint16(key[store.PrefixLen:])
		word, low, ok := store.CutTerminated(key[store.PrefixLen+2:])
		if !ok || len(low) != 1 {
			return Posting{}, 0, false
		}
		return Posting{t, string(word)}, group<<4 | uint16(low[0]), true
	case store.TableCount, store.TableState, store.TableNumber, store.TableString:
		name := key[store.PrefixLen : len(key)-2]
		return Posting{t, string(name)}, binary.BigEndian.Uint16(key[len(key)-2:]), true
	}
	return Posting{}, 0, false
}

// Word returns the documents with a tolerant occurrence of w (spec ranking 2).
func (s *Space) Word(w string) (docset.Set, error) { return s.read(Posting{store.TableWord, w}) }

// ExactWord returns the documents with an exact occurrence of w.
func (s *Space) ExactWord(w string) (docset.Set, error) {
	if _, exact, err := s.Dictionaries(); err != nil || exact.Len() == 0 {
		return docset.Set{}, err
	}
	return s.read(Posting{store.TableExact, w})
}

// FieldCount returns the documents whose field has exactly n indexed tokens, 1 <= n <=
// 30.
func (s *Space) FieldCount(fid uint16, n int) (docset.Set, error) {
	if n < 1 || n > store.MaxFieldCount {
		return docset.Set{}, nil
	}
	return s.read(Posting{store.TableCount, string(store.CountName(nil, fid, uint8(n)))})
}

// Exists, Null and Empty return the documents where the faceted field exists, is null,
// or is one of [], {} and "".
func (s *Space) Exists(fid uint16) (docset.Set, error) {
	return s.read(statePosting(fid, store.StateExists))
}

// Null: see Exists.
func (s *Space) Null(fid uint16) (docset.Set, error) {
	return s.read(statePosting(fid, store.StateNull))
}

// Empty: see Exists.
func (s *Space) Empty(fid uint16) (docset.Set, error) {
	return s.read(statePosting(fid, store.StateEmpty))
}

// Number returns the documents in which a faceted field has a number.
func (s *Space) Number(fid uint16, x float64) (docset.Set, error) {
	return s.read(numberPosting(fid, x))
}

// String returns the documents in which a faceted field has a string, by facet form.
func (s *Space) String(fid uint16, form string) (docset.Set, error) {
	return s.read(stringPosting(fid, form))
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
