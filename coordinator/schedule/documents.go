package schedule

import (
	"context"
	"errors"
	"fmt"

	"shoal/api/apierr"
	"shoal/api/settings"
	"shoal/coordinator"
	"shoal/coordinator/placement"
	"shoal/coordinator/schedule/fold"
	"shoal/coordinator/task"
	"shoal/text"
	"shoal/wire"
)

// docTask is one task of a document batch while it is planned.
type docTask struct {
	*wire.Task
	shape task.Shape
	// of an addition
	add      *task.Addition
	manifest *task.Manifest
	payload  wire.Payload // under the batch's primary key
	// of a deletion or edition
	ids      []string
	distinct uint64 // different ids
	filter   []byte
	function []byte
	// of a settings change
	settings *task.LargeSettings
	expiry   *string // the attribute by which the documents of filter have expired

	failure *wire.Failure
	matched uint64 // reported by builders
}

// docPlan is a batch over the documents or settings of one index.
type docPlan struct {
	*batchRun
	tasks []*docTask
	base  *wire.Index // as published
	next  *wire.Index // as it shall be published
	// inferred holds the names of the first document that inference looked at, or the named
	// key. They get field ids before all others (spec write-api 7). inspected is the task of
	// that document.
	inferred  []string
	inspected *docTask
	// nested holds the dotted names of all uploads, in order.
	nested []string
	live   liveAfter
	// firstAttempt is the number of this plan's first attempt to build a shard. No commit has
	// named an attempt from this number on, so only the newest one can be committed.
	firstAttempt uint64
}

// batchFailure fails every task of a batch with the same error.
type batchFailure struct{ why *wire.Failure }

func (b *batchFailure) Error() string { return b.why.Message }

// documents runs a batch of document operations, deletions, clears, settings changes or an
// edition (spec write-api 17.3): it plans, builds on every shard, and returns the outcome that
// publishes the result.
func (r *batchRun) documents(ctx context.Context) (*outcome, error) {
	p := &docPlan{batchRun: r, firstAttempt: deltaNumber.Load() + 1}
	out, err := p.execute(ctx)
	var whole *batchFailure
	if errors.As(err, &whole) {
		out = &outcome{}
		for _, d := range p.tasks { // they have the details of large settings
			out.results = append(out.results, fail(d.Task, whole.why))
		}
		return out, nil
	}
	return out, err
}

func (p *docPlan) execute(ctx context.Context) (*outcome, error) {
	if err := p.decode(ctx); err != nil {
		return nil, err
	}
	if err := p.open(ctx); err != nil {
		return nil, err
	}
	p.refuseOutdated()
	switch p.form.Kind {
	case fold.Documents:
		if err := p.resolveKey(ctx); err != nil {
			return nil, err
		}
	case fold.Settings, fold.ClearSettings:
		if err := p.applySettings(ctx); err != nil {
			return nil, err
		}
	}
	return p.publish(ctx)
}

// refuseOutdated fails deletions of expired documents whose attribute has changed since they were
// enqueued, or whose name means another index by now.
func (p *docPlan) refuseOutdated() {
	now := p.base.DecodedSettings().ExpiryAttribute
	for _, d := range p.tasks {
		if d.expiry != nil && (now == nil || *now != *d.expiry) {
			d.failure = task.FailureOf(settings.ExpiresNoMore(p.uid, *d.expiry))
		}
	}
}

// decode reads the bodies of the tasks. An unreadable task fails alone.
func (p *docPlan) decode(ctx context.Context) error {
	swallowed := p.form.Kind == fold.Clear || p.form.Kind == fold.ClearSettings
	for _, t := range p.batchRun.tasks {
		d := &docTask{Task: t, shape: task.ShapeOf(t)}
		p.tasks = append(p.tasks, d)
		if swallowed && d.shape != task.Settings {
			continue // succeeds without being executed
		}
		err := d.read(ctx, p.Scheduler)
		switch {
		case err == nil:
		case ctx.Err() != nil:
			return err
		case errors.Is(err, wire.ErrNoBlob):
			d.failure = p.lost(d, err)
		case retriable(err):
			return err
		default:
			d.failure = task.Internal(err)
		}
	}
	return nil
}

func (d *docTask) read(ctx context.Context, s *Scheduler) error {
	switch d.shape {
	case task.Add:
		body, err := task.Decode[task.Addition](d.Task)
		if err != nil {
			return err
		}
		d.add, d.manifest, d.payload = body, &body.Manifest, d.Payload
		return nil
	case task.DeleteIDs:
		data, err := s.read(ctx, &d.Payload)
		if err != nil {
			return err
		}
		if err := wire.Unmarshal(data, &d.ids); err != nil {
			return fmt.Errorf("task %d: ids: %w", d.UID, err)
		}
		seen := make(map[string]struct{}, len(d.ids))
		for _, id := range d.ids {
			seen[id] = struct{}{}
		}
		d.distinct = uint64(len(seen))
		return nil
	case task.DeleteFilter:
		body, err := task.Decode[task.Deletion](d.Task)
		if err != nil {
			return err
		}
		d.filter, d.expiry = body.Filter, body.Expiry
		return nil
	case task.Settings:
		return d.readSettings(ctx, s)
	}
	if d.Kind == task.DocumentEdition {
		body, err := task.Decode[task.Edition](d.Task)
		if err != nil {
			return err
		}
		d.filter, d.function = body.Filter, d.Body
	}
	return nil
}

