package solo

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"path/filepath"
	"testing"
	"time"

	"shoal/api/payload"
	"shoal/api/settings"
	"shoal/consensus"
	"shoal/coordinator"
	"shoal/coordinator/admin"
	"shoal/coordinator/coordtest"
	"shoal/coordinator/documents"
	"shoal/coordinator/placement"
	"shoal/coordinator/queue"
	"shoal/coordinator/schedule"
	"shoal/coordinator/search"
	"shoal/shard"
	"shoal/wire"
)

// Self is the id of the only node.
const Self = wire.NodeID("one")

// Node is a single-node cluster. It ends with its test.
type Node struct {
	T         testing.TB
	Log       coordinator.Log
	Host      *shard.Host
	Blobs     *coordtest.Blobs
	Writer    *queue.Writer
	Documents *documents.Documents
	Placement placement.Placement
	Dir       string // of temporary files
	Quiet     *slog.Logger
}

// log is consensus.Group as the coordinator sees it.
type log struct{ *consensus.Group }

// Catalog returns the newest applied catalogue.
func (l log) Catalog() coordinator.Catalog { return l.Group.Catalog() }

// local are the shards of the only node.
type local struct{ *shard.Host }

func (s local) Resolve(ctx context.Context, _ wire.NodeID, r *wire.ResolveRequest) (*wire.ResolveReply, error) {
	return s.Host.Resolve(ctx, r)
}

func (s local) Build(ctx context.Context, _ wire.NodeID, r *wire.BuildRequest) (*wire.BuildReply, error) {
	return s.Host.Build(ctx, r)
}

func (s local) Embedding(ctx context.Context, _ wire.NodeID, r *wire.EmbeddingRequest) (*wire.EmbedderFigures, error) {
	return s.Host.Embedding(ctx, r)
}

func (s local) List(ctx context.Context, _ wire.NodeID, r *wire.ListRequest) (*wire.ListReply, error) {
	return s.Host.List(ctx, r)
}

func (s local) Suspect(wire.NodeID) bool { return false }

func (s local) OpenSearch(ctx context.Context, _ wire.NodeID, r *wire.SearchOpen) (wire.Session, error) {
	return s.Host.OpenSearch(ctx, r)
}

// Search returns the search of the node, with all features.
func (n *Node) Search() *search.Search { return n.SearchFrom(Self) }

// SearchFrom is Search as another node does it: the node in the test is of the first
// version of the contract, so others ask it for one shard at a time.
func (n *Node) SearchFrom(self wire.NodeID) *search.Search {
	return search.New(search.Config{
		Catalog: n.Log.Catalog, Shards: local{n.Host}, Self: self,
		Features: func() settings.Features { return settings.Features{ContainsFilter: true} },
	})
}

// Open starts a node. shards is the number of shards of new indexes, 0 as
// planned. Nothing runs until Schedule.
func Open(t testing.TB, shards int) *Node {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	n := &Node{
		T: t, Blobs: coordtest.NewBlobs(), Placement: placement.Placement{Shards: shards},
		Dir: t.TempDir(), Quiet: slog.New(slog.NewTextHandler(io.Discard, nil)),
	}
	group, err := consensus.Open(consensus.Config{
		Dir: t.TempDir(), NodeID: Self, Bootstrap: []wire.NodeID{Self}, Logger: n.Quiet, Listener: listener,
		Dial: func(wire.NodeID, time.Duration) (net.Conn, error) { return nil, errors.New("there is no other node") },
	})
	if err != nil {
		t.Fatal(err)
	}
	n.Log = log{group}
	n.Host, err = shard.Open(shard.Options{
		Dir: filepath.Join(n.Dir, "shards"), Node: Self, Log: n.Quiet,
		OpenPayload: func(ctx context.Context, p *wire.Payload) (io.ReadCloser, error) { return n.Blobs.Open(ctx, p.Blob) },
		Index:       func(id uint32) (*wire.Index, bool) { return group.Catalog().IndexByID(id) },
	})
	if err != nil {
		t.Fatal(errors.Join(err, group.Close()))
	}
	t.Cleanup(func() {
		if err := errors.Join(n.Host.Close(), group.Close()); err != nil {
			t.Error(err)
		}
	})
	n.Writer = queue.NewWriter(n.Log, n.Blobs, n.Dir)
	n.Documents = documents.New(n.Log, local{n.Host}, Self, admin.NewFeatures(n.Log, settings.Features{}).Features)
	n.Until("leadership", func() bool { _, ok := group.Leading(); return ok })
	must(group.Propose(t.Context(), &wire.Command{Update: &wire.Update{
		Changes: []wire.Change{{PutNode: &wire.Node{ID: Self, Data: true, Voter: true}}}}}))
	// The group itself writes it, and nothing later unless somebody asks.
	n.Until("the version of the log", func() bool { return group.Catalog().Program() > 0 })
	return n
}

