package documents

import (
	"context"
	"errors"
	"math"
	"slices"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/api/jsonvalue"
	"shoal/api/settings"
	"shoal/coordinator"
	"shoal/coordinator/fanout"
	"shoal/coordinator/replica"
	"shoal/query/filter"
	"shoal/wire"
)

// Documents answers the routes that read documents, over all shards of an index.
// Safe for concurrent use.
type Documents struct {
	log      coordinator.Log
	shards   coordinator.Shards
	self     wire.NodeID
	features func() settings.Features
}

// New returns the documents of the cluster as seen from node self, whose own replicas are
// preferred.
func New(log coordinator.Log, shards coordinator.Shards, self wire.NodeID, features func() settings.Features) *Documents {
	return &Documents{log: log, shards: shards, self: self, features: features}
}

// Document returns one document as a JSON object. Errors: apierr.IndexNotFound,
// apierr.DocumentNotFound.
func (d *Documents) Document(ctx context.Context, uid, id string, fields []string, vectors bool) ([]byte, error) {
	return d.document(ctx, uid, id, wire.ListRequest{Fields: fields, HasFields: fields != nil, RetrieveVectors: vectors})
}

// Referred returns one document as it stands in place of a foreign key: `_vectors` of names
// without an embedder are members like others. Errors are those of Document.
func (d *Documents) Referred(ctx context.Context, uid, id string, fields []string) ([]byte, error) {
	return d.document(ctx, uid, id, wire.ListRequest{Fields: fields, HasFields: fields != nil, UnknownVectors: true})
}

// document asks the shard of an id for the document.
func (d *Documents) document(ctx context.Context, uid, id string, request wire.ListRequest) ([]byte, error) {
	request.IDs, request.HasIDs, request.Limit = []string{id}, true, 1
	var found []byte
	err := d.read(uid, func(x *wire.Index) error {
		s := x.ShardOfSlot(wire.SlotOf(id))
		if s == nil {
			return nil
		}
		reply, err := d.ask(ctx, x, s, request)
		if err == nil && len(reply.Documents) > 0 {
			found = reply.Documents[0].JSON
		}
		return err
	})
	if err == nil && found == nil {
		err = apierr.DocumentNotFound(id)
	}
	return found, err
}

// read calls from with the index. When the version is gone, it restarts the whole read once
// with the newest catalogue.
func (d *Documents) read(uid string, from func(*wire.Index) error) error {
	for try := 0; ; try++ {
		x, ok := coordinator.Named(d.log.Catalog(), uid)
		if !ok {
			return apierr.IndexNotFound(uid)
		}
		if err := from(x); try > 0 || !errors.Is(err, wire.ErrGone) {
			return err
		}
	}
}

func (d *Documents) ask(ctx context.Context, x *wire.Index, s *wire.Shard, request wire.ListRequest) (*wire.ListReply, error) {
	request.Index = replica.PinNewest(x, s)
	return replica.Ask(ctx, d.shards, d.self, s, func(node wire.NodeID) (*wire.ListReply, error) {
		return d.shards.List(ctx, node, &request)
	})
}

// Documents lists documents (spec write-api 9.3). It checks, in this order: the syntax of sort,
// the index, the filter, the attributes of sort.
func (d *Documents) Documents(ctx context.Context, uid string, r *api.DocumentsRequest) (*api.DocumentsPage, error) {
	by, fault := filter.ParseSort(r.Sort)
	if fault != nil {
		return nil, fault.API(apierr.CodeInvalidDocumentSort)
	}
	var page *api.DocumentsPage
	err := d.read(uid, func(x *wire.Index) error {
		l := listing{Documents: d, index: x, by: by, offset: clampCount(r.Offset), limit: clampCount(r.Limit)}
		l.request = wire.ListRequest{
			IDs: r.IDs, HasIDs: r.IDs != nil, Filter: r.Filter, Sort: r.Sort,
			Fields: r.Fields, HasFields: r.Fields != nil, RetrieveVectors: r.RetrieveVectors,
		}
		err := l.check(ctx)
		if err == nil {
			page, err = l.run(ctx)
		}
		return l.filter.Reworded(err, x.DecodedSettings())
	})
	return page, err
}

// clampCount bounds a client's count so that the sum of two does not overflow.
func clampCount(n uint64) int { return int(min(n, math.MaxInt32)) }

// listing is one list over the shards of an index.
type listing struct {
	*Documents
	index         *wire.Index
	by            []filter.SortBy
	offset, limit int
	request       wire.ListRequest
	filter        *filter.Filter // the request's, without foreign conditions
}

