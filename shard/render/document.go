package render

import (
	"bytes"
	"slices"

	"shoal/api/jsonvalue"
	"shoal/query/projection"
)

// Embedding is the vectors of one embedder for a document.
type Embedding struct {
	Name       string
	Regenerate bool
	Vectors    [][]float32
}

// Source reads stored documents. Errors come from storage.
type Source interface {
	// Documents visits stored documents in ascending order and skips missing ones. i is
	// the document's index in list. json is its text, valid during the visit. The
	// first error of a visit ends it.
	Documents(list []uint32, visit func(i int, json []byte) error) error
	// Embeddings returns the vectors of a document for the configured embedders that
	// have it, sorted by name.
	Embeddings(ord uint32) ([]Embedding, error)
}

// vectorsField holds the vectors of a document.
const vectorsField = "_vectors"

// Vectors says what a document shows of `_vectors`.
type Vectors int

// What is shown: nothing, the part that belongs to no embedder and so is a member like others, or
// that and the vectors of all embedders, as the last member.
const (
	HiddenVectors Vectors = iota
	UnknownVectors
	AllVectors
)

// Documents returns documents as clients see them: the selected members in field-id
// order (all if nil), with the chosen vectors (spec write-api 9.5). With AllVectors the part that
// belongs to no embedder is shown if the selection reaches `_vectors`, and removing it moves the
// last member. A missing document is nil.
func Documents(src Source, ordinals []uint32, selection *projection.Selection, vectors Vectors) ([][]byte, error) {
	bodies := make([][]byte, len(ordinals))
	w := newWriter(src, selection, vectors, selection.Reaches(vectorsField))
	err := src.Documents(ordinals, func(i int, stored []byte) (err error) {
		bodies[i], err = w.document(ordinals[i], stored)
		return err
	})
	return bodies, err
}

// writer writes documents as clients see them. For one goroutine.
type writer struct {
	src        Source
	selection  *projection.Selection // without what AllVectors adds
	vectors    bool                  // AllVectors
	taken      bool                  // the stored part of the vectors was selected
	transcript jsonvalue.Transcript
	text       []byte // of the last document; those returned hold no more memory than they need
}

// newWriter returns a writer of selected members. taken: they come from a map that had
// the stored part of the vectors, too.
func newWriter(src Source, selection *projection.Selection, vectors Vectors, taken bool) *writer {
	w := &writer{src: src, vectors: vectors == AllVectors, taken: taken}
	switch {
	case vectors == UnknownVectors:
		w.selection = selection
	case taken:
		w.selection = selection.Removing(vectorsField)
	default:
		w.selection = selection.Without(vectorsField)
	}
	return w
}

// document writes a stored document, as a copy of stored bytes where possible.
func (w *writer) document(ord uint32, stored []byte) ([]byte, error) {
	if !w.vectors {
		var ok bool
		if w.text, ok = w.selection.AppendStored(append(w.text[:0], '{'), stored, &w.transcript); ok {
			return w.end(), nil
		}
	}
	doc, err := jsonvalue.Parse(stored)
	if err != nil {
		return nil, err
	}
	return w.parsed(ord, &doc)
}

// end ends a document, and returns a copy of it.
func (w *writer) end() []byte {
	w.text = append(w.text, '}')
	return bytes.Clone(w.text)
}

// parsed writes a parsed document.
func (w *writer) parsed(ord uint32, doc *jsonvalue.Value) ([]byte, error) {
	w.text = w.selection.AppendMembers(append(w.text[:0], '{'), doc)
	if w.vectors {
		list, err := w.src.Embeddings(ord)
		if err != nil {
			return nil, err
		}
		if len(w.text) > len("{") {
			w.text = append(w.text, ',')
		}
		var unknown *jsonvalue.Value
		if w.taken {
			unknown = doc.Get(vectorsField)
		}
		w.text = appendVectors(append(w.text, `"_vectors":`...), unknown, list)
	}
	return w.end(), nil
}

// appendVectors renders the stored entries of unknown names unchanged, then each
// configured embedder.
func appendVectors(dst []byte, stored *jsonvalue.Value, list []Embedding) []byte {
	dst = append(dst, '{')
	first := true
	comma := func() {
		if !first {
			dst = append(dst, ',')
		}
		first = false
	}
	if stored != nil {
		for i := range stored.Members() {
			m := &stored.Members()[i]
			if slices.ContainsFunc(list, func(e Embedding) bool { return e.Name == m.Name }) {
				continue
			}
			comma()
			dst = m.Value.AppendJSON(append(jsonvalue.AppendString(dst, m.Name), ':'))
		}
	}
	for i := range list {
		comma()
		dst = appendEmbedding(dst, &list[i])
	}
	return append(dst, '}')
}

func appendEmbedding(dst []byte, e *Embedding) []byte {
	dst = append(jsonvalue.AppendString(dst, e.Name), `:{"embeddings":[`...)
	for i, v := range e.Vectors {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, '[')
		for j, x := range v {
			if j > 0 {
				dst = append(dst, ',')
			}
			dst = jsonvalue.AppendFloat(dst, float64(x))
		}
		dst = append(dst, ']')
	}
	if dst = append(dst, `],"regenerate":`...); e.Regenerate {
		return append(dst, "true}"...)
	}
	return append(dst, "false}"...)
}
