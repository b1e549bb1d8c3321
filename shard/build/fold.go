package build

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"shoal/api/apierr"
	"shoal/query/script"
	"shoal/shard/docset"
	"shoal/shard/filter"
	"shoal/shard/store"
	"shoal/shard/version"
	"shoal/wire"
)

// folder computes the effect of a batch on each document, operation by operation in
// task order, by looking at ids only. A replacement or deletion cancels earlier
// operations on that id, updates accumulate, and operations that only change existing
// documents have no effect on missing ones (spec write-api 17.3). Builders and Resolve
// share it, so that both find the same new documents.
type folder struct {
	env    *Env
	view   *version.View // the base; nil if the shard is empty
	key    string
	lo, hi uint32

	byID    map[string]int32
	entries []entry
	// created lists the entries of new documents by first appearance; positions are
	// those of the first appearances.
	created   []int32
	positions []uint64
	// frames[op] is the entry of every frame of the op's payload.
	frames [][]int32
	seq    uint32
	// cleared: everything in the base is deleted.
	cleared bool
	counts  []wire.OpCount
	// edited holds the results of OpEdit.
	edited map[int32][]byte
	pace   func(ctx context.Context) error
}

// entry is the effect on one document.
type entry struct {
	id      string
	ord     uint32 // row
	ordinal uint32
	// base: the document is in the base. known: it has an ordinal or gets one in this
	// batch. alive: it exists after the operations so far.
	base, known, alive bool
	// fresh: the surviving operations start from an empty document, not from the base.
	fresh bool
	// lost: an operation deleted it.
	lost bool
	// first is the sequence number of the first surviving frame, frames the number of
	// survivors.
	first, frames uint32
}

// lookUpBatch is the number of frames that are looked up at once, sorted so that the
// store is read in one direction.
const lookUpBatch = 256

func newFolder(env *Env, v *version.View, primaryKey string, lo, hi uint32) *folder {
	return &folder{env: env, view: v, key: primaryKey, lo: lo, hi: hi, byID: make(map[string]int32), pace: env.pacer()}
}

// fold processes all operations. An error that every shard would report alike is a
// *buildFailure.
func (f *folder) fold(ctx context.Context, ops []wire.Op) error {
	f.frames = make([][]int32, len(ops))
	for i := range ops {
		op := &ops[i]
		f.counts = append(f.counts, wire.OpCount{Task: op.Task})
		count := &f.counts[i]
		var err error
		switch op.Kind {
		case wire.OpReplace, wire.OpUpdate:
			err = f.foldPayload(ctx, i, op)
		case wire.OpDeleteIDs:
			err = f.foldDeletes(op.IDs, count)
		case wire.OpDeleteFilter:
			err = f.foldFilter(ctx, op, count)
		case wire.OpEdit:
			err = f.foldEdit(ctx, op, count)
		case wire.OpClear:
			f.foldClear(count)
		default:
			err = fmt.Errorf("shard: unknown operation %d", op.Kind)
		}
		if err != nil {
			return failing(err, op.Task, op.FirstPos)
		}
	}
	return nil
}

// pendingFrame waits for the look-up of its batch.
type pendingFrame struct {
	id       string
	position uint64
}

func (f *folder) foldPayload(ctx context.Context, at int, op *wire.Op) error {
	var batch []pendingFrame
	flush := func() error {
		ids := make([]string, len(batch))
		for i := range batch {
			ids[i] = batch[i].id
		}
		if err := f.lookUp(ids); err != nil {
			return err
		}
		for _, p := range batch {
			f.frames[at] = append(f.frames[at], f.foldFrame(op, p))
		}
		batch = batch[:0]
		return nil
	}
	err := f.env.readPayload(ctx, op, f.key, f.lo, f.hi, func(id string, _ []byte, position uint64) error {
		batch = append(batch, pendingFrame{id, position})
		if len(batch) < lookUpBatch {
			return nil
		}
		if err := flush(); err != nil {
			return err
		}
		return f.pace(ctx)
	})
	if err != nil {
		return err
	}
	return flush()
}

// foldFrame applies one document of a payload and returns its entry.
func (f *folder) foldFrame(op *wire.Op, p pendingFrame) int32 {
	i := f.byID[p.id]
	e := &f.entries[i]
	seq := f.seq
	f.seq++
	if !e.base && !e.known {
		e.known = true
		f.created = append(f.created, i)
		f.positions = append(f.positions, p.position)
	}
	if op.SkipCreation && !e.alive {
		return i
	}
	if op.Kind == wire.OpReplace || !e.alive {
		e.fresh, e.first, e.frames = true, seq, 0
	} else if e.frames == 0 {
		e.first = seq
	}
	e.alive = true
	e.frames++
	return i
}

