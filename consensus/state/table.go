package state

import (
	"hash/maphash"
	"reflect"
)

// fanout is the number of buckets of a table. With 10,000 entries a bucket holds
// 40, so that a change copies 2 KiB of root and some 40 pointers.
const fanout = 256

var bucketSeed = maphash.MakeSeed()

// table is an immutable map of two levels. The zero value is empty. A changed
// copy is made through a tableEdit and shares all untouched buckets.
type table[K comparable, V any] struct {
	root *[fanout]map[K]V
	size int
}

func bucketOf[K comparable](key K) uint8 {
	return uint8(maphash.Comparable(bucketSeed, key))
}

func (t table[K, V]) get(key K) (V, bool) {
	if t.root == nil {
		var zero V
		return zero, false
	}
	v, ok := t.root[bucketOf(key)][key]
	return v, ok
}

// each calls yield for every entry in no particular order.
func (t table[K, V]) each(yield func(K, V)) {
	if t.root == nil {
		return
	}
	for _, bucket := range t.root {
		for k, v := range bucket {
			yield(k, v)
		}
	}
}

// differences calls yield for every entry of t that is different or missing in another
// table. What both share costs nothing, because they share its buckets.
func differences[K comparable, V comparable](t, from table[K, V], yield func(K, V)) {
	var none [fanout]map[K]V
	now, before := t.root, from.root
	if now == nil {
		now = &none
	}
	if before == nil {
		before = &none
	}
	for n := range now {
		a, b := now[n], before[n]
		if reflect.ValueOf(a).Pointer() == reflect.ValueOf(b).Pointer() {
			continue
		}
		for k, v := range a {
			if old, had := b[k]; !had || old != v {
				yield(k, v)
			}
		}
	}
}

// tableEdit makes a changed copy of a table: the root once, every touched bucket
// once.
type tableEdit[K comparable, V any] struct {
	table[K, V]
	owned [fanout]bool // buckets that are this edit's own
}

func editTable[K comparable, V any](t table[K, V]) *tableEdit[K, V] {
	e := &tableEdit[K, V]{}
	e.size = t.size
	e.root = new([fanout]map[K]V)
	if t.root != nil {
		*e.root = *t.root
	}
	return e
}

func (e *tableEdit[K, V]) bucket(key K) map[K]V {
	n := bucketOf(key)
	if e.owned[n] {
		return e.root[n]
	}
	old := e.root[n]
	fresh := make(map[K]V, len(old)+1)
	for k, v := range old {
		fresh[k] = v
	}
	e.root[n] = fresh
	e.owned[n] = true
	return fresh
}

func (e *tableEdit[K, V]) set(key K, value V) {
	b := e.bucket(key)
	if _, had := b[key]; !had {
		e.size++
	}
	b[key] = value
}

func (e *tableEdit[K, V]) remove(key K) {
	if _, had := e.root[bucketOf(key)][key]; !had {
		return
	}
	delete(e.bucket(key), key)
	e.size--
}

// pageSize is the number of rows of one page.
const pageSize = 4096

// rows is an array indexed by uid that needs memory only where rows exist: pages of dense
// uids, dropped when their last row is removed.
type rows[T any] struct {
	pages map[uint32]*page[T]
}

type page[T any] struct {
	used [pageSize / 64]uint64
	n    int
	row  [pageSize]T
}

func (r *rows[T]) get(uid uint32) (T, bool) {
	p := r.pages[uid/pageSize]
	slot := uid % pageSize
	if p == nil || p.used[slot/64]&(1<<(slot%64)) == 0 {
		var zero T
		return zero, false
	}
	return p.row[slot], true
}

func (r *rows[T]) set(uid uint32, row T) {
	if r.pages == nil {
		r.pages = make(map[uint32]*page[T])
	}
	p := r.pages[uid/pageSize]
	if p == nil {
		p = new(page[T])
		r.pages[uid/pageSize] = p
	}
	slot := uid % pageSize
	if bit := uint64(1) << (slot % 64); p.used[slot/64]&bit == 0 {
		p.used[slot/64] |= bit
		p.n++
	}
	p.row[slot] = row
}

func (r *rows[T]) remove(uid uint32) {
	p := r.pages[uid/pageSize]
	slot := uid % pageSize
	bit := uint64(1) << (slot % 64)
	if p == nil || p.used[slot/64]&bit == 0 {
		return
	}
	p.used[slot/64] &^= bit
	var zero T
	p.row[slot] = zero
	if p.n--; p.n == 0 {
		delete(r.pages, uid/pageSize)
	}
}
