package shard

import (
	"errors"
	"slices"

	"shoal/shard/store"
)

// What becomes of a pending delta is decided by the log alone: the entry that ends a batch
// publishes the delta or gives its tasks another result. Most deltas that are never
// published belong to batches that failed on another shard. They are dropped as soon as
// this node knows that they cannot be published any more, for two reasons:
//
//   - the task they were built for has a result, and the index has no version of theirs;
//   - the leader began another attempt, and says which ones it supersedes.
//
// An attempt whose commit was proposed and not answered is not superseded: the entry may
// still be applied.

// supersedes tells whether the leader cannot publish old any more once it has asked for
// head. Both must belong to one shard.
func supersedes(head, old *store.Head) bool {
	if head.Task == nil || old.Task == nil || head.Version != old.Version {
		return false
	}
	if head.Term != old.Term {
		// A leader has applied all entries of earlier terms before it asks for anything.
		return old.Term < head.Term
	}
	return head.LostFrom > 0 && head.LostFrom <= old.Attempt && old.Attempt < head.Attempt
}

// isSuperseded tells whether a delta that arrives comes after one that supersedes it.
func (r *replica) isSuperseded(head *store.Head) bool {
	return len(r.pendingIf(func(p *pendingDelta) bool { return supersedes(&p.head, head) })) > 0
}

// dropSuperseded removes the deltas that this one supersedes.
func (r *replica) dropSuperseded(head *store.Head) error {
	return r.discardIf(func(p *pendingDelta) bool { return !p.installed && supersedes(head, &p.head) })
}

// dropLost removes the deltas of batches that are over and did not publish them.
func (r *replica) dropLost() error {
	over, index := r.host.o.TaskOver, r.host.o.Index
	if over == nil || index == nil {
		return nil
	}
	var ended []string
	for _, p := range r.pendingIf(r.undecided) {
		done, err := over(*p.head.Task)
		if err != nil {
			return err
		}
		if done {
			ended = append(ended, p.head.ID)
		}
	}
	if len(ended) == 0 {
		return nil
	}
	// The catalogue is read after the results: it is at least as new.
	x, ok := index(r.key.IndexID)
	if !ok {
		return nil // the whole shard goes
	}
	return r.discardIf(func(p *pendingDelta) bool {
		return !p.installed && p.head.Version > x.Version && slices.Contains(ended, p.head.ID)
	})
}

// undecided tells whether a delta belongs to a task and leads beyond the newest version.
func (r *replica) undecided(p *pendingDelta) bool {
	return !p.installed && p.head.Task != nil && p.head.Version > r.newest.Load()
}

// discardIf removes the pending deltas that drop chooses under the replica's lock, unless
// the shard itself is gone.
func (r *replica) discardIf(drop func(*pendingDelta) bool) error {
	if len(r.pendingIf(drop)) == 0 {
		return nil // an install that is under way is not waited for
	}
	r.installing.Lock()
	defer r.installing.Unlock()
	var err error
	for _, p := range r.pendingIf(drop) {
		err = errors.Join(err, r.discard(p))
	}
	return err
}

func (r *replica) pendingIf(chosen func(*pendingDelta) bool) (list []*pendingDelta) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range r.pending {
		if !r.gone && chosen(p) {
			list = append(list, p)
		}
	}
	return list
}
