package build

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"sync/atomic"

	"shoal/shard/extract"
	"shoal/shard/record"
	"shoal/shard/rows"
	"shoal/shard/store"
	"shoal/shard/version"
	"shoal/wire"
	"shoal/wire/staged"
)

// job is the work on one document. Workers run jobs concurrently.
type job struct {
	id      string
	ord     uint32 // row
	ordinal uint32
	// base: the document is in the base. remove: it will be deleted.
	base, remove bool
	// fresh: frames start from an empty document. frames are the raw documents to
	// apply.
	fresh  bool
	frames [][]byte
	// lost: an earlier operation deleted the document, so it keeps no vectors.
	lost bool
	// storedVectors: frames contain the vectors in stored form.
	storedVectors bool
	// whole is a complete new document instead of frames (edited).
	whole []byte
	// rebuild: only the rebuilt table groups change.
	rebuild  bool
	task     uint32
	position uint64
}

// deriver computes the changes of one document after the other. It belongs to one
// worker.
type deriver struct {
	plan *extract.Plan
	x    *extract.Extractor
	keys store.Keyspace
	out  *collector
	// records receives the records of the present chunk; nil if they are ordinary ops.
	records *recordBuffer
	tally   version.Tally
	// Rebuilt groups take nothing from the base.
	newText, newFacet, newVector bool
	// numbers: the shard numbers its documents without gaps.
	numbers bool
	// resettled: the build changes settings, so documents that it reads again must have
	// a valid _geo.
	resettled bool
	// newShape: they must have a valid _geojson, too.
	newShape             bool
	docs, tokens, values *version.RowReader // of the base
	// changed are the processed documents that differ from the base.
	changed []uint32
	vectors *version.RowReader
	unknown []string
	failure *buildFailure
	// oldPlan and changes compare the old embedders with the new ones; nil if they are
	// the same. waiting are documents without all their vectors yet.
	oldPlan   *extract.Plan
	changes   map[string]extract.Change
	embed     EmbedFunc
	embedding *Embedding
	waiting   []waitingVectors
	vector    vectorFaults
	doomed    *atomic.Bool // the batch fails: no embedder is called any more

	stored, next, moved []byte
	words, vals         []byte
	key, name, value    []byte
	oldWords, newWords  record.Cursor
}

// do executes one job. It returns errors of the store. Failures of the document are
// recorded, the first by stage and position.
func (d *deriver) do(ctx context.Context, j *job) error {
	old, err := d.oldDocument(j)
	if err != nil {
		return err
	}
	if j.remove {
		if !j.base {
			return nil
		}
		return d.removeDocument(j, old)
	}
	was, err := d.oldEmbeddings(j)
	if err != nil {
		return err
	}
	have := extract.Embedded{List: slices.Clone(was)}
	fresh, err := d.newDocument(j, old, &have)
	if err == nil {
		err = d.x.Load(fresh)
	}
	stage := wire.StageStored
	if err == nil {
		stage = wire.StageFacets
	}
	if err == nil && j.rebuild && d.resettled {
		err = d.x.CheckPlace(j.id)
	}
	var words, vals []byte
	if err == nil && (!j.rebuild || d.newText) {
		d.words, err = d.x.Tokens(d.words[:0])
		words = d.words
	}
	if err == nil && (!j.rebuild || d.newFacet) {
		d.vals, err = d.x.Values(d.vals[:0], j.id)
		vals = d.vals
	}
	d.unknown = append(d.unknown, d.x.Unknown()...)
	switch {
	case err != nil:
		return d.fail(err, stage, j)
	case have.Fault() != nil:
		return d.fail(have.Fault(), wire.StageVectors, j)
	case len(d.unknown) > 0:
		return nil // nothing of this build will be used
	}
	if d.plan.HasEmbedders() || len(was) > 0 {
		if err := d.embeddings(ctx, j, old, fresh, was, &have); err != nil {
			return d.fail(err, wire.StageVectors, j)
		}
	}
	if j.rebuild && d.newShape || d.plan.ReadsShapes() && (!j.rebuild || d.newFacet) {
		if err := d.x.CheckShape(); err != nil {
			return d.fail(err, wire.StageShapes, j)
		}
	}
	if j.base && bytes.Equal(old, fresh) {
		if !d.newText && !d.newFacet {
			return nil
		}
		j.rebuild = true
	}
	return d.change(j, old, fresh, words, vals)
}

func (d *deriver) fail(err error, at wire.Stage, j *job) error {
	err = failing(err, j.task, j.place())
	var f *buildFailure
	if !errors.As(err, &f) {
		return err
	}
	f.Derived, f.Stage = true, at
	if d.failure == nil || f.Before(&d.failure.BuildError) {
		d.failure = f
	}
	return nil
}

// oldDocument reads the stored document of the base, nil if there is none.
func (d *deriver) oldDocument(j *job) ([]byte, error) {
	if !j.base {
		return nil, nil
	}
	value, ok, err := d.docs.Read(j.ord)
	if err != nil || !ok {
		return nil, missingOr(err, ok, j.ord)
	}
	_, doc, err := store.CutDocument(value)
	return doc, err
}

