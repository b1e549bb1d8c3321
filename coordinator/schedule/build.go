package schedule

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"shoal/api/apierr"
	"shoal/coordinator"
	"shoal/coordinator/fanout"
	"shoal/coordinator/replica"
	"shoal/coordinator/schedule/fold"
	"shoal/coordinator/task"
	"shoal/wire"
)

// liveAfter are the ordinals in use once a batch is published, as far as the leader knows.
type liveAfter struct {
	set     *roaring.Bitmap
	unknown bool // some ordinals may have become free
}

func (l liveAfter) store(c *ordinalCache, index uint32, version uint64) {
	if l.set == nil || l.unknown {
		c.forget(index)
		return
	}
	c.put(index, version, l.set)
}

// build has one replica per shard compute its delta. When an error concerns a single task, it
// removes that task and builds again. It returns one reply per shard, in the order of the
// index's shards.
func (p *docPlan) build(ctx context.Context) ([]*wire.BuildReply, error) {
	doing := stepIndexing
	if p.settled() {
		doing = stepSettings
	}
	p.embeds = callsOut(p.next)
	for {
		p.enter(doing, 0, len(p.next.Shards))
		if p.allFailed() {
			return nil, nil
		}
		ops := p.ops()
		ordinals, err := p.allotOrdinals(ctx, ops)
		if err != nil {
			if p.dropLost(ctx, err) {
				continue
			}
			return nil, err
		}
		replies := make([]*wire.BuildReply, len(p.next.Shards))
		g, gctx := fanout.WithContext(ctx)
		for i := range p.next.Shards {
			g.Go(func() error {
				req := p.request(i, ops)
				if ordinals != nil {
					req.Ordinals, req.HasOrdinals = ordinals[i], true
				}
				reply, err := p.buildShard(gctx, p.base.Version, req)
				replies[i] = reply
				p.progress.advance(p.batchRun)
				return err
			})
		}
		if err := g.Wait(); err != nil {
			if p.dropLost(ctx, err) {
				continue
			}
			return nil, err
		}
		for _, r := range replies {
			p.embedders.Add(&r.Embedders)
		}
		again, err := p.judge(replies)
		if err != nil {
			return nil, err
		}
		if !again {
			p.count(replies)
			return replies, nil
		}
	}
}

// dropLost fails the tasks whose payload no node has any more, after a builder reported that
// for one of them. It tells whether there are any. The leader asks the holders itself, because
// a builder may not know yet which nodes have left.
func (p *docPlan) dropLost(ctx context.Context, err error) bool {
	if !errors.Is(err, wire.ErrNoBlob) {
		return false
	}
	lost := false
	for _, d := range p.tasks {
		if d.failure != nil || d.Payload.Blob == nil {
			continue
		}
		in, err := p.blobs.Open(ctx, d.Payload.Blob)
		if err == nil {
			err = in.Close()
		}
		if errors.Is(err, wire.ErrNoBlob) {
			d.failure, lost = p.lost(d, err), true
		}
	}
	return lost
}

// lost returns the failure of a task whose payload is on no node any more.
func (p *docPlan) lost(d *docTask, err error) *wire.Failure {
	p.cfg.Log.Error("the payload of an accepted task is lost", "task", d.UID, "index", p.uid, "error", err)
	return task.FailureOf(apierr.PayloadLost(p.uid))
}

// request returns the request to the builder of shard i.
func (p *docPlan) request(i int, ops []wire.Op) *wire.BuildRequest {
	s := &p.next.Shards[i]
	return &wire.BuildRequest{
		Key: wire.ShardKey{IndexID: p.base.ID, Shard: s.Number}, UID: p.uid,
		SlotLo: s.SlotLo, SlotHi: s.SlotHi,
		Term: p.term, Base: p.base.Version, PrimaryKey: primaryKey(p.next),
		Settings: p.next.Settings, Fields: p.next.Fields, Generations: p.next.Generations,
		OldSettings: p.base.Settings, OldGenerations: p.base.Generations,
		Ops: cut(ops, s), Task: &p.batchRun.tasks[0].UID, LostFrom: p.firstAttempt, Rows: byRow(p.log.Catalog(), p.next.Shards),
	}
}

// byRow tells whether new shards number their documents without gaps. An only shard need not:
// it has all ordinals of the index.
func byRow(c coordinator.Catalog, shards []wire.Shard) bool {
	return len(shards) > 1 && c.Spoken() >= wire.RowsSince
}

// cut restricts lists of ids to the slots of a shard. Payloads stay whole, because a builder
// skips frames of other shards.
func cut(ops []wire.Op, s *wire.Shard) []wire.Op {
	if s.SlotLo == 0 && s.SlotHi == wire.Slots {
		return ops
	}
	own := slices.Clone(ops)
	for i := range own {
		if own[i].Kind != wire.OpDeleteIDs {
			continue
		}
		var ids []string
		for _, id := range own[i].IDs {
			if slot := uint32(wire.SlotOf(id)); slot >= s.SlotLo && slot < s.SlotHi {
				ids = append(ids, id)
			}
		}
		own[i].IDs = ids
	}
	return own
}

