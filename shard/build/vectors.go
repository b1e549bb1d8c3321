package build

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"shoal/api/apierr"
	"shoal/api/jsonvalue"
	"shoal/api/settings"
	"shoal/shard/extract"
	"shoal/shard/record"
	"shoal/shard/store"
	"shoal/shard/version"
)

// compareSettings prepares a change of settings.
func (b *builder) compareSettings() (err error) {
	if !b.newVector && !b.resettles() {
		return nil
	}
	old, err := version.DecodeSettings(b.req.OldSettings)
	if err != nil {
		return err
	}
	fresh, err := version.DecodeSettings(b.req.Settings)
	if err != nil {
		return err
	}
	b.newShape = extract.ChecksShapes(old, fresh)
	if !b.newVector {
		return nil
	}
	if b.changes, err = extract.Changes(old, fresh); err != nil {
		return err
	}
	b.oldPlan, err = extract.NewPlan(old, nil, b.req.OldGenerations.Dictionaries())
	return err
}

// oldEmbeddings reads the embeddings of a document in the base.
func (d *deriver) oldEmbeddings(j *job) ([]record.Embedding, error) {
	if !j.base {
		return nil, nil
	}
	raw, ok, err := d.vectors.Read(j.ord)
	if err != nil || !ok {
		return nil, err
	}
	return record.ParseEmbeddings(raw)
}

// waitingVectors is a document with vectors still to be computed.
type waitingVectors struct {
	id       string
	ord      uint32
	task     uint32
	position uint64
	rebuild  bool // no task brings the document
	was      []record.Embedding
	have     extract.Embedded
	wanted   []extract.Wanted
}

// embeddings writes the embeddings of a document, at once or when its vectors are
// computed.
func (d *deriver) embeddings(ctx context.Context, j *job, old, fresh []byte, was []record.Embedding, have *extract.Embedded) error {
	if !d.plan.HasEmbedders() || j.storedVectors {
		d.changeVectors(j.ord, was, have.List)
		return nil
	}
	if !j.rebuild {
		d.vector.unknown(have.Unknown)
	}
	changed := !j.base || !j.rebuild && !bytes.Equal(old, fresh)
	changes := d.changes
	if changes == nil && j.rebuild && d.resettled {
		changes = map[string]extract.Change{} // all are Kept
	}
	wanted, err := d.x.Wanted(ctx, have, fresh, changed, changes, j.id)
	if err != nil {
		return err
	}
	lacks := false
	for i := range wanted {
		if e := wanted[i].Embedder; e.Source == "userProvided" {
			lacks = true
			d.vector.lacking = append(d.vector.lacking, lackingVectors{embedder: e.Name, id: j.id, task: j.task, position: j.place()})
		}
	}
	switch {
	case lacks: // the batch fails
	case len(wanted) == 0:
		d.changeVectors(j.ord, was, have.List)
	case d.doomed.Load(): // the batch fails anyway
	default:
		d.waiting = append(d.waiting, waitingVectors{j.id, j.ord, j.task, j.place(), j.rebuild, was, *have, wanted})
	}
	return nil
}

// place orders documents in messages: by position in the batch, or by ordinal if no
// payload contains them.
func (j *job) place() uint64 {
	if j.rebuild || j.whole != nil {
		return uint64(j.ordinal)
	}
	return j.position
}

// makeVectors calls the embedders for the documents of a chunk, with all inputs of one
// embedder at once. It calls none if the batch fails anyway.
func (d *deriver) makeVectors(ctx context.Context) error {
	waiting := d.waiting
	d.waiting = nil
	if len(d.unknown) > 0 || d.failure != nil || len(d.vector.lacking) > 0 {
		d.doomed.Store(true)
	}
	if len(waiting) == 0 || d.doomed.Load() {
		return nil
	}
	d.embedding.want(len(waiting))
	byEmbedder := map[string][]wantedBy{}
	for i := range waiting {
		for k := range waiting[i].wanted {
			w := &waiting[i].wanted[k]
			byEmbedder[w.Embedder.Name] = append(byEmbedder[w.Embedder.Name], wantedBy{&waiting[i], w})
		}
	}
	made := map[*extract.Wanted][][]float32{}
	for _, name := range slices.Sorted(maps.Keys(byEmbedder)) {
		list := byEmbedder[name]
		var inputs []jsonvalue.Value
		for _, w := range list {
			inputs = append(inputs, w.Inputs...)
		}
		vectors, err := d.ask(ctx, list[0].Embedder.Embedder, inputs)
		if err != nil {
			return d.embedderFails(err, list)
		}
		for _, w := range list {
			made[w.Wanted], vectors = vectors[:len(w.Inputs)], vectors[len(w.Inputs):]
		}
	}
	for i := range waiting {
		doc := &waiting[i]
		for k := range doc.wanted {
			d.x.Fill(&doc.have, &doc.wanted[k], made[&doc.wanted[k]])
		}
		d.changeVectors(doc.ord, doc.was, doc.have.List)
	}
	d.embedding.made(len(waiting))
	return nil
}

// wantedBy are the vectors that a document wants of one embedder.
type wantedBy struct {
	doc *waitingVectors
	*extract.Wanted
}

// embedderFails records why an embedder made no vectors for documents. An input that it
// refuses while it accepts others fails only the task of its document. Other errors than
// those for clients are returned.
func (d *deriver) embedderFails(err error, list []wantedBy) error {
	var refused *apierr.Error
	if !errors.As(err, &refused) {
		return err
	}
	doc, alone := list[0].doc, false
	var one *InputError
	if errors.As(err, &one) {
		at := one.Input
		for _, w := range list {
			if at < len(w.Inputs) {
				doc, alone = w.doc, true
				break
			}
			at -= len(w.Inputs)
		}
	}
	d.vector.lacking = append(d.vector.lacking, lackingVectors{
		embedder: list[0].Embedder.Name, id: doc.id, task: doc.task, position: doc.position, fault: refused, alone: alone, failsTask: alone && !doc.rebuild,
	})
	d.doomed.Store(true)
	return nil
}

func (d *deriver) ask(ctx context.Context, e *settings.Embedder, inputs []jsonvalue.Value) ([][]float32, error) {
	if d.embed == nil {
		return nil, apierr.New(apierr.CodeVectorEmbeddingError, "runtime error: this server asks no embedders")
	}
	vectors, err := d.embed(ctx, e, inputs, d.embedding)
	if err == nil && len(vectors) != len(inputs) {
		err = fmt.Errorf("shard: %d vectors for %d inputs", len(vectors), len(inputs))
	}
	return vectors, err
}

// changeVectors replaces the embeddings of a document.
func (d *deriver) changeVectors(ord uint32, was, have []record.Embedding) {
	old, fresh := record.AppendEmbeddings(nil, was), record.AppendEmbeddings(d.value[:0], have)
	count(&d.tally, was, -1)
	count(&d.tally, have, 1)
	switch {
	case len(fresh) > 0 && (d.newVector || !bytes.Equal(old, fresh)):
		d.key = d.keys.Row(d.key[:0], store.TableVector, ord)
		d.out.put(store.TableVector, d.key, fresh)
	case len(fresh) == 0 && len(old) > 0 && !d.newVector:
		d.removeRow(store.TableVector, ord)
	}
	d.value = fresh[:0]
}

// count adds the figures of a document's embeddings to a tally.
func count(t *version.Tally, list []record.Embedding, sign int64) {
	n := int64(0)
	for i := range list {
		n += int64(list[i].Len())
	}
	t.Embeddings += sign * n
	if n > 0 {
		t.Embedded += sign
	}
}
