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

// Guard names what a Commit or Update was computed against.
type Guard struct {
	IndexID uint32 `msgpack:"i"`
	Version uint64 `msgpack:"v"`
	// Aims, when not 0, is what Index.Aims must be. All nodes must know AimsSince.
	Aims uint64 `msgpack:"a"`
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

// Change is one catalogue primitive; exactly one member is set, Unchanged apart. A change that
// contradicts the state it meets (see PutIndex, SwapNames ...) refuses the whole
// Commit or Update: Result.Fenced, nothing is done.
type Change struct {
	// PutIndex replaces an index by ID. ID 0 assigns the next id (new index); an
	// ID at or above Catalog.NextIndexID also makes a new index under that id. An
	// ID that was dropped, another UID than the catalogue's, or a new index with
	// a name in use refuses. CreatedAt and UpdatedAt of 0 become the entry's time.
	// Replicas of shards that exist already are the catalogue's, whatever the
	// record says (only PutReplica and Commit.Holders change them), and in a
	// Commit so is ReplicaGoal; Deltas are cut to the newest 64.
	PutIndex *Index `msgpack:"pi"`
	// Unchanged goes with PutIndex: parts of the record that it lacks and that stay.
	Unchanged   *Unchanged     `msgpack:"kp"`
	DropIndex   *uint32        `msgpack:"di"`
	SwapNames   *[2]uint32     `msgpack:"sn"` // exchange the UIDs of two indexes, task history follows
	RenameIndex *Rename        `msgpack:"ri"` // task history follows
	PutKey      *Key           `msgpack:"pk"`
	DropKey     *string        `msgpack:"dk"` // by uid
	PutValue    *Value         `msgpack:"pv"` // empty JSON removes it
	PutNode     *Node          `msgpack:"pn"`
	DropNode    *NodeID        `msgpack:"dn"`
	PutReplica  *ReplicaChange `msgpack:"pr"`
	CancelTasks *CancelTasks   `msgpack:"ct"`
	DeleteTasks *DeleteTasks   `msgpack:"dt"`
}

// Rename gives an index another name.
type Rename struct {
	IndexID uint32 `msgpack:"i"`
	UID     string `msgpack:"u"`
	// Exchange: older tasks that named UID name the old uid from now on, as those of
	// a swap do (spec tasks-auth-ops-api 4.7). All nodes must know ExchangeSince.
	Exchange bool `msgpack:"x"`
}

// ExchangeSince is the Version that brought Rename.Exchange.
const ExchangeSince = 3

// ReplicaChange sets or removes one replica of one shard without touching the
// rest of the index record (which a running batch may be about to replace).
type ReplicaChange struct {
	IndexID uint32  `msgpack:"i"`
	Shard   uint16  `msgpack:"s"`
	Replica Replica `msgpack:"r"`
	Remove  bool    `msgpack:"rm"`
}

// CancelTasks marks tasks canceled by the task By.
type CancelTasks struct {
	UIDs []uint32 `msgpack:"u"`
	By   uint32   `msgpack:"b"`
}

// DeleteTasks removes finished tasks (and batches left without tasks).
type DeleteTasks struct {
	UIDs []uint32 `msgpack:"u"`
	// Bitmap is a second way to name tasks: a portable roaring bitmap, for sets
	// that would be too long as a list.
	Bitmap []byte `msgpack:"b"`
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