// deltaNumber counts the attempts to build shards.
var deltaNumber atomic.Uint64

// maxFaults is how often all in-sync replicas may fail a build for a reason that is not known
// to be transient, before the batch fails.
const maxFaults = 3

// maxDeaths is how often a batch may end processes of nodes before it fails.
const maxDeaths = 3

// deaths counts the ended processes of one batch on one shard, by node.
type deaths map[wire.NodeID]int

// add counts one more on a node, and fails the batch when there are too many.
func (d deaths) add(r *batchRun, node wire.NodeID) error {
	d[node]++
	sum := 0
	for _, n := range d {
		sum += n
	}
	if sum < maxDeaths {
		return nil
	}
	r.cfg.Log.Error("a batch ended the processes that built it and fails", "index", r.uid, "times", sum)
	return &batchFailure{task.FailureOf(apierr.BatchEndsNodes(r.uid, sum))}
}

// buildShard asks the in-sync replicas of a shard in turn until one has built the delta. It
// waits for replicas that are away. An error that all of them keep reporting fails the batch.
// version is the published version that the batch builds on.
func (r *batchRun) buildShard(ctx context.Context, version uint64, req *wire.BuildRequest) (*wire.BuildReply, error) {
	faults, died := 0, deaths{}
	for round := 0; ; round++ {
		s, err := r.shardAt(req.Key, version)
		if err != nil {
			return nil, err
		}
		req.BaseDelta, req.HasBase = s.NewestDelta(), true
		var last error
		for _, node := range replica.InSync(r.shards, s, "", round) {
			req.Attempt = deltaNumber.Add(1)
			req.DeltaID = fmt.Sprintf("%x-%x-%x", r.term, version+1, req.Attempt)
			req.Holders, req.Deaths = shippedTo(s, node), died[node]
			req.Silent = r.silent(req.Holders)
			lasts := time.AfterFunc(waitShown, func() { r.progress.goesOn(r) })
			seen := r.watchEmbedding(ctx, node, req)
			reply, err := r.shards.Build(ctx, node, req)
			seen()
			lasts.Stop()
			if err == nil {
				return reply, nil
			}
			if ctx.Err() != nil {
				return nil, err
			}
			var client *apierr.Error
			if errors.As(err, &client) {
				return nil, &batchFailure{task.FailureOf(client)}
			}
			if errors.Is(err, wire.ErrDied) {
				if err := died.add(r, node); err != nil {
					return nil, err
				}
				continue
			}
			if errors.Is(err, wire.ErrNoBlob) || errors.Is(err, wire.ErrCrashed) {
				return nil, err // other builders would ask the same holders, and crash alike
			}
			last = err
			r.cfg.Log.Debug("a build failed", "index", r.uid, "shard", req.Key.Shard, "node", node, "error", err)
		}
		if last != nil && !retriable(last) {
			if faults++; faults >= maxFaults {
				return nil, &batchFailure{task.FailureOf(faultInIndex(r.uid, last))}
			}
		}
		r.waitsFor(r.blockedBy(s, last))
		if r.giveUp != nil {
			if err := r.giveUp(s); err != nil {
				return nil, err
			}
		}
		if err := coordinator.Backoff(ctx, round); err != nil {
			return nil, err
		}
	}
}

// blockedBy explains why work on a shard is blocked. last is the last node's error, or nil if no
// node could be asked.
func (r *batchRun) blockedBy(s *wire.Shard, last error) string {
	if last != nil {
		return last.Error()
	}
	return fmt.Sprintf("shard %d has no copy that is in sync", s.Number)
}

// faultInIndex returns the error of a task that failed for an internal reason.
func faultInIndex(uid string, err error) *apierr.Error {
	if fault, ok := apierr.SystemFault("Index `"+uid+"`: ", err); ok {
		return fault
	}
	return apierr.InternalInIndex(uid, err.Error())
}

// shardAt looks a shard up in the newest catalogue, because replicas move while a batch waits.
// It also finds shards that are being built. It returns ErrFenced when the index has a newer
// version.
func (r *batchRun) shardAt(key wire.ShardKey, version uint64) (*wire.Shard, error) {
	x, ok := r.log.Catalog().IndexByID(key.IndexID)
	if !ok || x.Version != version {
		return nil, coordinator.ErrFenced
	}
	if s := x.ShardNumbered(key.Shard); s != nil {
		return s, nil
	}
	return nil, coordinator.ErrFenced
}

// retriable reports whether an error says that a node or the log is temporarily away or behind.
func retriable(err error) bool {
	for _, c := range []error{
		wire.ErrNoLeader, wire.ErrNotLeader, wire.ErrBehind, wire.ErrGone, wire.ErrUnavailable, wire.ErrNoShard,
		wire.ErrClosed, wire.ErrFenced, context.DeadlineExceeded, context.Canceled,
	} {
		if errors.Is(err, c) {
			return true
		}
	}
	return false
}

