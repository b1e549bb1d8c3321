package state

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
	"golang.org/x/sync/errgroup"

	"shoal/consensus/entry"
	"shoal/wire"
)

// Machine is the replicated state machine: the catalogue, the tasks and the batches that
// result from the entries of the log. Applying is a pure function of the entries
// (architecture 4): it uses no clock, no network and no other node.
//
// One goroutine applies; any number of goroutines read. Readers of tasks and batches hold
// the read lock for the time of one query; readers of the catalogue take no lock.
type Machine struct {
	Mu      sync.RWMutex // held for writing while a batch of entries becomes visible
	State   *State
	Catalog atomic.Pointer[Catalog]

	// The log's time: every entry has a time of its own, larger than those before
	// it, so that a time says how far a node has come and what it has finished.
	LastAt      atomic.Int64 // of the newest applied entry
	LastAwaited atomic.Int64 // of the newest entry that clients wait to see everywhere
	Visible     atomic.Int64 // watermark known from the entries themselves

	history history

	committing atomic.Pointer[func([]*wire.Index)] // OnCommit; it does not change what entries do
	moved      atomic.Pointer[func(*wire.Moves)]   // OnMove; called after changes have become visible
}

// figuresNow publishes the times for other goroutines.
func (m *Machine) figuresNow(f *figures) {
	m.LastAt.Store(f.LastAt)
	m.Visible.Store(f.Visible)
}

// State is everything the machine keeps in one pebble store and beside it.
// figures and requests belong to the applying goroutine; queue and renames are
// shared under the machine's lock.
type State struct {
	DB       *pebble.DB
	Figures  figures
	requests *requests
	Queue    *queue
	renames  renames
}

// OpenMachine reads the state of a store. The caller keeps the store and closes
// it.
func OpenMachine(db *pebble.DB) (*Machine, error) {
	m := &Machine{}
	s, c, err := LoadState(db)
	if err != nil {
		return nil, err
	}
	m.Swap(s, c)
	return m, nil
}

// Swap replaces the whole state. Returns the store that was in use before.
func (m *Machine) Swap(s *State, c *Catalog) (old *pebble.DB) {
	old = m.swap(s, c)
	if f := m.moved.Load(); f != nil {
		(*f)(&wire.Moves{Lost: true})
	}
	return old
}

func (m *Machine) swap(s *State, c *Catalog) (old *pebble.DB) {
	m.Mu.Lock()
	defer m.Mu.Unlock()
	if m.State != nil {
		old = m.State.DB
	}
	m.State = s
	m.Catalog.Store(c)
	m.figuresNow(&s.Figures)
	var marks []Mark
	if s.Figures.Hash != 0 {
		marks = []Mark{{s.Figures.Applied, s.Figures.Hash}}
	}
	m.history.add(marks, true)
	m.LastAwaited.Store(s.Figures.LastAt)
	return old
}

