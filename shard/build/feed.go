package build

import (
	"bytes"
	"context"

	"shoal/shard/docset"
	"shoal/shard/extract"
)

// feeder turns the folded operations into jobs. It reads the payloads a second time,
// collects the surviving frames of each document and sends chunks.
type feeder struct {
	b    *builder
	send func(*chunk) error
	cur  *chunk
	seq  int
	// block is the size of the last arena.
	block int
	// waiting holds the frames of documents with several frames.
	waiting map[int32][]heldFrame
}

// heldFrame is a frame with its task and its position in the batch.
type heldFrame struct {
	task     uint32
	position uint64
	doc      []byte
}

func (f *feeder) all(ctx context.Context) error {
	f.waiting = make(map[int32][]heldFrame)
	fold := f.b.fold
	seq := uint32(0)
	for i := range f.b.req.Ops {
		if len(fold.frames[i]) == 0 {
			continue
		}
		op, n := &f.b.req.Ops[i], 0
		err := f.b.env.readPayload(ctx, op, f.b.req.PrimaryKey, f.b.req.SlotLo, f.b.req.SlotHi, func(_ string, doc []byte, position uint64) error {
			at := fold.frames[i][n]
			n++
			seq++
			return f.frame(at, seq-1, doc, job{task: op.Task, position: position, storedVectors: op.StoredVectors})
		})
		if err != nil {
			return err
		}
	}
	for i := range fold.entries {
		if err := f.rest(int32(i)); err != nil {
			return err
		}
	}
	if err := f.rebuild(ctx); err != nil {
		return err
	}
	return f.flush()
}

// frame handles one document of a payload.
func (f *feeder) frame(at int32, seq uint32, doc []byte, j job) error {
	e := &f.b.fold.entries[at]
	if !e.alive || seq < e.first || e.frames == 0 {
		return nil // a later operation canceled it
	}
	if e.frames == 1 {
		return f.add(e, j, doc)
	}
	held := append(f.waiting[at], heldFrame{j.task, j.position, bytes.Clone(doc)})
	if len(held) < int(e.frames) {
		f.waiting[at] = held
		return nil
	}
	delete(f.waiting, at)
	frames, err := merged(held, j.storedVectors)
	if err != nil {
		return err
	}
	j.position = held[0].position // of several faulty documents the one that began first is named
	return f.add(e, j, frames...)
}

// merged returns the frames of one document. It removes a _vectors member that a later
// frame of the same task replaces: versions of a document in one upload are merged
// member by member before they meet the stored document (spec write-api 6.1).
func merged(held []heldFrame, storedVectors bool) ([][]byte, error) {
	frames := make([][]byte, len(held))
	replaced := map[uint32]bool{}
	for i := len(held) - 1; i >= 0; i-- {
		frames[i] = held[i].doc
		if storedVectors {
			continue
		}
		without, found, err := extract.CutMember(held[i].doc, extract.Vectors)
		if err != nil {
			return nil, err
		}
		if found && replaced[held[i].task] {
			frames[i] = without
		}
		replaced[held[i].task] = replaced[held[i].task] || found
	}
	return frames, nil
}

// rest handles documents without frames: deleted and edited ones.
func (f *feeder) rest(at int32) error {
	e := &f.b.fold.entries[at]
	switch whole, edited := f.b.fold.edited[at]; {
	case e.base && !e.alive:
		return f.add(e, job{remove: true})
	case edited && e.alive:
		return f.add(e, job{whole: whole})
	}
	return nil
}

// add adds a job to the present chunk. Frames are copied.
func (f *feeder) add(e *entry, j job, frames ...[]byte) error {
	if f.cur == nil {
		f.cur = &chunk{seq: f.seq}
		f.seq++
	}
	c := f.cur
	j.id, j.ord, j.ordinal, j.base, j.fresh, j.lost = e.id, e.ord, e.ordinal, e.base, e.fresh, e.lost
	for _, frame := range frames {
		if cap(c.arena)-len(c.arena) < len(frame) {
			f.block = min(max(2*f.block, leastArena), f.b.env.Limits.ChunkBytes/4)
			c.arena = make([]byte, 0, max(len(frame), f.block))
		}
		at := len(c.arena)
		c.arena = append(c.arena, frame...)
		j.frames = append(j.frames, c.arena[at:len(c.arena):len(c.arena)])
	}
	c.jobs = append(c.jobs, j)
	size := 0
	for i := range j.frames {
		size += len(j.frames[i])
	}
	c.size += size
	if l := &f.b.env.Limits; len(c.jobs) < l.ChunkJobs && c.size < l.ChunkBytes {
		return nil
	}
	return f.flush()
}

func (f *feeder) flush() error {
	c := f.cur
	f.cur = nil
	if c == nil {
		return nil
	}
	return f.send(c)
}

// rebuild adds the documents without operations if a table group is rebuilt.
func (f *feeder) rebuild(ctx context.Context) error {
	b := f.b
	if !b.newText && !b.newFacet && !b.newVector || b.fold.cleared {
		return nil
	}
	var touched docset.Builder
	for i := range b.fold.entries {
		e := &b.fold.entries[i]
		if _, edited := b.fold.edited[int32(i)]; e.base && (e.frames > 0 || !e.alive || edited) {
			touched.Add(e.ord)
		}
	}
	r := b.base.OpenDocuments()
	var failed error
	b.base.Live().AndNot(touched.Set()).Each(func(ord uint32) bool {
		id, _, ok, err := r.Read(ord)
		if failed = ctx.Err(); err != nil || !ok {
			failed = missingOr(err, ok, ord)
		}
		if failed == nil {
			failed = f.add(&entry{id: string(id), ord: ord, ordinal: b.base.Rows().Ordinal(ord), base: true}, job{rebuild: true})
		}
		return failed == nil
	})
	r.Close()
	return failed
}

func missingOr(err error, ok bool, ord uint32) error {
	if err != nil {
		return err
	}
	return missing(ok, ord)
}