// newDocument applies the job's frames to the document and its embeddings, and returns
// the stored form.
func (d *deriver) newDocument(j *job, old []byte, have *extract.Embedded) (doc []byte, err error) {
	current := old
	if j.base && d.newVector {
		if current, err = d.x.Reconfigure(d.moved[:0], old, have, d.oldPlan, j.id); err != nil {
			return nil, err
		}
		d.moved = current
	}
	if j.fresh || j.whole != nil {
		current = nil
	}
	if j.lost {
		have.List = nil
	}
	frames := j.frames
	if j.whole != nil {
		frames = [][]byte{j.whole}
	}
	for _, frame := range frames {
		var stored []byte
		if j.storedVectors {
			frame, stored, _ = staged.CutVectors(frame)
		}
		doc, vectors, err := d.x.Store(d.next[:0], current, frame)
		if err != nil {
			return nil, err
		}
		if j.storedVectors {
			have.List, err = record.ParseEmbeddings(stored)
		} else {
			err = d.x.Vectors(have, vectors, j.id)
		}
		if err != nil {
			return nil, err
		}
		d.stored, d.next = doc, d.stored
		current = doc
	}
	return current, nil
}

func (d *deriver) removeDocument(j *job, old []byte) error {
	d.changed = append(d.changed, j.ord)
	if err := d.x.Load(old); err != nil {
		return err
	}
	d.x.Present(func(fid uint16) { d.tally.Present[fid]-- })
	d.tally.Documents--
	d.tally.RawBytes -= int64(len(old))
	d.out.post(store.TableLive, nil, j.ord, false)
	d.number(j.ord, rows.None)
	d.key = d.keys.ID(d.key[:0], j.id)
	d.out.remove(store.TableID, d.key)
	d.removeRow(store.TableDocument, j.ord)
	was, err := d.oldEmbeddings(j)
	if err != nil {
		return err
	}
	d.changeVectors(j.ord, was, nil)
	if err := d.changeWords(j.ord, !d.newText, nil); err != nil {
		return err
	}
	if !d.newFacet {
		if err := d.changeElements(j.ord, old, nil); err != nil {
			return err
		}
	}
	return d.changeValues(j.ord, !d.newFacet, nil)
}

// number records the ordinal of a row.
func (d *deriver) number(row, ordinal uint32) {
	if d.numbers {
		d.out.number(row, ordinal)
	}
}

// putRecord sets the value of a table by row. The value must not be nil.
func (d *deriver) putRecord(t store.Table, ord uint32, value []byte) {
	if d.records != nil && d.records.put(t, ord, value) {
		return
	}
	d.key = d.keys.Row(d.key[:0], t, ord)
	d.out.put(t, d.key, value)
}

func (d *deriver) removeRow(t store.Table, ord uint32) {
	if d.records != nil && d.records.put(t, ord, nil) {
		return
	}
	d.key = d.keys.Row(d.key[:0], t, ord)
	d.out.remove(t, d.key)
}

// change writes the document and the difference of its postings.
func (d *deriver) change(j *job, old, fresh, words, vals []byte) error {
	d.changed = append(d.changed, j.ord)
	if !j.base || !bytes.Equal(old, fresh) {
		d.x.Present(func(fid uint16) { d.tally.Present[fid]++ })
		d.tally.RawBytes += int64(len(fresh) - len(old))
		if j.base {
			if err := d.x.Load(old); err != nil {
				return err
			}
			d.x.Present(func(fid uint16) { d.tally.Present[fid]-- })
		} else {
			d.tally.Documents++
			d.out.post(store.TableLive, nil, j.ord, true)
			d.number(j.ord, j.ordinal)
			d.key = d.keys.ID(d.key[:0], j.id)
			d.value = binary.BigEndian.AppendUint32(d.value[:0], j.ord)
			d.out.put(store.TableID, d.key, d.value)
		}
		d.value = store.AppendDocument(d.value[:0], j.id, fresh)
		d.putRecord(store.TableDocument, j.ord, d.value)
	}
	if !j.rebuild || d.newText {
		if err := d.changeWords(j.ord, j.base && !d.newText, words); err != nil {
			return err
		}
	}
	if !j.rebuild || d.newFacet {
		was := old
		if !j.base || d.newFacet {
			was = nil
		}
		if err := d.changeElements(j.ord, was, fresh); err != nil {
			return err
		}
		return d.changeValues(j.ord, j.base && !d.newFacet, vals)
	}
	return nil
}

// changeWords replaces the token record of a document. base means that there is an old
// one. It writes only differences.
func (d *deriver) changeWords(ord uint32, base bool, fresh []byte) error {
	var old []byte
	if base {
		var err error
		if old, _, err = d.tokens.Read(ord); err != nil {
			return err
		}
		if bytes.Equal(old, fresh) {
			return nil
		}
	}
	was, err := record.Parse(old)
	if err != nil {
		return err
	}
	is, err := record.Parse(fresh)
	if err != nil {
		return err
	}
	if len(fresh) > 0 {
		d.putRecord(store.TableTokens, ord, fresh)
	} else if len(old) > 0 {
		d.removeRow(store.TableTokens, ord)
	}
	if len(old) > 0 || len(fresh) == 0 {
		d.compareWords(ord, was, is)
	} else {
		d.postWords(ord)
	}
	d.fieldCounts(ord, was, false)
	d.fieldCounts(ord, is, true)
	return nil
}

