package state

import (
	"fmt"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/cockroachdb/pebble/v2"

	"shoal/wire"
)

// txn applies a run of entries to a state. It reads what is stored, collects the changes,
// and writes and publishes all of them at once in finish. No result may depend on how
// entries are grouped into runs: nodes group them differently and must still store equal
// bytes.
type txn struct {
	m     *Machine
	s     *State
	f     figures
	batch *pebble.Batch
	meta  *layer // changes of the catalogue by accepted entries

	// of the entry being applied
	index, term uint64
	at          int64

	tasks   map[uint32]*taskEdit
	fresh   []uint32 // uids of new tasks, ascending
	batches map[uint32]*batchEdit
	renames []rename // added by this run
	hist    *renames // see history; nil after a new rename

	// Tasks and batches that were stored before, are not edited by this run, and
	// go as a whole.
	goneTasks, goneBatches *roaring.Bitmap

	marks []Mark // of the entries of this run

	moved  func(*wire.Moves) // Machine.OnMove, nil if there is none
	moves  wire.Moves
	silent bool // what is put is restored history

	lastAwaited int64 // time of the newest entry that clients wait to see everywhere
}

// taskEdit is one changed task: how it was stored (nil = new) and how it is now
// (nil = deleted), each with the names of its rename count.
type taskEdit struct {
	old, now       *wire.Task
	oldSeq, nowSeq uint64
}

type batchEdit struct {
	old, now *batchRecord
}

func (m *Machine) begin() *txn {
	x := &txn{
		m: m, s: m.State, f: m.State.Figures,
		batch:   m.State.DB.NewBatch(),
		meta:    newLayer(m.Catalog.Load()),
		tasks:   make(map[uint32]*taskEdit),
		batches: make(map[uint32]*batchEdit),

		goneTasks: roaring.New(), goneBatches: roaring.New(),
	}
	if f := m.moved.Load(); f != nil {
		x.moved = *f
	}
	return x
}

// noteMove records that a task has changed from was, which is nil for a new task, to now.
// Work that is done in one step ends tasks that have not started. For watchers such a task
// starts first.
func (x *txn) noteMove(was, now *wire.Task) {
	if was != nil && was.Status == wire.Enqueued && (now.Status == wire.Succeeded || now.Status == wire.Failed) {
		begun := *was
		begun.Status, begun.Batch, begun.StartedAt = wire.Processing, now.Batch, now.StartedAt
		x.moves.Tasks = append(x.moves.Tasks, &begun)
	}
	x.moves.Tasks = append(x.moves.Tasks, now)
}

// tell reports the changes of status. The run is already visible.
func (x *txn) tell() {
	if len(x.moves.Tasks)+len(x.moves.Batches) > 0 {
		x.moved(&x.moves)
	}
}

// renameCount is the number of renames so far, those of this run included.
func (x *txn) renameCount() uint64 { return x.s.renames.next() + uint64(len(x.renames)) }

// history is the log of renames as it stands inside this run.
func (x *txn) history() *renames {
	if len(x.renames) == 0 {
		return &x.s.renames
	}
	if x.hist == nil {
		x.hist = &renames{first: x.s.renames.first}
		x.hist.entries = append(x.hist.entries, x.s.renames.entries...)
		x.hist.entries = append(x.hist.entries, x.renames...)
	}
	return x.hist
}

// task returns a task as it is now, with its newest names. It must not be
// modified: change a copy and put it.
func (x *txn) task(uid uint32) (*wire.Task, bool, error) {
	e, err := x.edit(uid)
	if err != nil || e == nil || e.now == nil {
		return nil, false, err
	}
	if h := x.history(); h.touches(uid, e.nowSeq) {
		t := *e.now
		h.bring(&t, e.nowSeq)
		return &t, true, nil
	}
	return e.now, true, nil
}

// edit loads a task into the run; nil when there is none.
func (x *txn) edit(uid uint32) (*taskEdit, error) {
	if e, ok := x.tasks[uid]; ok {
		return e, nil
	}
	if x.goneTasks.Contains(uid) {
		return nil, nil
	}
	if t, ok := x.s.Queue.pendingTask(uid); ok {
		seq := x.s.renames.next()
		return &taskEdit{old: t, now: t, oldSeq: seq, nowSeq: seq}, nil
	}
	t, seq, ok, err := x.s.storedTask(uid)
	if err != nil || !ok {
		return nil, err
	}
	return &taskEdit{old: t, now: t, oldSeq: seq, nowSeq: seq}, nil
}

