package shard

import (
	"errors"
	"time"

	"shoal/wire"
)

// Publish installs pending deltas until this node's replicas of the given shards match
// the catalogue. For each shard that cannot follow, it returns the missing deltas in
// order, to be fetched with Send and Receive; if there are none, the shard must be
// copied. A damaged shard must be copied if another node has it. Otherwise it follows
// as far as possible.
func (h *Holdings) Publish(x *wire.Index, shards ...uint16) (missing []wire.Missing, err error) {
	if err := h.calls.enter(); err != nil {
		return nil, err
	}
	defer h.calls.leave()
	for i := range x.Shards {
		s := &x.Shards[i]
		for _, number := range shards {
			if number != s.Number || len(s.Deltas) == 0 {
				continue
			}
			key := wire.ShardKey{IndexID: x.ID, Shard: number}
			r, e := h.replicas.loaded(key)
			if e == nil && h.faults.Refusal(key) == nil {
				e = h.faults.Translate(r.install(s.Deltas[len(s.Deltas)-1].ID), key)
			}
			if d, damaged := h.faults.Of(key); damaged && h.faults.Refusal(key) != nil {
				missing = append(missing, wire.Missing{Key: key, Damaged: d.Why})
				continue
			}
			if errors.Is(e, wire.ErrBehind) {
				missing = append(missing, r.missing(s.Deltas))
				e = nil
			} else if e == nil && r.keepsFiles() {
				e = r.forget(h.now(), heldByAll(x, r.key.Shard))
			}
			err = errors.Join(err, e)
		}
	}
	return missing, err
}

// committedWithin bounds how long the log waits for a commit to take effect here. All
// other entries wait, too, including writes of other indexes. With 250 ms, small writes
// beside batches of 5,000 documents took 240 ms instead of 50 at the 99th percentile.
const committedWithin = 50 * time.Millisecond

// Committed installs the deltas of new versions as soon as they are committed, so that
// the first search after a commit need not wait for the disk. It returns after at most
// committedWithin, or at once while an earlier call is still installing. Readers of a
// version that is not installed yet wait for it. Errors show when the replica follows
// the catalogue.
func (h *Holdings) Committed(changed []*wire.Index) {
	if !h.committing.TryLock() {
		return
	}
	if h.calls.enter() != nil {
		h.committing.Unlock()
		return
	}
	done := make(chan struct{})
	go func() {
		defer h.calls.leave()
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

// bringUp installs the newest delta of a shard if it is pending here.
func (h *Holdings) bringUp(x *wire.Index, s *wire.Shard) {
	key := wire.ShardKey{IndexID: x.ID, Shard: s.Number}
	r := h.replicas.find(key)
	if r == nil || h.faults.Refusal(key) != nil {
		return
	}
	newest := s.NewestDelta()
	r.mu.Lock()
	p := r.pending[newest]
	waits := p != nil && !p.installed
	r.announced = max(r.announced, heldByAll(x, key.Shard))
	r.mu.Unlock()
	if !waits {
		return
	}
	if err := h.faults.Translate(r.install(newest), key); err != nil {
		h.log.Debug("shard: a committed delta waits for the follower", "shard", key, "error", err)
	}
}
