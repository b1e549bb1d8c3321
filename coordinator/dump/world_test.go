package dump

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"shoal/api"
	"shoal/api/payload"
	"shoal/consensus"
	"shoal/coordinator"
	"shoal/shard"
	"shoal/shard/docset"
	"shoal/shard/filter"
	"shoal/shard/listing"
	"shoal/wire"
)

// world is a whole single-node cluster without its HTTP front: a real log, real
// shards in memory and a running scheduler.
type world struct {
	t         testing.TB
	log       testLog
	blobs     *memoryBlobs
	writer    *coordinator.Writer
	documents *coordinator.Documents
	place     coordinator.Placement
	dumper    *Dumper
	dumps     string // folder
	scheduled bool
	faults    *slog.Logger
}

const self = wire.NodeID("one")

// testLog is consensus.Group as the coordinator sees it.
type testLog struct{ *consensus.Group }

func (l testLog) Catalog() coordinator.Catalog { return l.Group.Catalog() }

// testShards are the shards of the only node.
type testShards struct{ host *shard.Host }

func (s testShards) Resolve(ctx context.Context, _ wire.NodeID, r *wire.ResolveRequest) (*wire.ResolveReply, error) {
	return s.host.Resolve(ctx, r)
}

func (s testShards) Build(ctx context.Context, _ wire.NodeID, r *wire.BuildRequest) (*wire.BuildReply, error) {
	return s.host.Build(ctx, r)
}

func (s testShards) List(ctx context.Context, _ wire.NodeID, r *wire.ListRequest) (*wire.ListReply, error) {
	return s.host.List(ctx, r)
}

func (s testShards) OpenSearch(ctx context.Context, _ wire.NodeID, r *wire.SearchOpen) (coordinator.Session, error) {
	return s.host.OpenSearch(ctx, r)
}

// memoryBlobs keeps staged payloads in memory.
type memoryBlobs struct {
	mu      sync.Mutex
	content map[string][]byte
}

func (b *memoryBlobs) Stage(_ context.Context, r io.Reader, _ int64) (*wire.BlobRef, uint64, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, 0, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	id := fmt.Sprint("blob-", len(b.content))
	b.content[id] = data
	return &wire.BlobRef{ID: id, Size: int64(len(data))}, 0, nil
}

func (b *memoryBlobs) Open(_ context.Context, ref *wire.BlobRef) (io.ReadCloser, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	data, ok := b.content[ref.ID]
	if !ok {
		return nil, wire.ErrNoBlob
	}
	return io.NopCloser(bytes.NewReader(data)), nil
}

