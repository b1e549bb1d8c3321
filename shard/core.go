package shard

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"shoal/api"
	"shoal/shard/docset"
	"shoal/shard/lexicon"
	"shoal/wire"
)

// core is one shard at one version: a snapshot of the store and what is kept in
// memory of it. Immutable and counted: Views and the replica hold it, the last
// one to let go closes the snapshot.
type core struct {
	keys     keyspace
	state    state
	settings *api.Settings
	raw      []byte // settings as stored
	fields   []string
	fieldIDs func() map[string]uint16

	iteratorPool
	live         docset.Set
	words, exact *lexicon.Dictionary
	vectors      *vectorTable
	cache        *setCache
	epoch        uint64 // names this line of versions in the cache
	// caching is the version whose sets may be kept.
	caching func() uint64

	refs atomic.Int32
	// retired is when a newer version replaced this one.
	retired time.Time
	onClose func(error)

	lens lensCache
}

// acquire takes a reference; false when the core is closed already.
func (c *core) acquire() bool {
	for {
		n := c.refs.Load()
		if n == 0 {
			return false
		}
		if c.refs.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

func (c *core) release() {
	if c.refs.Add(-1) > 0 {
		return
	}
	c.onClose(errors.Join(c.iteratorPool.close(), c.snapshot.Close()))
}

// newCore begins a core over the present state of the store. The caller fills in
// the rest and owns one reference.
func (r *replica) newCore() *core {
	store := r.host.store
	c := &core{
		iteratorPool: iteratorPool{snapshot: store.db.NewSnapshot(), shape: &store.shape},
		cache:        r.host.sets, caching: r.caching.Load, onClose: r.host.coreClosed,
	}
	c.refs.Store(1)
	r.host.cores.Add(1)
	return c
}

func (c *core) seal() {
	c.fieldIDs = sync.OnceValue(func() map[string]uint16 {
		m := make(map[string]uint16, len(c.fields))
		for i, name := range c.fields {
			m[name] = uint16(i)
		}
		return m
	})
}

// loadCore reads everything from the store: at start and after changes that are
// not spelled out.
func (r *replica) loadCore() (_ *core, err error) {
	c := r.newCore()
	defer func() {
		if err != nil {
			c.release()
		}
	}()
	c.keys.key = r.key
	c.epoch = r.host.epochs.Add(1)
	value, ok, err := c.get(c.keys.meta(metaState))
	if err != nil {
		return nil, err
	}
	if ok {
		if err := wire.Unmarshal(value, &c.state); err != nil {
			return nil, fmt.Errorf("shard: stored state: %w", err)
		}
	}
	c.keys.gen = c.state.Generations
	if c.raw, _, err = c.get(c.keys.meta(metaSettings)); err != nil {
		return nil, err
	}
	if c.settings, err = decodeSettings(c.raw); err != nil {
		return nil, err
	}
	value, ok, err = c.get(c.keys.meta(metaFields))
	if err != nil {
		return nil, err
	}
	if ok {
		if err := wire.Unmarshal(value, &c.fields); err != nil {
			return nil, fmt.Errorf("shard: stored fields: %w", err)
		}
	}
	if c.live, err = c.readSet(tableLive, nil); err != nil {
		return nil, err
	}
	if c.words, c.exact, err = c.readDictionaries(); err != nil {
		return nil, err
	}
	c.vectors = newVectorTable(c.live)
	c.seal()
	return c, nil
}

// readDictionaries scans the words' counts.
func (c *core) readDictionaries() (words, exact *lexicon.Dictionary, err error) {
	anyExact := false
	words, err = c.readDictionary(func(n counts) int64 {
		anyExact = anyExact || n.exact > 0
		return n.tolerant
	})
	if err != nil || !anyExact {
		return words, &lexicon.Dictionary{}, err
	}
	exact, err = c.readDictionary(func(n counts) int64 { return n.exact })
	return words, exact, err
}

func (c *core) readDictionary(pick func(counts) int64) (*lexicon.Dictionary, error) {
	it := c.borrow()
	defer c.giveBack(it)
	prefix := c.keys.prefix(nil, tableWords)
	var failed error
	more := it.SeekGE(prefix)
	d := lexicon.Build(func() (string, uint32, bool) {
		for ; more && tablePrefixed(it.Key(), prefix); more = it.Next() {
			value, err := it.ValueAndErr()
			if err != nil {
				failed = err
				return "", 0, false
			}
			n, err := decodeCounts(value)
			if err != nil {
				failed = err
				return "", 0, false
			}
			if count := pick(n); count > 0 {
				word := string(it.Key()[len(prefix):])
				more = it.Next()
				return word, uint32(count), true
			}
		}
		return "", 0, false
	})
	return d, errors.Join(failed, it.Error())
}

func tablePrefixed(key, prefix []byte) bool {
	return len(key) >= len(prefix) && string(key[:len(prefix)]) == string(prefix)
}

// next derives the core after a delta whose ops are spelled out; the store has
// them already. The cost follows the delta.
func (c *core) next(r *replica, ops []byte) (_ *core, err error) {
	n := r.newCore()
	defer func() {
		if err != nil {
			n.release()
		}
	}()
	n.keys, n.state, n.settings, n.raw, n.fields = c.keys, c.state, c.settings, c.raw, c.fields
	n.live, n.epoch = c.live, c.epoch
	var tolerant, exact []lexicon.Change
	embedded := map[uint32]struct{}{} // blocks of vectors that change
	metaPrefix, wordPrefix := c.keys.prefix(nil, tableMeta), c.keys.prefix(nil, tableWords)
	dec := &opDecoder{rest: ops}
	for {
		o, ok, err := dec.next()
		if err != nil {
			return nil, err
		}
		if !ok {
			break
		}
		switch tableOf(o.key) {
		case tableMeta:
			err = n.readMeta(string(o.key[len(metaPrefix):]), o.value)
		case tableLive:
			err = n.patchLive(o)
		case tableVector:
			embedded[binary.BigEndian.Uint32(o.key[prefixLen:])>>vectorShift] = struct{}{}
		case tableWords:
			word := string(o.key[len(wordPrefix):])
			was := counts{int64(c.words.Count(word)), int64(c.exact.Count(word))}
			change := counts{-was.tolerant, -was.exact} // of a deletion
			if o.kind == opMerge {
				change, err = decodeCounts(o.value)
			}
			tolerant = appendChange(tolerant, word, was.tolerant, change.tolerant)
			exact = appendChange(exact, word, was.exact, change.exact)
		}
		if err != nil {
			return nil, err
		}
	}
	n.words, n.exact = c.words.Overlay(tolerant), c.exact.Overlay(exact)
	if n.vectors = c.vectors.changed(embedded); n.keys.gen.Vector != c.keys.gen.Vector {
		n.vectors = newVectorTable(n.live)
	}
	if n.keys.gen != c.keys.gen {
		// The ops tell what stands in the tables that were made anew, not what stood in
		// those before them.
		n.epoch = r.host.epochs.Add(1)
	}
	n.seal()
	return n, nil
}

func appendChange(changes []lexicon.Change, word string, was, change int64) []lexicon.Change {
	if change == 0 {
		return changes
	}
	return append(changes, lexicon.Change{Word: word, Count: uint32(was + change)})
}

// readMeta takes over one bookkeeping value.
func (c *core) readMeta(name string, value []byte) error {
	switch name {
	case metaState:
		c.state = state{}
		if err := wire.Unmarshal(value, &c.state); err != nil {
			return fmt.Errorf("shard: state in a delta: %w", err)
		}
		c.keys.gen = c.state.Generations
	case metaSettings:
		s, err := decodeSettings(value)
		if err != nil {
			return err
		}
		c.settings, c.raw = s, append([]byte(nil), value...)
	case metaFields:
		c.fields = nil
		if err := wire.Unmarshal(value, &c.fields); err != nil {
			return fmt.Errorf("shard: fields in a delta: %w", err)
		}
	}
	return nil
}

func (c *core) patchLive(o op) error {
	block := binary.BigEndian.Uint16(o.key[len(o.key)-2:])
	change := operand{clear: c.live.Block(block)} // of a deletion
	if o.kind == opMerge {
		var err error
		if change, err = decodeOperand(o.value); err != nil {
			return err
		}
	}
	var set, gone docset.Assembler
	set.Append(block, change.set)
	gone.Append(block, change.clear)
	c.live = c.live.AndNot(gone.Set()).Or(set.Set())
	return nil
}
