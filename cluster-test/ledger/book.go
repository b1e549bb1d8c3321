package main

import (
	"fmt"
	"slices"
	"sync"
	"time"
)

// entry is one request in the books.
type entry struct {
	q     *request
	at    time.Time
	node  string
	uid   uint32
	known bool // uid is: the node told it, or the task was found
	acked bool // 202
}

func (e *entry) String() string {
	text := fmt.Sprintf("%s %s (%s), sent to %s at %s", e.q.method, e.q.path, e.q.kind, e.node, e.at.Format("15:04:05.000"))
	if e.acked {
		text += fmt.Sprintf(", answered with task %d", e.uid)
	}
	return text
}

// book has an entry for every request. Safe for concurrent use.
type book struct {
	mu     sync.Mutex
	byUID  map[uint32]*entry
	byMark map[string]*entry
	open   []*entry // nobody knows whether they became tasks, and they carry no mark
	acked  int
	// refused counts requests that were refused, by code.
	refused map[string]int
}

func newBook() *book {
	return &book{byUID: map[uint32]*entry{}, byMark: map[string]*entry{}, refused: map[string]int{}}
}

// sent writes a request down before it is sent.
func (b *book) sent(q *request, node string) *entry {
	e := &entry{q: q, at: time.Now(), node: node}
	b.mu.Lock()
	defer b.mu.Unlock()
	if q.mark != "" {
		b.byMark[q.mark] = e
	} else {
		b.open = append(b.open, e)
	}
	return e
}

// accepted notes a 202.
func (b *book) accepted(e *entry, uid uint32) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if other := b.byUID[uid]; other != nil && other != e {
		return fmt.Errorf("two requests were answered with one task: %v and %v, task %d", other, e, uid)
	}
	e.uid, e.known, e.acked = uid, true, true
	b.byUID[uid] = e
	b.acked++
	b.close(e)
	return nil
}

// turnedDown notes that a request was refused and is no task.
func (b *book) turnedDown(e *entry, code string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.refused[code]++
	delete(b.byMark, e.q.mark)
	b.close(e)
}

func (b *book) close(e *entry) {
	b.open = slices.DeleteFunc(b.open, func(o *entry) bool { return o == e })
}

// undecided tells whether a request of a kind may still become a task.
func (b *book) undecided(kind string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.ContainsFunc(b.open, func(e *entry) bool { return e.q.kind == kind && time.Since(e.at) < 20*time.Second })
}

// find returns the entry of a task that the cluster lists.
func (b *book) find(t *told) (*entry, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	e := b.byUID[t.UID]
	if e == nil && t.CustomMetadata != nil {
		e = b.byMark[*t.CustomMetadata]
	}
	if e == nil && t.CustomMetadata == nil {
		// The last one that was sent before: of one kind they do not come close together.
		for _, o := range b.open {
			if o.q.kind == t.Type && o.at.Before(t.EnqueuedAt) {
				e = o
			}
		}
	}
	switch {
	case e == nil:
		return nil, fmt.Errorf("task %d, %s, is of no request: %+v", t.UID, t.Type, t)
	case e.known && e.uid != t.UID:
		return nil, fmt.Errorf("one request became two tasks, %d and %d: %v", e.uid, t.UID, e)
	case e.q.kind != t.Type:
		return nil, fmt.Errorf("task %d is %s instead of %s: %v", t.UID, t.Type, e.q.kind, e)
	case t.CustomMetadata == nil && e.q.mark != "" || t.CustomMetadata != nil && *t.CustomMetadata != e.q.mark:
		return nil, fmt.Errorf("task %d has other metadata than its request: %v", t.UID, e)
	}
	e.uid, e.known = t.UID, true
	b.byUID[t.UID] = e
	b.close(e)
	return e, nil
}

// clears tells whether a task removes all documents of an index.
func (b *book) clears(uid uint32) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	e := b.byUID[uid]
	return e != nil && e.q.clears
}

// settled forgets requests that became no task: all nodes were there and nothing came.
func (b *book) settled() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.open = nil
}

// from lists acknowledged entries from a task on, in their order.
func (b *book) from(uid uint32) []*entry {
	b.mu.Lock()
	defer b.mu.Unlock()
	var out []*entry
	for _, e := range b.byUID {
		if e.acked && e.uid >= uid {
			out = append(out, e)
		}
	}
	slices.SortFunc(out, func(a, b *entry) int { return int(a.uid) - int(b.uid) })
	return out
}
