package shard

import (
	"errors"
	"slices"

	"shoal/shard/store"
)

// The log alone decides what becomes of a pending delta: the entry that ends a batch
// publishes the delta or gives its tasks another result. Most deltas that are never
// published belong to batches that failed on another shard. This node drops a delta as
// soon as it knows that it cannot be published any more:
//
//   - the task it was built for has a result, and the index has no version of it;
//   - the leader began another attempt and names the attempts that it supersedes.
//
// An attempt whose commit was proposed without an answer is not superseded: the entry may
// still be applied.

// supersedes reports whether the leader can no longer publish old because it has asked
// for head. Both must belong to one shard.
func supersedes(head, old *store.Head) bool {
	if head.Task == nil || old.Task == nil || head.Version != old.Version {
		return false
	}
	if head.Term != old.Term {
		// A leader applies all entries of earlier terms before it asks for anything.
		return old.Term < head.Term
	}
	return head.LostFrom > 0 && head.LostFrom <= old.Attempt && old.Attempt < head.Attempt
}

// isSuperseded reports whether a delta that supersedes head has already arrived.
func (r *replica) isSuperseded(head *store.Head) bool {
	return len(r.pendingIf(func(p *pendingDelta) bool { return supersedes(&p.head, head) })) > 0
}

// dropSuperseded removes the deltas that head supersedes.
func (r *replica) dropSuperseded(head *store.Head) error {
	return r.discardIf(func(p *pendingDelta) bool { return !p.installed && supersedes(head, &p.head) })
}

// dropLost removes the deltas of batches that ended without publishing them.
func (r *replica) dropLost() error {
	over := r.catalogue.taskOver
	if over == nil || r.catalogue.find == nil {
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
	// The catalogue is read after the results, so it is at least as new.
	x, ok := r.catalogue.index(r.key.IndexID)
	if !ok {
		return nil // the whole shard will be dropped
	}
	return r.discardIf(func(p *pendingDelta) bool {
		return !p.installed && p.head.Version > x.Version && slices.Contains(ended, p.head.ID)
	})
}

// undecided reports whether a delta belongs to a task and leads beyond the newest
// version.
func (r *replica) undecided(p *pendingDelta) bool {
	return !p.installed && p.head.Task != nil && p.head.Version > r.newest.Load()
}

// discardIf removes the pending deltas that drop selects, unless the shard is gone.
// drop runs under the replica's lock.
func (r *replica) discardIf(drop func(*pendingDelta) bool) error {
	if len(r.pendingIf(drop)) == 0 {
		return nil // do not wait for an install in progress
	}
	r.installing.Lock()
	defer r.installing.Unlock()
	var err error
	for _, p := range r.pendingIf(drop) {
		err = errors.Join(err, r.discard(p))
	}
	return err
}

// pendingIf lists the chosen deltas, none if the shard is gone.
func (r *replica) pendingIf(chosen func(*pendingDelta) bool) []*pendingDelta {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.gone {
		return nil
	}
	return r.pending.chosen(chosen)
}