// silent returns the nodes that seem not to answer.
func (r *batchRun) silent(nodes []wire.NodeID) (silent []wire.NodeID) {
	for _, n := range nodes {
		if r.shards.Suspect(n) {
			silent = append(silent, n)
		}
	}
	return silent
}

// shippedTo lists the nodes that a builder ships to, sorted: the other in-sync replicas and
// those that have caught up.
func shippedTo(s *wire.Shard, builder wire.NodeID) []wire.NodeID {
	var nodes []wire.NodeID
	for _, r := range s.Replicas {
		if r.Node != builder && (r.State == wire.InSync || r.State == wire.CaughtUp) {
			nodes = append(nodes, r.Node)
		}
	}
	slices.Sort(nodes)
	return nodes
}

// judge checks the builders' replies. again means that the plan changed and the build must be
// repeated.
func (p *docPlan) judge(replies []*wire.BuildReply) (again bool, err error) {
	var first *wire.BuildError
	for _, r := range replies {
		e := r.Err
		if e != nil && (first == nil || e.Before(first)) {
			first = e
		}
	}
	if first != nil {
		if first.Vectors != nil {
			first = p.joinMissing(first, replies)
		}
		for _, d := range p.tasks {
			if d.UID == first.Task && (first.FailsTask || p.form.Kind == fold.Deletions) {
				d.failure = &first.Failure
				return true, nil
			}
		}
		return false, &batchFailure{&first.Failure}
	}
	var found []string
	for _, r := range replies {
		found = append(found, r.NewFields...)
	}
	if len(found) == 0 {
		return false, nil
	}
	before := len(p.next.Fields)
	if !p.addNested(found) {
		return false, p.tooManyNested()
	}
	if len(p.next.Fields) == before {
		// The next build would end here too, and the queue of the index would wait forever.
		return false, &batchFailure{task.FailureOf(apierr.InternalInIndex(p.uid, "a builder asks for field names that it was given"))}
	}
	return true, nil
}

// count sums the matched documents of tasks over the shards.
func (p *docPlan) count(replies []*wire.BuildReply) {
	matched := map[uint32]uint64{}
	for _, r := range replies {
		for _, c := range r.Counts {
			matched[c.Task] += c.Matched
		}
	}
	for _, d := range p.tasks {
		d.matched = matched[d.UID]
	}
}

// allotOrdinals assigns ordinals to new documents of an index with several shards. With one
// shard the builder does it, and the result is nil.
func (p *docPlan) allotOrdinals(ctx context.Context, ops []wire.Op) ([][]uint32, error) {
	n := len(p.next.Shards)
	if n <= 1 {
		return nil, nil
	}
	live := p.ordinals.at(p.base.ID, p.base.Version)
	want := live == nil
	news, parts := make([][]uint64, n), make([][]byte, n)
	g, gctx := fanout.WithContext(ctx)
	for i := range p.next.Shards {
		s := &p.next.Shards[i]
		req := &wire.ResolveRequest{
			Key: wire.ShardKey{IndexID: p.base.ID, Shard: s.Number}, SlotLo: s.SlotLo, SlotHi: s.SlotHi,
			Base: p.base.Version, Ops: cut(ops, s), WantLive: want, PrimaryKey: primaryKey(p.next),
		}
		g.Go(func() error {
			reply, err := p.resolveShard(gctx, req)
			if err == nil {
				news[i], parts[i] = reply.New, reply.Live
			}
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	if want {
		var err error
		if live, err = mergeLive(parts); err != nil {
			return nil, err
		}
	}
	perShard, after := allot(live, news)
	p.live = liveAfter{set: after, unknown: p.frees()}
	return perShard, nil
}

// frees reports whether the batch may free ordinals: it deletes documents, or it may not create
// documents that got one.
func (p *docPlan) frees() bool {
	return slices.ContainsFunc(p.tasks, func(d *docTask) bool {
		switch d.shape {
		case task.Add:
			return d.add == nil || d.add.SkipCreation
		case task.Settings:
			return false
		}
		return true
	})
}

// resolveShard asks an in-sync replica which positions bring new documents to the shard.
func (p *docPlan) resolveShard(ctx context.Context, req *wire.ResolveRequest) (*wire.ResolveReply, error) {
	for round := 0; ; round++ {
		s, err := p.shardAt(req.Key, req.Base)
		if err != nil {
			return nil, err
		}
		req.BaseDelta, req.HasBase = s.NewestDelta(), true
		var last error
		for _, node := range replica.InSync(p.shards, s, "", round) {
			reply, err := p.shards.Resolve(ctx, node, req)
			if err == nil {
				return reply, nil
			}
			if ctx.Err() != nil {
				return nil, err
			}
			if errors.Is(err, wire.ErrNoBlob) || errors.Is(err, wire.ErrCrashed) {
				return nil, err
			}
			last = err
		}
		if last != nil && !retriable(last) && round >= maxFaults {
			return nil, &batchFailure{task.FailureOf(faultInIndex(p.uid, last))}
		}
		p.waitsFor(p.blockedBy(s, last))
		if err := coordinator.Backoff(ctx, round); err != nil {
			return nil, err
		}
	}
}
