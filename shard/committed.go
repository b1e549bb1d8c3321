package shard

import (
	"time"

	"shoal/wire"
)

// committedWithin bounds how long a commit waits until it is in effect here. Whatever else
// was agreed on waits with it, writes of other indexes too: with 250 ms a small write
// beside batches of 5,000 documents took 240 ms in one of a hundred cases, not 50.
const committedWithin = 50 * time.Millisecond

// Committed brings new versions into effect whose deltas wait here, before anybody asks
// for them: a search that came right after a commit waited for it, disk and all. It
// returns after committedWithin at the latest, and at once when what it was told of before
// is still under way: whoever reads these versions then waits, and what fails shows when
// the replica follows the catalogue.
func (h *Host) Committed(changed []*wire.Index) {
	if !h.committing.TryLock() {
		return
	}
	if h.enter() != nil {
		h.committing.Unlock()
		return
	}
	done := make(chan struct{})
	go func() {
		defer h.leave()
		defer h.committing.Unlock()
		defer close(done)
		for _, x := range changed {
			for i := range x.Shards {
				h.bringUp(x, &x.Shards[i])
			}
		}
	}()
	limit := time.NewTimer(committedWithin)
	defer limit.Stop()
	select {
	case <-done:
	case <-limit.C:
	}
}

// bringUp installs the newest delta of a shard if it waits here.
func (h *Host) bringUp(x *wire.Index, s *wire.Shard) {
	key := wire.ShardKey{IndexID: x.ID, Shard: s.Number}
	h.mu.Lock()
	r := h.replicas[key]
	h.mu.Unlock()
	if r == nil || h.refusal(key) != nil {
		return
	}
	newest := s.NewestDelta()
	r.mu.Lock()
	p := r.pending[newest]
	waits := p != nil && !p.installed
	r.spared = max(r.spared, r.spare(x))
	r.mu.Unlock()
	if !waits {
		return
	}
	if err := h.fault(r.install(newest), key); err != nil {
		h.o.Log.Debug("shard: a committed delta waits for the follower", "shard", key, "error", err)
	}
}
