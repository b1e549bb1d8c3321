package listing

import (
	"slices"

	"shoal/api"
	"shoal/query"
	"shoal/query/projection"
	"shoal/shard/docset"
	"shoal/shard/filter"
	"shoal/wire"
)

// List answers a ListRequest on the state of the shard that it names. Errors of
// the client's making are *api.Error.
func List(ix Index, r *wire.ListRequest) (*wire.ListReply, error) {
	if r.HasOrdinals {
		docs := make([]wire.Document, len(r.Ordinals))
		for i, ord := range r.Ordinals {
			docs[i].Ordinal = ord
		}
		return read(ix, r, &wire.ListReply{Documents: docs})
	}
	by, fault := query.ParseSort(r.Sort)
	if fault != nil {
		return nil, fault.API(api.CodeInvalidDocumentSort)
	}
	candidates, err := filter.Evaluator(ix, api.CodeInvalidDocumentFilter)(r.Filter)
	if err != nil {
		return nil, err
	}
	if r.HasIDs {
		named, err := identified(ix, r.IDs)
		if err != nil {
			return nil, err
		}
		candidates = candidates.And(named)
	}
	reply := &wire.ListReply{Total: uint64(candidates.Len())}
	if r.CountOnly || r.Limit <= 0 || r.Offset >= candidates.Len() {
		return reply, nil
	}
	// The sum is bounded: it does not exceed the candidates.
	end := candidates.Len()
	if r.Limit < end-r.Offset {
		end = r.Offset + r.Limit
	}
	by = wire.EffectiveSort(by, ix.Fields())
	if reply.Documents, err = arranged(ix, candidates, by, end); err != nil {
		return nil, err
	}
	if r.KeysOnly {
		return reply, nil
	}
	reply.Documents = reply.Documents[r.Offset:end]
	return read(ix, r, reply)
}

// identified are the documents of external ids; unknown ones are ignored.
func identified(ix Index, ids []string) (docset.Set, error) {
	var found []uint32
	for _, id := range ids {
		ord, ok, err := ix.Ordinal(id)
		if err != nil {
			return docset.Set{}, err
		}
		if ok {
			found = append(found, ord)
		}
	}
	slices.Sort(found)
	return docset.FromSorted(slices.Compact(found)), nil
}

// read fills in the bytes of the documents; those that are not there go.
func read(ix Index, r *wire.ListRequest, reply *wire.ListReply) (*wire.ListReply, error) {
	var selection *projection.Selection
	if r.HasFields {
		selection = projection.Of(r.Fields, ix.Fields())
	}
	kept := reply.Documents[:0]
	for _, d := range reply.Documents {
		body, ok, err := Render(ix, d.Ordinal, selection, r.RetrieveVectors)
		if err != nil {
			return nil, err
		}
		if ok {
			kept = append(kept, wire.Document{Ordinal: d.Ordinal, JSON: body})
		}
	}
	reply.Documents = kept
	return reply, nil
}

// Source is what Render reads.
type Source interface {
	Document(ord uint32) (json []byte, ok bool, err error)
	Embeddings(ord uint32) ([]Embedding, error)
}

// Render returns a document as clients see it: the selected members in field-id
// order and, with vectors, `_vectors` as the last one; otherwise never (spec
// write-api 9.5). ok is false when there is no such document.
func Render(ix Source, ord uint32, selection *projection.Selection, vectors bool) (body []byte, ok bool, err error) {
	stored, ok, err := ix.Document(ord)
	if err != nil || !ok {
		return nil, false, err
	}
	doc, err := api.ParseJSON(stored)
	if err != nil {
		return nil, false, err
	}
	body = append(make([]byte, 0, len(stored)+16), '{')
	body = selection.Without(vectorsField).AppendMembers(body, &doc)
	if vectors {
		list, err := ix.Embeddings(ord)
		if err != nil {
			return nil, false, err
		}
		if len(body) > 1 {
			body = append(body, ',')
		}
		body = appendVectors(append(body, `"_vectors":`...), doc.Get(vectorsField), list)
	}
	return append(body, '}'), true, nil
}

const vectorsField = "_vectors"

// appendVectors renders the stored entries of unknown names as given, then each
// configured embedder.
func appendVectors(dst []byte, stored *api.Value, list []Embedding) []byte {
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
			dst = m.Value.AppendJSON(append(api.AppendString(dst, m.Name), ':'))
		}
	}
	for _, e := range list {
		comma()
		dst = append(api.AppendString(dst, e.Name), `:{"embeddings":[`...)
		for i, v := range e.Vectors {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendVector(dst, v)
		}
		if dst = append(dst, `],"regenerate":`...); e.Regenerate {
			dst = append(dst, "true}"...)
		} else {
			dst = append(dst, "false}"...)
		}
	}
	return append(dst, '}')
}

func appendVector(dst []byte, v []float32) []byte {
	dst = append(dst, '[')
	for i, x := range v {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = api.AppendFloat(dst, float64(x))
	}
	return append(dst, ']')
}