// check refuses bad filters, then sorts by attributes that are not sortable. An error of
// evaluating the filter precedes the latter.
func (l *listing) check(ctx context.Context) error {
	settings := l.index.DecodedSettings()
	parsed, fault := filter.ParseRequestFilter(l.request.Filter)
	if fault == nil {
		fault = parsed.CheckGates(filter.GatesOf(l.features()))
	}
	if fault != nil {
		return fault.API(apierr.CodeInvalidDocumentFilter)
	}
	resolved, err := l.ResolveForeign(ctx, l.index, parsed)
	if err != nil {
		return err
	}
	if fault = resolved.CheckFilterable(settings); fault != nil {
		return fault.API(apierr.CodeInvalidDocumentFilter)
	}
	if l.filter = resolved; resolved != parsed {
		l.request.Filter = jsonvalue.AppendString(nil, resolved.String())
	}
	fault = filter.CheckDocumentSort(l.by, settings, slices.Contains(l.index.Fields, "_geo"))
	if fault == nil {
		return nil
	}
	if parsed != nil {
		count := l.request
		count.CountOnly, count.Sort = true, nil
		if _, err := l.each(ctx, count); err != nil {
			return err
		}
	}
	return fault.API(apierr.CodeInvalidDocumentSort)
}

// each asks all shards concurrently.
func (l *listing) each(ctx context.Context, request wire.ListRequest) ([]*wire.ListReply, error) {
	replies := make([]*wire.ListReply, len(l.index.Shards))
	group, ctx := fanout.WithContext(ctx)
	for i := range l.index.Shards {
		group.Go(func() error {
			var err error
			replies[i], err = l.ask(ctx, l.index, &l.index.Shards[i], request)
			return err
		})
	}
	return replies, group.Wait()
}

func (l *listing) run(ctx context.Context) (*api.DocumentsPage, error) {
	if len(l.index.Shards) == 1 {
		request := l.request
		request.Offset, request.Limit = l.offset, l.limit
		reply, err := l.ask(ctx, l.index, &l.index.Shards[0], request)
		if err != nil {
			return nil, err
		}
		page := &api.DocumentsPage{Total: reply.Total, Documents: make([][]byte, len(reply.Documents))}
		for i, doc := range reply.Documents {
			page.Documents[i] = doc.JSON
		}
		return page, nil
	}
	return l.merge(ctx)
}

// merge sorts the keys of all shards and reads the documents of the page.
func (l *listing) merge(ctx context.Context) (*api.DocumentsPage, error) {
	request := l.request
	request.Limit, request.KeysOnly = l.offset+l.limit, true
	request.CountOnly = l.limit == 0
	replies, err := l.each(ctx, request)
	if err != nil {
		return nil, err
	}
	page := &api.DocumentsPage{}
	var all []wire.Document
	owner := map[uint32]int{}
	for shard, reply := range replies {
		page.Total += reply.Total
		for _, doc := range reply.Documents {
			owner[doc.Ordinal] = shard
		}
		all = append(all, reply.Documents...)
	}
	wire.ArrangeDocuments(all, wire.EffectiveSort(l.by, l.index.Fields))
	all = all[min(l.offset, len(all)):min(l.offset+l.limit, len(all))]
	return page, l.fetch(ctx, page, all, owner)
}

// fetch reads the documents of a page from their shards.
func (l *listing) fetch(ctx context.Context, page *api.DocumentsPage, docs []wire.Document, owner map[uint32]int) error {
	page.Documents = make([][]byte, len(docs))
	wanted := make([][]uint32, len(l.index.Shards))
	place := make(map[uint32]int, len(docs))
	for i, doc := range docs {
		wanted[owner[doc.Ordinal]] = append(wanted[owner[doc.Ordinal]], doc.Ordinal)
		place[doc.Ordinal] = i
	}
	group, ctx := fanout.WithContext(ctx)
	for shard, ordinals := range wanted {
		if len(ordinals) == 0 {
			continue
		}
		group.Go(func() error {
			request := wire.ListRequest{
				Ordinals: ordinals, HasOrdinals: true,
				Fields: l.request.Fields, HasFields: l.request.HasFields, RetrieveVectors: l.request.RetrieveVectors,
			}
			reply, err := l.ask(ctx, l.index, &l.index.Shards[shard], request)
			if err != nil {
				return err
			}
			// No two goroutines write the same place.
			for _, doc := range reply.Documents {
				page.Documents[place[doc.Ordinal]] = doc.JSON
			}
			return nil
		})
	}
	return group.Wait()
}