// put replaces a task (with its newest names) or makes a new one.
func (x *txn) put(t *wire.Task) error {
	e, err := x.edit(t.UID)
	if err != nil {
		return err
	}
	if e == nil {
		e = new(taskEdit)
		x.fresh = append(x.fresh, t.UID)
	}
	if x.moved != nil && !x.silent && (e.now == nil || e.now.Status != t.Status) {
		x.noteMove(e.now, t)
	}
	e.now, e.nowSeq = t, x.renameCount()
	x.tasks[t.UID] = e
	return nil
}

// remove deletes a task that exists.
func (x *txn) remove(uid uint32) error {
	e, err := x.edit(uid)
	if err != nil || e == nil {
		return err
	}
	e.now = nil
	x.tasks[uid] = e
	return nil
}

// batchOf returns a batch record; it must not be modified.
func (x *txn) batchOf(uid uint32) (*batchRecord, bool, error) {
	if e, ok := x.batches[uid]; ok {
		return e.now, e.now != nil, nil
	}
	if x.goneBatches.Contains(uid) {
		return nil, false, nil
	}
	return x.s.batch(uid)
}

// putBatch replaces a batch record; nil removes it.
func (x *txn) putBatch(uid uint32, r *batchRecord) error {
	e, ok := x.batches[uid]
	if !ok {
		old, _, err := x.batchOf(uid)
		if err != nil {
			return err
		}
		e = &batchEdit{old: old, now: old}
		x.batches[uid] = e
	}
	if x.moved != nil && !x.silent && r != nil && (e.now == nil || e.now.running() != r.running()) {
		x.moves.Batches = append(x.moves.Batches, &r.Batch)
	}
	e.now = r
	return nil
}

// finish writes the run as one unsynced pebble batch and makes it visible. The log makes it
// durable: after a crash the entries are applied again.
func (x *txn) finish() error {
	if err := x.write(); err != nil {
		return err
	}
	m, s := x.m, x.s
	next := x.meta.over(m.Catalog.Load())
	x.announce()
	m.Mu.Lock()
	defer m.Mu.Unlock()
	if err := x.batch.Commit(pebble.NoSync); err != nil {
		return fmt.Errorf("store entries up to %d: %w", x.f.Applied, err)
	}
	s.Figures = x.f
	x.publish()
	s.describe(next)
	m.Catalog.Store(next)
	m.figuresNow(&x.f)
	m.history.add(x.marks, false)
	if x.lastAwaited != 0 {
		m.LastAwaited.Store(x.lastAwaited)
	}
	return nil
}

// announce tells the function of Machine.OnCommit what becomes visible next.
func (x *txn) announce() {
	f := x.m.committing.Load()
	if f == nil {
		return
	}
	before := x.m.Catalog.Load()
	var changed []*wire.Index
	for _, id := range sortedKeys(x.meta.indexes) {
		now := x.meta.indexes[id]
		if was, ok := before.IndexByID(id); ok && now != nil && now.Version > was.Version {
			changed = append(changed, now)
		}
	}
	if len(changed) > 0 {
		(*f)(changed)
	}
}

func (x *txn) write() error {
	b := x.batch
	// First, because a restored record may take a number that has become free.
	if err := deleteRuns(b, taskPrefix, x.goneTasks); err != nil {
		return err
	}
	if err := deleteRuns(b, batchPrefix, x.goneBatches); err != nil {
		return err
	}
	for _, uid := range sortedKeys(x.tasks) {
		if err := writeTask(b, uid, x.tasks[uid]); err != nil {
			return err
		}
	}
	for _, uid := range sortedKeys(x.batches) {
		e := x.batches[uid]
		if err := writeRecord(b, u32Key(batchPrefix, uid), e.now, e.now == nil); err != nil {
			return err
		}
	}
	for i := range x.renames {
		n := x.f.NextRename - uint64(len(x.renames)-i)
		if err := writeRecord(b, u64Key(renamePrefix, n), &x.renames[i], false); err != nil {
			return err
		}
	}
	for n := x.s.renames.first; n < x.f.FirstRename; n++ {
		if err := b.Delete(u64Key(renamePrefix, n), nil); err != nil {
			return err
		}
	}
	if err := x.writeCatalog(); err != nil {
		return err
	}
	x.f.NextIndex = x.meta.nextIndex
	return writeRecord(b, []byte{figuresKey}, &x.f, false)
}

