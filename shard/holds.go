package shard

import "shoal/wire"

// Holds reports whether this node holds everything that x has published of one shard,
// installed or as deltas that only wait for their install. in is the installed version,
// 0 when there is none. It changes nothing.
func (h *Host) Holds(x *wire.Index, number uint16) (in uint64, whole bool, err error) {
	if err := h.enter(); err != nil {
		return 0, false, err
	}
	defer h.leave()
	key := wire.ShardKey{IndexID: x.ID, Shard: number}
	r, err := h.replica(key)
	if err != nil {
		return 0, false, err
	}
	if d, damaged := h.damages.of(key); damaged && d.Emptied {
		return 0, false, nil
	}
	want := ""
	for i := range x.Shards {
		if d := x.Shards[i].Deltas; x.Shards[i].Number == number && len(d) > 0 {
			want = d[len(d)-1].ID
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.gone || r.current == nil {
		return 0, false, wire.ErrNoShard
	}
	at, in := r.current.State().DeltaID, r.current.State().Version
	for next := want; next != at; {
		p := r.pending[next]
		if p == nil || p.head.Version <= in {
			return in, false, nil
		}
		next = p.head.BaseID
	}
	return in, true, nil
}
