package coordinator

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/RoaringBitmap/roaring/v2"

	"shoal/api"
	"shoal/wire"
)

// fakeShards is a cluster of naive shards: external id -> (ordinal, document),
// one map per version. It checks what the scheduler promises to builders.
type fakeShards struct {
	mu     sync.Mutex
	log    *fakeLog
	blobs  *fakeBlobs
	states map[string]map[string]fakeDoc // delta id -> state after it
	builds []*wire.BuildRequest
	// hook is called before a build, unlocked.
	hook func(ctx context.Context, node wire.NodeID, r *wire.BuildRequest) (*wire.BuildReply, error)
}

type fakeDoc struct {
	ordinal uint32
	json    string
}

func newFakeShards(l *fakeLog) *fakeShards {
	return &fakeShards{log: l, blobs: &fakeBlobs{content: map[string][]byte{}}, states: map[string]map[string]fakeDoc{}}
}

// base is the state that the catalogue has published for a shard.
func (f *fakeShards) base(key wire.ShardKey, version uint64) (map[string]fakeDoc, error) {
	x, ok := f.log.Catalog().IndexByID(key.IndexID)
	if !ok {
		return nil, wire.ErrNoShard
	}
	s := shardNumbered(x, key.Shard)
	if version == 0 && len(s.Deltas) == 0 {
		return map[string]fakeDoc{}, nil
	}
	if x.Version != version {
		return nil, wire.ErrBehind
	}
	if len(s.Deltas) == 0 {
		return map[string]fakeDoc{}, nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	state, ok := f.states[s.Deltas[len(s.Deltas)-1].ID]
	if !ok {
		return nil, errors.New("fake: the published delta was never built")
	}
	return state, nil
}

// frames calls each with the frames of an addition that belong to the slots.
func (f *fakeShards) frames(op *wire.Op, lo, hi uint32, key string, each func(id, doc string, pos uint64)) error {
	var in io.Reader = bytes.NewReader(op.Payload.Inline)
	if op.Payload.Blob != nil {
		r, err := f.blobs.Open(context.Background(), op.Payload.Blob)
		if err != nil {
			return err
		}
		in = r
	}
	r, err := wire.NewStagedReader(in)
	if err != nil {
		return err
	}
	if k, ok := r.Key(); !ok || k != key {
		return fmt.Errorf("fake: payload is keyed by %q, the batch by %q", k, key)
	}
	r.Only(lo, hi)
	for {
		fr, pos, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		each(string(fr.ID), string(fr.Document), op.FirstPos+pos)
	}
}

func (f *fakeShards) Resolve(_ context.Context, _ wire.NodeID, r *wire.ResolveRequest) (*wire.ResolveReply, error) {
	state, err := f.base(r.Key, r.Base)
	if err != nil {
		return nil, err
	}
	reply := &wire.ResolveReply{}
	seen := map[string]bool{}
	for i := range r.Ops {
		if op := &r.Ops[i]; op.Kind == wire.OpReplace || op.Kind == wire.OpUpdate {
			if err := f.frames(op, r.SlotLo, r.SlotHi, r.PrimaryKey, func(id, _ string, pos uint64) {
				if _, known := state[id]; !known && !seen[id] {
					seen[id] = true
					reply.New = append(reply.New, pos)
				}
			}); err != nil {
				return nil, err
			}
		}
	}
	if r.WantLive {
		live := roaring.New()
		for _, d := range state {
			live.Add(d.ordinal)
		}
		reply.Live, err = live.ToBytes()
	}
	return reply, err
}

func (f *fakeShards) Build(ctx context.Context, node wire.NodeID, r *wire.BuildRequest) (*wire.BuildReply, error) {
	f.mu.Lock()
	hook := f.hook
	f.builds = append(f.builds, r)
	f.mu.Unlock()
	if hook != nil {
		if reply, err := hook(ctx, node, r); reply != nil || err != nil {
			return reply, err
		}
	}
	if x, ok := f.log.Catalog().IndexByID(r.Key.IndexID); ok && (!r.HasBase || r.BaseDelta != newestDelta(shardNumbered(x, r.Key.Shard))) {
		return nil, errors.New("fake: the request names a wrong base")
	}
	old, err := f.base(r.Key, r.Base)
	if err != nil {
		return nil, err
	}
	b := fakeBuild{f: f, r: r, old: old, state: map[string]fakeDoc{}}
	for id, d := range old {
		b.state[id] = d
	}
	for _, d := range old {
		b.taken = append(b.taken, d.ordinal)
	}
	reply := &wire.BuildReply{DeltaID: r.DeltaID, Holders: append([]wire.NodeID{node}, r.Holders...)}
	for i := range r.Ops {
		if failed, err := b.apply(&r.Ops[i], reply); failed || err != nil {
			return reply, err
		}
	}
	for _, d := range b.state {
		reply.Stats.Documents++
		reply.Stats.RawBytes += uint64(len(d.json))
	}
	f.mu.Lock()
	f.states[r.DeltaID] = b.state
	f.mu.Unlock()
	return reply, nil
}

type fakeBuild struct {
	f          *fakeShards
	r          *wire.BuildRequest
	old, state map[string]fakeDoc
	taken      []uint32
	given      map[string]uint32
}

func (b *fakeBuild) ordinal(id string) uint32 {
	if d, ok := b.old[id]; ok {
		return d.ordinal
	}
	if o, ok := b.given[id]; ok {
		return o
	}
	if b.given == nil {
		b.given = map[string]uint32{}
	}
	o := uint32(0)
	if b.r.HasOrdinals {
		o = b.r.Ordinals[len(b.given)]
	} else {
		for slices.Contains(b.taken, o) {
			o++
		}
		b.taken = append(b.taken, o)
	}
	b.given[id] = o
	return o
}

func (b *fakeBuild) apply(op *wire.Op, reply *wire.BuildReply) (failed bool, err error) {
	count := wire.OpCount{Task: op.Task}
	switch op.Kind {
	case wire.OpReplace, wire.OpUpdate:
		err = b.f.frames(op, b.r.SlotLo, b.r.SlotHi, b.r.PrimaryKey, func(id, doc string, pos uint64) {
			ordinal := b.ordinal(id)
			if strings.Contains(doc, `"bad"`) && reply.Err == nil {
				reply.Err = &wire.BuildError{Task: op.Task, Position: pos, Failure: wire.Failure{Message: "Index `" + b.r.UID + "`: bad " + id, Code: "invalid_document_geo_field"}}
			}
			b.state[id] = fakeDoc{ordinal, doc}
		})
	case wire.OpDeleteIDs:
		for _, id := range op.IDs {
			if _, ok := b.state[id]; ok {
				count.Matched++
				delete(b.state, id)
			}
		}
	case wire.OpDeleteFilter:
		if string(op.Filter) == `"bad"` {
			reply.Err = &wire.BuildError{Task: op.Task, Failure: wire.Failure{Message: "Index `" + b.r.UID + "`: not filterable", Code: api.CodeInvalidDocumentFilter.Name}}
			return true, nil
		}
		want := strings.Trim(string(op.Filter), `"`)
		for id, d := range b.state {
			if _, before := b.old[id]; before && strings.Contains(d.json, want) {
				count.Matched++
				delete(b.state, id)
			}
		}
	case wire.OpClear:
		clear(b.state)
	}
	reply.Counts = append(reply.Counts, count)
	return reply.Err != nil, err
}

func (f *fakeShards) List(_ context.Context, _ wire.NodeID, r *wire.ListRequest) (*wire.ListReply, error) {
	state, err := f.base(r.Index.Key, r.Index.Version)
	if err != nil {
		return nil, err
	}
	reply := &wire.ListReply{Total: uint64(len(state))}
	for _, d := range state {
		if !r.HasOrdinals || slices.Contains(r.Ordinals, d.ordinal) {
			reply.Documents = append(reply.Documents, wire.Document{Ordinal: d.ordinal, JSON: []byte(d.json)})
		}
	}
	wire.ArrangeDocuments(reply.Documents, nil)
	return reply, nil
}

func (f *fakeShards) Suspect(wire.NodeID) bool { return false }

func (f *fakeShards) OpenSearch(context.Context, wire.NodeID, *wire.SearchOpen) (Session, error) {
	return nil, wire.ErrUnavailable
}

// content is everything an index holds: id -> ordinal and document.
func (f *fakeShards) content(uid string) map[string]fakeDoc {
	x, ok := f.log.Catalog().Index(uid)
	if !ok {
		return nil
	}
	all := map[string]fakeDoc{}
	for i := range x.Shards {
		state, err := f.base(wire.ShardKey{IndexID: x.ID, Shard: x.Shards[i].Number}, x.Version)
		if err != nil {
			panic(err)
		}
		for id, d := range state {
			all[id] = d
		}
	}
	return all
}

// fakeBlobs keeps blobs in memory.
type fakeBlobs struct {
	mu      sync.Mutex
	content map[string][]byte
	staged  int
}

func (b *fakeBlobs) Stage(_ context.Context, r io.Reader, size int64) (*wire.BlobRef, uint64, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, 0, err
	}
	if int64(len(data)) != size {
		return nil, 0, fmt.Errorf("fake: %d bytes announced, %d staged", size, len(data))
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.staged++
	id := fmt.Sprint("blob-", b.staged)
	b.content[id] = data
	return &wire.BlobRef{ID: id, Size: size}, 0, nil
}

func (b *fakeBlobs) Open(_ context.Context, ref *wire.BlobRef) (io.ReadCloser, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	data, ok := b.content[ref.ID]
	if !ok {
		return nil, wire.ErrNoBlob
	}
	return io.NopCloser(bytes.NewReader(data)), nil
}
