package coordtest

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

	"shoal/api/apierr"
	"shoal/wire"
	"shoal/wire/staged"
)

// Shards is a cluster of naive shards: a map from external id to ordinal and document for each
// version. It checks the promises of the scheduler to builders.
type Shards struct {
	Mu     sync.Mutex
	log    *Log
	Blobs  *Blobs
	states map[string]map[string]Document // delta id -> state after it
	rows   map[string]bool                // the deltas after which shards number without gaps
	builds []*wire.BuildRequest
	// suspects seem dead.
	suspects map[wire.NodeID]bool
	// Hook is called before a build, without the lock.
	Hook func(ctx context.Context, node wire.NodeID, r *wire.BuildRequest) (*wire.BuildReply, error)
	// Figures, when set, answers Embedding.
	Figures func(node wire.NodeID, r *wire.EmbeddingRequest) (*wire.EmbedderFigures, error)
}

// Document is one document of a fake shard.
type Document struct {
	Ordinal uint32
	json    string
}

// NewShards returns shards that read payloads from their own Blobs.
func NewShards(l *Log) *Shards {
	return &Shards{log: l, Blobs: NewBlobs(), states: map[string]map[string]Document{}, rows: map[string]bool{}, suspects: map[wire.NodeID]bool{}}
}

// base is the published state of a shard.
func (f *Shards) base(key wire.ShardKey, version uint64) (map[string]Document, error) {
	x, ok := f.log.Catalog().IndexByID(key.IndexID)
	if !ok {
		return nil, wire.ErrNoShard
	}
	s := x.ShardNumbered(key.Shard)
	if version == 0 && len(s.Deltas) == 0 {
		return map[string]Document{}, nil
	}
	if x.Version != version {
		return nil, wire.ErrBehind
	}
	if len(s.Deltas) == 0 {
		return map[string]Document{}, nil
	}
	f.Mu.Lock()
	defer f.Mu.Unlock()
	state, ok := f.states[s.Deltas[len(s.Deltas)-1].ID]
	if !ok {
		return nil, errors.New("fake: the published delta was never built")
	}
	return state, nil
}

// frames calls each with the frames of an addition that belong to the slots.
func (f *Shards) frames(op *wire.Op, lo, hi uint32, key string, each func(id, doc string, pos uint64)) error {
	var in io.Reader = bytes.NewReader(op.Payload.Inline)
	if op.Payload.Blob != nil {
		r, err := f.Blobs.Open(context.Background(), op.Payload.Blob)
		if err != nil {
			return err
		}
		in = r
	}
	r, err := staged.NewReader(in)
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

func (f *Shards) Resolve(_ context.Context, _ wire.NodeID, r *wire.ResolveRequest) (*wire.ResolveReply, error) {
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
			live.Add(d.Ordinal)
		}
		reply.Live, err = live.ToBytes()
	}
	return reply, err
}

func (f *Shards) Build(ctx context.Context, node wire.NodeID, r *wire.BuildRequest) (*wire.BuildReply, error) {
	f.Mu.Lock()
	hook := f.Hook
	f.builds = append(f.builds, r)
	f.Mu.Unlock()
	if hook != nil {
		if reply, err := hook(ctx, node, r); reply != nil || err != nil {
			return reply, err
		}
	}
	if x, ok := f.log.Catalog().IndexByID(r.Key.IndexID); ok && (!r.HasBase || r.BaseDelta != x.ShardNumbered(r.Key.Shard).NewestDelta()) {
		return nil, errors.New("fake: the request names a wrong base")
	}
	old, err := f.base(r.Key, r.Base)
	if err != nil {
		return nil, err
	}
	b := fakeBuild{f: f, r: r, old: old, state: map[string]Document{}}
	for id, d := range old {
		b.state[id] = d
	}
	for _, d := range old {
		b.taken = append(b.taken, d.Ordinal)
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
	f.Mu.Lock()
	reply.Stats.Rows = f.rows[r.BaseDelta] || r.Rows && len(old) == 0
	f.states[r.DeltaID], f.rows[r.DeltaID] = b.state, reply.Stats.Rows
	f.Mu.Unlock()
	return reply, nil
}

func (f *Shards) Embedding(_ context.Context, node wire.NodeID, r *wire.EmbeddingRequest) (*wire.EmbedderFigures, error) {
	if f.Figures == nil {
		return nil, wire.ErrUnavailable
	}
	return f.Figures(node, r)
}

type fakeBuild struct {
	f          *Shards
	r          *wire.BuildRequest
	old, state map[string]Document
	taken      []uint32
	given      map[string]uint32
}

func (b *fakeBuild) ordinal(id string) uint32 {
	if d, ok := b.old[id]; ok {
		return d.Ordinal
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
			b.state[id] = Document{ordinal, doc}
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
			reply.Err = &wire.BuildError{Task: op.Task, Failure: wire.Failure{Message: "Index `" + b.r.UID + "`: not filterable", Code: apierr.CodeInvalidDocumentFilter.Name}}
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

func (f *Shards) List(_ context.Context, _ wire.NodeID, r *wire.ListRequest) (*wire.ListReply, error) {
	state, err := f.base(r.Index.Key, r.Index.Version)
	if err != nil {
		return nil, err
	}
	reply := &wire.ListReply{Total: uint64(len(state))}
	for _, d := range state {
		if !r.HasOrdinals || slices.Contains(r.Ordinals, d.Ordinal) {
			reply.Documents = append(reply.Documents, wire.Document{Ordinal: d.Ordinal, JSON: []byte(d.json)})
		}
	}
	wire.ArrangeDocuments(reply.Documents, nil)
	return reply, nil
}

func (f *Shards) Suspect(n wire.NodeID) bool {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	return f.suspects[n]
}

// SuspectNode makes a node seem dead.
func (f *Shards) SuspectNode(n wire.NodeID) {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	f.suspects[n] = true
}

func (f *Shards) OpenSearch(context.Context, wire.NodeID, *wire.SearchOpen) (wire.Session, error) {
	return nil, wire.ErrUnavailable
}

// Content is everything an index holds: id -> ordinal and document.
func (f *Shards) Content(uid string) map[string]Document {
	x, ok := f.log.Catalog().Index(uid)
	if !ok {
		return nil
	}
	all := map[string]Document{}
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