// Schedule starts the scheduler.
func (n *Node) Schedule(jobs schedule.Jobs) {
	scheduler := schedule.NewScheduler(n.Log, local{n.Host}, n.Blobs, schedule.Config{
		Placement: n.Placement, Log: n.Quiet, Dir: n.Dir, Jobs: jobs})
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = scheduler.Run(ctx) // ends with ctx
	}()
	n.T.Cleanup(func() { stop(); <-done })
}

// Until waits for a condition that an applied entry brings about.
func (n *Node) Until(what string, ok func() bool) {
	n.T.Helper()
	limit := time.After(30 * time.Second)
	for {
		changed := n.Log.Changed()
		if ok() {
			return
		}
		select {
		case <-changed:
		case <-time.After(20 * time.Millisecond):
		case <-limit:
			n.T.Fatalf("%s: not within 30 s", what)
		}
	}
}

// Idle waits until every task has ended.
func (n *Node) Idle() {
	n.T.Helper()
	n.Until("all tasks", func() bool { return len(n.Log.Pending()) == 0 })
}

// must panics on an error: in a test's own goroutine that fails the test.
func must[V any](v V, err error) V {
	if err != nil {
		panic(err)
	}
	return v
}

// Upload enqueues documents given as NDJSON.
func (n *Node) Upload(uid, ndjson string) {
	n.T.Helper()
	must(n.Writer.AddDocuments(n.T.Context(), &payload.Upload{
		IndexUID: uid, Format: payload.NDJSON, CreateIndex: true, Body: bytes.NewReader([]byte(ndjson))}))
}

// Delete enqueues the deletion of documents by id.
func (n *Node) Delete(uid string, ids ...string) {
	n.T.Helper()
	must(n.Writer.DeleteDocuments(n.T.Context(), uid, ids, nil))
}

// Settings enqueues a change of settings given as JSON.
func (n *Node) Settings(uid, patch string) {
	n.T.Helper()
	p := &settings.Patch{}
	if err := p.UnmarshalJSON([]byte(patch)); err != nil {
		n.T.Fatal(err)
	}
	must(n.Writer.UpdateSettings(n.T.Context(), uid, p, false, true))
}

// Content is every document of an index, in order.
func (n *Node) Content(uid string) []string {
	n.T.Helper()
	x, ok := n.Log.Catalog().Index(uid)
	if !ok {
		n.T.Fatalf("no index %s", uid)
	}
	var docs []string
	must(n.Documents.Scan(n.T.Context(), x, nil, func(doc []byte) error {
		docs = append(docs, string(doc))
		return nil
	}))
	return docs
}

// Tasks lists the queue, oldest first.
func (n *Node) Tasks() []*wire.Task {
	page, _, err := n.Log.Tasks(&wire.TaskQuery{Limit: 10000, Reverse: true})
	return must(page, err)
}

// Batches lists the batches, newest first.
func (n *Node) Batches() []*wire.Batch {
	page, _, err := n.Log.Batches(&wire.TaskQuery{Limit: 10000})
	return must(page, err)
}