// newWorld starts a cluster. shards is the number of shards of new indexes;
// schedule false leaves all tasks enqueued.
func newWorld(t testing.TB, shards int, schedule bool) *world {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	faults := slog.New(slog.NewTextHandler(io.Discard, nil))
	group, err := consensus.Open(consensus.Config{
		Dir: t.TempDir(), NodeID: self, Bootstrap: []wire.NodeID{self}, Logger: faults, Listener: listener,
		Dial: func(wire.NodeID, time.Duration) (net.Conn, error) { return nil, errors.New("there is no other node") },
	})
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, log: testLog{group}, blobs: &memoryBlobs{content: map[string][]byte{}}, place: coordinator.Placement{Shards: shards}, faults: faults}
	host, err := shard.Open(shard.Options{
		Dir: "shards", FS: vfs.NewMem(), Node: self, Log: faults,
		OpenPayload: func(ctx context.Context, p *wire.Payload) (io.ReadCloser, error) { return w.blobs.Open(ctx, p.Blob) },
		Index:       func(id uint32) (*wire.Index, bool) { return group.Catalog().IndexByID(id) },
		Filter: func(v *shard.View, raw []byte) (docset.Set, error) {
			return filter.Evaluator(shard.NewLens(v), api.CodeInvalidDocumentFilter)(raw)
		},
		List: func(_ context.Context, v *shard.View, r *wire.ListRequest) (*wire.ListReply, error) {
			return listing.List(shard.NewLens(v), r)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	w.writer = coordinator.NewWriter(w.log, w.blobs, t.TempDir())
	w.documents = coordinator.NewDocuments(w.log, testShards{host}, self, coordinator.NewFeatures(w.log, api.Features{}))
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	w.dumps, w.scheduled = t.TempDir(), schedule
	w.dumper = NewDumper(DumperConfig{Log: w.log, Documents: w.documents, Blobs: w.blobs, Dir: w.dumps, Faults: faults})
	scheduler := coordinator.NewScheduler(w.log, testShards{host}, w.blobs, coordinator.SchedulerConfig{
		Placement: w.place, Log: faults, Dir: t.TempDir(), Jobs: coordinator.Jobs{Dump: w.dumper.Dump}})
	go func() {
		defer close(done)
		if schedule {
			_ = scheduler.Run(ctx) // ends with ctx
		}
	}()
	t.Cleanup(func() {
		stop()
		<-done
		if err := errors.Join(host.Close(), group.Close()); err != nil {
			t.Error(err)
		}
	})
	w.until("leadership", func() bool { _, ok := group.Leading(); return ok })
	if _, err := group.Propose(ctx, &wire.Command{Update: &wire.Update{Changes: []wire.Change{{PutNode: &wire.Node{ID: self, Data: true, Voter: true}}}}}); err != nil {
		t.Fatal(err)
	}
	return w
}

// until waits for a condition that an applied entry brings about.
func (w *world) until(what string, ok func() bool) {
	w.t.Helper()
	limit := time.After(15 * time.Second)
	for {
		changed := w.log.Changed()
		if ok() {
			return
		}
		select {
		case <-changed:
		case <-time.After(20 * time.Millisecond):
		case <-limit:
			w.t.Fatalf("%s: not within 15 s", what)
		}
	}
}

// idle waits until every task has ended.
func (w *world) idle() { w.until("all tasks", func() bool { return len(w.log.Pending()) == 0 }) }

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func (w *world) upload(uid, ndjson string) {
	w.t.Helper()
	must(w.writer.AddDocuments(w.t.Context(), &coordinator.Upload{IndexUID: uid, Format: payload.NDJSON, CreateIndex: true, Body: bytes.NewReader([]byte(ndjson))}))
}

func (w *world) settings(uid, patch string) {
	w.t.Helper()
	p := &api.SettingsPatch{}
	if err := p.UnmarshalJSON([]byte(patch)); err != nil {
		w.t.Fatal(err)
	}
	must(w.writer.UpdateSettings(w.t.Context(), uid, p, false, true))
}

// content is every document of an index, in order.
func (w *world) content(uid string) []string {
	w.t.Helper()
	x, ok := w.log.Catalog().Index(uid)
	if !ok {
		w.t.Fatalf("no index %s", uid)
	}
	var docs []string
	if _, err := w.documents.Scan(w.t.Context(), x, nil, func(doc []byte) error {
		docs = append(docs, string(doc))
		return nil
	}); err != nil {
		w.t.Fatal(err)
	}
	return docs
}

// dump takes a dump and returns its path.
func (w *world) dump() string {
	w.t.Helper()
	accepted := must(w.writer.Dump(w.t.Context(), ""))
	if !w.scheduled {
		t, _, err := w.log.Task(accepted.TaskUID)
		if err != nil {
			w.t.Fatal(err)
		}
		return filepath.Join(w.dumps, must(w.dumper.Dump(w.t.Context(), t))+".dump")
	}
	w.idle()
	t, _, err := w.log.Task(accepted.TaskUID)
	if err != nil || t.Status != wire.Succeeded {
		w.t.Fatalf("%+v, %v", t, err)
	}
	var details struct{ DumpUID string }
	if err := json.Unmarshal(t.Details, &details); err != nil {
		w.t.Fatal(err)
	}
	return filepath.Join(w.dumps, details.DumpUID+".dump")
}

func (w *world) load(file string) error {
	return Import(w.t.Context(), file, ImportConfig{Log: w.log, Writer: w.writer, Placement: w.place, Progress: w.faults})
}

// tasks lists the queue as clients see it, oldest first.
func (w *world) tasks() []*wire.Task {
	page, _, err := w.log.Tasks(&wire.TaskQuery{Limit: 1000, Reverse: true})
	return must(page, err)
}