// open looks the index up. It creates a missing index before the batch, so that the index
// survives a failure of the batch.
func (p *docPlan) open(ctx context.Context) error {
	c := p.log.Catalog()
	x, ok := c.Index(p.uid)
	if !ok {
		if !p.form.Create {
			return &batchFailure{task.FailureOf(coordinator.MissingIndex(c, p.uid))}
		}
		if err := nameTaken(c, p.uid); err != nil {
			return &batchFailure{task.FailureOf(err)}
		}
		var err error
		if x, err = p.make(ctx, c); err != nil {
			return err
		}
	}
	p.base, p.next = x, x.Clone()
	p.retokenise(c)
	return nil
}

// retokenise makes the batch rebuild the text tables when another tokenizer built them, or one
// without a dictionary that all nodes have now. Otherwise searches would look for words that
// the tables do not have. While some node has another program the tables stay, because that
// node could build the next batch. An index keeps its dictionaries: a node that came back
// without one exits, and is described before it does. Another version of the format may also
// read numbers differently, so it rebuilds the facets, too.
func (p *docPlan) retokenise(c coordinator.Catalog) {
	g := &p.next.Generations
	format := text.Format(wire.CommonDictionaries(c.Nodes()) | g.Dictionaries())
	if g.TextFormat == format {
		return
	}
	if c.Spoken() != wire.Version {
		return
	}
	const version = 1<<12 - 1 // the rest are dictionaries, which facets do not depend on
	facets := g.TextFormat&version != format&version
	g.TextFormat = format
	if p.base.Documents() > 0 {
		g.Text++
		if facets {
			g.Facet++
		}
	}
}

// make creates the batch's index, with a size planned from the documents of the batch.
func (p *docPlan) make(ctx context.Context, c coordinator.Catalog) (*wire.Index, error) {
	x := p.cfg.Placement.NewIndex(c, p.uid, p.size(), p.shards.Suspect)
	res, err := p.log.Propose(ctx, &wire.Command{Update: &wire.Update{
		RequestID: fmt.Sprintf("create-%s-%d-%d", p.uid, p.batchRun.tasks[0].UID, p.term),
		Changes:   []wire.Change{{PutIndex: x}},
	}})
	if err != nil {
		return nil, err
	}
	made, ok := p.log.Catalog().Index(p.uid)
	if !ok {
		return nil, fmt.Errorf("coordinator: index %q was not created (refused: %v)", p.uid, res.Fenced)
	}
	return made, nil
}

// size returns the size of the batch's documents.
func (p *docPlan) size() placement.Size {
	var s placement.Size
	for _, d := range p.tasks {
		if d.add != nil {
			s.Bytes += d.Payload.RawSize
			s.Documents += d.manifest.Documents
		}
	}
	return s
}

// publish builds the deltas and returns what to commit.
func (p *docPlan) publish(ctx context.Context) (*outcome, error) {
	ops := p.ops()
	out := &outcome{guards: []wire.Guard{{IndexID: p.base.ID, Version: p.base.Version}}}
	if p.allFailed() {
		out.results = p.results()
		return out, nil
	}
	if len(ops) == 0 && !p.settled() {
		// The shards have no work: empty payloads, or a clear of an empty index.
		p.finish()
		out.guards[0] = p.guard()
		out.changes = []wire.Change{p.publishes()}
		out.results = p.results()
		return out, nil
	}
	built, err := p.build(ctx)
	if err != nil {
		return nil, err
	}
	out.results = p.results()
	if p.allFailed() {
		return out, nil
	}
	if p.form.Kind == fold.Deletions && p.matchedNone() {
		return out, nil // nothing changed: the pending deltas are never published
	}
	p.finish()
	out.guards[0] = p.guard()
	p.adopt(built, out)
	out.changes = []wire.Change{p.publishes()}
	after := p.live
	out.after = func() { after.store(&p.ordinals, p.base.ID, p.base.Version+1) }
	return out, nil
}

// publishes returns the change to the next record of the index.
func (p *docPlan) publishes() wire.Change {
	if p.log.Catalog().Spoken() < wire.UnchangedSince {
		return wire.Change{PutIndex: p.next}
	}
	return wire.PutIndexOver(p.base, p.next)
}

// settled reports whether the batch changes settings.
func (p *docPlan) settled() bool {
	return p.form.Kind == fold.Settings || p.form.Kind == fold.ClearSettings
}

func (p *docPlan) allFailed() bool {
	for _, d := range p.tasks {
		if d.failure == nil {
			return false
		}
	}
	return true
}

func (p *docPlan) matchedNone() bool {
	for _, d := range p.tasks {
		if d.matched > 0 {
			return false
		}
	}
	return true
}

