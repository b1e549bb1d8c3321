package foreign

import (
	"context"
	"errors"
	"sync"

	"golang.org/x/sync/errgroup"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/api/settings"
	"shoal/coordinator"
	"shoal/coordinator/documents"
	"shoal/query/filter"
	"shoal/wire"
)

// reads bounds the documents that are read concurrently to hydrate a page, and bytesOfPage the
// bytes of those that are read, and of those that are shown, one document perhaps often.
const (
	reads       = 8
	bytesOfPage = 64 << 20
)

// Keys follows the foreign keys of all indexes. A nil one leaves them as they are. Safe for
// concurrent use.
type Keys struct {
	catalog   func() coordinator.Catalog
	documents *documents.Documents
	features  func() settings.Features
	bytes     int // bytesOfPage
}

// New returns Keys that read through documents.
func New(catalog func() coordinator.Catalog, documents *documents.Documents, features func() settings.Features) *Keys {
	return &Keys{catalog, documents, features, bytesOfPage}
}

// Followed tells whether searches follow foreign keys: their feature is on.
func (f *Keys) Followed() bool { return f != nil && f.features().ForeignKeys }

// Resolve replaces the foreign conditions of a filter on an index, which may be nil. Its errors
// name their index.
func (f *Keys) Resolve(ctx context.Context, x *wire.Index, filter *filter.Filter) (*filter.Filter, error) {
	if f == nil || filter == nil {
		return filter, nil
	}
	return f.documents.ResolveForeign(ctx, x, filter)
}

// Check makes those checks of Resolve that read no documents.
func (f *Keys) Check(x *wire.Index, filter *filter.Filter) error {
	if f == nil || filter == nil {
		return nil
	}
	return f.documents.CheckForeign(x, filter)
}

// Hydrate replaces foreign keys in the documents of hits of one page, and in their formatted
// copies, by the documents that they name, with displayed attributes only. of returns the index of
// a hit, nil if it has no keys. What stands at a key in one hit, or in a list there, is read once
// for the page; every value of that kind at, below or above the key is replaced, in every hit. A
// value that is no id stays, as what is behind it in a list does. An id without a document gives
// {}. So does the reference since 1.50. Documents that take too much room are an error.
func (f *Keys) Hydrate(ctx context.Context, of func(i int) *wire.Index, hits []api.Hit) error {
	if !f.Followed() {
		return nil
	}
	keys := make([][]settings.ForeignKey, len(hits))
	named := page{}
	for i := range hits {
		x := of(i)
		if x == nil {
			continue
		}
		var err error
		if keys[i], err = x.DecodedSettings().DecodedForeignKeys(); err != nil {
			return err
		}
		named.gather(&hits[i], keys[i])
	}
	left := roomFor(f.bytes)
	for _, uid := range named.order {
		if err := f.read(ctx, uid, named.documents[uid], left); err != nil {
			return err
		}
	}
	for i := range hits {
		for _, k := range keys[i] {
			eachOf(&hits[i], func(raw []byte) []byte {
				return left.replaced(raw, []string{k.Field}, named.documents[k.Index])
			})
		}
	}
	return left.fault()
}

// HydrateEvery is Hydrate for the hits of one index as before 1.50: all values at, below or above
// a key are read.
func (f *Keys) HydrateEvery(ctx context.Context, x *wire.Index, hits []api.Hit) error {
	if f == nil {
		return nil
	}
	keys, err := x.DecodedSettings().DecodedForeignKeys()
	if err != nil || !f.Followed() {
		return err
	}
	left := roomFor(f.bytes)
	fields := map[string][]string{} // by foreign index
	for _, k := range keys {
		fields[k.Index] = append(fields[k.Index], k.Field)
	}
	for _, k := range keys {
		list := fields[k.Index]
		if list == nil {
			continue
		}
		delete(fields, k.Index)
		documents := map[string][]byte{}
		for i := range hits {
			eachOf(&hits[i], func(raw []byte) []byte {
				return rewritten(raw, list, func(id string) ([]byte, bool) {
					documents[id] = nil
					return nil, false
				})
			})
		}
		if err := f.read(ctx, k.Index, documents, left); err != nil {
			return err
		}
		for i := range hits {
			eachOf(&hits[i], func(raw []byte) []byte { return left.replaced(raw, list, documents) })
		}
	}
	return left.fault()
}

// read fills in the documents of an index by id.
func (f *Keys) read(ctx context.Context, uid string, documents map[string][]byte, left *room) error {
	x, ok := coordinator.Named(f.catalog(), uid)
	if !ok {
		return apierr.IndexNotFound(uid)
	}
	fields := x.DecodedSettings().DisplayedAttributes
	var mu sync.Mutex
	ids := make([]string, 0, len(documents))
	for id := range documents {
		ids = append(ids, id)
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(reads)
	for _, id := range ids {
		group.Go(func() error {
			var body []byte
			err := wire.Catch(func() (err error) {
				body, err = f.documents.Referred(ctx, x.UID, id, fields)
				return err
			})
			var client *apierr.Error
			if errors.As(err, &client) && client.Code.Name == apierr.CodeDocumentNotFound.Name {
				body, err = []byte("{}"), nil
			}
			if err != nil {
				return err
			}
			if left.read.Add(-int64(overhead+len(body))) < 0 {
				return apierr.ForeignDocumentsTooLarge()
			}
			mu.Lock()
			defer mu.Unlock()
			documents[id] = body
			return nil
		})
	}
	return group.Wait()
}
