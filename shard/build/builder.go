package build

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2/vfs"
	"golang.org/x/sync/errgroup"

	"shoal/shard/docset"
	"shoal/shard/extract"
	"shoal/shard/store"
	"shoal/shard/symbol"
	"shoal/shard/version"
	"shoal/wire"
)

// Delta is a finished delta that is not stored yet.
type Delta struct {
	Head  store.Head
	Ops   []byte // of a small delta
	After version.State
}

// builder computes one delta. The result depends only on the base and the request, not
// on the number of workers or on what was spilled when.
type builder struct {
	env  *Env
	base *version.View
	req  *wire.BuildRequest
	plan *extract.Plan
	fold *folder

	oldKeys, keys     store.Keyspace
	newText, newFacet bool
	newVector         bool
	// rows: the shard numbers its documents without gaps after the build.
	rows bool

	// records writes records directly to files; nil if they are ordinary ops.
	records *records
	head    store.Head

	mu      sync.Mutex
	runs    []string // spilled runs
	names   []chunkNames
	tallies version.Tally
	changed []uint32 // documents whose words or values change
	failure *buildFailure
	vector  vectorFaults
	doomed  atomic.Bool
	oldPlan *extract.Plan
	changes map[string]extract.Change
	// newShape: the build fails for documents with a wrong _geojson.
	newShape bool
	// embedding counts the calls to embedders.
	embedding *Embedding
}

// chunkNames are the unknown fields of one chunk.
type chunkNames struct {
	seq   int
	names []string
}

// chunk is a unit of work. Its bounds depend only on the input.
type chunk struct {
	seq   int
	jobs  []job
	arena []byte
	size  int
}

// Run computes the delta of a request. It returns a reply without delta if the request
// cannot be built as it is (Err, NewFields). embedding counts the calls to embedders
// meanwhile.
func Run(ctx context.Context, env *Env, plans *Plans, base *version.View, req *wire.BuildRequest, embedding *Embedding) (_ *Delta, reply *wire.BuildReply, err error) {
	if req.OldGenerations != base.State().Generations && base.State().DeltaID != "" {
		return nil, nil, fmt.Errorf("shard: base has generations %v, request says %v: %w", base.State().Generations, req.OldGenerations, wire.ErrFenced)
	}
	b := &builder{env: env, base: base, req: req, embedding: embedding}
	b.oldKeys = base.Keys()
	b.keys = store.Keyspace{Key: req.Key, Gen: req.Generations}
	b.newText = req.Generations.Text != base.Keys().Gen.Text
	b.newFacet = req.Generations.Facet != base.Keys().Gen.Facet
	b.newVector = req.Generations.Vector != base.Keys().Gen.Vector
	defer func() { err = errors.Join(err, b.removeRuns()) }()
	if env.Heavy != nil && b.heavy() {
		defer env.Heavy()()
	}
	b.rows = base.State().Rows
	reply = &wire.BuildReply{DeltaID: req.DeltaID}
	if b.plan, err = plans.of(req.Settings, req.Fields, req.Generations.Dictionaries()); err != nil {
		return nil, nil, err
	}
	if err := b.compareSettings(); err != nil {
		return nil, nil, err
	}
	sources, err := b.compute(ctx)
	reply.Embedders = embedding.Figures()
	if f := b.vectorFailure(); err == nil && f != nil && (b.failure == nil || f.Before(&b.failure.BuildError)) {
		b.failure = f
	}
	var failed *buildFailure
	if errors.As(err, &failed) || err == nil && b.failure != nil {
		if failed == nil {
			failed = b.failure
		}
		reply.Err = failed.prefixed(req.UID)
		return nil, reply, nil
	}
	if err != nil {
		return nil, nil, err
	}
	if reply.NewFields = b.newFields(); len(reply.NewFields) > 0 {
		return nil, reply, nil
	}
	delta, err := b.finish(ctx, sources)
	if err != nil {
		return nil, nil, err
	}
	reply.Bytes = delta.Head.Bytes
	reply.Counts = b.fold.counts
	return delta, reply, nil
}

// heavyBytes and heavyDocuments are the thresholds of a heavy build: bytes read from
// payloads, or documents read again from the base.
const (
	heavyBytes     = 32 << 20
	heavyDocuments = 50_000
)

