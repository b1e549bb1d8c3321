package store

import (
	"errors"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
)

// keepIterators is how many free iterators a version keeps for reuse.
const keepIterators = 8

// Iterators pools iterators over one snapshot, because opening one costs more than a
// look-up. An iterator holds the table files that existed when it was opened, including
// those that a compaction has replaced since, so an iterator older than the store's
// files is not kept. It takes 17 KiB, so one that has not been borrowed for a while is
// closed (Store.TrimIterators). Safe for concurrent use.
type Iterators struct {
	snapshot *pebble.Snapshot
	// shape counts the changes of the store's files.
	shape *atomic.Uint64
	pools *iteratorPools

	mu   sync.Mutex
	free []*pebble.Iterator
	// used: borrowed from since the last trim. listed: in pools.
	used, listed bool
	// born is the shape at which each open iterator was created.
	born map[*pebble.Iterator]uint64
}

// iteratorPools are the pools with free iterators. A pool's lock may be held when its
// lock is taken.
type iteratorPools struct {
	mu   sync.Mutex
	with map[*Iterators]struct{}
}

// Open initializes the pool over the present state of a store.
func (p *Iterators) Open(s *Store) {
	p.snapshot, p.shape, p.pools = s.DB.NewSnapshot(), &s.shape, &s.pools
}

// list adds the pool to those with free iterators. The caller holds p.mu.
func (p *Iterators) list() {
	if p.listed {
		return
	}
	p.listed = true
	p.pools.mu.Lock()
	defer p.pools.mu.Unlock()
	if p.pools.with == nil {
		p.pools.with = map[*Iterators]struct{}{}
	}
	p.pools.with[p] = struct{}{}
}

// unlist removes a pool without free iterators. The caller holds p.mu.
func (p *Iterators) unlist() {
	if !p.listed {
		return
	}
	p.listed = false
	p.pools.mu.Lock()
	defer p.pools.mu.Unlock()
	delete(p.pools.with, p)
}

// TrimIterators closes the free iterators that hold replaced files, and those of pools
// not borrowed from since the last call.
func (s *Store) TrimIterators() error {
	s.pools.mu.Lock()
	pools := slices.Collect(maps.Keys(s.pools.with))
	s.pools.mu.Unlock()
	var err error
	for _, p := range pools {
		err = errors.Join(err, p.trim())
	}
	return err
}

// Borrow returns an iterator over the keys of the snapshot that begin with prefix. A seek to a key
// that does not exist stops at the end of these: behind it a whole table may have been deleted, and
// an iterator passes over deleted keys one by one until a compaction has removed them.
func (p *Iterators) Borrow(prefix []byte) *pebble.Iterator {
	it := p.borrow()
	Narrow(it, prefix)
	return it
}

// Narrow makes an iterator one over the keys that begin with prefix, without a position.
func Narrow(it *pebble.Iterator, prefix []byte) { it.SetBounds(prefix, After(prefix)) }

func (p *Iterators) borrow() *pebble.Iterator {
	p.mu.Lock()
	p.used = true
	if n := len(p.free); n > 0 {
		it := p.free[n-1]
		p.free = p.free[:n-1]
		p.mu.Unlock()
		return it
	}
	p.mu.Unlock()
	shape := p.shape.Load()
	it, err := p.snapshot.NewIter(nil)
	if err != nil {
		// Without options, context and key types, only a closed snapshot causes an
		// error. That is a bug of ours.
		panic("shard: iterator over a closed view: " + err.Error())
	}
	p.mu.Lock()
	if p.born == nil {
		p.born = make(map[*pebble.Iterator]uint64)
	}
	p.born[it] = shape
	p.mu.Unlock()
	return it
}

// GiveBack returns an iterator from Borrow.
func (p *Iterators) GiveBack(it *pebble.Iterator) {
	p.mu.Lock()
	if it.Error() == nil && len(p.free) < keepIterators && p.born[it] == p.shape.Load() {
		p.free = append(p.free, it)
		p.list()
		p.mu.Unlock()
		return
	}
	delete(p.born, it)
	p.mu.Unlock()
	// The reader has already seen the iterator's error.
	_ = it.Close()
}

// trim is TrimIterators for one pool.
func (p *Iterators) trim() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	shape := p.shape.Load()
	if !p.used {
		shape = ^uint64(0)
	}
	p.used = false
	return p.closeFree(shape)
}

// CloseAll closes the snapshot and all free iterators. None may be in use.
func (p *Iterators) CloseAll() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return errors.Join(p.closeFree(^uint64(0)), p.snapshot.Close())
}

// closeFree closes the free iterators born before a shape. The caller holds p.mu, so
// that nothing is left open when CloseAll returns.
func (p *Iterators) closeFree(shape uint64) (err error) {
	kept := p.free[:0]
	for _, it := range p.free {
		if p.born[it] >= shape {
			kept = append(kept, it)
			continue
		}
		delete(p.born, it)
		err = errors.Join(err, it.Close())
	}
	clear(p.free[len(kept):])
	if p.free = kept; len(kept) == 0 {
		p.free = nil
		p.unlist()
	}
	return err
}
