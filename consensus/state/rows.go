package state

// pageSize is the number of rows of one page.
const pageSize = 4096

// rows is an array indexed by uid that costs memory only where rows exist: pages
// of dense uids, dropped when their last row is removed.
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
