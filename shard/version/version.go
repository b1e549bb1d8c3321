package version

import (
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"

	"shoal/api/settings"
	"shoal/shard/docset"
	"shoal/shard/lexicon"
	"shoal/shard/rank/columns"
	"shoal/shard/store"
	"shoal/shard/vector"
	"shoal/wire"
)

// Version is one shard at one version: a snapshot of the store and what is kept in
// memory of it. Immutable and counted: Views and the replica hold it, the last
// one to let go closes the snapshot.
type Version struct {
	Space
	keys   store.Keyspace
	state  State
	stored *settings.Settings
	raw    []byte // settings as stored

	store.Iterators
	vectors *vector.Table
	epoch   uint64 // names this line of versions in the cache
	// caching is the version whose sets may be kept.
	caching func() uint64

	refs atomic.Int32

	// serial is a number of its own, trail what led to it.
	serial uint64
	trail  trail

	columns atomic.Pointer[columns.Columns]
	// fresh are records of documents that changed lately; given up once they have columns.
	fresh atomic.Pointer[fresh]
	// searched tells that some search looked for columns.
	searched atomic.Bool
	// held lets go of what the version was given to hold (SetColumns).
	held []func() error
}

// Shared is what the versions of all shards of a node have in common.
type Shared struct {
	Store *store.Store
	// Postings keeps posting lists, vectors decoded vectors.
	Postings *PostingCache
	Vectors  *vector.Cache
	Log      *slog.Logger
	// Bounds are those of each version.
	Bounds Bounds
	// Records are the bytes of token records that are kept of documents that changed
	// lately, of all shards; 0 is no bound.
	Records int
	fresh   freshRoom
	epochs  atomic.Uint64
	serials atomic.Uint64
	Open    atomic.Int64 // versions
	Views   atomic.Int64 // Views not yet closed
}

// Acquire takes a reference; false when the version is closed already.
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

// Release gives a reference back; the last one closes the version.
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

// State is what the shard knows of itself at this version; do not modify.
func (c *Version) State() *State { return &c.state }

// VectorTable is the table of the vectors of the documents.
func (c *Version) VectorTable() *vector.Table { return c.vectors }

// Keys makes the keys of the shard's tables.
func (c *Version) Keys() store.Keyspace { return c.keys }

// Stored returns the settings that the shard was last built with, as stored and
// decoded; do not modify.
func (c *Version) Stored() (raw []byte, settings *settings.Settings) { return c.raw, c.stored }

// Idle tells whether nobody but the caller holds the version.
func (c *Version) Idle() bool { return c.refs.Load() == 1 }

// begin begins a version over the present state of the store. The caller fills in
// the rest and owns one reference.
func begin(s *Shared, caching func() uint64) *Version {
	c := &Version{caching: caching, serial: s.serials.Add(1)}
	c.Space.begin(s, []*Version{c}, c.Posting)
	c.Iterators.Open(s.Store)
	c.refs.Store(1)
	s.Open.Add(1)
	return c
}

// Load reads everything from the store: at start and after changes that are
// not spelled out. caching tells the version whose posting lists may be kept.
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
	if c.words, c.exact, err = c.readDictionaries(); err != nil {
		return nil, err
	}
	c.vectors = vector.NewTable(c.live)
	return c, nil
}

// readDictionaries scans the words' counts.
func (c *Version) readDictionaries() (words, exact *lexicon.Dictionary, err error) {
	anyExact := false
	words, err = c.readDictionary(func(n store.Counts) int64 {
		anyExact = anyExact || n.Exact > 0
		return n.Tolerant
	})
	if err != nil || !anyExact {
		return words, &lexicon.Dictionary{}, err
	}
	exact, err = c.readDictionary(func(n store.Counts) int64 { return n.Exact })
	return words, exact, err
}

func (c *Version) readDictionary(pick func(store.Counts) int64) (*lexicon.Dictionary, error) {
	it := c.Borrow()
	defer c.GiveBack(it)
	prefix := c.keys.Prefix(nil, store.TableWords)
	var failed error
	more := it.SeekGE(prefix)
	d := lexicon.Build(func() (string, uint32, bool) {
		for ; more && store.TablePrefixed(it.Key(), prefix); more = it.Next() {
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

// Follow has the ops of the delta that leads to c change the kept posting lists of the
// line of versions to which c belongs.
func (c *Version) Follow(ops []byte) error {
	return Line{c.shared.Postings, c.epoch}.Follow(ops, c.state.Version, true)
}

// Follows tells whether c belongs to the same line of versions as an older one:
// what changed between them is spelled out.
func (c *Version) Follows(old *Version) bool { return c.epoch == old.epoch }

// Inherit takes over what an older version of the same line had worked out and what
// does not concern the documents that changed.
func (c *Version) Inherit(old *Version, changed docset.Set) {
	c.caches.inherit(&old.caches, changed)
	c.trail.follow(old, changed)
}

// Replaces lets go of the vectors of the version before that c does not share.
func (c *Version) Replaces(old *Version) { c.shared.Vectors.Retire(old.vectors, c.vectors) }

// Ends lets go of the vectors of the last version of a shard.
func (c *Version) Ends() { c.shared.Vectors.Retire(c.vectors, nil) }
