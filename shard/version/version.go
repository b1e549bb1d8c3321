package version

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"

	"shoal/api/settings"
	"shoal/shard/damage"
	"shoal/shard/docset"
	"shoal/shard/lexicon"
	"shoal/shard/posting"
	"shoal/shard/rank/columns"
	"shoal/shard/rows"
	"shoal/shard/store"
	"shoal/shard/vector"
	"shoal/wire"
)

// Version is one shard at one version: a snapshot of the store and derived state in
// memory. Immutable and reference counted. Views and the replica hold references; the
// last release closes the snapshot.
type Version struct {
	Space
	keys   store.Keyspace
	state  State
	stored *settings.Settings
	raw    []byte // settings as stored

	store.Iterators
	vectors *vector.Table
	rows    *rows.Table // nil if the rows are the ordinals
	epoch   uint64      // identifies this line of versions in the cache
	// caching returns the version whose sets may be cached.
	caching func() uint64

	refs atomic.Int32

	// serial is unique, trail is what led to it.
	serial uint64
	trail  trail

	columns atomic.Pointer[columns.Columns]
	// fresh are the records of recently changed documents. They are dropped once the
	// documents have columns.
	fresh atomic.Pointer[fresh]
	// searched means that a search requested columns.
	searched atomic.Bool
	// held are the release functions given to SetColumns.
	held []func() error
}

// Shared is what the versions of all shards of a node have in common.
type Shared struct {
	Store *store.Store
	// Postings caches posting lists, Vectors decoded vectors.
	Postings *posting.Cache
	Vectors  *vector.Cache
	Log      *slog.Logger
	// Bounds are those of each version.
	Bounds Bounds
	// Records bounds the bytes of cached token records of recently changed documents,
	// over all shards. 0 means no bound.
	Records int
	fresh   freshRoom
	epochs  atomic.Uint64
	serials atomic.Uint64
	Open    atomic.Int64 // versions
	Views   atomic.Int64 // Views not yet closed
}

