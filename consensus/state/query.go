package state

import (
	"slices"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"

	"shoal/wire"
)

// A list is answered as upstream does it, oddities included (spec tasks-auth-ops-api 3.2, 5.5
// and 17): the total counts everything the filters match, the page is cut out of
// that, and only then tasks are removed that the caller may not see. A page can
// therefore be shorter than its limit although older visible tasks exist.

// Reader answers questions about tasks and batches from the applied entries, and reports
// changes. All methods are safe for concurrent use. Returned records are shared and must not
// be modified.
type Reader interface {
	// Task returns one record.
	Task(uid uint32) (*wire.Task, bool, error)
	// TaskOver tells whether a task has a result in this node's state, or had one before it
	// was deleted. It is false for a task that this node has not heard of yet. A Catalog taken
	// after the call shows the effects of the result.
	TaskOver(uid uint32) (bool, error)
	// Batch returns one record.
	Batch(uid uint32) (*wire.Batch, bool, error)
	// Tasks lists tasks as spec tasks-auth-ops-api 3.2 says: newest first (oldest first with
	// q.Reverse), at most q.Limit of them (negative: all) from q.From on, and the number of
	// all that match the filters. Ask for one more than the page needs to learn "next". Tasks
	// the caller may not see are removed after the limit.
	Tasks(q *wire.TaskQuery) (page []*wire.Task, total uint64, err error)
	// Batches lists batches like Tasks lists tasks, with the filter semantics of spec
	// tasks-auth-ops-api 5.5.
	Batches(q *wire.TaskQuery) (page []*wire.Batch, total uint64, err error)
	// TaskUIDs returns every matching task that the caller may see, ascending; From and Limit
	// are ignored.
	TaskUIDs(q *wire.TaskQuery) ([]uint32, error)
	// Pending returns the unfinished tasks in uid order.
	Pending() []*wire.Task
	// TakeNamed returns the ids of the staged payloads that are named by tasks applied here
	// since the last call. It is for one caller. Payloads of tasks that were applied before
	// the process started, or that came with a snapshot, are not reported.
	TakeNamed() []string
	// OnCommit registers f, which gets the indexes with a new version before anything on this
	// node sees them. Nothing else is applied meanwhile, so f must return soon, and must not
	// ask for anything that is still to come.
	OnCommit(f func(changed []*wire.Index))
	// OnMove registers f, which gets every change of the status of a task or batch from now
	// on; nil removes it. Nothing else is applied meanwhile, so f must return soon and ask
	// for nothing. Imports of dumps and snapshots are not reported.
	OnMove(f func(*wire.Moves))
}

var _ Reader = (*Machine)(nil)

// Tasks implements Reader.
func (m *Machine) Tasks(q *wire.TaskQuery) ([]*wire.Task, uint64, error) {
	m.Mu.RLock()
	defer m.Mu.RUnlock()
	matching, err := m.State.matchTasks(q)
	if err != nil {
		return nil, 0, err
	}
	var page []*wire.Task
	err = m.State.tasks(pick(matching, q), func(t *wire.Task) {
		if !hidden(q, t) {
			page = append(page, t)
		}
	})
	if err != nil {
		return nil, 0, err
	}
	return page, matching.GetCardinality(), nil
}

// TaskUIDs implements Reader.
func (m *Machine) TaskUIDs(q *wire.TaskQuery) ([]uint32, error) {
	m.Mu.RLock()
	defer m.Mu.RUnlock()
	queue := m.State.Queue
	set, err := m.State.matchTasks(q)
	if err != nil {
		return nil, err
	}
	if restricted(q) {
		set = roaring.AndNot(set, queue.Tasks.global)
	}
	if scoped(q.Authorized) {
		for name, tasks := range queue.Tasks.index {
			if !authorized(q.Authorized, name) {
				set = roaring.AndNot(set, tasks)
			}
		}
	}
	return set.ToArray(), nil
}

// Task implements Reader.
func (m *Machine) Task(uid uint32) (*wire.Task, bool, error) {
	m.Mu.RLock()
	defer m.Mu.RUnlock()
	return m.State.task(uid)
}

// TaskOver implements Reader.
func (m *Machine) TaskOver(uid uint32) (bool, error) {
	if last, any := m.Catalog.Load().LastTask(); !any || uid > last {
		return false, nil
	}
	t, stored, err := m.Task(uid)
	return err == nil && (!stored || t.Status > wire.Processing), err
}

// FinishedAt is the log time at which a task finished, 0 when it has not.
func (m *Machine) FinishedAt(uid uint32) int64 {
	m.Mu.RLock()
	defer m.Mu.RUnlock()
	row, _ := m.State.Queue.taskRows.get(uid)
	return row.finished
}

// Pending implements Reader.
func (m *Machine) Pending() []*wire.Task {
	m.Mu.RLock()
	defer m.Mu.RUnlock()
	return slices.Clip(m.State.Queue.Pending)
}

// TakeNamed implements Reader.
func (m *Machine) TakeNamed() []string {
	m.Mu.Lock()
	defer m.Mu.Unlock()
	named := m.State.Queue.named
	m.State.Queue.named = nil
	return named
}

// OnCommit implements Reader.
func (m *Machine) OnCommit(f func(changed []*wire.Index)) { m.committing.Store(&f) }

// OnMove implements Reader.
func (m *Machine) OnMove(f func(*wire.Moves)) {
	if f == nil {
		m.moved.Store(nil)
		return
	}
	m.moved.Store(&f)
}

// scoped tells whether a list of patterns restricts at all.
func scoped(patterns []string) bool {
	return patterns != nil && !slices.Contains(patterns, "*")
}

// restricted queries never show tasks without one index of their own.
func restricted(q *wire.TaskQuery) bool { return q.IndexUIDs != nil || scoped(q.Authorized) }

