package state

import (
	"github.com/RoaringBitmap/roaring/v2"

	"shoal/wire"
)

// Cancelation is the one kind whose name matters here: the batch filter
// canceledBy names such tasks (spec tasks-auth-ops-api 5.5).
const Cancelation wire.Kind = "taskCancelation"

// Batches implements Reader.
func (m *Machine) Batches(q *wire.TaskQuery) ([]*wire.Batch, uint64, error) {
	m.Mu.RLock()
	defer m.Mu.RUnlock()
	s := m.State
	matching := s.Queue.matchBatches(q)
	var page []*wire.Batch
	err := s.batches(pick(matching, q), func(r *batchRecord) {
		if !hiddenBatch(q, r) {
			page = append(page, &r.Batch)
		}
	})
	if err != nil {
		return nil, 0, err
	}
	return page, matching.GetCardinality(), nil
}

// Batch implements Reader.
func (m *Machine) Batch(uid uint32) (*wire.Batch, bool, error) {
	m.Mu.RLock()
	defer m.Mu.RUnlock()
	r, ok, err := m.State.batch(uid)
	if err != nil || !ok {
		return nil, false, err
	}
	return &r.Batch, true, nil
}

// hiddenBatch: a caller limited to some indexes sees a batch when he may see one
// of its indexes.
func hiddenBatch(q *wire.TaskQuery, r *batchRecord) bool {
	if restricted(q) && r.Global {
		return true
	}
	if !scoped(q.Authorized) {
		return false
	}
	for _, name := range r.Indexes {
		if authorized(q.Authorized, name) {
			return false
		}
	}
	return len(r.Indexes) > 0
}

func (q *queue) matchBatches(f *wire.TaskQuery) *roaring.Bitmap {
	set := q.Batches.All
	if f.BatchUIDs != nil {
		set = roaring.And(set, roaring.BitmapOf(f.BatchUIDs...))
	}
	if f.Statuses != nil {
		set = roaring.And(set, q.Batches.ofStatuses(f.Statuses))
	}
	if f.UIDs != nil {
		set = roaring.And(set, q.batchesOfTasks(f.UIDs))
	}
	if f.CanceledBy != nil {
		set = roaring.And(set, q.batchesOfCancelations(f.CanceledBy))
	}
	if f.Kinds != nil {
		set = roaring.And(set, union(q.Batches.kind, f.Kinds))
	}
	if f.IndexUIDs != nil {
		set = roaring.And(set, union(q.Batches.index, f.IndexUIDs))
	}
	for _, d := range datesOf(f) {
		if !d.bounded() {
			continue
		}
		set = keep(set, func(uid uint32) bool {
			row, ok := q.batchRows.get(uid)
			if !ok {
				return false
			}
			switch d.which {
			case enqueuedDate:
				// The reference stores this date of a batch when it ends.
				return row.finished != 0 && (d.contains(row.earliest) || d.contains(row.latest))
			case startedDate:
				return d.contains(row.started)
			default:
				return d.contains(row.finished)
			}
		})
	}
	return set
}

// batchesOfTasks maps task uids to the batches they finished in; the running
// batch is not found this way.
func (q *queue) batchesOfTasks(uids []uint32) *roaring.Bitmap {
	set := roaring.New()
	for _, uid := range uids {
		if row, ok := q.taskRows.get(uid); ok && row.finished != 0 && row.batch != wire.NoBatch {
			set.Add(row.batch)
		}
	}
	return set
}

func (q *queue) batchesOfCancelations(uids []uint32) *roaring.Bitmap {
	done := roaring.BitmapOf(uids...)
	done.And(q.Tasks.status[wire.Succeeded])
	if kind := q.Tasks.kind[Cancelation]; kind != nil {
		done.And(kind)
	} else {
		done.Clear()
	}
	return q.batchesOfTasks(done.ToArray())
}
