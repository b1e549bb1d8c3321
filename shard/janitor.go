package shard

import (
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"shoal/wire/await"
)

// janitor releases old versions and removes old deltas.
type janitor struct {
	*resources
	memory *memory
	done   chan struct{} // closed when run has ended
}

// run tidies once a second until Close.
func (j *janitor) run() {
	defer close(j.done)
	tick := time.NewTimer(await.Until(time.Second))
	defer tick.Stop()
	for {
		select {
		case <-j.ended:
			return
		case <-tick.C:
			tick.Reset(await.Until(time.Second))
			j.tidy(j.now())
		}
	}
}

// tidy does the work as of now.
func (j *janitor) tidy(now time.Time) {
	j.unions.Tidy()
	j.memory.share()
	if err := j.store.TrimIterators(); err != nil {
		j.log.Warn("shard: old iterators could not be closed", slog.Any("error", err))
	}
	for _, r := range j.worklist.list() {
		r.retire(now)
		if err := r.forget(now, j.catalogue.heldByAll(r.key)); err != nil {
			j.log.Warn("shard: old deltas could not be removed", slog.Any("error", err))
		}
		if err := r.dropLost(); err != nil {
			j.log.Warn("shard: deltas of failed batches could not be removed", slog.Any("error", err))
		}
		r.leaveWorklist()
	}
}

// worklist are the replicas with work for the janitor. Of many shards, most have
// neither older versions nor deltas. A replica's lock may be held when its lock is
// taken.
type worklist struct {
	mu  sync.Mutex
	all map[*replica]struct{}
}

func (s *worklist) add(r *replica) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all == nil {
		s.all = map[*replica]struct{}{}
	}
	s.all[r] = struct{}{}
}

func (s *worklist) remove(r *replica) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.all, r)
}

func (s *worklist) list() []*replica {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Keys(s.all))
}
