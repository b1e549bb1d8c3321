package shard

import (
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"shoal/shard/codes"
	"shoal/shard/columnist"
	"shoal/shard/damage"
	"shoal/shard/pending"
	"shoal/shard/store"
	"shoal/shard/union"
	"shoal/shard/version"
	"shoal/wire"
)

// resources are what all replicas of a node use. The pointers do not change after Open.
type resources struct {
	store     *store.Store
	table     pending.Table // of pending deltas
	limits    store.Limits
	shared    *version.Shared
	columnist *columnist.Columnist
	codes     *codes.Keeper
	unions    *union.Keeper // of shards of an index that are searched together
	catalogue catalogue
	faults    *damage.Faults
	worklist  worklist
	arrivals  atomic.Uint64 // see Holdings.Arrivals; grows once the data can be read
	ended     chan struct{} // closed by Close
	now       func() time.Time
	log       *slog.Logger
}

// replicas are the shards of a node that were asked for since the start. Safe for
// concurrent use.
type replicas struct {
	*resources

	mu  sync.Mutex
	all map[wire.ShardKey]*replica
}

// loaded returns the shard's replica and loads it from the store on first use.
func (s *replicas) loaded(key wire.ShardKey) (*replica, error) {
	r := s.obtain(key)
	return r, s.faults.Translate(r.load(), key)
}

// loaders bounds the shards that one search loads at once.
const loaders = 8

// load returns the replicas of some shards. Those that were not loaded since the start are
// loaded at the same time, because each of them waits for the disk.
func (s *replicas) load(index uint32, shards []uint16) ([]*replica, error) {
	list := make([]*replica, len(shards))
	var group errgroup.Group
	group.SetLimit(loaders)
	for i, shard := range shards {
		group.Go(func() (err error) {
			list[i], err = s.loaded(wire.ShardKey{IndexID: index, Shard: shard})
			return err
		})
	}
	return list, group.Wait()
}

// find returns the replica of a shard, nil if nobody has asked for it.
func (s *replicas) find(key wire.ShardKey) *replica {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all[key]
}

// obtain returns the replica of a shard, a new one at first, which may not be loaded.
func (s *replicas) obtain(key wire.ShardKey) *replica {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.obtainLocked(key)
}

func (s *replicas) obtainLocked(key wire.ShardKey) *replica {
	r := s.all[key]
	if r == nil {
		r = newReplica(s.resources, key)
		s.all[key] = r
	}
	return r
}

// present returns the replica of a shard that has data here, or nil. Drop removes the data before
// it forgets the replica. So, under the lock, a shard with data has no later replica than Drop's.
func (s *replicas) present(key wire.ShardKey) (*replica, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if gone, err := version.Gone(s.store, key); gone || err != nil {
		return nil, err
	}
	return s.obtainLocked(key), nil
}

// forget removes a closed replica.
func (s *replicas) forget(r *replica) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all[r.key] == r {
		delete(s.all, r.key)
	}
}

func (s *replicas) listed() []*replica {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]*replica, 0, len(s.all))
	for _, r := range s.all {
		out = append(out, r)
	}
	return out
}

// newest returns the newest version of a shard with a reference, or nil if the shard is
// not loaded.
func (s *replicas) newest(key wire.ShardKey) *version.Version {
	if r := s.find(key); r != nil {
		return r.newestVersion()
	}
	return nil
}

// opened returns the newest version of a shard with a reference, and loads it if it is
// not loaded. Errors: wire.ErrNoShard if the shard was dropped meanwhile, and those of the
// store as they are, because Verify tells damage from other errors.
func (s *replicas) opened(key wire.ShardKey) (*version.Version, error) {
	r := s.obtain(key)
	if err := r.load(); err != nil {
		return nil, err
	}
	v := r.newestVersion()
	if v == nil {
		return nil, wire.ErrNoShard
	}
	return v, nil
}

// eachNewest calls visit with the newest version of every shard that is loaded.
func (s *replicas) eachNewest(visit func(*version.Version)) {
	for _, r := range s.listed() {
		if v := r.newestVersion(); v != nil {
			visit(v)
			v.Release()
		}
	}
}