// lookUp ensures that every id has an entry.
func (f *folder) lookUp(ids []string) error {
	var unknown []string
	for _, id := range ids {
		if _, ok := f.byID[id]; !ok {
			f.byID[id] = -1
			unknown = append(unknown, id)
		}
	}
	found := map[string]uint32{}
	if f.view != nil && !f.cleared && len(unknown) > 0 {
		sorted := slices.Sorted(slices.Values(unknown))
		var err error
		if found, err = f.view.RowsOf(sorted); err != nil {
			return err
		}
	}
	for _, id := range unknown {
		ord, ok := found[id]
		f.byID[id] = int32(len(f.entries))
		e := entry{id: id, ord: ord, base: ok, known: ok, alive: ok}
		if ok {
			e.ordinal = f.view.Rows().Ordinal(ord)
		}
		f.entries = append(f.entries, e)
	}
	return nil
}

// drop deletes one entry's document and reports whether it existed.
func (f *folder) drop(i int32) bool {
	e := &f.entries[i]
	was := e.alive
	e.alive, e.fresh, e.lost, e.frames = false, true, true, 0
	return was
}

func (f *folder) foldDeletes(ids []string, count *wire.OpCount) error {
	own := make([]string, 0, len(ids))
	for _, id := range ids {
		if slot := uint32(wire.SlotOf(id)); slot >= f.lo && slot < f.hi {
			own = append(own, id)
		}
	}
	if err := f.lookUp(own); err != nil {
		return err
	}
	for _, id := range own {
		if f.drop(f.byID[id]) {
			count.Matched++
		}
	}
	return nil
}

// matching returns the documents of the base that a filter selects; all without a
// filter.
func (f *folder) matching(ctx context.Context, raw []byte) (docset.Set, error) {
	if f.view == nil {
		return docset.Set{}, nil
	}
	if len(raw) == 0 || string(raw) == "null" {
		return f.view.Live(), nil
	}
	return filter.Evaluator(f.view, apierr.CodeInvalidDocumentFilter)(ctx, raw)
}

func (f *folder) foldFilter(ctx context.Context, op *wire.Op, count *wire.OpCount) error {
	set, err := f.matching(ctx, op.Filter)
	if err != nil {
		return err
	}
	return f.eachOf(set, func(i int32, _ []byte) error {
		if f.drop(i) {
			count.Matched++
		}
		return nil
	})
}

// eachOf calls do for the entries of documents of the base, by ordinal.
func (f *folder) eachOf(set docset.Set, do func(i int32, doc []byte) error) error {
	if set.Empty() {
		return nil
	}
	r := f.view.OpenDocuments()
	var failed error
	f.view.Order().Each(set, func(ord uint32) bool {
		id, doc, ok, err := r.Read(ord)
		if err != nil || !ok {
			failed = missingOr(err, ok, ord)
			return false
		}
		name := string(id)
		i, known := f.byID[name]
		if !known {
			i = int32(len(f.entries))
			f.byID[name] = i
			f.entries = append(f.entries, entry{id: name, ord: ord, ordinal: f.view.Rows().Ordinal(ord), base: true, known: true, alive: !f.cleared})
		}
		failed = do(i, doc)
		return failed == nil
	})
	r.Close()
	return failed
}

func missing(ok bool, ord uint32) error {
	if ok {
		return nil
	}
	return fmt.Errorf("shard: document %d is missing: %w", ord, store.ErrCorruptValue)
}

func (f *folder) foldClear(count *wire.OpCount) {
	if f.view != nil && !f.cleared {
		count.Matched = uint64(f.view.Live().Len())
		for i := range f.entries {
			if e := &f.entries[i]; e.base && !e.alive {
				count.Matched-- // deleted before
			}
		}
	}
	for i := range f.entries {
		f.drop(int32(i))
		f.entries[i].base = false
	}
	f.cleared = true
}

func (f *folder) foldEdit(ctx context.Context, op *wire.Op, count *wire.OpCount) error {
	set, err := f.matching(ctx, op.Filter)
	if err != nil {
		return err
	}
	editor, err := script.NewEditor(op.Function)
	if err != nil {
		return err
	}
	f.edited = make(map[int32][]byte)
	return f.eachOf(set, func(i int32, doc []byte) error {
		if err := errors.Join(ctx.Err(), f.pace(ctx)); err != nil {
			return err
		}
		count.Matched++
		// Errors of the filter or the function come first, then documents in order.
		return failing(f.edit(editor, i, doc, count), op.Task, op.FirstPos+1+uint64(f.entries[i].ordinal))
	})
}

// edit applies the function of an OpEdit to one document.
func (f *folder) edit(editor *script.Editor, i int32, doc []byte, count *wire.OpCount) error {
	out, err := editor.Edit(doc)
	switch {
	case err != nil:
		return err
	case out == nil:
		count.Deleted++
		f.drop(i)
	case !bytes.Equal(out, doc):
		f.edited[i] = bytes.Clone(out)
		return f.keepsID(i, out)
	}
	return nil
}

// keepsID refuses an edited document with another id, or without one.
func (f *folder) keepsID(i int32, doc []byte) error {
	id, err := documentID(doc, f.key)
	if err == nil && id != f.entries[i].id {
		err = apierr.EditionPrimaryKey()
	}
	return err
}