// heavy reports whether the build processes much data.
func (b *builder) heavy() bool {
	rebuilds := b.newText || b.newFacet || b.newVector
	return payloads(b.req) >= heavyBytes || rebuilds && b.base.Live().Len() >= heavyDocuments
}

// compute runs all jobs and returns their changes as streams, without records.
func (b *builder) compute(ctx context.Context) ([]store.OpSource, error) {
	b.fold = newFolder(b.env, b.base, b.req.PrimaryKey, b.req.SlotLo, b.req.SlotHi)
	if err := b.fold.fold(ctx, b.req.Ops); err != nil {
		return nil, err
	}
	b.fold.byID = nil // the entries suffice from here on
	if err := b.allot(); err != nil {
		return nil, err
	}
	b.tallies = version.NewTally(b.plan.Fields())
	var sources []store.OpSource
	workers := max(1, b.env.Workers)
	b.head = b.newHead()
	if payloads(b.req) >= b.env.Limits.Records && b.ascending() {
		b.records = newRecords(b.env.Store, &b.head, b.keys, b.env.Limits, workers)
	}
	group, inner := errgroup.WithContext(ctx)
	chunks := make(chan *chunk)
	started := 0
	start := func() {
		started++
		group.Go(func() error {
			err := wire.Catch(func() error { return b.work(inner, chunks, workers, &sources) })
			if err != nil && b.records != nil {
				b.records.giveUp()
			}
			if errors.Is(err, errGivenUp) {
				<-inner.Done() // the other worker's error takes precedence
			}
			return err
		})
	}
	feed := &feeder{b: b, send: func(c *chunk) error {
		if started < workers {
			start() // small batches need only one worker
		}
		select {
		case chunks <- c:
			return nil
		case <-inner.Done():
			return inner.Err()
		}
	}}
	err := feed.all(inner)
	close(chunks)
	if werr := group.Wait(); werr != nil {
		return nil, werr // the cause; the feeder's error only follows from it
	}
	return sources, err
}

// work is one worker. It ends when chunks is closed.
func (b *builder) work(ctx context.Context, chunks <-chan *chunk, workers int, sources *[]store.OpSource) error {
	d := b.newDeriver()
	defer d.close()
	if b.records != nil {
		d.records = b.records.buffer()
	}
	budget := max(int(b.env.Bytes)/workers, b.env.Limits.Spill)
	pace := b.env.pacer()
	derived := uint64(0)
	for c := range chunks {
		if err := ctx.Err(); err != nil {
			return err
		}
		for i := range c.jobs {
			if err := d.do(ctx, &c.jobs[i]); err != nil {
				return err
			}
			if err := pace(ctx); err != nil {
				return err
			}
			derived++
		}
		if err := d.makeVectors(ctx); err != nil {
			return err
		}
		if b.records != nil {
			if err := b.records.write(c.seq, d.records); err != nil {
				return err
			}
			d.records = b.records.buffer()
		}
		if len(d.unknown) > 0 {
			b.mu.Lock()
			b.names = append(b.names, chunkNames{c.seq, d.unknown})
			b.mu.Unlock()
			d.unknown = nil
		}
		if d.out.held() > budget {
			if err := b.spill(ctx, d.out); err != nil {
				return err
			}
		}
	}
	b.env.Derived.Add(derived)
	b.collect(d)
	if d.out.empty() {
		return nil
	}
	if d.out.bytes > b.env.Limits.SmallDelta && b.records == nil {
		return b.spill(ctx, d.out)
	}
	m := &store.MemoryRun{}
	if err := d.out.emit(b.env.paced(ctx, m.Add)); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	*sources = append(*sources, m.Source())
	return nil
}

// collect takes over a worker's results other than ops.
func (b *builder) collect(d *deriver) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tallies.Add(d.tally)
	b.changed = append(b.changed, d.changed...)
	b.vector.join(&d.vector)
	if d.failure != nil && (b.failure == nil || d.failure.Before(&b.failure.BuildError)) {
		b.failure = d.failure
	}
}

func (b *builder) newDeriver() *deriver {
	x := b.plan.New()
	d := &deriver{
		plan: b.plan, x: x, keys: b.keys, out: newCollector(b.keys, x.Words()), tally: version.NewTally(b.plan.Fields()),
		newText: b.newText, newFacet: b.newFacet, newVector: b.newVector, numbers: b.rows,
		resettled: b.resettles(), newShape: b.newShape,
		oldPlan: b.oldPlan, changes: b.changes, embed: b.env.Embed, embedding: b.embedding, doomed: &b.doomed,
	}
	d.docs = b.base.OpenRows(store.TableDocument)
	d.tokens = b.base.OpenRows(store.TableTokens)
	d.values = b.base.OpenRows(store.TableValues)
	d.vectors = b.base.OpenRows(store.TableVector)
	return d
}

