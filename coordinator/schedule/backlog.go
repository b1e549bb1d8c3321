package schedule

import (
	"container/heap"
	"slices"

	"shoal/coordinator/task"
	"shoal/wire"
)

// backlog is the leader's view of the enqueued tasks. It is kept between wake-ups, so that a
// long queue is not walked again for every task. It has one queue per index, and one per
// priority class for kinds that belong to no index.
//
// A task that names several indexes (swap, rename) is in the queue of each of them and runs
// when it is first in all: it is a barrier over exactly those indexes. Not safe for concurrent
// use.
type backlog struct {
	lanes  map[string]*laneQueue
	global [task.ClassIndex][]*wire.Task
	// loose are tasks of ClassIndex that name no index (an empty swap).
	loose []*wire.Task
	ready readyLanes
	seen  uint32 // uids up to this one were taken
	any   bool
	count int // enqueued tasks of all kinds that are not running
}

// laneQueue holds the enqueued tasks of one index in uid order.
type laneQueue struct {
	uid     string
	tasks   []*wire.Task
	running bool
}

func newBacklog() *backlog { return &backlog{lanes: map[string]*laneQueue{}} }

// take adds the tasks of pending that are new since the last call.
func (b *backlog) take(pending []*wire.Task) {
	from := 0
	if b.any {
		from, _ = slices.BinarySearchFunc(pending, b.seen, func(t *wire.Task, uid uint32) int {
			if t.UID <= uid {
				return -1
			}
			return 1
		})
	}
	for _, t := range pending[from:] {
		b.add(t)
		b.seen, b.any = t.UID, true
	}
}

func (b *backlog) add(t *wire.Task) {
	k, ok := task.Of(t.Kind)
	if !ok {
		return // of a newer program: left to a leader that knows it
	}
	b.count++
	if k.Class != task.ClassIndex {
		b.global[k.Class] = append(b.global[k.Class], t)
		return
	}
	names := task.Lanes(t)
	if len(names) == 0 {
		b.loose = append(b.loose, t)
	}
	for _, uid := range names {
		q := b.lane(uid)
		q.tasks = append(q.tasks, t)
		if len(q.tasks) == 1 {
			b.offer(q)
		}
	}
}

func (b *backlog) lane(uid string) *laneQueue {
	q := b.lanes[uid]
	if q == nil {
		q = &laneQueue{uid: uid}
		b.lanes[uid] = q
	}
	return q
}

// offer makes an idle lane with work a candidate.
func (b *backlog) offer(q *laneQueue) {
	if !q.running && len(q.tasks) > 0 {
		heap.Push(&b.ready, readyLane{q.tasks[0].UID, q})
	}
}

// next returns the idle lane with the oldest task that can run now: a lane whose first task is
// also first in every other lane that it names; nil when there is none.
func (b *backlog) next() *laneQueue {
	for b.ready.Len() > 0 {
		r := heap.Pop(&b.ready).(readyLane)
		q := r.lane
		if q.running || len(q.tasks) == 0 || q.tasks[0].UID != r.uid {
			continue // a stale entry
		}
		if b.unblocked(q.tasks[0]) {
			return q
		}
		// When the blocking lane is done, it offers its own first task again, which leads back
		// here.
	}
	return nil
}

func (b *backlog) unblocked(t *wire.Task) bool {
	for _, uid := range task.Lanes(t) {
		q := b.lanes[uid]
		if q == nil || q.running || len(q.tasks) == 0 || q.tasks[0] != t {
			return false
		}
	}
	return true
}

// start removes tasks that begin to run from every queue and marks their lanes, and the given
// ones, as running. It returns the lanes to pass to finish.
func (b *backlog) start(tasks []*wire.Task, lanes ...string) []string {
	held := slices.Clone(lanes)
	for _, t := range tasks {
		if k, ok := task.Of(t.Kind); ok && k.Class == task.ClassIndex {
			held = append(held, task.Lanes(t)...)
		}
	}
	slices.Sort(held)
	held = slices.Compact(held)
	for _, uid := range held {
		b.lane(uid).running = true
	}
	b.remove(tasks)
	return held
}

// remove takes tasks out of all queues.
func (b *backlog) remove(tasks []*wire.Task) {
	gone := make(map[uint32]struct{}, len(tasks))
	found := map[uint32]struct{}{}
	lanes := map[string]struct{}{}
	for _, t := range tasks {
		gone[t.UID] = struct{}{}
		for _, uid := range task.Lanes(t) {
			lanes[uid] = struct{}{}
		}
	}
	drop := func(list []*wire.Task) []*wire.Task {
		return slices.DeleteFunc(list, func(t *wire.Task) bool {
			_, ok := gone[t.UID]
			if ok {
				found[t.UID] = struct{}{}
			}
			return ok
		})
	}
	for i := range b.global {
		b.global[i] = drop(b.global[i])
	}
	b.loose = drop(b.loose)
	for uid := range lanes {
		if q := b.lanes[uid]; q != nil {
			q.tasks = drop(q.tasks)
			b.recheck(q)
		}
	}
	b.count -= len(found)
}

// recheck checks a lane whose first task may have changed.
func (b *backlog) recheck(q *laneQueue) {
	switch {
	case q.running:
	case len(q.tasks) == 0:
		delete(b.lanes, q.uid)
	default:
		// A barrier task may now be first in every lane it names, even if a lane was passed
		// over before.
		for _, uid := range task.Lanes(q.tasks[0]) {
			b.offer(b.lane(uid))
		}
	}
}

// finish frees the lanes that start returned.
func (b *backlog) finish(lanes []string) {
	for _, uid := range lanes {
		b.lanes[uid].running = false
	}
	for _, uid := range lanes {
		if q := b.lanes[uid]; q != nil {
			b.recheck(q)
		}
	}
}

// putBack returns tasks of an aborted run to their queues.
func (b *backlog) putBack(tasks []*wire.Task) {
	for _, t := range tasks {
		k, ok := task.Of(t.Kind)
		if !ok {
			continue
		}
		b.count++
		if k.Class != task.ClassIndex {
			b.global[k.Class] = insertTask(b.global[k.Class], t)
			continue
		}
		if len(task.Lanes(t)) == 0 {
			b.loose = insertTask(b.loose, t)
		}
		for _, uid := range task.Lanes(t) {
			q := b.lane(uid)
			q.tasks = insertTask(q.tasks, t)
			b.offer(q)
		}
	}
}

func insertTask(list []*wire.Task, t *wire.Task) []*wire.Task {
	at, found := slices.BinarySearchFunc(list, t.UID, func(x *wire.Task, uid uint32) int {
		switch {
		case x.UID < uid:
			return -1
		case x.UID > uid:
			return 1
		}
		return 0
	})
	if found {
		return list
	}
	return slices.Insert(list, at, t)
}

// readyLane is a candidate: a lane and its first task at the time of the offer.
type readyLane struct {
	uid  uint32
	lane *laneQueue
}

// readyLanes is a heap by task uid.
type readyLanes []readyLane

func (r readyLanes) Len() int           { return len(r) }
func (r readyLanes) Less(i, j int) bool { return r[i].uid < r[j].uid }
func (r readyLanes) Swap(i, j int)      { r[i], r[j] = r[j], r[i] }

// Push implements heap.Interface.
func (r *readyLanes) Push(x any) { *r = append(*r, x.(readyLane)) }

// Pop implements heap.Interface.
func (r *readyLanes) Pop() any {
	old := *r
	last := old[len(old)-1]
	*r = old[:len(old)-1]
	return last
}
