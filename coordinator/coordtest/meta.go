package coordtest

import (
	"bytes"
	"context"
	"slices"
	"sync"

	"shoal/coordinator"
	"shoal/wire"
)

// MetaLog is a log of keys, values, tasks and batches. Of indexes it knows only the records.
type MetaLog struct {
	coordinator.Log
	Mu            sync.Mutex
	State         MetaState
	StoredTasks   []*wire.Task
	StoredBatches []*wire.Batch
	Hidden        map[uint32]bool // not visible on every node yet
	Conflict      func()          // runs before the next proposal
	Signal        chan struct{}
}

// MetaState is one state of a MetaLog.
type MetaState struct {
	coordinator.Catalog
	applied    uint64
	keys       []*wire.Key
	values     []wire.Value
	AllIndexes []*wire.Index
	AllAliases []*wire.Alias
	Version    int // what Spoken returns
}

// NewMetaLog returns an empty log that leads.
func NewMetaLog() *MetaLog { return &MetaLog{Hidden: map[uint32]bool{}, Signal: make(chan struct{})} }

// Spoken is the version of the log.
func (s MetaState) Spoken() int { return s.Version }

func (s MetaState) Applied() uint64 { return s.applied }

func (s MetaState) ClusterID() string { return "cluster" }

func (s MetaState) Keys() []*wire.Key { return s.keys }

func (s MetaState) Indexes() []*wire.Index { return s.AllIndexes }

func (s MetaState) Index(uid string) (*wire.Index, bool) {
	i := slices.IndexFunc(s.AllIndexes, func(x *wire.Index) bool { return x.UID == uid })
	if i < 0 {
		return nil, false
	}
	return s.AllIndexes[i], true
}

// Alias finds an alias by its name.
func (s MetaState) Alias(name string) (*wire.Alias, bool) {
	i := slices.IndexFunc(s.AllAliases, func(a *wire.Alias) bool { return a.Name == name })
	if i < 0 {
		return nil, false
	}
	return s.AllAliases[i], true
}

// Aliases lists the aliases.
func (s MetaState) Aliases() []*wire.Alias { return s.AllAliases }

func (s MetaState) Key(uid string) (*wire.Key, bool) {
	i := slices.IndexFunc(s.keys, func(k *wire.Key) bool { return k.UID == uid })
	if i < 0 {
		return nil, false
	}
	return s.keys[i], true
}

func (s MetaState) Value(name string) (wire.Value, bool) {
	i := slices.IndexFunc(s.values, func(v wire.Value) bool { return v.Name == name })
	if i < 0 {
		return wire.Value{}, false
	}
	return s.values[i], true
}

func (l *MetaLog) Catalog() coordinator.Catalog {
	l.Mu.Lock()
	defer l.Mu.Unlock()
	return l.State
}

func (l *MetaLog) Barrier(context.Context) error { return nil }

func (l *MetaLog) Propose(_ context.Context, cmd *wire.Command) (*wire.Result, error) {
	if f := l.Conflict; f != nil {
		l.Conflict = nil
		f()
	}
	l.Mu.Lock()
	defer l.Mu.Unlock()
	if cmd.Enqueue != nil {
		t := cmd.Enqueue.Task
		t.UID, t.EnqueuedAt = uint32(len(l.StoredTasks)), 1
		l.StoredTasks = append(l.StoredTasks, &t)
		return &wire.Result{Task: &t}, nil
	}
	u := cmd.Update
	if c := u.CompareValue; c != nil {
		if have, _ := l.State.Value(c.Name); !bytes.Equal(have.JSON, c.JSON) {
			return &wire.Result{Fenced: true}, nil
		}
	}
	if u.AbsentKey != nil {
		if _, taken := l.State.Key(*u.AbsentKey); taken {
			return &wire.Result{Fenced: true}, nil
		}
	}
	s := l.State
	s.applied++
	for _, c := range u.Changes {
		switch {
		case c.PutValue != nil:
			s.values = append(slices.DeleteFunc(slices.Clone(s.values), func(v wire.Value) bool { return v.Name == c.PutValue.Name }), *c.PutValue)
		case c.PutAlias != nil:
			now, exists := s.Alias(c.PutAlias.Name)
			if from := c.PutAlias.From; from != nil && (!exists || now.Index != *from) {
				return &wire.Result{Fenced: true}, nil
			}
			s.AllAliases = slices.DeleteFunc(slices.Clone(s.AllAliases), func(a *wire.Alias) bool { return a.Name == c.PutAlias.Name })
			if c.PutAlias.Index != "" {
				s.AllAliases = append(s.AllAliases, &wire.Alias{Name: c.PutAlias.Name, Index: c.PutAlias.Index})
			}
		case c.PutKey != nil:
			s.keys = append(slices.DeleteFunc(slices.Clone(s.keys), func(k *wire.Key) bool { return k.UID == c.PutKey.UID }), c.PutKey)
		case c.DropKey != nil:
			s.keys = slices.DeleteFunc(slices.Clone(s.keys), func(k *wire.Key) bool { return k.UID == *c.DropKey })
		}
	}
	l.State = s
	return &wire.Result{}, nil
}

func (l *MetaLog) Task(uid uint32) (*wire.Task, bool, error) {
	if int(uid) >= len(l.StoredTasks) {
		return nil, false, nil
	}
	return l.StoredTasks[uid], true, nil
}

// Tasks pages through the tasks, newest first. It honours only UIDs and the paging of q.
func (l *MetaLog) Tasks(q *wire.TaskQuery) (page []*wire.Task, total uint64, err error) {
	for i := len(l.StoredTasks) - 1; i >= 0; i-- {
		t := l.StoredTasks[i]
		if (q.From == nil || t.UID <= *q.From) && len(page) < q.Limit && (q.UIDs == nil || slices.Contains(q.UIDs, t.UID)) {
			page = append(page, t)
		}
	}
	return page, uint64(len(l.StoredTasks)), nil
}

func (l *MetaLog) Batches(q *wire.TaskQuery) (page []*wire.Batch, total uint64, err error) {
	l.Mu.Lock()
	defer l.Mu.Unlock()
	list := slices.Clone(l.StoredBatches)
	if !q.Reverse {
		slices.Reverse(list)
	}
	for _, b := range list {
		if (q.From == nil || q.Reverse && b.UID >= *q.From || !q.Reverse && b.UID <= *q.From) && len(page) < q.Limit {
			page = append(page, b)
		}
	}
	return page, uint64(len(list)), nil
}

func (l *MetaLog) TaskUIDs(q *wire.TaskQuery) ([]uint32, error) { return q.UIDs, nil }

func (l *MetaLog) Pending() []*wire.Task { return nil }

func (l *MetaLog) Visible(uid uint32) bool { return !l.Hidden[uid] }

// Settled implements coordinator.Log.
func (l *MetaLog) Settled() func() bool { return func() bool { return len(l.Hidden) == 0 } }

func (l *MetaLog) Leading() (uint64, bool) { return 1, true }

func (l *MetaLog) Changed() <-chan struct{} {
	l.Mu.Lock()
	defer l.Mu.Unlock()
	return l.Signal
}
