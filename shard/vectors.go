package shard

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"

	"shoal/query"
	"shoal/shard/docset"
	"shoal/shard/extract"
	"shoal/shard/record"
)

// lackingVectors is a document that had to bring vectors and did not.
type lackingVectors struct {
	embedder, id string
	task         uint32
	position     uint64
}

// oldEmbeddings reads what the base has of a document.
func (d *deriver) oldEmbeddings(j *job) ([]record.Embedding, error) {
	if !j.base {
		return nil, nil
	}
	raw, ok, err := d.vectors.read(j.ord)
	if err != nil || !ok {
		return nil, err
	}
	return record.ParseEmbeddings(raw)
}

// checkVectors notes a document that lacks vectors; a document that no operation
// touches may lack them.
func (d *deriver) checkVectors(j *job, have []record.Embedding) {
	if j.rebuild || !d.plan.HasEmbedders() {
		return
	}
	if name, lacks := d.x.Lacking(have); lacks {
		d.lacking = append(d.lacking, lackingVectors{name, j.id, j.task, j.position})
	}
}

// changeVectors replaces the embeddings of a document.
func (d *deriver) changeVectors(ord uint32, was, have []record.Embedding) {
	old, fresh := record.AppendEmbeddings(nil, was), record.AppendEmbeddings(d.value[:0], have)
	count(&d.tally, was, -1)
	count(&d.tally, have, 1)
	switch {
	case len(fresh) > 0 && (d.newVector || !bytes.Equal(old, fresh)):
		d.key = d.keys.ordinal(d.key[:0], tableVector, ord)
		d.out.put(tableVector, d.key, fresh)
	case len(fresh) == 0 && len(old) > 0 && !d.newVector:
		d.removeOrdinal(tableVector, ord)
	}
	d.value = fresh[:0]
}

// count adds the figures of a document's embeddings to a tally.
func count(t *tally, list []record.Embedding, sign int64) {
	n := int64(0)
	for i := range list {
		n += int64(list[i].Len())
	}
	t.embeddings += sign * n
	if n > 0 {
		t.embedded += sign
	}
}

// vectorFailure is the error of a batch whose documents lack vectors: that of
// the first embedder by name, with its first document.
func vectorFailure(lacking []lackingVectors) *buildFailure {
	if len(lacking) == 0 {
		return nil
	}
	slices.SortFunc(lacking, func(a, b lackingVectors) int {
		if c := strings.Compare(a.embedder, b.embedder); c != 0 {
			return c
		}
		if a.task != b.task {
			return int(int64(a.task) - int64(b.task))
		}
		return int(int64(a.position) - int64(b.position))
	})
	first, others := lacking[0], 0
	for _, l := range lacking[1:] {
		if l.embedder == first.embedder {
			others++
		}
	}
	f, _ := failing(extract.NoVectors(first.embedder, first.id, others), first.task, first.position).(*buildFailure)
	return f
}

// Embeddings returns what the configured embedders have for a document, by name.
func (v *View) Embeddings(ord uint32) ([]record.Embedding, error) {
	raw, ok, err := v.get(v.keys.ordinal(nil, tableVector, ord))
	if err != nil || !ok {
		return nil, err
	}
	return record.ParseEmbeddings(raw)
}

// EachEmbedded walks the documents that have an entry for some embedder, by
// ordinal, until f returns false. The list belongs to f.
func (v *View) EachEmbedded(f func(ord uint32, list []record.Embedding) bool) error {
	prefix := v.keys.prefix(nil, tableVector)
	it := v.borrow()
	defer v.giveBack(it)
	for more := it.SeekGE(prefix); more && tablePrefixed(it.Key(), prefix); more = it.Next() {
		raw, err := it.ValueAndErr()
		if err != nil {
			return err
		}
		list, err := record.ParseEmbeddings(raw)
		if err != nil {
			return err
		}
		if !f(binary.BigEndian.Uint32(it.Key()[len(prefix):]), list) {
			return nil
		}
	}
	return it.Error()
}

// WithVectors returns the documents that a `_vectors` condition selects: those
// that have vectors of the embedder (of any, when none is named) of the kind
// asked for. All stored vectors were given by users, so none comes from a
// fragment or a template.
func (v *View) WithVectors(c query.FilterVector) (docset.Set, error) {
	var out docset.Builder
	err := v.EachEmbedded(func(ord uint32, list []record.Embedding) bool {
		if slices.ContainsFunc(list, func(e record.Embedding) bool { return selects(c, &e) }) {
			out.Add(ord)
		}
		return true
	})
	return out.Set(), err
}

func selects(c query.FilterVector, e *record.Embedding) bool {
	if e.Len() == 0 || c.Named && c.Embedder.Value != e.Name {
		return false
	}
	switch c.Kind {
	case query.VectorUserProvided:
		return !e.Regenerate
	case query.VectorRegenerate:
		return e.Regenerate
	case query.VectorFragment, query.VectorDocumentTemplate:
		return false
	}
	return true
}