func (d *deriver) close() {
	d.docs.Close()
	d.tokens.Close()
	d.values.Close()
	d.vectors.Close()
}

// spill writes what a worker holds to a run on disk.
func (b *builder) spill(ctx context.Context, c *collector) error {
	f, err := b.env.Store.FS.Create(b.runPath(), vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	w := store.NewRunWriter(f)
	err = c.emit(b.env.paced(ctx, w.Add))
	if err == nil {
		err = w.Close()
	}
	return errors.Join(err, f.Close())
}

// runPath names the next run and records it for removal.
func (b *builder) runPath() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	path := b.env.Store.StagePath(fmt.Sprintf("%s.run%d", store.StageName(b.req.Key, b.req.DeltaID), len(b.runs)))
	b.runs = append(b.runs, path)
	return path
}

func (b *builder) removeRuns() error {
	var err error
	if b.records != nil {
		err = b.records.remove()
	}
	for _, path := range b.runs {
		err = errors.Join(err, b.env.Store.RemoveStaged(path))
	}
	return err
}

// newFields returns the unknown names in first-seen order.
func (b *builder) newFields() []string {
	slices.SortFunc(b.names, func(x, y chunkNames) int { return x.seq - y.seq })
	var out []string
	seen := map[string]bool{}
	for _, c := range b.names {
		for _, name := range c.names {
			if !seen[name] {
				seen[name] = true
				out = append(out, name)
			}
		}
	}
	return out
}

// allot gives new documents their ordinals: those of the request, or the smallest free
// ones (spec ranking 6.3). It also gives them the smallest free rows, which are the same
// unless the shard numbers its documents without gaps. A shard begins to do so when it is
// empty.
func (b *builder) allot() error {
	created, live := b.fold.created, b.base.Live()
	ordinals := b.req.Ordinals
	if !b.req.HasOrdinals {
		ordinals = free(b.base.Rows().Ordinals(live), len(created))
	}
	if len(ordinals) != len(created) {
		return fmt.Errorf("shard: %d ordinals for %d new documents: %w", len(ordinals), len(created), wire.ErrFenced)
	}
	b.rows = b.rows || b.req.Rows && live.Empty()
	rows := ordinals
	if b.rows {
		rows = free(live, len(created))
	}
	for i, at := range created {
		b.fold.entries[at].ord, b.fold.entries[at].ordinal = rows[i], ordinals[i]
	}
	return nil
}

// free returns the n smallest numbers that are not in live.
func free(live docset.Set, n int) []uint32 {
	out := make([]uint32, 0, n)
	next := uint32(0)
	for key, c := range live.Blocks() {
		first := uint32(key) << 16
		for ; next < first && len(out) < n; next++ {
			out = append(out, next)
		}
		if len(out) == n {
			return out
		}
		next = first
		if c.Len() == 1<<16 {
			next += 1 << 16
			continue
		}
		c.Each(func(low uint16) bool {
			for ; next < first|uint32(low) && len(out) < n; next++ {
				out = append(out, next)
			}
			next = (first | uint32(low)) + 1
			return len(out) < n
		})
		for ; next>>16 == uint32(key) && len(out) < n; next++ {
			out = append(out, next)
		}
		if len(out) == n {
			return out
		}
	}
	for ; len(out) < n; next++ {
		out = append(out, next)
	}
	return out
}

func (b *builder) newHead() store.Head {
	return store.Head{
		Format: store.FormatOf(b.rows), Key: b.req.Key, ID: b.req.DeltaID, Term: b.req.Term,
		Base: b.req.Base, BaseID: b.base.State().DeltaID, Version: b.req.Base + 1,
		Drop: b.drops(), Rebuilt: b.fold.cleared || b.newText,
		Task: b.req.Task, Attempt: b.req.Attempt, LostFrom: b.req.LostFrom,
	}
}

