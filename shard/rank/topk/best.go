package topk

import (
	"cmp"
	"slices"
)

// ranked is a document with its key. at is its row if rows ascend with ordinals,
// otherwise its ordinal.
type ranked struct {
	key     uint64
	at, row uint32
}

func (a ranked) before(b ranked) bool { return a.key < b.key || a.key == b.key && a.at < b.at }

func (a ranked) compare(b ranked) int {
	return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.at, b.at))
}

// ranked returns a document with its key.
func (t *top) ranked(key uint64, row uint32) ranked {
	if t.order == nil {
		return ranked{key, row, row}
	}
	return ranked{key, t.order.Ordinal(row), row}
}

// bestOf keeps the best max documents. list is a heap with the worst on top.
type bestOf struct {
	max  int
	list []ranked
}

func (b *bestOf) full() bool { return len(b.list) == b.max }

func (b *bestOf) offer(r ranked) {
	if !b.full() {
		b.list = append(b.list, r)
		for i := len(b.list) - 1; i > 0; {
			up := (i - 1) / 2
			if !b.list[up].before(b.list[i]) {
				break
			}
			b.list[up], b.list[i] = b.list[i], b.list[up]
			i = up
		}
		return
	}
	if !r.before(b.list[0]) {
		return
	}
	b.list[0] = r
	for i := 0; ; {
		c := 2*i + 1
		if c >= len(b.list) {
			return
		}
		if c+1 < len(b.list) && b.list[c].before(b.list[c+1]) {
			c++
		}
		if !b.list[i].before(b.list[c]) {
			return
		}
		b.list[i], b.list[c] = b.list[c], b.list[i]
		i = c
	}
}

func (b *bestOf) sorted() []ranked {
	slices.SortFunc(b.list, ranked.compare)
	return b.list
}

// welcome reports whether a document with this key could be among the best.
func (t *top) welcome(r ranked) bool {
	if r.key > t.limit {
		return false
	}
	if t.firsts != nil {
		return t.firsts.welcome(r)
	}
	return !t.best.full() || r.before(t.best.list[0])
}

// outdone reports whether a document with this key, or a greater one, changes nothing because a
// better one has the same distinct values.
func (t *top) outdone(key uint64, row uint32) bool {
	return t.firsts != nil && t.firsts.outdone(t.ranked(key, row))
}

// keep keeps a document if it is among the best so far.
func (t *top) keep(r ranked) {
	if t.firsts != nil {
		t.firsts.offer(r)
		return
	}
	t.best.offer(r)
}

// found returns the documents for the answer, the best first.
func (t *top) found() []ranked {
	if t.firsts != nil {
		return t.firsts.sorted()
	}
	return t.best.sorted()
}