// LoadState rebuilds what is kept in memory by one scan.
func LoadState(db *pebble.DB) (*State, *Catalog, error) {
	s := &State{DB: db, requests: newRequests(), Queue: newQueue()}
	s.Figures.NextIndex = 1
	if _, err := decode(db, []byte{figuresKey}, &s.Figures); err != nil {
		return nil, nil, err
	}
	s.renames.first = s.Figures.FirstRename
	err := scan(db, renamePrefix, func(_, value []byte) error {
		s.renames.entries = append(s.renames.entries, rename{})
		return wire.Unmarshal(value, &s.renames.entries[len(s.renames.entries)-1])
	})
	if err != nil {
		return nil, nil, err
	}
	err = scan(db, requestPrefix, func(_, value []byte) error {
		r := new(request)
		if err := wire.Unmarshal(value, r); err != nil {
			return err
		}
		s.requests.load(r)
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	if err := s.loadQueue(); err != nil {
		return nil, nil, err
	}
	c, err := loadCatalog(db)
	if err != nil {
		return nil, nil, err
	}
	s.describe(c)
	return s, c, nil
}

// loadQueue scans all tasks and batches, both at the same time.
func (s *State) loadQueue() error {
	var work errgroup.Group
	work.Go(s.loadTasks)
	work.Go(s.loadBatches)
	return work.Wait()
}

func (s *State) loadTasks() error {
	return scan(s.DB, taskPrefix, func(_, value []byte) error {
		seq, body, err := splitTask(value)
		if err != nil {
			return err
		}
		head := new(taskHead)
		if err := wire.Unmarshal(body, head); err != nil {
			return err
		}
		if head.Status > wire.Canceled {
			return fmt.Errorf("status %d", head.Status)
		}
		if head.Status <= wire.Processing {
			t := new(wire.Task)
			if err := wire.Unmarshal(body, t); err != nil {
				return err
			}
			s.renames.bring(t, seq)
			s.Queue.Pending = append(s.Queue.Pending, t)
			head = headOf(t)
		} else if s.renames.touches(head.UID, seq) {
			t := &wire.Task{UID: head.UID, IndexUID: head.IndexUID, Indexes: head.Indexes}
			s.renames.bring(t, seq)
			head.IndexUID, head.Indexes = t.IndexUID, t.Indexes
		}
		s.Queue.addTask(head)
		return nil
	})
}

func (s *State) loadBatches() error {
	return scan(s.DB, batchPrefix, func(_, value []byte) error {
		r := new(batchHead)
		if err := wire.Unmarshal(value, r); err != nil {
			return err
		}
		s.Queue.addBatch(r.record())
		return nil
	})
}

func loadCatalog(db *pebble.DB) (*Catalog, error) {
	l := newLayer(newCatalog())
	err := scan(db, indexPrefix, func(_, value []byte) error {
		x := new(wire.Index)
		if err := wire.Unmarshal(value, x); err != nil {
			return err
		}
		l.putIndex(x)
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = scan(db, keyPrefix, func(_, value []byte) error {
		k := new(wire.Key)
		err := wire.Unmarshal(value, k)
		put(&l.keys, k.UID, k)
		return err
	})
	if err != nil {
		return nil, err
	}
	err = scan(db, valuePrefix, func(_, value []byte) error {
		v := new(wire.Value)
		err := wire.Unmarshal(value, v)
		put(&l.values, v.Name, v)
		return err
	})
	if err != nil {
		return nil, err
	}
	err = scan(db, nodePrefix, func(_, value []byte) error {
		n := new(wire.Node)
		err := wire.Unmarshal(value, n)
		put(&l.nodes, n.ID, n)
		return err
	})
	if err != nil {
		return nil, err
	}
	err = scan(db, aliasPrefix, func(_, value []byte) error {
		a := new(wire.Alias)
		err := wire.Unmarshal(value, a)
		put(&l.aliases, a.Name, a)
		return err
	})
	if err != nil {
		return nil, err
	}
	c := l.over(newCatalog())
	return c, entry.CheckProgram(c.program)
}

// describe copies the figures that the catalogue shows.
func (s *State) describe(c *Catalog) {
	c.applied = s.Figures.Applied
	c.tasks = s.Figures.Tasks
	c.nextIndex = s.Figures.NextIndex
	c.stageEpoch = s.Figures.StageEpoch
	c.minStageEpoch = s.Figures.MinStageEpoch
	c.storedTasks = s.Queue.Tasks.All.GetCardinality()
}

// task reads one record; the returned task is the caller's unless it is
// unfinished.
func (s *State) task(uid uint32) (*wire.Task, bool, error) {
	if t, ok := s.Queue.pendingTask(uid); ok {
		return t, true, nil
	}
	t, seq, ok, err := s.storedTask(uid)
	if !ok || err != nil {
		return nil, false, err
	}
	s.renames.bring(t, seq)
	return t, true, nil
}

// tasks reads the records of a page in its order.
func (s *State) tasks(uids []uint32, take func(*wire.Task)) (err error) {
	var near *neighbours
	defer func() {
		if near != nil {
			err = errors.Join(err, near.it.Close())
		}
	}()
	for _, uid := range uids {
		if t, ok := s.Queue.pendingTask(uid); ok {
			take(t)
			continue
		}
		if near == nil {
			if near, err = s.neighbours(taskPrefix, uids); err != nil {
				return fmt.Errorf("read tasks: %w", err)
			}
		}
		value, err := near.get(u32Key(taskPrefix, uid))
		if err != nil {
			return fmt.Errorf("read task %d: %w", uid, err)
		}
		t, seq, err := readTask(uid, value)
		if err != nil {
			return err
		}
		s.renames.bring(t, seq)
		take(t)
	}
	return nil
}

// storedTask reads a record as it was written.
func (s *State) storedTask(uid uint32) (t *wire.Task, seq uint64, ok bool, err error) {
	if !s.Queue.Tasks.All.Contains(uid) {
		return nil, 0, false, nil
	}
	value, closer, err := s.DB.Get(u32Key(taskPrefix, uid))
	if err != nil {
		return nil, 0, false, fmt.Errorf("read task %d: %w", uid, err)
	}
	defer closer.Close()
	t, seq, err = readTask(uid, value)
	return t, seq, err == nil, err
}

func readTask(uid uint32, value []byte) (t *wire.Task, seq uint64, err error) {
	seq, body, err := splitTask(value)
	if err != nil {
		return nil, 0, fmt.Errorf("task %d: %w", uid, err)
	}
	t = new(wire.Task)
	if err := wire.Unmarshal(body, t); err != nil {
		return nil, 0, fmt.Errorf("task %d: %w", uid, err)
	}
	return t, seq, nil
}

// batches reads the records of a page in its order; those that are not there are left out.
func (s *State) batches(uids []uint32, take func(*batchRecord)) (err error) {
	if len(uids) == 0 {
		return nil
	}
	near, err := s.neighbours(batchPrefix, uids)
	if err != nil {
		return fmt.Errorf("read batches: %w", err)
	}
	defer func() { err = errors.Join(err, near.it.Close()) }()
	for _, uid := range uids {
		value, err := near.get(u32Key(batchPrefix, uid))
		if errors.Is(err, pebble.ErrNotFound) {
			continue
		}
		r := new(batchRecord)
		if err == nil {
			err = wire.Unmarshal(value, r)
		}
		if err != nil {
			return fmt.Errorf("read batch %d: %w", uid, err)
		}
		take(r)
	}
	return nil
}

// batch reads one record; it is the caller's.
func (s *State) batch(uid uint32) (*batchRecord, bool, error) {
	if !s.Queue.Batches.All.Contains(uid) {
		return nil, false, nil // most that are asked for are about to be made
	}
	r := new(batchRecord)
	ok, err := decode(s.DB, u32Key(batchPrefix, uid), r)
	if !ok || err != nil {
		return nil, false, err
	}
	return r, true, nil
}

// sortedKeys returns the keys of a map in ascending order. Stored data must not depend on
// the order of a map.
func sortedKeys[K interface{ ~uint32 | ~string }, V any](m map[K]V) []K {
	keys := make([]K, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// sameJSON compares two stored documents; absent and empty are the same.
func sameJSON(a, b json.RawMessage) bool { return string(a) == string(b) }
