package wire

import "shoal/api/apierr"

// ShardKey identifies one shard of one index.
type ShardKey struct {
	IndexID uint32 `msgpack:"i"`
	Shard   uint16 `msgpack:"s"`
}

// OpKind is the operation of one task on documents.
type OpKind uint8

// Operations of a batch, in task order.
const (
	OpReplace      OpKind = iota // POST documents
	OpUpdate                     // PUT documents: merge top-level members
	OpDeleteIDs                  // delete by external ids
	OpDeleteFilter               // delete by filter, evaluated before the batch
	OpEdit                       // documents by function
	OpClear                      // delete everything
)

// Op is one task's part of a batch for one shard. The slots determine which documents of the
// payload belong to the shard. Positions count documents over the whole batch (all tasks, all
// shards), so that first appearances have one order.
type Op struct {
	Kind         OpKind   `msgpack:"k"`
	Task         uint32   `msgpack:"t"`
	Payload      Payload  `msgpack:"p"`  // staged form, see coordinator/ingest
	FirstPos     uint64   `msgpack:"fp"` // position of the payload's first document
	IDs          []string `msgpack:"ids"`
	Filter       []byte   `msgpack:"f"` // JSON as the client sent it
	SkipCreation bool     `msgpack:"sc"`
	Function     []byte   `msgpack:"fn"` // OpEdit: JSON {function, context}
	// StoredVectors: the documents come from a shard, with their vectors in stored form
	// (staged.CutVectors).
	StoredVectors bool `msgpack:"sv"`
}

// BuildRequest asks an in-sync replica to compute the delta from Base to Base+1 and to ship it
// to the other in-sync replicas.
type BuildRequest struct {
	Key     ShardKey `msgpack:"k"`
	UID     string   `msgpack:"u"` // index uid, for error messages
	SlotLo  uint32   `msgpack:"lo"`
	SlotHi  uint32   `msgpack:"hi"`
	Term    uint64   `msgpack:"tm"`
	Base    uint64   `msgpack:"b"`
	DeltaID string   `msgpack:"d"` // unique per attempt
	// BaseDelta is the delta that led to Base on this shard ("" for none so far). The builder
	// may install it before its own log has reported it. It is valid only when HasBase is set.
	BaseDelta string `msgpack:"bd"`
	HasBase   bool   `msgpack:"hb"`
	// PrimaryKey, Settings (JSON of settings.Settings), Fields and Generations are those after
	// the batch.
	PrimaryKey  string      `msgpack:"pk"`
	Settings    []byte      `msgpack:"st"`
	Fields      []string    `msgpack:"fl"`
	Generations Generations `msgpack:"g"`
	// OldSettings and OldGenerations are those of Base. A group whose number differs is rebuilt
	// from the stored documents.
	OldSettings    []byte      `msgpack:"ost"`
	OldGenerations Generations `msgpack:"og"`
	Ops            []Op        `msgpack:"o"`
	// Ordinals are those of the shard's new ids, by first appearance (the order of
	// ResolveReply.New). It is nil with one shard: the builder then assigns the smallest free
	// ordinals itself.
	Ordinals    []uint32 `msgpack:"or"`
	HasOrdinals bool     `msgpack:"ho"`
	// Rows: the shard numbers its documents without gaps, if it is empty so far.
	Rows bool `msgpack:"rw"`
	// Holders are the other in-sync replicas to ship to.
	Holders []NodeID `msgpack:"h"`
	// Silent are those of Holders that seem not to answer. The builder waits for them only
	// briefly.
	Silent []NodeID `msgpack:"sil"`
	// Deaths counts the ends of the builder's processes during this batch, as far as the caller
	// knows. If there were more, the answer is ErrDied.
	Deaths int `msgpack:"de"`
	// Task is a task of the batch, nil when it has none (a change of the shard count). Once the
	// log has a result for it, the batch is over, published or not.
	Task *uint32 `msgpack:"ta"`
	// Attempt numbers the attempts of a term. Attempts on this shard from LostFrom up to, but
	// not including, this one can no longer be committed.
	Attempt  uint64 `msgpack:"at"`
	LostFrom uint64 `msgpack:"lf"`
}

// BuildReply reports a delta that is durable as pending on Holders (including the builder), or
// the first deterministic error.
type BuildReply struct {
	DeltaID string     `msgpack:"d"`
	Bytes   int64      `msgpack:"b"`
	Holders []NodeID   `msgpack:"h"`
	Stats   ShardStats `msgpack:"s"` // after the delta
	// Counts has an element per task, in the order of Ops.
	Counts []OpCount `msgpack:"c"`
	// NewFields are names that the build found (edit by function) and that the request's Fields
	// lack, in first-seen order. If there are any, nothing was built.
	NewFields []string `msgpack:"nf"`
	// Err is the first error in (task, position) order; nothing was built.
	Err *BuildError `msgpack:"e"`
	// Embedders are the calls to embedders, of a build that failed, too.
	Embedders EmbedderFigures `msgpack:"em"`
}