// postWords posts all words of the last record.
func (d *deriver) postWords(ord uint32) {
	d.x.Written(func(word uint32, flags uint8) {
		if flags&record.Tolerant != 0 {
			d.out.postWord(store.TableWord, word, ord, true)
		}
		if flags&record.Exact != 0 {
			d.out.postWord(store.TableExact, word, ord, true)
		}
	})
}

func (d *deriver) compareWords(ord uint32, was, is record.Tokens) {
	a, b := &d.oldWords, &d.newWords
	a.Reset(was)
	b.Reset(is)
	moreA, moreB := a.Next(), b.Next()
	for moreA || moreB {
		order := -1
		if !moreA {
			order = 1
		} else if moreB {
			order = bytes.Compare(a.Word(), b.Word())
		}
		var before, now uint8
		word := a.Word()
		if order <= 0 {
			before = a.Flags()
		}
		if order >= 0 {
			now, word = b.Flags(), b.Word()
		}
		if diff := before ^ now; diff != 0 {
			if diff&record.Tolerant != 0 {
				d.out.post(store.TableWord, word, ord, now&record.Tolerant != 0)
			}
			if diff&record.Exact != 0 {
				d.out.post(store.TableExact, word, ord, now&record.Exact != 0)
			}
		}
		if order <= 0 {
			moreA = a.Next()
		}
		if order >= 0 {
			moreB = b.Next()
		}
	}
}

// fieldCounts posts the token counts of fields. An unchanged count is cleared and set,
// which cancels out.
func (d *deriver) fieldCounts(ord uint32, t record.Tokens, set bool) {
	t.Fields(func(f record.FieldTokens) bool {
		if f.Tokens <= store.MaxFieldCount {
			d.name = store.CountName(d.name[:0], f.Field, uint8(f.Tokens))
			d.out.toggle(store.TableCount, d.name, ord, set)
		}
		return true
	})
}

// changeValues replaces the value record of a document.
func (d *deriver) changeValues(ord uint32, base bool, fresh []byte) error {
	var old []byte
	if base {
		var err error
		if old, _, err = d.values.Read(ord); err != nil {
			return err
		}
		if bytes.Equal(old, fresh) {
			return nil
		}
	}
	was, err := record.ParseValues(old)
	if err != nil {
		return err
	}
	is, err := record.ParseValues(fresh)
	if err != nil {
		return err
	}
	if len(fresh) > 0 {
		d.putRecord(store.TableValues, ord, fresh)
	} else if len(old) > 0 {
		d.removeRow(store.TableValues, ord)
	}
	d.postValues(ord, was, false)
	d.postValues(ord, is, true)
	return nil
}

func (d *deriver) postValues(ord uint32, v record.Values, set bool) {
	if _, ok := v.Point(); ok {
		d.name = store.StateName(d.name[:0], 0, store.StateGeo)
		d.out.toggle(store.TableState, d.name, ord, set)
	}
	if v.HasShape() {
		d.name = store.StateName(d.name[:0], 0, store.StateGeoJSON)
		d.out.toggle(store.TableState, d.name, ord, set)
	}
	for f := range v.Fields() {
		for _, kind := range []struct {
			flag uint8
			kind byte
		}{{record.Exists, store.StateExists}, {record.Null, store.StateNull}, {record.Empty, store.StateEmpty}} {
			if f.Flags&kind.flag != 0 {
				d.name = store.StateName(d.name[:0], f.Field, kind.kind)
				d.out.toggle(store.TableState, d.name, ord, set)
			}
		}
		for n := range f.Numbers() {
			d.name = store.NumberName(d.name[:0], f.Field, record.OrderedFloat(n))
			d.out.toggle(store.TableNumber, d.name, ord, set)
		}
		for form := range f.Strings() {
			d.name = store.StringName(d.name[:0], f.Field, form)
			d.out.toggle(store.TableString, d.name, ord, set)
		}
	}
}

// changeElements replaces the posting lists of elements of a document: was and is are its
// stored forms, nil for none. Documents do not keep these lists, which are made again.
func (d *deriver) changeElements(ord uint32, was, is []byte) error {
	if !d.plan.HasElements() {
		return nil
	}
	for _, side := range []struct {
		doc []byte
		set bool
	}{{was, false}, {is, true}} {
		if side.doc == nil {
			continue
		}
		if err := d.x.Load(side.doc); err != nil {
			return err
		}
		err := d.x.Elements(func(name []byte) { d.out.toggle(store.TableElement, name, ord, side.set) })
		if err != nil {
			return err
		}
	}
	return nil
}
