package listing

import (
	"context"
	"slices"

	"shoal/api/apierr"
	queryfilter "shoal/query/filter"
	"shoal/query/projection"
	"shoal/shard/docset"
	"shoal/shard/filter"
	"shoal/shard/render"
	"shoal/wire"
	"shoal/wire/staged"
)

// List answers a ListRequest on the state of the shard that it names. Client errors are
// *apierr.Error.
func List(ctx context.Context, ix Index, r *wire.ListRequest) (*wire.ListReply, error) {
	if r.HasOrdinals {
		docs := make([]wire.Document, len(r.Ordinals))
		for i, ord := range r.Ordinals {
			docs[i].Ordinal = ord
		}
		return read(ix, r, &wire.ListReply{Documents: docs})
	}
	by, fault := queryfilter.ParseSort(r.Sort)
	if fault != nil {
		return nil, fault.API(apierr.CodeInvalidDocumentSort)
	}
	candidates, err := filter.Evaluator(ix, apierr.CodeInvalidDocumentFilter)(ctx, r.Filter)
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
	// The sum is bounded by the number of candidates.
	end := candidates.Len()
	if r.Limit < end-r.Offset {
		end = r.Offset + r.Limit
	}
	docs, skipped, err := arranged(ctx, ix, candidates, wire.EffectiveSort(by, ix.Fields()), r.Offset, end)
	if err != nil {
		return nil, err
	}
	if r.KeysOnly { // without an offset
		reply.Documents = docs
		return reply, nil
	}
	reply.Documents = docs[r.Offset-skipped : end-skipped]
	return read(ix, r, reply)
}

// identified returns the documents of external ids. It ignores unknown ones.
func identified(ix Index, ids []string) (docset.Set, error) {
	var found []uint32
	for _, id := range ids {
		row, ok, err := ix.Row(id)
		if err != nil {
			return docset.Set{}, err
		}
		if ok {
			found = append(found, row)
		}
	}
	slices.Sort(found)
	return docset.FromSorted(slices.Compact(found)), nil
}

// read fills in the bytes of the documents and drops missing ones.
func read(ix Index, r *wire.ListRequest, reply *wire.ListReply) (*wire.ListReply, error) {
	var selection *projection.Selection
	if r.HasFields {
		selection = projection.Of(r.Fields, ix.Fields())
	}
	ordinals := make([]uint32, len(reply.Documents))
	for i, d := range reply.Documents {
		ordinals[i] = d.Ordinal
	}
	rows := ix.Order().Rows(ordinals)
	vectors := render.HiddenVectors
	switch {
	case r.RetrieveVectors:
		vectors = render.AllVectors
	case r.UnknownVectors:
		vectors = render.UnknownVectors
	}
	bodies, err := render.Documents(ix, rows, selection, vectors)
	if err != nil {
		return nil, err
	}
	kept := reply.Documents[:0]
	for i, body := range bodies {
		if body == nil {
			continue
		}
		if r.StoredVectors {
			stored, err := ix.StoredEmbeddings(rows[i])
			if err != nil {
				return nil, err
			}
			body = staged.AppendVectors(body, stored)
		}
		kept = append(kept, wire.Document{Ordinal: ordinals[i], JSON: body})
	}
	reply.Documents = kept
	return reply, nil
}
