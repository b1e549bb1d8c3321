package store

import (
	"errors"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
)

// keepIterators is how many free iterators a version keeps for reuse.
const keepIterators = 8

// Iterators keeps free iterators over one snapshot: opening one costs more than
// a look-up. An iterator holds the table files that were there when it was opened,
// also those that a compaction has replaced since, so one that is older than the
// store's files is not kept. Safe for concurrent use.
type Iterators struct {
	snapshot *pebble.Snapshot
	// shape counts the changes of the store's files.
	shape *atomic.Uint64

	mu   sync.Mutex
	free []*pebble.Iterator
	// born is the shape that each open iterator saw.
	born map[*pebble.Iterator]uint64
}

// Open makes the pool one over the present state of a store.
func (p *Iterators) Open(s *Store) { p.snapshot, p.shape = s.DB.NewSnapshot(), &s.shape }

// Borrow returns an iterator over the snapshot, without bounds.
func (p *Iterators) Borrow() *pebble.Iterator {
	p.mu.Lock()
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
		// Without options, context and key types there is nothing to refuse but a
		// closed snapshot, which is a bug of ours.
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

// GiveBack returns what Borrow gave.
func (p *Iterators) GiveBack(it *pebble.Iterator) {
	p.mu.Lock()
	if it.Error() == nil && len(p.free) < keepIterators && p.born[it] == p.shape.Load() {
		p.free = append(p.free, it)
		p.mu.Unlock()
		return
	}
	delete(p.born, it)
	p.mu.Unlock()
	// The reader has seen the iterator's error already.
	_ = it.Close()
}

// Trim closes the free iterators that hold files the store has replaced.
func (p *Iterators) Trim() error { return p.closeFree(p.shape.Load()) }

// CloseAll closes the snapshot with all free iterators; none may be in use.
func (p *Iterators) CloseAll() error {
	return errors.Join(p.closeFree(^uint64(0)), p.snapshot.Close())
}

// closeFree closes the free iterators born before a shape.
func (p *Iterators) closeFree(shape uint64) error {
	p.mu.Lock()
	kept, old := p.free[:0:0], []*pebble.Iterator(nil)
	for _, it := range p.free {
		if p.born[it] >= shape {
			kept = append(kept, it)
		} else {
			delete(p.born, it)
			old = append(old, it)
		}
	}
	p.free = kept
	p.mu.Unlock()
	var err error
	for _, it := range old {
		err = errors.Join(err, it.Close())
	}
	return err
}
