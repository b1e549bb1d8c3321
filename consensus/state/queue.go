package state

import (
	"cmp"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"shoal/wire"
)

// queue is what the filters of the task and batch lists need, in memory: bitmaps
// by status, kind, index and canceling task, and rows with the dates. It is
// rebuilt by one scan at start and changed by apply under the machine's lock
// (architecture 4): at most 64 bytes per task.
type queue struct {
	Tasks      facetSet
	canceledBy map[uint32]*roaring.Bitmap
	taskRows   rows[taskRow]

	Batches   facetSet
	batchRows rows[batchRow]

	// Pending are the unfinished tasks by uid. The slice is replaced or appended
	// to, never changed in place: readers keep what they were given.
	Pending []*wire.Task
	// named are the staged payloads that new tasks named since they were last asked
	// for: what this node may remove once the tasks are finished. Not part of the
	// state.
	named []string
}

// maxNamed bounds queue.named; what is beyond stays until its epoch has passed.
const maxNamed = 1 << 16

// facetSet are the bitmaps that tasks and batches have alike.
type facetSet struct {
	All    *roaring.Bitmap
	status [wire.Canceled + 1]*roaring.Bitmap
	kind   map[wire.Kind]*roaring.Bitmap
	index  map[string]*roaring.Bitmap
	global *roaring.Bitmap // without one index of their own (spec tasks-auth-ops-api 2.4)
}

type taskRow struct {
	enqueued, started, finished int64
	batch                       uint32
}

type batchRow struct {
	earliest, latest, started, finished int64
	tasks                               uint32
}

func newQueue() *queue {
	return &queue{
		Tasks: newFacetSet(), Batches: newFacetSet(),
		canceledBy: make(map[uint32]*roaring.Bitmap),
	}
}

func newFacetSet() facetSet {
	s := facetSet{
		All: roaring.New(), global: roaring.New(),
		kind: make(map[wire.Kind]*roaring.Bitmap), index: make(map[string]*roaring.Bitmap),
	}
	for i := range s.status {
		s.status[i] = roaring.New()
	}
	return s
}

func addTo[K comparable](m map[K]*roaring.Bitmap, key K, uid uint32) {
	b := m[key]
	if b == nil {
		b = roaring.New()
		m[key] = b
	}
	b.Add(uid)
}

func removeFrom[K comparable](m map[K]*roaring.Bitmap, key K, uid uint32) {
	if b := m[key]; b != nil {
		b.Remove(uid)
		if b.IsEmpty() {
			delete(m, key)
		}
	}
}

// taskHead is the part of a task that the queue files it under: the only members
// decoded when all records are scanned at start.
type taskHead struct {
	UID        uint32      `msgpack:"u"`
	Batch      *uint32     `msgpack:"b"`
	IndexUID   *string     `msgpack:"x"`
	Indexes    []string    `msgpack:"xs"`
	Kind       wire.Kind   `msgpack:"k"`
	Status     wire.Status `msgpack:"s"`
	CanceledBy *uint32     `msgpack:"cb"`
	EnqueuedAt int64       `msgpack:"ea"`
	StartedAt  int64       `msgpack:"sa"`
	FinishedAt int64       `msgpack:"fa"`
}

func headOf(t *wire.Task) *taskHead {
	return &taskHead{
		UID: t.UID, Batch: t.Batch, IndexUID: t.IndexUID, Indexes: t.Indexes, Kind: t.Kind,
		Status: t.Status, CanceledBy: t.CanceledBy,
		EnqueuedAt: t.EnqueuedAt, StartedAt: t.StartedAt, FinishedAt: t.FinishedAt,
	}
}

// batchHead is a batchRecord without what the filters do not need.
type batchHead struct {
	Batch struct {
		UID        uint32   `msgpack:"u"`
		Tasks      []uint32 `msgpack:"t"`
		EnqueuedAt [2]int64 `msgpack:"ea"`
		StartedAt  int64    `msgpack:"sa"`
		FinishedAt int64    `msgpack:"fa"`
	} `msgpack:"b"`
	Indexes  []string    `msgpack:"x"`
	Kinds    []wire.Kind `msgpack:"k"`
	Statuses uint8       `msgpack:"s"`
	Global   bool        `msgpack:"g"`
}

func (h *batchHead) record() *batchRecord {
	b := &h.Batch
	return &batchRecord{
		Batch: wire.Batch{
			UID: b.UID, Tasks: b.Tasks, EnqueuedAt: b.EnqueuedAt, StartedAt: b.StartedAt, FinishedAt: b.FinishedAt,
		},
		Indexes: h.Indexes, Kinds: h.Kinds, Statuses: h.Statuses, Global: h.Global,
	}
}

func (q *queue) addTask(h *taskHead) {
	q.Tasks.All.Add(h.UID)
	q.Tasks.status[h.Status].Add(h.UID)
	addTo(q.Tasks.kind, h.Kind, h.UID)
	if h.IndexUID != nil {
		addTo(q.Tasks.index, *h.IndexUID, h.UID)
	} else {
		q.Tasks.global.Add(h.UID)
	}
	for _, name := range h.Indexes {
		addTo(q.Tasks.index, name, h.UID)
	}
	if h.CanceledBy != nil {
		addTo(q.canceledBy, *h.CanceledBy, h.UID)
	}
	row := taskRow{enqueued: h.EnqueuedAt, started: h.StartedAt, finished: h.FinishedAt, batch: wire.NoBatch}
	if h.Batch != nil {
		row.batch = *h.Batch
	}
	q.taskRows.set(h.UID, row)
}

