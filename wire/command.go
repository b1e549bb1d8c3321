package wire

// Command is one entry of the Raft log. Exactly one member is set, besides At. Apply is a pure
// function of the entry and the state before it. At (the leader's clock, UnixNano, made
// monotonic by the leader) is the only time that it sees.
type Command struct {
	At      int64        `msgpack:"at"`
	Enqueue *Enqueue     `msgpack:"e"`
	Start   *Start       `msgpack:"s"`
	Commit  []Commit     `msgpack:"c"`
	Update  *Update      `msgpack:"u"`
	Delete  *DeleteTasks `msgpack:"d"`
	// Epoch raises the stage epoch. Blobs staged under an epoch before MinStageEpoch are
	// refused from now on (architecture 5.10).
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
	// Aliases: names of indexes in Task may be aliases. Apply replaces them by the uids that they
	// point to, so that tasks before and after a turn in the log are those of the old and the
	// new index. All nodes must know AliasesSince.
	Aliases bool `msgpack:"al"`
}

// Start records that a batch is processing. It is written when a batch takes longer than 25 ms.
// A new leader resumes exactly this batch.
type Start struct {
	Term  uint64 `msgpack:"tm"`
	Batch Batch  `msgpack:"b"` // UID is assigned by Apply when Batch.UID is NoBatch
}

// NoBatch asks Apply to assign the next batch uid.
const NoBatch = ^uint32(0)

// Commit ends a batch: it publishes versions, changes the catalogue and finishes the tasks in
// one step. For a batch without effect ("failed" in the reference), Changes contain no new
// version.
type Commit struct {
	Term    uint64       `msgpack:"tm"`
	Batch   Batch        `msgpack:"b"` // as in Start; UID NoBatch when never started
	Results []TaskResult `msgpack:"r"`
	Changes []Change     `msgpack:"ch"`
	// Guards must all hold, or the whole commit is refused with ErrFenced.
	Guards []Guard `msgpack:"g"`
	// Holders lists, for each shard with a new version, the nodes that hold its delta. An
	// in-sync replica on another node leaves the in-sync set in this entry (it becomes
	// Copying). A shard that would be left without an in-sync holder makes the commit be
	// refused. A shard that is not listed keeps its set.
	Holders []ShardHolders `msgpack:"h"`
}

// ShardHolders lists the nodes that made the delta of one shard durable.
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
	// CompareValue, when set, must equal the current JSON of that value (read-modify-write of
	// features, network, webhooks).
	CompareValue *Value `msgpack:"cv"`
	// AbsentKey, when set, must not be the uid of an existing key (creation of a key with a uid
	// that the client chose).
	AbsentKey *string `msgpack:"ak"`
	// Everywhere makes Propose return only when every node with a lease has applied the entry,
	// so that a client finds its change on any node. It is not part of the entry.
	Everywhere bool `msgpack:"-"`
}

// RaiseEpoch is described at Command.Epoch.
type RaiseEpoch struct {
	StageEpoch    uint64 `msgpack:"e"`
	MinStageEpoch uint64 `msgpack:"m"`
}

// Result is the outcome of a proposal, once its entry is applied on the proposing node.
type Result struct {
	Index   uint64   `msgpack:"i"` // log index
	At      int64    `msgpack:"a"` // Update: log time of the entry that was applied
	Task    *Task    `msgpack:"t"` // Enqueue: the accepted task
	Batches []uint32 `msgpack:"b"` // Start/Commit: batch uids assigned, in order
	Indexes []uint32 `msgpack:"x"` // ids assigned to new indexes, in order
	// Restage: the blob's epoch is too old, stage it again (same request id).
	Restage bool `msgpack:"rs"`
	// Fenced: refused because a guard or the term no longer holds. With several commits in one
	// entry, at least one of them was refused; see Commits.
	Fenced bool `msgpack:"f"`
	// Commits has one element for each element of Command.Commit.
	Commits []CommitResult `msgpack:"c"`
	// Deleted counts the tasks that DeleteTasks actually removed.
	Deleted uint64 `msgpack:"dl"`
}

// CommitResult is the outcome of one Commit of an entry.
type CommitResult struct {
	Fenced  bool     `msgpack:"f"`
	Batch   uint32   `msgpack:"b"` // NoBatch when nothing was stored
	Indexes []uint32 `msgpack:"x"` // ids assigned to its new indexes, in order
}

// Restore appends records of an earlier cluster to the queue: tasks and batches with their
// original uids, states and times. Imports of dumps and snapshots use it; nothing else writes
// records that way.
//
// Tasks and batches are ascending, and none is below the counter of its kind, which it raises.
// Otherwise the whole Restore is refused (Result.Fenced). A batch takes its filters from the
// tasks that it lists, so these must come first, in this entry or an earlier one. Payloads of
// unfinished tasks must be staged already; the stage epoch does not rise during a restoration.
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
