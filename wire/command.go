package wire

// Command is one entry of the Raft log: exactly one member is set. Apply is a
// pure function of the entry and the state before it: At (the leader's clock,
// UnixNano, made monotonic by the leader) is the only time it sees.
type Command struct {
	At      int64        `msgpack:"at"`
	Enqueue *Enqueue     `msgpack:"e"`
	Start   *Start       `msgpack:"s"`
	Commit  []Commit     `msgpack:"c"`
	Update  *Update      `msgpack:"u"`
	Delete  *DeleteTasks `msgpack:"d"`
	// Epoch raises the stage epoch: blobs staged under an older one than
	// MinStageEpoch are refused from now on (architecture 5.10).
	Epoch *RaiseEpoch `msgpack:"ep"`
	// Restore appends records of an earlier cluster.
	Restore *Restore `msgpack:"rs"`
}

// Enqueue appends a task. RequestID makes retries safe: the same id gives the
// same task.
type Enqueue struct {
	RequestID string `msgpack:"r"`
	Task      Task   `msgpack:"t"` // UID, times and status are assigned by Apply
	// StageEpoch is the epoch under which the payload's blob was staged.
	StageEpoch uint64 `msgpack:"se"`
}

// Start records that a batch is processing. Written when a batch takes longer
// than 25 ms; a new leader resumes exactly this batch.
type Start struct {
	Term  uint64 `msgpack:"tm"`
	Batch Batch  `msgpack:"b"` // UID is assigned by Apply when Batch.UID is NoBatch
}

// NoBatch asks Apply to assign the next batch uid.
const NoBatch = ^uint32(0)

// Commit ends a batch: it publishes versions, changes the catalogue and finishes
// the tasks in one step. A batch without effect (upstream's "failed") is a
// Commit whose Changes hold no new version.
type Commit struct {
	Term    uint64       `msgpack:"tm"`
	Batch   Batch        `msgpack:"b"` // as in Start; UID NoBatch when never started
	Results []TaskResult `msgpack:"r"`
	Changes []Change     `msgpack:"ch"`
	// Guards must all hold or the commit is refused whole with ErrFenced.
	Guards []Guard `msgpack:"g"`
	// Holders lists, for each shard that gets a new version, the nodes that hold
	// its delta. An in-sync replica on another node leaves the in-sync set in
	// this entry (it becomes Copying); a shard that would be left without an
	// in-sync holder refuses the commit. A shard not listed keeps its set.
	Holders []ShardHolders `msgpack:"h"`
}

// ShardHolders names the nodes that made the delta of one shard durable.
type ShardHolders struct {
	IndexID uint32   `msgpack:"i"`
	Shard   uint16   `msgpack:"s"`
	Nodes   []NodeID `msgpack:"n"`
}

// TaskResult finishes one task.
type TaskResult struct {
	UID        uint32   `msgpack:"u"`
	Status     Status   `msgpack:"s"`
	Details    []byte   `msgpack:"d"` // JSON; nil keeps the old details
	Error      *Failure `msgpack:"e"`
	CanceledBy *uint32  `msgpack:"cb"`
}

// Update changes the catalogue outside of any batch (keys, features, network,
// nodes, replica states ...).
type Update struct {
	RequestID string   `msgpack:"r"`
	Changes   []Change `msgpack:"c"`
	Guards    []Guard  `msgpack:"g"`
	// CompareValue, when set, must equal the current JSON of that value
	// (read-modify-write of features, network, webhooks).
	CompareValue *Value `msgpack:"cv"`
	// AbsentKey, when set, must not be the uid of an existing key (creation of a
	// key with a uid chosen by the client).
	AbsentKey *string `msgpack:"ak"`
	// Everywhere makes Propose return only when every node with a lease has
	// applied the entry: what a client changed on one node it finds on the next.
	// It is no part of the entry.
	Everywhere bool `msgpack:"-"`
}

// RaiseEpoch see Command.Epoch.
type RaiseEpoch struct {
	StageEpoch    uint64 `msgpack:"e"`
	MinStageEpoch uint64 `msgpack:"m"`
}

// Result is what a proposal returns once its entry is applied on the proposer's
// side of the link.
type Result struct {
	Index   uint64   `msgpack:"i"` // log index
	At      int64    `msgpack:"a"` // Update: log time of the entry that was applied
	Task    *Task    `msgpack:"t"` // Enqueue: the accepted task
	Batches []uint32 `msgpack:"b"` // Start/Commit: batch uids assigned, in order
	Indexes []uint32 `msgpack:"x"` // ids assigned to new indexes, in order
	// Restage: the blob's epoch is too old, stage it again (same request id).
	Restage bool `msgpack:"rs"`
	// Fenced: refused because a guard or the term no longer holds. With several
	// commits in one entry: at least one of them was; see Commits.
	Fenced bool `msgpack:"f"`
	// Commits has one element for each element of Command.Commit.
	Commits []CommitResult `msgpack:"c"`
	// Deleted counts the tasks that DeleteTasks really removed.
	Deleted uint64 `msgpack:"dl"`
}

// CommitResult is the outcome of one Commit of an entry.
type CommitResult struct {
	Fenced  bool     `msgpack:"f"`
	Batch   uint32   `msgpack:"b"` // NoBatch when nothing was stored
	Indexes []uint32 `msgpack:"x"` // ids assigned to its new indexes, in order
}

// Restore appends records of an earlier cluster to the queue: tasks and batches
// with the uids, states and times they had there. It is how a dump or a snapshot
// is read; nothing else writes records that way.
//
// Tasks and batches are ascending and none lies below the counter of its kind,
// which it raises; a Restore that says otherwise is refused whole
// (Result.Fenced). A batch takes its filters from the tasks it lists, so those
// come first, in this entry or an earlier one. Payloads of unfinished tasks must
// be staged already; the stage epoch does not rise while a restoration lasts.
type Restore struct {
	RequestID string  `msgpack:"r"`
	Tasks     []Task  `msgpack:"t"`
	Batches   []Batch `msgpack:"b"`
	// Reset sets both counters to zero before anything else. It is refused while
	// any task or batch is stored.
	Reset bool `msgpack:"z"`
	// NextTask and NextBatch raise the counters at the end.
	NextTask  uint64 `msgpack:"nt"`
	NextBatch uint64 `msgpack:"nb"`
}
