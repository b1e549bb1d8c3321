package coordinator

import (
	"context"
	"errors"
	"time"

	"shoal/api/payload"
	"shoal/coordinator/fanout"
	"shoal/wire"
)

// reshardPause is the time between looks for indexes whose number of shards is
// to change.
const reshardPause = 200 * time.Millisecond

// reshards starts the changes of shard counts that are due and possible now.
func (l *leader) reshards() {
	if now := time.Now(); now.Sub(l.lastReshard) < reshardPause {
		return
	} else {
		l.lastReshard = now
	}
	for _, x := range l.log.Catalog().Indexes() {
		if x.ShardGoal == 0 {
			continue
		}
		if q := l.backlog.lanes[x.UID]; q == nil || !q.running {
			l.launch(&run{uid: x.UID, aside: (*run).reshard}, x.UID)
		}
	}
}

// reshard builds an index anew with another number of shards, under the lane of
// the index: its tasks wait, searches go on with the old shards until one entry
// exchanges them. Every document keeps its ordinal.
func (r *run) reshard(ctx context.Context) error {
	c := r.log.Catalog()
	x, ok := c.Index(r.uid)
	if !ok || x.ShardGoal == 0 {
		return nil
	}
	if x.ShardGoal == len(x.Shards) {
		next := x.Clone()
		next.ShardGoal, next.Next = 0, nil
		return r.exchange(ctx, x, next)
	}
	planned := x.Clone()
	planned.Next = r.cfg.Placement.shards(c, x, x.ShardGoal)
	if err := r.exchange(ctx, x, planned); err != nil {
		return err
	}
	if x, ok = r.log.Catalog().Index(r.uid); !ok {
		return errFenced
	}
	next, err := r.rebuilt(ctx, x)
	var whole *batchFailure
	if errors.As(err, &whole) {
		// Every try would end like this: give the change up and stay as it is.
		r.cfg.Log.Error("the number of shards was not changed", "index", r.uid, "error", err)
		next = x.Clone()
		next.ShardGoal, next.Next = 0, nil
		err = nil
	}
	if err != nil {
		return err
	}
	return r.exchange(ctx, x, next)
}

// exchange replaces the record of the index if it is still at its version.
func (r *run) exchange(ctx context.Context, x, next *wire.Index) error {
	res, err := r.log.Propose(ctx, &wire.Command{Update: &wire.Update{
		Guards:  []wire.Guard{{IndexID: x.ID, Version: x.Version}},
		Changes: []wire.Change{{PutIndex: next}},
	}})
	if err == nil && res.Fenced {
		err = errFenced
	}
	return err
}

// rebuilt builds the planned shards from the documents of the old ones and
// returns the record to publish.
func (r *run) rebuilt(ctx context.Context, x *wire.Index) (_ *wire.Index, err error) {
	next := x.Clone()
	next.Shards, next.Next, next.ShardGoal = next.Next, nil, 0
	next.Stats = make([]wire.ShardStats, len(next.Shards))
	next.Version = x.Version + 1
	if documents(x) == 0 || x.PrimaryKey == nil {
		return next, nil
	}
	spool := &spool{dir: r.cfg.Dir}
	defer func() { err = errors.Join(err, spool.Close()) }()
	ordinals, err := r.collect(ctx, x, spool)
	if err != nil {
		return nil, err
	}
	op := wire.Op{Kind: wire.OpReplace, StoredVectors: true}
	if spool.file == nil {
		op.Payload.Inline = spool.mem.Bytes()
	} else {
		content, err := spool.open()
		if err != nil {
			return nil, err
		}
		if op.Payload.Blob, _, err = r.blobs.Stage(ctx, content, spool.size); err != nil {
			return nil, err
		}
	}
	g, gctx := fanout.WithContext(ctx)
	for i := range next.Shards {
		s := &next.Shards[i]
		g.Go(func() error {
			// Base 0: the shard is new, whatever the version of its index.
			reply, err := r.buildShard(gctx, x.Version, &wire.BuildRequest{
				Key: wire.ShardKey{IndexID: x.ID, Shard: s.Number}, UID: x.UID, SlotLo: s.SlotLo, SlotHi: s.SlotHi,
				Term: r.term, PrimaryKey: *x.PrimaryKey, Settings: x.Settings, Fields: x.Fields,
				Generations: x.Generations, OldSettings: x.Settings, OldGenerations: x.Generations,
				Ops: []wire.Op{op}, Ordinals: ordinals[i], HasOrdinals: true,
			})
			if err != nil {
				return err
			}
			if reply.Err != nil {
				return &batchFailure{&reply.Err.Failure}
			}
			s.Deltas = []wire.Delta{{Version: next.Version, ID: reply.DeltaID}}
			next.Stats[i] = reply.Stats
			keepHolders(s, reply.Holders)
			return nil
		})
	}
	return next, g.Wait()
}

// keepHolders leaves only the holders of a delta in sync.
func keepHolders(s *wire.Shard, holders []wire.NodeID) {
	for i := range s.Replicas {
		rep := &s.Replicas[i]
		rep.State = wire.Copying
		for _, n := range holders {
			if n == rep.Node {
				rep.State = wire.InSync
			}
		}
	}
}

// collect writes every document of x to out as a staged payload and returns the
// ordinals for each planned shard, in the order of the payload.
func (r *run) collect(ctx context.Context, x *wire.Index, out *spool) ([][]uint32, error) {
	w, err := wire.NewStagedWriter(out, *x.PrimaryKey, true)
	if err != nil {
		return nil, err
	}
	ordinals := make([][]uint32, len(x.Next))
	stream := documentStream{shards: r.shards, x: x}
	err = stream.each(ctx, func(ordinal uint32, doc []byte) error {
		members, err := payload.Split(doc)
		if err != nil {
			return err
		}
		id, refused := payload.DocumentID(&payload.Document{Raw: doc, Members: members}, *x.PrimaryKey)
		if refused != nil {
			return &batchFailure{failureOf(refused)}
		}
		slot := uint32(wire.SlotOf(id))
		for i := range x.Next {
			if s := &x.Next[i]; slot >= s.SlotLo && slot < s.SlotHi {
				ordinals[i] = append(ordinals[i], ordinal)
			}
		}
		return w.Append([]byte(id), doc)
	})
	if err != nil {
		return nil, err
	}
	return ordinals, w.Close()
}