// finish joins all streams into the delta.
func (b *builder) finish(ctx context.Context, sources []store.OpSource) (*Delta, error) {
	after := b.newState()
	meta, err := b.meta(&after)
	if err != nil {
		return nil, err
	}
	sources = append(sources, meta)
	files := make([]vfs.File, 0, len(b.runs))
	defer func() {
		for _, f := range files {
			_ = f.Close() // opened for reading
		}
	}()
	for _, path := range b.runs {
		f, err := b.env.Store.FS.Open(path)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
		sources = append(sources, store.NewRunReader(io.Reader(f)))
	}
	head := b.head
	var sink *store.Sink
	if b.records != nil {
		sink = b.env.Store.Beside(&head, b.records.sinks[:], b.env.Limits)
	} else {
		sink = b.env.Store.NewSink(&head, b.env.Limits)
	}
	settle := &reducer{it: b.base.Borrow(nil), emit: sink.Add}
	defer b.base.GiveBack(settle.it)
	if err := store.MergeRuns(sources, b.env.paced(ctx, settle.add)); err != nil {
		return nil, errors.Join(err, sink.Abort(), b.env.Store.DropFiles(&head, len(sink.Files)+1))
	}
	var ops []byte
	if b.records != nil {
		head.Files, head.Bytes, err = b.env.Store.Join(&head, sink, b.records.sinks[:])
	} else {
		head.Files, ops, head.Bytes, err = sink.Finish()
	}
	if err != nil {
		return nil, errors.Join(err, sink.Abort(), b.env.Store.DropFiles(&head, max(len(head.Files), len(sink.Files)+1)))
	}
	if len(head.Files) > 0 {
		slices.Sort(b.changed)
		if head.Changed, err = docset.FromSorted(b.changed).MarshalBinary(); err != nil {
			return nil, errors.Join(err, b.env.Store.DropFiles(&head, len(head.Files)))
		}
	}
	return &Delta{Head: head, Ops: ops, After: after}, nil
}

func (b *builder) newState() version.State {
	s := *b.base.State()
	if b.fold.cleared {
		s.Documents, s.RawBytes, s.Embeddings, s.EmbeddedDocuments, s.Present = 0, 0, 0, 0, nil
	}
	b.tallies.Apply(&s)
	s.Version, s.DeltaID, s.Term = b.req.Base+1, b.req.DeltaID, b.req.Term
	s.PrimaryKey, s.Generations, s.Rows = b.req.PrimaryKey, b.req.Generations, b.rows
	return s
}

// meta returns the stream of bookkeeping changes.
func (b *builder) meta(after *version.State) (store.OpSource, error) {
	c := newCollector(b.keys, new(symbol.Table))
	value, err := wire.Marshal(after)
	if err != nil {
		return nil, err
	}
	c.put(store.TableMeta, b.keys.Meta(version.MetaState), value)
	if b.resettles() {
		c.put(store.TableMeta, b.keys.Meta(version.MetaSettings), b.req.Settings)
	}
	if len(b.req.Fields) != len(b.base.Fields()) {
		if value, err = wire.Marshal(b.req.Fields); err != nil {
			return nil, err
		}
		c.put(store.TableMeta, b.keys.Meta(version.MetaFields), value)
	}
	m := &store.MemoryRun{}
	if err := c.emit(m.Add); err != nil {
		return nil, err
	}
	return m.Source(), nil
}

// resettles reports whether the build changes settings.
func (b *builder) resettles() bool {
	raw, _ := b.base.Stored()
	return string(b.req.Settings) != string(raw)
}

// drops lists the ranges that the delta empties: replaced generations, and after a
// clear everything except the bookkeeping.
func (b *builder) drops() []store.KeyRange {
	tables := map[store.Table]bool{}
	mark := func(group []store.Table, yes bool) {
		for _, t := range group {
			tables[t] = tables[t] || yes && t != store.TableMeta && t != store.TablePending
		}
	}
	cleared := b.fold.cleared
	mark(store.DocTables, cleared)
	mark(store.TextTables, cleared || b.newText)
	mark(store.FacetTables, cleared || b.newFacet)
	mark(store.VectorTables, cleared || b.newVector)
	var out []store.KeyRange
	for t, yes := range tables {
		if yes {
			lo, hi := store.TableRange(b.req.Key, b.oldKeys.Generation(t), t)
			out = append(out, store.KeyRange{Lo: lo, Hi: hi})
		}
	}
	slices.SortFunc(out, func(x, y store.KeyRange) int { return slices.Compare(x.Lo, y.Lo) })
	return out
}
