package schedule

import (
	"context"
	"errors"
	"sync"
	"time"

	"shoal/api/payload"
	"shoal/coordinator"
	"shoal/coordinator/documents"
	"shoal/coordinator/fanout"
	"shoal/coordinator/ingest"
	"shoal/coordinator/task"
	"shoal/wire"
	"shoal/wire/staged"
)

// reshardPause is the interval between checks for indexes whose number of shards must change.
const reshardPause = 200 * time.Millisecond

// renumberedAlone is the largest number of documents of an index whose shards are numbered
// again without being asked for. Meanwhile the tasks of the index wait, some seconds. A larger
// index is numbered again when its number of shards is set, to the same number, too.
const renumberedAlone = 200_000

// renumbers tells whether the shards of an index should be built again, in as many, because a
// former program numbered their documents by ordinal.
func (l *leader) renumbers(c coordinator.Catalog, x *wire.Index) bool {
	return c.Spoken() >= wire.RowsSince && x.Sparse() && x.Documents() <= renumberedAlone && !l.renumbered[x.ID]
}

// reshards starts the changes of shard counts that are due and possible now.
func (l *leader) reshards() {
	now, c := time.Now(), l.log.Catalog()
	if l.reshardable == c.Applied() || now.Sub(l.lastReshard) < reshardPause {
		return
	}
	l.lastReshard = now
	wanted := false
	for _, x := range c.Indexes() {
		renumber := x.ShardGoal == 0 && l.renumbers(c, x)
		if x.ShardGoal == 0 && !renumber {
			continue
		}
		wanted = true
		if q := l.backlog.lanes[x.UID]; q != nil && q.running {
			continue
		}
		work := (*batchRun).reshard
		if renumber {
			l.renumbered[x.ID] = true // once in a term, whatever comes of it
			work = (*batchRun).renumber
		}
		l.launch(&batchRun{uid: x.UID, aside: work}, x.UID)
	}
	if !wanted {
		l.reshardable = c.Applied()
	}
}

// renumber makes the present number of shards the goal of an index. A reshard to it builds its
// shards again if it is sparse.
func (r *batchRun) renumber(ctx context.Context) error {
	x, ok := r.log.Catalog().Index(r.uid)
	if !ok || x.ShardGoal != 0 {
		return nil
	}
	next := x.Clone()
	next.ShardGoal = len(x.Shards)
	return r.exchange(ctx, x, next)
}