// authorized tells whether an index name matches one of the patterns: a name, or
// the beginning of one followed by a star.
func authorized(patterns []string, name string) bool {
	for _, p := range patterns {
		if prefix, wild := strings.CutSuffix(p, "*"); p == name || wild && strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// hidden tells whether the caller may not see a task that matches.
func hidden(q *wire.TaskQuery, t *wire.Task) bool {
	if restricted(q) && t.IndexUID == nil {
		return true
	}
	if !scoped(q.Authorized) {
		return false
	}
	if t.IndexUID != nil && !authorized(q.Authorized, *t.IndexUID) {
		return true
	}
	return slices.ContainsFunc(t.Indexes, func(name string) bool { return !authorized(q.Authorized, name) })
}

// pick cuts the page out of the matching uids.
func pick(set *roaring.Bitmap, q *wire.TaskQuery) []uint32 {
	lo, hi := uint64(0), set.GetCardinality() // ranks [lo, hi) of the uids from From on
	if q.From != nil && q.Reverse {
		lo = set.Rank(*q.From)
		if set.Contains(*q.From) {
			lo--
		}
	} else if q.From != nil {
		hi = set.Rank(*q.From)
	}
	n := hi - lo
	if q.Limit >= 0 {
		n = min(n, uint64(q.Limit))
	}
	uids := make([]uint32, 0, n)
	if n > 256 {
		return pickMany(set, q.Reverse, lo, hi, n)
	}
	for i := range n {
		rank := lo + i
		if !q.Reverse {
			rank = hi - 1 - i
		}
		uid, err := set.Select(uint32(rank))
		if err != nil {
			break // the rank lies within the cardinality
		}
		uids = append(uids, uid)
	}
	return uids
}

func pickMany(set *roaring.Bitmap, reverse bool, lo, hi, n uint64) []uint32 {
	all := set.ToArray()
	if reverse {
		return all[lo : lo+n]
	}
	page := slices.Clone(all[hi-n : hi])
	slices.Reverse(page)
	return page
}

// matchTasks is the set of tasks that match all filters but From and Limit. The
// result may be shared: do not modify.
func (s *State) matchTasks(f *wire.TaskQuery) (*roaring.Bitmap, error) {
	q := s.Queue
	set := q.Tasks.All
	if f.BatchUIDs != nil {
		members, err := s.tasksInBatches(f.BatchUIDs)
		if err != nil {
			return nil, err
		}
		set = roaring.And(set, members)
	}
	if f.Statuses != nil {
		set = roaring.And(set, q.Tasks.ofStatuses(f.Statuses))
	}
	if f.UIDs != nil {
		set = roaring.And(set, roaring.BitmapOf(f.UIDs...))
	}
	if f.CanceledBy != nil {
		set = roaring.And(set, union(q.canceledBy, f.CanceledBy))
	}
	if f.Kinds != nil {
		set = roaring.And(set, union(q.Tasks.kind, f.Kinds))
	}
	if f.IndexUIDs != nil {
		set = roaring.And(set, union(q.Tasks.index, f.IndexUIDs))
	}
	for _, d := range datesOf(f) {
		if !d.bounded() {
			continue
		}
		set = keep(set, func(uid uint32) bool {
			row, ok := q.taskRows.get(uid)
			return ok && d.contains(row.date(d.which))
		})
	}
	return set, nil
}

// tasksInBatches reads the members out of the batches' records.
func (s *State) tasksInBatches(batches []uint32) (*roaring.Bitmap, error) {
	wanted, members := roaring.BitmapOf(batches...), roaring.New()
	wanted.And(s.Queue.Batches.All)
	for it := wanted.Iterator(); it.HasNext(); {
		r, ok, err := s.batch(it.Next())
		if err != nil {
			return nil, err
		}
		if ok {
			members.AddMany(r.Batch.Tasks)
		}
	}
	return members, nil
}

func (s *facetSet) ofStatuses(statuses []wire.Status) *roaring.Bitmap {
	set := roaring.New()
	for _, status := range statuses {
		if int(status) < len(s.status) {
			set.Or(s.status[status])
		}
	}
	return set
}

func union[K comparable](m map[K]*roaring.Bitmap, keys []K) *roaring.Bitmap {
	set := roaring.New()
	for _, key := range keys {
		if b := m[key]; b != nil {
			set.Or(b)
		}
	}
	return set
}

func keep(set *roaring.Bitmap, wanted func(uid uint32) bool) *roaring.Bitmap {
	out := roaring.New()
	for it := set.Iterator(); it.HasNext(); {
		if uid := it.Next(); wanted(uid) {
			out.Add(uid)
		}
	}
	return out
}

// dates are the exclusive bounds on one of the three dates.
type dates struct {
	which         dateKind
	after, before *int64
}

type dateKind uint8

const (
	enqueuedDate dateKind = iota
	startedDate
	finishedDate
)

func datesOf(f *wire.TaskQuery) [3]dates {
	return [3]dates{
		{enqueuedDate, f.AfterEnqueuedAt, f.BeforeEnqueuedAt},
		{startedDate, f.AfterStartedAt, f.BeforeStartedAt},
		{finishedDate, f.AfterFinishedAt, f.BeforeFinishedAt},
	}
}

func (d *dates) bounded() bool { return d.after != nil || d.before != nil }

// contains tells whether a date is set and lies within the bounds.
func (d *dates) contains(at int64) bool {
	return at != 0 && (d.after == nil || at > *d.after) && (d.before == nil || at < *d.before)
}

func (r *taskRow) date(which dateKind) int64 {
	switch which {
	case enqueuedDate:
		return r.enqueued
	case startedDate:
		return r.started
	default:
		return r.finished
	}
}