// guard returns the guard on the record that the next one replaces, with the members that
// finish copied from it.
func (p *docPlan) guard() wire.Guard {
	now := p.base.Clone()
	now.ShardGoal, now.ReplicaGoal, now.Next = p.next.ShardGoal, p.next.ReplicaGoal, p.next.Next
	return wire.GuardOf(p.log.Catalog().Spoken(), now)
}

// finish prepares the record for publication; the entry stamps the time. The goals for shards
// and replicas may have been changed during the build.
func (p *docPlan) finish() {
	p.next.UpdatedAt = 0
	if now, ok := p.log.Catalog().IndexByID(p.base.ID); ok {
		p.next.ShardGoal, p.next.ReplicaGoal, p.next.Next = now.ShardGoal, now.ReplicaGoal, now.Next
	}
}

// adopt adds the builders' results to the record.
func (p *docPlan) adopt(built []*wire.BuildReply, out *outcome) {
	p.next.Version = p.base.Version + 1
	if !p.settled() || p.next.Generations != p.base.Generations || len(p.ops()) > 0 {
		out.figures.Deltas = len(built) // else only the settings were written
	}
	out.figures.Before = p.base.DocumentBytes()
	defer func() { out.figures.After = p.next.DocumentBytes() }()
	if p.settled() {
		p.next.SettingsVersion = p.next.Version
	}
	for i, b := range built {
		s := &p.next.Shards[i]
		s.Deltas = append(s.Deltas, wire.Delta{Version: p.next.Version, ID: b.DeltaID})
		p.next.Stats[i] = b.Stats
		out.holders = append(out.holders, wire.ShardHolders{IndexID: p.base.ID, Shard: s.Number, Nodes: b.Holders})
	}
}

// ops lists the operations for the builders in task order, not yet restricted to shards.
func (p *docPlan) ops() []wire.Op {
	if p.form.Kind == fold.Clear || p.form.Kind == fold.ClearSettings {
		if p.base.Documents() == 0 {
			return nil
		}
		return []wire.Op{{Kind: wire.OpClear, Task: p.firstClear()}}
	}
	var ops []wire.Op
	position := uint64(0)
	for _, d := range p.tasks {
		op := wire.Op{Task: d.UID, FirstPos: position}
		if d.manifest != nil {
			position += d.manifest.Documents
		}
		if d.failure != nil {
			continue
		}
		switch {
		case d.shape == task.Add && d.manifest.Documents > 0:
			op.Kind, op.Payload, op.SkipCreation = wire.OpReplace, d.payload, d.add.SkipCreation
			if d.add.Update {
				op.Kind = wire.OpUpdate
			}
		case d.shape == task.DeleteIDs:
			op.Kind, op.IDs = wire.OpDeleteIDs, d.ids
		case d.shape == task.DeleteFilter:
			op.Kind, op.Filter = wire.OpDeleteFilter, d.filter
		case d.Kind == task.DocumentEdition:
			op.Kind, op.Filter, op.Function = wire.OpEdit, d.filter, d.function
		default:
			continue
		}
		ops = append(ops, op)
	}
	return ops
}

func (p *docPlan) firstClear() uint32 {
	for _, d := range p.tasks {
		if d.shape == task.Clear {
			return d.UID
		}
	}
	return p.tasks[0].UID
}

// results finishes each task with its counts (spec write-api 17.4).
func (p *docPlan) results() []wire.TaskResult {
	out := make([]wire.TaskResult, 0, len(p.tasks))
	cleared := false
	for _, d := range p.tasks {
		if d.failure != nil {
			out = append(out, fail(d.Task, d.failure))
			continue
		}
		var details []byte
		switch {
		case d.shape == task.Clear:
			n := uint64(0)
			if !cleared {
				n = p.base.Documents()
			}
			cleared = true
			details = task.WithCount(d.Details, "deletedDocuments", n)
		case d.shape == task.Settings:
			details = d.Details
		case p.form.Kind == fold.Clear || p.form.Kind == fold.ClearSettings:
			// swallowed: the counters stay null
		case d.shape == task.Add:
			details = task.WithCount(d.Details, "indexedDocuments", d.manifest.Distinct)
		case d.shape == task.DeleteIDs && p.form.Kind == fold.Documents:
			details = task.WithCount(d.Details, "deletedDocuments", d.distinct)
		case d.shape == task.DeleteIDs || d.shape == task.DeleteFilter:
			details = task.WithCount(d.Details, "deletedDocuments", d.matched)
		case d.Kind == task.DocumentEdition:
			// Both counters show the matched documents, as in the reference.
			details = task.WithCount(task.WithCount(d.Details, "editedDocuments", d.matched), "deletedDocuments", d.matched)
		}
		out = append(out, succeed(d.Task, details))
	}
	return out
}

// tooManyNested fails the batch: nested names found while indexing exceed the limit of fields.
func (p *docPlan) tooManyNested() error {
	return &batchFailure{task.FailureOf(apierr.InIndex(p.uid, apierr.TooManyFields()))}
}
