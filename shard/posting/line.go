package posting

import (
	"encoding/binary"

	"shoal/shard/docset"
	"shoal/shard/record"
	"shoal/shard/store"
)

// List identifies one posting list of a shard.
type List struct {
	Table store.Table
	// Name is the part of the key between the table and the block.
	Name string
}

// Number identifies the documents in which a faceted field has a number.
func Number(fid uint16, x float64) List {
	return List{store.TableNumber, string(store.NumberName(nil, fid, record.OrderedFloat(x)))}
}

// String identifies the documents in which a faceted field has a string, by facet form.
func String(fid uint16, form string) List {
	return List{store.TableString, string(store.StringName(nil, fid, []byte(form)))}
}

// State identifies the documents in which a faceted field has a state of package store.
func State(fid uint16, state byte) List {
	return List{store.TableState, string(store.StateName(nil, fid, state))}
}

// Line is a sequence of versions with cached posting lists. Each version follows from
// the one before by known changes, which are applied to the cache.
type Line struct {
	cache *Cache
	epoch uint64
}

// Line returns the line of an epoch, a number that no other line has.
func (c *Cache) Line(epoch uint64) Line { return Line{c, epoch} }

// Posting returns a posting list of the version `number` from the cache or reads it. It
// caches the list if caching still returns number afterwards.
func (l Line) Posting(p List, number uint64, caching func() uint64, read func(List) (docset.Set, error)) (docset.Set, error) {
	key := name{l.epoch, p}
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
		p, block, ok := listOf(o.Key)
		if !ok {
			continue
		}
		n := name{l.epoch, p}
		if o.Kind == store.OpDelete || len(o.Value) > 0 {
			l.cache.change(n, number, change{base + block, o.Kind, o.Value})
		} else {
			l.cache.remove(n)
		}
	}
}

// listOf returns the posting list and the block of a key. ok is false for keys of
// other tables.
func listOf(key []byte) (p List, block uint16, ok bool) {
	t := store.TableOf(key)
	switch t {
	case store.TableWord, store.TableExact:
		group := binary.BigEndian.Uint16(key[store.PrefixLen:])
		word, low, ok := store.CutTerminated(key[store.PrefixLen+2:])
		if !ok || len(low) != 1 {
			return List{}, 0, false
		}
		return List{t, string(word)}, group<<4 | uint16(low[0]), true
	case store.TableCount, store.TableState, store.TableNumber, store.TableString:
		name := key[store.PrefixLen : len(key)-2]
		return List{t, string(name)}, binary.BigEndian.Uint16(key[len(key)-2:]), true
	}
	return List{}, 0, false
}

// Each visits the cached lists of the line until the first error. visit must not use the
// cache.
func (l Line) Each(visit func(p List, set docset.Set) error) error {
	for i := range l.cache.parts {
		p := &l.cache.parts[i]
		p.mu.Lock()
		for n, e := range p.m {
			if !p.apply(e) || n.epoch != l.epoch {
				continue
			}
			if err := visit(n.List, e.set); err != nil {
				p.mu.Unlock()
				return err
			}
		}
		p.mu.Unlock()
	}
	return nil
}