// deleteRuns deletes records by uid, long runs of them at once.
func deleteRuns(b *pebble.Batch, prefix byte, uids *roaring.Bitmap) error {
	const long = 32
	for it := uids.Iterator(); it.HasNext(); {
		first := it.Next()
		last := first
		for it.HasNext() && it.PeekNext() == last+1 {
			last = it.Next()
		}
		if last-first >= long {
			end := append(u32Key(prefix, last), 0) // just after the last key
			if err := b.DeleteRange(u32Key(prefix, first), end, nil); err != nil {
				return err
			}
			continue
		}
		for uid := uint64(first); uid <= uint64(last); uid++ {
			if err := b.Delete(u32Key(prefix, uint32(uid)), nil); err != nil {
				return err
			}
		}
	}
	return nil
}

func writeTask(b *pebble.Batch, uid uint32, e *taskEdit) error {
	key := u32Key(taskPrefix, uid)
	switch {
	case e.now != nil:
		value, err := encodeTask(e.now, e.nowSeq)
		if err != nil {
			return err
		}
		return b.Set(key, value, nil)
	case e.old != nil:
		return b.Delete(key, nil)
	}
	return nil
}

func (x *txn) writeCatalog() error {
	l := x.meta
	for _, id := range sortedKeys(l.indexes) {
		if err := writeRecord(x.batch, u32Key(indexPrefix, id), l.indexes[id], l.indexes[id] == nil); err != nil {
			return err
		}
	}
	for _, uid := range sortedKeys(l.keys) {
		if err := writeRecord(x.batch, nameKey(keyPrefix, uid), l.keys[uid], l.keys[uid] == nil); err != nil {
			return err
		}
	}
	for _, name := range sortedKeys(l.values) {
		if err := writeRecord(x.batch, nameKey(valuePrefix, name), l.values[name], l.values[name] == nil); err != nil {
			return err
		}
	}
	for _, id := range sortedKeys(l.nodes) {
		if err := writeRecord(x.batch, nameKey(nodePrefix, string(id)), l.nodes[id], l.nodes[id] == nil); err != nil {
			return err
		}
	}
	for _, name := range sortedKeys(l.aliases) {
		if err := writeRecord(x.batch, nameKey(aliasPrefix, name), l.aliases[name], l.aliases[name] == nil); err != nil {
			return err
		}
	}
	return nil
}

func writeRecord(b *pebble.Batch, key []byte, v any, gone bool) error {
	if gone {
		return b.Delete(key, nil)
	}
	value, err := wire.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode %q: %w", key, err)
	}
	return b.Set(key, value, nil)
}

// publish brings the in-memory queue up to date. The lock is held.
func (x *txn) publish() {
	s := x.s
	for i := range x.renames {
		s.Queue.rename(&x.renames[i])
	}
	s.renames.entries = append(s.renames.entries, x.renames...)
	names := s.renames
	if drop := int(x.f.FirstRename - s.renames.first); drop > 0 {
		s.renames = renames{first: x.f.FirstRename, entries: s.renames.entries[drop:]}
	}
	s.Queue.forget(x.goneTasks, x.goneBatches)
	changed := make(map[uint32]*wire.Task)
	var fresh []*wire.Task
	for uid, e := range x.tasks {
		if e.old != nil {
			s.Queue.removeTask(headOf(current(&names, e.old, e.oldSeq)))
			if unfinished(e.old) {
				changed[uid] = nil
			}
		}
		if e.now != nil {
			e.now = current(&names, e.now, e.nowSeq)
			s.Queue.addTask(headOf(e.now))
			switch {
			case e.old == nil: // in x.fresh
			case unfinished(e.old):
				changed[uid] = e.now
			case unfinished(e.now): // deleted and restored inside this run
				fresh = append(fresh, e.now)
			}
		}
	}
	for _, uid := range x.fresh {
		if t := x.tasks[uid].now; t != nil {
			fresh = append(fresh, t)
		}
	}
	s.Queue.updatePending(changed, fresh)
	for _, e := range x.batches {
		if e.old != nil {
			s.Queue.removeBatch(e.old)
		}
		if e.now != nil {
			s.Queue.addBatch(e.now)
		}
	}
}

// current returns a task with its newest names: itself, or a changed copy.
func current(h *renames, t *wire.Task, seq uint64) *wire.Task {
	if !h.touches(t.UID, seq) {
		return t
	}
	c := *t
	h.bring(&c, seq)
	return &c
}
