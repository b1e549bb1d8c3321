package restore

import (
	"context"

	"shoal/wire"
)

// entryBytes is about the size of one log entry of restored records.
const entryBytes = 256 << 10

// largestRecord bounds a task record in an entry. The parameters of a larger finished task are
// omitted, because only dumps read them.
const largestRecord = 1 << 20

// Task appends a task to the restored queue. Uids must ascend. A running task becomes enqueued.
// Its payload must be staged after ClearQueue.
func (s *Session) Task(ctx context.Context, t *wire.Task) error {
	r := *t
	if r.Status == wire.Processing {
		r.Status, r.Batch, r.StartedAt = wire.Enqueued, nil, 0
	}
	size := len(r.Body) + len(r.Details) + len(r.Payload.Inline) + 256
	if size > largestRecord && r.Status > wire.Processing {
		size -= len(r.Body)
		r.Body = nil
		if size > largestRecord {
			size -= len(r.Details)
			r.Details = nil
		}
	}
	s.next.Tasks = append(s.next.Tasks, r)
	return s.grown(ctx, size)
}

// Batch appends a finished batch. Uids must ascend, and its tasks must have been appended and
// flushed before.
func (s *Session) Batch(ctx context.Context, b *wire.Batch) error {
	s.next.Batches = append(s.next.Batches, *b)
	return s.grown(ctx, len(b.Details)+len(b.Stats)+len(b.Strategy)+8*len(b.Tasks)+128)
}

// Numbers raises the numbers of the next task and batch to at least these.
func (s *Session) Numbers(task, batch uint64) { s.next.NextTask, s.next.NextBatch = task, batch }

// Flush writes the appended records.
func (s *Session) Flush(ctx context.Context) error {
	sent := s.next
	s.next, s.size = wire.Restore{}, 0
	return ProposeRestore(ctx, s.log, &sent)
}

func (s *Session) grown(ctx context.Context, size int) error {
	if s.size += size; s.size < entryBytes {
		return nil
	}
	return s.Flush(ctx)
}