// reshard rebuilds an index with another number of shards, under the lane of the index: its
// tasks wait, while searches use the old shards until one entry replaces them. Every document
// keeps its ordinal.
func (r *batchRun) reshard(ctx context.Context) error {
	c := r.log.Catalog()
	x, ok := c.Index(r.uid)
	if !ok || x.ShardGoal == 0 {
		return nil
	}
	if x.ShardGoal == len(x.Shards) && !(x.Sparse() && c.Spoken() >= wire.RowsSince) {
		next := x.Clone()
		next.ShardGoal, next.Next = 0, nil
		return r.exchange(ctx, x, next)
	}
	planned := x.Clone()
	planned.Next = r.cfg.Placement.EmptyShards(c, x, x.ShardGoal, r.shards.Suspect)
	if err := r.exchange(ctx, x, planned); err != nil {
		return err
	}
	if x, ok = r.log.Catalog().Index(r.uid); !ok || x.ShardGoal != planned.ShardGoal {
		return coordinator.ErrFenced // the plan is for a former goal
	}
	r.giveUp = r.whenPlanFails(x)
	next, err := r.rebuilt(ctx, x)
	var whole *batchFailure
	if errors.As(err, &whole) {
		// Every retry would end like this, so the change is given up.
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

// planPatience is how long the nodes of a planned shard may be silent before the shard is
// planned again.
const planPatience = 3 * time.Second

// errPlan: the nodes of a planned shard have left or are silent.
var errPlan = errors.New("coordinator: the nodes of a planned shard do not answer; the shard is planned again")

// whenPlanFails ends an attempt whose plan cannot be carried out: the goal has changed, or all
// nodes of a planned shard have left or been silent for a while. The next attempt makes a new
// plan on nodes that answer.
func (r *batchRun) whenPlanFails(planned *wire.Index) func(*wire.Shard) error {
	var mu sync.Mutex
	silent := map[uint16]time.Time{}
	return func(s *wire.Shard) error {
		c := r.log.Catalog()
		now, ok := c.IndexByID(planned.ID)
		if !ok || now.ShardGoal != planned.ShardGoal {
			return coordinator.ErrFenced
		}
		members, answers := 0, false
		for _, rep := range s.Replicas {
			if _, ok := c.Node(rep.Node); ok {
				members++
				answers = answers || !r.shards.Suspect(rep.Node)
			}
		}
		mu.Lock()
		defer mu.Unlock()
		switch since, noted := silent[s.Number]; {
		case members == 0:
			return errPlan
		case answers:
			delete(silent, s.Number)
		case !noted:
			silent[s.Number] = time.Now()
		case time.Since(since) > planPatience:
			return errPlan
		}
		return nil
	}
}

// exchange replaces the record of the index if it has not changed.
func (r *batchRun) exchange(ctx context.Context, x, next *wire.Index) error {
	res, err := r.log.Propose(ctx, &wire.Command{Update: &wire.Update{
		Guards:  []wire.Guard{wire.GuardOf(r.log.Catalog().Spoken(), x)},
		Changes: []wire.Change{{PutIndex: next}},
	}})
	if err == nil && res.Fenced {
		err = coordinator.ErrFenced
	}
	return err
}

// rebuilt builds the planned shards from the documents of the old ones and returns the record
// to publish.
func (r *batchRun) rebuilt(ctx context.Context, x *wire.Index) (_ *wire.Index, err error) {
	next := x.Clone()
	next.Shards, next.Next, next.ShardGoal = next.Next, nil, 0
	next.Stats = make([]wire.ShardStats, len(next.Shards))
	next.Version = x.Version + 1
	spool := &ingest.Spool{Dir: r.cfg.Dir}
	defer func() { err = errors.Join(err, spool.Close()) }()
	ordinals, ops := make([][]uint32, len(next.Shards)), []wire.Op(nil)
	if x.Documents() > 0 && x.PrimaryKey != nil {
		if ordinals, err = r.collect(ctx, x, spool); err != nil {
			return nil, err
		}
		op, err := r.restore(ctx, spool)
		if err != nil {
			return nil, err
		}
		ops = []wire.Op{op}
	}
	g, gctx := fanout.WithContext(ctx)
	for i := range next.Shards {
		s := &next.Shards[i]
		g.Go(func() error {
			// Base 0: the shard is new, whatever the version of its index. A shard without
			// documents is built too, because it needs the settings.
			reply, err := r.buildShard(gctx, x.Version, &wire.BuildRequest{
				Key: wire.ShardKey{IndexID: x.ID, Shard: s.Number}, UID: x.UID, SlotLo: s.SlotLo, SlotHi: s.SlotHi,
				Term: r.term, PrimaryKey: primaryKey(x), Settings: x.Settings, Fields: x.Fields,
				Generations: x.Generations, OldSettings: x.Settings, OldGenerations: x.Generations,
				Ops: ops, Ordinals: ordinals[i], HasOrdinals: true, Rows: byRow(r.log.Catalog(), next.Shards),
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

// primaryKey returns the key of an index, empty while it has none.
func primaryKey(x *wire.Index) string {
	if x.PrimaryKey == nil {
		return ""
	}
	return *x.PrimaryKey
}

// restore returns the operation that adds the collected documents.
func (r *batchRun) restore(ctx context.Context, spool *ingest.Spool) (op wire.Op, err error) {
	op = wire.Op{Kind: wire.OpReplace, StoredVectors: true}
	if spool.File == nil {
		op.Payload.Inline = spool.Mem.Bytes()
		return op, nil
	}
	content, err := spool.Open()
	if err != nil {
		return op, err
	}
	op.Payload.Blob, _, err = r.blobs.Stage(ctx, content, spool.Size)
	return op, err
}

// keepHolders marks the holders of a delta as in sync and all other replicas as copying.
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

// collect writes every document of x to out as a staged payload. It returns the ordinals for
// each planned shard, in the order of the payload.
func (r *batchRun) collect(ctx context.Context, x *wire.Index, out *ingest.Spool) ([][]uint32, error) {
	w, err := staged.NewWriter(out, *x.PrimaryKey, true)
	if err != nil {
		return nil, err
	}
	ordinals := make([][]uint32, len(x.Next))
	stream, first := documents.Stream{Shards: r.shards, Index: x}, true
	err = stream.Each(ctx, func(ordinal uint32, doc []byte) error {
		if first {
			r.progress.goesOn(r)
			first = false
		}
		members, err := payload.Split(doc)
		if err != nil {
			return err
		}
		id, refused := payload.StoredID(&payload.Document{Raw: doc, Members: members}, *x.PrimaryKey)
		if refused != nil {
			return &batchFailure{task.FailureOf(refused)}
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