// Acquire takes a reference. It returns false if the version is already closed.
func (c *Version) Acquire() bool {
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

// Release releases a reference. The last one closes the version.
func (c *Version) Release() {
	if c.refs.Add(-1) > 0 {
		return
	}
	c.shared.Open.Add(-1)
	c.shared.fresh.forget(c)
	err := c.Iterators.CloseAll()
	for _, release := range c.held {
		err = errors.Join(err, release())
	}
	if err != nil {
		c.shared.Log.Error("shard: a version could not be closed", slog.Any("error", err))
	}
}

// State returns the bookkeeping of the shard at this version. Do not modify it.
func (c *Version) State() *State { return &c.state }

// VectorTable returns the table of the documents' vectors.
func (c *Version) VectorTable() *vector.Table { return c.vectors }

// Keys returns the keyspace of the shard's tables.
func (c *Version) Keys() store.Keyspace { return c.keys }

// Stored returns the settings of the last build, as stored and decoded. Do not modify
// them.
func (c *Version) Stored() (raw []byte, settings *settings.Settings) { return c.raw, c.stored }

// Idle reports whether the caller's reference is the only one.
func (c *Version) Idle() bool { return c.refs.Load() == 1 }

// begin creates a version over the present state of the store. The caller sets the rest
// and owns one reference.
func begin(s *Shared, caching func() uint64) *Version {
	c := &Version{caching: caching, serial: s.serials.Add(1)}
	c.Space.begin(s, []*Version{c}, []uint16{0}, c.Posting)
	c.Iterators.Open(s.Store)
	c.refs.Store(1)
	s.Open.Add(1)
	return c
}

// Load reads a version from the store, at start and after changes that a delta does not
// spell out. caching returns the version whose posting lists may be cached.
func Load(s *Shared, key wire.ShardKey, caching func() uint64) (_ *Version, err error) {
	c := begin(s, caching)
	defer func() {
		if err != nil {
			c.Release()
		}
	}()
	c.keys.Key = key
	c.epoch = s.epochs.Add(1)
	value, ok, err := c.get(c.keys.Meta(MetaState))
	if err != nil {
		return nil, err
	}
	if ok {
		if c.state, err = decodeState(value); err != nil {
			return nil, err
		}
	}
	c.keys.Gen = c.state.Generations
	if c.raw, _, err = c.get(c.keys.Meta(MetaSettings)); err != nil {
		return nil, err
	}
	if c.stored, err = DecodeSettings(c.raw); err != nil {
		return nil, err
	}
	value, ok, err = c.get(c.keys.Meta(MetaFields))
	if err != nil {
		return nil, err
	}
	if ok {
		if err := wire.Unmarshal(value, &c.fields); err != nil {
			return nil, fmt.Errorf("shard: stored fields: %w", err)
		}
	}
	if c.live, err = c.readSet(store.TableLive, nil); err != nil {
		return nil, err
	}
	if c.rows, err = c.readRows(); err != nil {
		return nil, err
	}
	c.lexica.read = func(ctx context.Context) (words, exact *lexicon.Dictionary, err error) {
		words, exact, err = c.readDictionaries(ctx)
		if err != nil && ctx.Err() == nil {
			err = &damage.WordsError{Key: key, Err: err}
		}
		return words, exact, err
	}
	c.vectors = vector.NewTable(c.live)
	return c, nil
}

// readRows reads which ordinals the rows have.
func (c *Version) readRows() (*rows.Table, error) {
	if !c.state.Rows {
		return nil, nil
	}
	prefix := c.keys.Prefix(nil, store.TableRows)
	it := c.Borrow(prefix)
	defer c.GiveBack(it)
	var pages []uint32
	var list [][]rows.Entry
	for more := it.First(); more; more = it.Next() {
		value, err := it.ValueAndErr()
		if err != nil {
			return nil, err
		}
		page, entries, err := decodePage(it.Key(), value)
		if err != nil {
			return nil, err
		}
		pages, list = append(pages, page), append(list, entries)
	}
	return new(rows.Table).With(pages, list), it.Error()
}

// decodePage decodes a page of rows.
func decodePage(key, value []byte) (page uint32, entries []rows.Entry, err error) {
	if len(key) != store.PrefixLen+4 {
		return 0, nil, store.ErrCorruptValue
	}
	entries, err = store.DecodeRows(value)
	return binary.BigEndian.Uint32(key[store.PrefixLen:]), entries, err
}

// Rows returns which ordinals the rows have, nil if the rows are the ordinals.
func (c *Version) Rows() *rows.Table { return c.rows }

// readDictionaries reads the counts of all words.
func (c *Version) readDictionaries(ctx context.Context) (words, exact *lexicon.Dictionary, err error) {
	anyExact := false
	words, err = c.readDictionary(ctx, func(n store.Counts) int64 {
		anyExact = anyExact || n.Exact > 0
		return n.Tolerant
	})
	if err != nil || !anyExact {
		return words, &lexicon.Dictionary{}, err
	}
	exact, err = c.readDictionary(ctx, func(n store.Counts) int64 { return n.Exact })
	return words, exact, err
}

func (c *Version) readDictionary(ctx context.Context, pick func(store.Counts) int64) (*lexicon.Dictionary, error) {
	prefix := c.keys.Prefix(nil, store.TableWords)
	it := c.Borrow(prefix)
	defer c.GiveBack(it)
	var failed error
	more := it.First()
	d := lexicon.Build(func() (string, uint32, bool) {
		for ; more; more = it.Next() {
			if failed = ctx.Err(); failed != nil {
				return "", 0, false
			}
			value, err := it.ValueAndErr()
			if err != nil {
				failed = err
				return "", 0, false
			}
			n, err := store.DecodeCounts(value)
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

// Follow applies the ops of the delta that leads to c to the cached posting lists of
// its line.
func (c *Version) Follow(ops []byte) error {
	return c.line().Follow(ops, c.state.Version, 0)
}

// Follows reports whether c is in the same line of versions as old, so that the changes
// between them are known.
func (c *Version) Follows(old *Version) bool { return c.epoch == old.epoch }

// Inherit takes over results of an older version of the same line that do not concern
// the changed documents.
func (c *Version) Inherit(old *Version, changed docset.Set) {
	c.caches.inherit(&old.caches, changed)
	c.trail.follow(old, changed)
}

// Replaces releases the vectors of the previous version that c does not share.
func (c *Version) Replaces(old *Version) { c.shared.Vectors.Retire(old.vectors, c.vectors) }

// Ends releases the vectors of the last version of a shard.
func (c *Version) Ends() { c.shared.Vectors.Retire(c.vectors, nil) }