// EmbedderFigures tell how far a build is with the vectors that embedders make.
type EmbedderFigures struct {
	// Documents have their vectors now, of the Wanted that were found to lack some so far.
	Documents uint64 `msgpack:"d"`
	Wanted    uint64 `msgpack:"w"`
	// Requests are the calls that ended, Failed those without a usable answer.
	Requests uint64 `msgpack:"r"`
	Failed   uint64 `msgpack:"f"`
	// LastError is the text of the latest failure.
	LastError string `msgpack:"e"`
	// Waiting is the number of calls that pause at the moment before they are repeated.
	Waiting uint64 `msgpack:"p"`
}

// Add adds the figures of another build.
func (f *EmbedderFigures) Add(o *EmbedderFigures) {
	f.Documents, f.Wanted = f.Documents+o.Documents, f.Wanted+o.Wanted
	f.Requests, f.Failed, f.Waiting = f.Requests+o.Requests, f.Failed+o.Failed, f.Waiting+o.Waiting
	if o.LastError != "" {
		f.LastError = o.LastError
	}
}

// EmbeddingRequest asks a builder for the figures of a running build, by its delta. The
// reply is an EmbedderFigures, of zeros for a build that is not running.
type EmbeddingRequest struct {
	DeltaID string `msgpack:"d"`
}

// OpCount counts one task's documents on one shard.
type OpCount struct {
	Task    uint32 `msgpack:"t"`
	Matched uint64 `msgpack:"m"`  // documents deleted/edited by it
	Deleted uint64 `msgpack:"dl"` // edit: documents deleted by the function
}

// Stage is a check of the documents of a batch. Each is made for all documents before the next
// one, so its errors come first, whichever documents have them.
type Stage uint8

// The stages of a batch.
const (
	StageStored  Stage = iota // documents are put together and stored
	StageFacets               // values and places are read
	StageVectors              // given vectors are read
	StageMissing              // documents without vectors are found, by embedder
	StageShapes               // shapes are read
)

// BuildError is an error that every builder would report alike. Derived, Stage, Task, Position
// and Place order the errors of several shards. FailsTask: only that task fails, otherwise the
// whole batch.
type BuildError struct {
	// Derived: the error was found in a resulting document, at a Stage. These are checked
	// after all operations.
	Derived   bool    `msgpack:"dr"`
	Stage     Stage   `msgpack:"st"`
	Task      uint32  `msgpack:"t"`
	Position  uint64  `msgpack:"p"`
	Place     int     `msgpack:"pl"` // of apierr.Error
	FailsTask bool    `msgpack:"ft"`
	Failure   Failure `msgpack:"f"`
	// Vectors is set when documents could not be embedded. The findings of all shards are
	// joined before they are shown.
	Vectors *apierr.MissingVectors `msgpack:"v"`
}

// Before tells whether a single builder with all documents would find e before o.
func (e *BuildError) Before(o *BuildError) bool {
	switch {
	case e.rank() != o.rank():
		return e.rank() < o.rank()
	case e.Vectors != nil && e.Vectors.Embedder != o.Vectors.Embedder:
		return e.Vectors.Embedder < o.Vectors.Embedder
	case e.Task != o.Task:
		return e.Task < o.Task
	case e.Position != o.Position:
		return e.Position < o.Position
	}
	return apierr.PlaceBefore(e.Place, o.Place)
}

// rank orders errors by what was checked.
func (e *BuildError) rank() int {
	switch {
	case e.Vectors != nil:
		return 1 + int(StageMissing)
	case !e.Derived:
		return 0
	}
	return 1 + int(e.Stage)
}

// ResolveRequest asks which payload positions bring new documents to a shard.
type ResolveRequest struct {
	Key        ShardKey `msgpack:"k"`
	SlotLo     uint32   `msgpack:"lo"`
	SlotHi     uint32   `msgpack:"hi"`
	Base       uint64   `msgpack:"b"`
	PrimaryKey string   `msgpack:"pk"`
	Ops        []Op     `msgpack:"o"`
	// BaseDelta and HasBase are those of BuildRequest.
	BaseDelta string `msgpack:"bd"`
	HasBase   bool   `msgpack:"hb"`
	// WantLive also asks for the shard's live ordinals, for a leader that does not know the
	// index's free ordinals yet.
	WantLive bool `msgpack:"wl"`
}

// ResolveReply lists the positions (first appearance) of ids that the shard lacks, ascending.
type ResolveReply struct {
	New  []uint64 `msgpack:"n"`
	Live []byte   `msgpack:"l"` // portable roaring bitmap
}

// PendingRef identifies one shipped delta.
type PendingRef struct {
	Key     ShardKey `msgpack:"k"`
	Term    uint64   `msgpack:"t"`
	Base    uint64   `msgpack:"b"`
	DeltaID string   `msgpack:"d"`
}

// PinnedIndex identifies exactly the state of an index that a request reads, as in the caller's
// catalogue.
type PinnedIndex struct {
	Key             ShardKey    `msgpack:"k"`
	Version         uint64      `msgpack:"v"`
	DeltaID         string      `msgpack:"d"` // of Version; a holder may install it before its log reports it
	Generations     Generations `msgpack:"g"`
	SettingsVersion uint64      `msgpack:"sv"`
	// Settings and Fields are sent when the replica needs them (it answered ErrBehind because
	// its catalogue lags); nil means the replica's own.
	Settings   []byte   `msgpack:"st"`
	Fields     []string `msgpack:"fl"`
	PrimaryKey string   `msgpack:"pk"`
}
