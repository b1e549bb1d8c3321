package coordinator

import (
	"context"
	"io"

	"shoal/api/decode"
	"shoal/wire"
)

// Log is the replicated catalogue and task log. Package consensus implements it and node
// connects it. All methods are safe for concurrent use.
type Log interface {
	// Catalog returns the newest applied catalogue. It is immutable and never nil. The call
	// takes no lock.
	Catalog() Catalog
	// Propose appends one command (on the leader, or forwarded to it) and waits
	// until this node has applied it. A retry with the same request id is safe.
	// Errors: wire.ErrNoLeader within 5 s without a quorum.
	Propose(ctx context.Context, cmd *wire.Command) (*wire.Result, error)
	// Barrier waits until this node has applied everything that was committed
	// when it was called. Errors: wire.ErrNoLeader.
	Barrier(ctx context.Context) error
	// Task returns one record, or ok=false when there is none. It reads this node's state: call
	// Barrier before answering 404.
	Task(uid uint32) (*wire.Task, bool, error)
	Batch(uid uint32) (*wire.Batch, bool, error)
	// Tasks and Batches list at most q.Limit records, newest first, or oldest first with
	// Reverse. total counts all matches before From is applied.
	Tasks(q *wire.TaskQuery) (page []*wire.Task, total uint64, err error)
	Batches(q *wire.TaskQuery) (page []*wire.Batch, total uint64, err error)
	// TaskUIDs returns every uid that matches, ascending (From/Limit ignored).
	TaskUIDs(q *wire.TaskQuery) ([]uint32, error)
	// Pending returns the unfinished tasks in uid order.
	Pending() []*wire.Task
	// Changed returns a channel that closes at the next applied entry, and when the result of
	// Leading changes.
	Changed() <-chan struct{}
	// Leading tells whether this node leads, and in which term. A leader has
	// applied every entry of earlier terms before it reports true.
	Leading() (term uint64, ok bool)
	// Lease tells whether this node may serve task routes: the leader renewed its lease less
	// than 0.9 s ago. Otherwise it tells how old the state of this node is.
	Lease() (fresh bool, staleSeconds int)
	// Visible tells whether every leased node has applied the log index that
	// finished this task, so that "succeeded" may be shown (architecture 4).
	Visible(uid uint32) bool
	// Settled returns a function that reports whether Visible holds for all tasks that this node
	// knows now.
	Settled() func() bool
}

// Catalog is one immutable state of the cluster's metadata. Returned values are
// shared: do not modify (clone an Index first).
type Catalog interface {
	// Applied is the log index that produced this state.
	Applied() uint64
	ClusterID() string
	// Index returns the index with this uid. It knows no aliases: names that clients send to
	// read or write go through Named.
	Index(uid string) (*wire.Index, bool)
	IndexByID(id uint32) (*wire.Index, bool)
	// Indexes lists all indexes by uid.
	Indexes() []*wire.Index
	// Alias returns an alias by its name. Aliases lists all by name. See Named.
	Alias(name string) (*wire.Alias, bool)
	Aliases() []*wire.Alias
	Key(uid string) (*wire.Key, bool)
	Keys() []*wire.Key
	Value(name string) (wire.Value, bool)
	Node(id wire.NodeID) (*wire.Node, bool)
	Nodes() []*wire.Node
	// Spoken is the wire.Version of the log's entries. All members understand that version, and
	// so must every node that joins.
	Spoken() int
	LastTask() (uid uint32, any bool)
	StageEpoch() uint64
}

// Shards reaches the replicas of shards on any node. On this node it makes a local call. Errors
// are *apierr.Error or the conditions of wire.
type Shards interface {
	Resolve(ctx context.Context, node wire.NodeID, r *wire.ResolveRequest) (*wire.ResolveReply, error)
	Build(ctx context.Context, node wire.NodeID, r *wire.BuildRequest) (*wire.BuildReply, error)
	// Embedding tells how far a running build is with vectors from embedders. Nodes of older
	// versions refuse it.
	Embedding(ctx context.Context, node wire.NodeID, r *wire.EmbeddingRequest) (*wire.EmbedderFigures, error)
	List(ctx context.Context, node wire.NodeID, r *wire.ListRequest) (*wire.ListReply, error)
	// OpenSearch starts a session on one View. The caller must close it.
	OpenSearch(ctx context.Context, node wire.NodeID, r *wire.SearchOpen) (wire.Session, error)
	// Suspect tells whether a node seems not to answer at the moment; such a node is asked
	// last. It returns at once.
	Suspect(node wire.NodeID) bool
}

// Blobs holds staged payloads on this and other nodes.
type Blobs interface {
	// Stage stores the content durably on f+1 nodes and returns where they are.
	Stage(ctx context.Context, content io.Reader, size int64) (*wire.BlobRef, uint64, error)
	// Open reads a blob from this node or the nearest holder.
	Open(ctx context.Context, ref *wire.BlobRef) (io.ReadCloser, error)
}

// Outbound sends HTTP requests to the outside, through the HTTP client that node provides.
// headers override the client's own.
type Outbound interface {
	// Post sends body to url and returns the status and at most limit bytes of the answer. err
	// means that no answer came.
	Post(ctx context.Context, url string, headers []decode.Entry[string], body []byte, limit int64) (status int, answer []byte, err error)
}
