package wire

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
