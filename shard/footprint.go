package shard

import (
	"encoding/binary"
	"errors"
	"maps"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"shoal/shard/store"
	"shoal/wire"
)

// footprint tells what shards may occupy in the store. It does not read the store,
// which may be damaged. Safe for concurrent use.
type footprint struct{ *replicas }

// known lists the shards of this node: those requested since the start and those that
// the catalogue places here.
func (f footprint) known() []wire.ShardKey {
	seen := map[wire.ShardKey]bool{}
	for _, r := range f.listed() {
		seen[r.key] = true
	}
	for _, x := range f.catalogue.indexes() {
		for _, s := range slices.Concat(x.Shards, x.Next) {
			if s.ReplicaOn(f.catalogue.node) != nil {
				seen[wire.ShardKey{IndexID: x.ID, Shard: s.Number}] = true
			}
		}
	}
	return slices.Collect(maps.Keys(seen))
}

// spans lists, ascending, the key ranges of everything that this node may have written
// of a shard. It reads nothing from the store, which may be damaged. If the index has
// no other shard here, one range covers the index.
func (f footprint) spans(key wire.ShardKey) []store.KeyRange {
	if f.alone(key) {
		return []store.KeyRange{{Lo: binary.BigEndian.AppendUint32(nil, key.IndexID), Hi: binary.BigEndian.AppendUint32(nil, key.IndexID+1)}}
	}
	top := uint16(0)
	more := func(g wire.Generations) { top = max(top, g.Text, g.Facet, g.Vector) }
	if x, ok := f.catalogue.index(key.IndexID); ok {
		more(x.Generations)
	}
	if r := f.find(key); r != nil {
		r.mu.Lock()
		if r.current != nil {
			more(r.current.State().Generations)
		}
		r.mu.Unlock()
	}
	var out []store.KeyRange
	for g := range top + 2 { // one more may have been built and never published
		out = append(out, store.KeyRange{Lo: store.AppendPrefix(nil, key, g, 0), Hi: store.AppendPrefix(nil, key, g, 0xff)})
	}
	return out
}

// alone reports whether this node has no other shard of the index.
func (f footprint) alone(key wire.ShardKey) bool {
	if x, ok := f.catalogue.index(key.IndexID); ok {
		for _, s := range slices.Concat(x.Shards, x.Next) {
			if s.Number != key.Shard && s.ReplicaOn(f.catalogue.node) != nil {
				return false
			}
		}
	}
	return !slices.ContainsFunc(f.listed(), func(r *replica) bool { return r.key.IndexID == key.IndexID && r.key.Shard != key.Shard })
}

// shardsIn lists the shards with data in a store, in key order.
func shardsIn(db *pebble.DB) ([]wire.ShardKey, error) {
	it, err := db.NewIter(nil)
	if err != nil {
		return nil, err
	}
	var out []wire.ShardKey
	for more := it.First(); more; {
		key := it.Key()
		if len(key) < store.PrefixLen {
			more = it.Next()
			continue
		}
		shard := store.KeyOf(key)
		if store.GenerationOf(key) == 0 {
			out = append(out, shard)
		}
		more = it.SeekGE(store.AppendPrefix(nil, shard, store.GenerationOf(key), 0xff))
	}
	return out, errors.Join(it.Error(), it.Close())
}

// wholeShard lists the key ranges, ascending, that hold data of a shard other than
// pending deltas.
func wholeShard(s *store.Store, key wire.ShardKey) ([]store.KeyRange, error) {
	it, err := s.DB.NewIter(nil)
	if err != nil {
		return nil, err
	}
	var out []store.KeyRange
	for generation := uint32(0); generation <= 0xffff; generation++ {
		lo, hi := store.AppendPrefix(nil, key, uint16(generation), 0), store.AppendPrefix(nil, key, uint16(generation), 0xff)
		if !it.SeekGE(lo) {
			break
		}
		at := slices.Clone(it.Key())
		if len(at) < store.PrefixLen || binary.BigEndian.Uint32(at) != key.IndexID {
			break
		}
		if string(at) < string(hi) {
			if generation == 0 {
				out = append(out,
					store.KeyRange{Lo: lo, Hi: store.AppendPrefix(nil, key, 0, store.TablePending)},
					store.KeyRange{Lo: store.AppendPrefix(nil, key, 0, store.TablePending+1), Hi: hi})
			} else {
				out = append(out, store.KeyRange{Lo: lo, Hi: hi})
			}
			continue
		}
		// This generation is empty. Continue with the next one that has keys.
		if next := uint32(binary.BigEndian.Uint16(at[4:])); next > generation+1 {
			generation = next - 1
		}
	}
	return out, errors.Join(it.Error(), it.Close())
}
