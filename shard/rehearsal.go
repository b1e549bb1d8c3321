package shard

import (
	"log/slog"

	"shoal/shard/docset"
	"shoal/shard/store"
	"shoal/shard/version"
)

// rehearsal is what of the install of a delta needs no commit: the ops that tell what
// changes of what is kept in memory, and that, changed. It is worked out where a delta
// becomes pending, since searches wait for an install that has begun. Immutable.
type rehearsal struct {
	head store.Head
	// ops are all of a small delta; of a large one those that tell, if told.
	ops []byte
	// changed are the documents whose words or values change; known is false when all
	// may have.
	changed docset.Set
	known   bool
	// draft is that of the next version; nil when that has to be read from the store.
	draft *version.Draft
}

// told tells that the ops have what changes of what is kept in memory.
func (h *rehearsal) told() bool { return h.draft != nil }

// rehearse works out what a delta makes of the version c. again: the store has the delta
// already, and the files of a large one are gone.
func (r *replica) rehearse(c *version.Version, head *store.Head, ops []byte, again bool) (*rehearsal, error) {
	h := &rehearsal{head: *head, ops: ops}
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

// prepare rehearses the install of a delta that has just become pending, if it leads on from
// the newest version. ops are its own from now on.
func (r *replica) prepare(head *store.Head, ops []byte) {
	r.mu.Lock()
	p, c := r.pending[head.ID], r.current
	fits := p != nil && !p.installed && c != nil && c.State().DeltaID == head.BaseID && c.Acquire()
	r.mu.Unlock()
	if !fits {
		return
	}
	defer c.Release()
	h, err := r.rehearse(c, head, ops, false)
	if err != nil {
		r.host.o.Log.Debug("shard: a delta is looked at again when it is committed", slog.Any("shard", r.key), slog.Any("error", err))
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.pending[head.ID] != p || r.current != c {
		return
	}
	for _, other := range r.pending {
		other.rehearsed = nil // the newest attempt is the likely one, and a draft may be large
	}
	p.rehearsed = h
}

// rehearsedFor takes the rehearsal of a delta for the newest version; nil when there is none.
func (r *replica) rehearsedFor(p *pendingDelta) *rehearsal {
	r.mu.Lock()
	defer r.mu.Unlock()
	h := p.rehearsed
	p.rehearsed = nil
	return h
}