func (q *queue) removeTask(h *taskHead) {
	q.Tasks.All.Remove(h.UID)
	q.Tasks.status[h.Status].Remove(h.UID)
	removeFrom(q.Tasks.kind, h.Kind, h.UID)
	if h.IndexUID != nil {
		removeFrom(q.Tasks.index, *h.IndexUID, h.UID)
	}
	q.Tasks.global.Remove(h.UID)
	for _, name := range h.Indexes {
		removeFrom(q.Tasks.index, name, h.UID)
	}
	if h.CanceledBy != nil {
		removeFrom(q.canceledBy, *h.CanceledBy, h.UID)
	}
	q.taskRows.remove(h.UID)
}

func (q *queue) addBatch(r *batchRecord) {
	uid := r.Batch.UID
	q.Batches.All.Add(uid)
	for s := range q.Batches.status {
		if r.Statuses&(1<<s) != 0 {
			q.Batches.status[s].Add(uid)
		}
	}
	for _, kind := range r.Kinds {
		addTo(q.Batches.kind, kind, uid)
	}
	for _, name := range r.Indexes {
		addTo(q.Batches.index, name, uid)
	}
	if r.Global {
		q.Batches.global.Add(uid)
	}
	q.batchRows.set(uid, batchRow{
		earliest: r.Batch.EnqueuedAt[0], latest: r.Batch.EnqueuedAt[1],
		started: r.Batch.StartedAt, finished: r.Batch.FinishedAt,
		tasks: uint32(len(r.Batch.Tasks)),
	})
}

func (q *queue) removeBatch(r *batchRecord) {
	uid := r.Batch.UID
	q.Batches.All.Remove(uid)
	for s := range q.Batches.status {
		q.Batches.status[s].Remove(uid)
	}
	for _, kind := range r.Kinds {
		removeFrom(q.Batches.kind, kind, uid)
	}
	for _, name := range r.Indexes {
		removeFrom(q.Batches.index, name, uid)
	}
	q.Batches.global.Remove(uid)
	q.batchRows.remove(uid)
}

// forget removes finished tasks and batches.
func (q *queue) forget(tasks, batches *roaring.Bitmap) {
	if tasks.IsEmpty() {
		return
	}
	q.Tasks.subtract(tasks)
	subtract(q.canceledBy, tasks)
	for it := tasks.Iterator(); it.HasNext(); {
		q.taskRows.remove(it.Next())
	}
	q.Batches.subtract(batches)
	for it := batches.Iterator(); it.HasNext(); {
		q.batchRows.remove(it.Next())
	}
}

func (s *facetSet) subtract(uids *roaring.Bitmap) {
	s.All.AndNot(uids)
	s.global.AndNot(uids)
	for _, b := range s.status {
		b.AndNot(uids)
	}
	subtract(s.kind, uids)
	subtract(s.index, uids)
}

func subtract[K comparable](m map[K]*roaring.Bitmap, uids *roaring.Bitmap) {
	for key, b := range m {
		if b.AndNot(uids); b.IsEmpty() {
			delete(m, key)
		}
	}
}

// rename moves the tasks below the bound from one name to the other.
func (q *queue) rename(r *rename) {
	var from, to roaring.Bitmap
	if b := q.Tasks.index[r.From]; b != nil {
		from = *b.Clone()
	}
	if b := q.Tasks.index[r.To]; b != nil {
		to = *b.Clone()
	}
	newer := from.Clone()
	newer.RemoveRange(0, r.Bound)
	from.RemoveRange(r.Bound, AllTasks)
	if r.Swap {
		newerTo := to.Clone()
		newerTo.RemoveRange(0, r.Bound)
		to.RemoveRange(r.Bound, AllTasks)
		newer.Or(&to)
		newerTo.Or(&from)
		q.setIndex(r.From, newer)
		q.setIndex(r.To, newerTo)
		return
	}
	to.Or(&from)
	q.setIndex(r.From, newer)
	q.setIndex(r.To, &to)
}

func (q *queue) setIndex(name string, b *roaring.Bitmap) {
	if b.IsEmpty() {
		delete(q.Tasks.index, name)
		return
	}
	q.Tasks.index[name] = b
}

// pendingTask finds an unfinished task.
func (q *queue) pendingTask(uid uint32) (*wire.Task, bool) {
	i, ok := slices.BinarySearchFunc(q.Pending, uid, func(t *wire.Task, uid uint32) int {
		return int(int64(t.UID) - int64(uid))
	})
	if !ok {
		return nil, false
	}
	return q.Pending[i], true
}

// updatePending replaces the unfinished tasks: changed holds the new state of
// tasks by uid (nil or finished = gone), fresh the new ones, in uid order unless a
// restoration began the uids anew.
func (q *queue) updatePending(changed map[uint32]*wire.Task, fresh []*wire.Task) {
	if len(changed) > 0 {
		kept := make([]*wire.Task, 0, len(q.Pending)+len(fresh))
		for _, t := range q.Pending {
			now, touched := changed[t.UID]
			switch {
			case !touched:
				kept = append(kept, t)
			case now != nil && unfinished(now):
				kept = append(kept, now)
			}
		}
		q.Pending = kept
	}
	sorted := true
	for _, t := range fresh {
		if t.Payload.Blob != nil && len(q.named) < maxNamed {
			q.named = append(q.named, t.Payload.Blob.ID)
		}
		if unfinished(t) {
			sorted = sorted && (len(q.Pending) == 0 || q.Pending[len(q.Pending)-1].UID < t.UID)
			q.Pending = append(q.Pending, t)
		}
	}
	if !sorted {
		q.Pending = slices.SortedFunc(slices.Values(q.Pending), func(a, b *wire.Task) int { return cmp.Compare(a.UID, b.UID) })
	}
}

func unfinished(t *wire.Task) bool { return t.Status <= wire.Processing }
