package shard

import (
	"log/slog"

	"shoal/shard/docset"
	"shoal/shard/store"
	"shoal/shard/version"
)

// preparedInstall is the part of an install that needs no commit: the changed documents, the
// ops that update the structures in memory, and the updated structures. It is computed
// as soon as a delta becomes pending, because searches wait for an install that has
// begun. Immutable.
type preparedInstall struct {
	head store.Head
	// ops are all ops of a small delta. Of a large one they are its digest, if told.
	ops []byte
	// changed are the documents whose words or values change. known is false if any
	// document may have changed.
	changed docset.Set
	known   bool
	// draft is the state in memory of the next version; nil if it must be read from the
	// store.
	draft *version.Draft
}

// told reports whether the ops suffice to update the structures in memory.
func (h *preparedInstall) told() bool { return h.draft != nil }

// prepareOn prepares the install of a delta on version c. again means that the store
// already has the delta and the files of a large one are gone.
func (r *replica) prepareOn(c *version.Version, head *store.Head, ops []byte, again bool) (*preparedInstall, error) {
	h := &preparedInstall{head: *head, ops: ops}
	var err error
	if h.changed, h.known, err = changedBy(head, ops); err != nil {
		return nil, err
	}
	told := h.known
	if len(head.Files) > 0 {
		if told = false; !again {
			if h.ops, told, err = r.digest(head, h.changed.Len() <= version.MaxFresh); err != nil {
				return nil, err
			}
		}
	}
	if told {
		if h.draft, err = c.Draft(h.ops); err != nil {
			return nil, err
		}
	}
	return h, nil
}

// prepare prepares the install of a new pending delta if its base is the newest
// version. It takes ownership of ops.
func (r *replica) prepare(head *store.Head, ops []byte) {
	r.mu.Lock()
	p, c := r.pending[head.ID], r.current
	fits := p != nil && !p.installed && c != nil && c.State().DeltaID == head.BaseID && c.Acquire()
	r.mu.Unlock()
	if !fits {
		return
	}
	defer c.Release()
	h, err := r.prepareOn(c, head, ops, false)
	if err = r.faults.Translate(err, r.key); err != nil {
		r.log.Debug("shard: a delta is looked at again when it is committed", slog.Any("shard", r.key), slog.Any("error", err))
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.pending[head.ID] != p || r.current != c {
		return
	}
	r.pending.unprepare() // the newest attempt is the likely one, and a draft may be large
	p.prepared = h
}

// takePrepared removes and returns the prepared install of a delta; nil if there is none.
func (r *replica) takePrepared(p *pendingDelta) *preparedInstall {
	r.mu.Lock()
	defer r.mu.Unlock()
	h := p.prepared
	p.prepared = nil
	return h
}
