package build

import (
	"encoding/binary"
	"errors"
	"sync"

	"shoal/shard/store"
	"shoal/wire"
)

// recordTables are the tables with one key per document, by row.
var recordTables = [...]store.Table{store.TableDocument, store.TableTokens, store.TableValues}

// records takes the records of a large build chunk by chunk and writes them directly to
// the delta's files. If documents come in the order of their rows, as in imports,
// there is nothing to sort or merge, and records are most of the data. Chunks come from
// all workers and are written in order. Safe for concurrent use.
type records struct {
	keys  store.Keyspace
	sinks [len(recordTables)]*store.Sink
	// most is how many chunks a worker may be ahead of the next one to write.
	most int

	mu    sync.Mutex
	moved *sync.Cond // next or failed has changed
	next  int
	early map[int]*recordBuffer
	free  []*recordBuffer
	// failed: a worker failed, and its chunk will never come.
	failed bool
	key    []byte
}

// recordBuffer is what one chunk writes to each table: row, length plus one (0
// deletes the key), value.
type recordBuffer [len(recordTables)][]byte

func newRecords(s *store.Store, head *store.Head, keys store.Keyspace, l store.Limits, workers int) *records {
	r := &records{keys: keys, most: 4 * workers, early: map[int]*recordBuffer{}}
	r.moved = sync.NewCond(&r.mu)
	for i, t := range recordTables {
		r.sinks[i] = s.NewRecordSink(head, t, l)
	}
	return r
}

// put adds the record of a document; nil deletes it. It returns false if the table is
// not one of recordTables.
func (b *recordBuffer) put(t store.Table, ord uint32, value []byte) bool {
	for i, own := range recordTables {
		if t == own {
			length := uint32(0)
			if value != nil {
				length = uint32(len(value)) + 1
			}
			b[i] = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(b[i], ord), length)
			b[i] = append(b[i], value...)
			return true
		}
	}
	return false
}

// buffer returns an empty buffer.
func (r *records) buffer() *recordBuffer {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := len(r.free)
	if n == 0 {
		return new(recordBuffer)
	}
	b := r.free[n-1]
	r.free = r.free[:n-1]
	for i := range b {
		b[i] = b[i][:0]
	}
	return b
}

// errGivenUp: another worker failed, and its error is the error of the build.
var errGivenUp = errors.New("shard: another worker of the build has failed")

// write takes the buffer of a chunk. It waits while too many earlier chunks are
// missing.
func (r *records) write(seq int, b *recordBuffer) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for seq >= r.next+r.most && !r.failed {
		r.moved.Wait()
	}
	if r.failed {
		return errGivenUp
	}
	r.early[seq] = b
	for b := r.early[r.next]; b != nil; b = r.early[r.next] {
		if err := r.emit(b); err != nil {
			return err
		}
		delete(r.early, r.next)
		r.free = append(r.free, b)
		r.next++
		r.moved.Broadcast()
	}
	return nil
}

// giveUp ends all waiting, because a chunk will not come.
func (r *records) giveUp() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failed = true
	r.moved.Broadcast()
}

func (r *records) emit(b *recordBuffer) error {
	for i, t := range recordTables {
		for rest := b[i]; len(rest) > 0; {
			ord, length := binary.LittleEndian.Uint32(rest), binary.LittleEndian.Uint32(rest[4:])
			rest = rest[8:]
			r.key = r.keys.Row(r.key[:0], t, ord)
			o := store.Op{Kind: store.OpDelete, Key: r.key}
			if length > 0 {
				o.Kind, o.Value = store.OpSet, rest[:length-1]
				rest = rest[length-1:]
			}
			if err := r.sinks[i].Add(o); err != nil {
				return err
			}
		}
	}
	return nil
}

// remove removes all files that did not become the delta's.
func (r *records) remove() error {
	var err error
	for _, s := range r.sinks {
		err = errors.Join(err, s.Remove())
	}
	return err
}

// ascending reports whether the documents of a build come in the order of their
// rows, each once. Then their records can be written as they come.
func (b *builder) ascending() bool {
	f := b.fold
	if len(f.edited) > 0 || len(b.drops()) > 0 {
		return false
	}
	for i := range f.entries {
		if e := &f.entries[i]; e.base && !e.alive || e.frames > 1 {
			return false
		}
	}
	last, seq := -1, uint32(0)
	for _, op := range f.frames {
		for _, at := range op {
			e := &f.entries[at]
			if seq++; !e.alive || seq-1 < e.first || e.frames == 0 {
				continue
			}
			if int(e.ord) <= last {
				return false
			}
			last = int(e.ord)
		}
	}
	return true
}

// payloads returns the size of all documents of the request.
func payloads(req *wire.BuildRequest) (n int64) {
	for i := range req.Ops {
		n += req.Ops[i].Payload.RawSize
	}
	return n
}
