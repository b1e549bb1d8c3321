package search

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/api/jsonvalue"
	"shoal/api/settings"
	"shoal/coordinator"
	"shoal/coordinator/documents"
	"shoal/wire"
)

// foreignReads bounds the documents that are read concurrently to hydrate a page, and foreignRoom
// the bytes of those that are read, and of those that are shown, one document perhaps often.
const (
	foreignReads = 8
	foreignRoom  = 64 << 20
)

// foreignOverhead is about what a document takes in memory beside its bytes.
const foreignOverhead = 64

// Foreign follows foreign keys, an experimental setting: it replaces keys in hits by the
// documents that they name (spec search-api 7.7). Safe for concurrent use.
type Foreign struct {
	catalog   func() coordinator.Catalog
	documents *documents.Documents
	features  func() settings.Features
	room      int // foreignRoom
}

// NewForeign returns a Foreign that reads through documents.
func NewForeign(catalog func() coordinator.Catalog, documents *documents.Documents, features func() settings.Features) *Foreign {
	return &Foreign{catalog, documents, features, foreignRoom}
}

// Hydrate replaces foreign keys in the documents of hits of one page, and in their formatted
// copies, by the documents that they name, with displayed attributes only. of returns the index of
// a hit, nil if it has no keys. What stands at a key in one hit, or in a list there, is read once
// for the page; every value of that kind at, below or above the key is replaced, in every hit. A
// value that is no id stays, as what is behind it in a list does. An id without a document gives
// {}. So does the reference since 1.50. Documents that take too much room are an error.
func (f *Foreign) Hydrate(ctx context.Context, of func(i int) *wire.Index, hits []api.Hit) error {
	if !f.features().ForeignKeys {
		return nil
	}
	keys := make([][]settings.ForeignKey, len(hits))
	page := foreignPage{}
	for i := range hits {
		x := of(i)
		if x == nil {
			continue
		}
		var err error
		if keys[i], err = x.DecodedSettings().DecodedForeignKeys(); err != nil {
			return err
		}
		page.gather(&hits[i], keys[i])
	}
	room := roomFor(f.room)
	for _, uid := range page.order {
		if err := f.read(ctx, uid, page.documents[uid], room); err != nil {
			return err
		}
	}
	for i := range hits {
		for _, k := range keys[i] {
			eachOf(&hits[i], func(raw []byte) []byte {
				return room.replaced(raw, []string{k.Field}, page.documents[k.Index])
			})
		}
	}
	return room.fault()
}

// hydrateEvery is Hydrate for the hits of one index as before 1.50: all values at, below or above
// a key are read.
func (f *Foreign) hydrateEvery(ctx context.Context, x *wire.Index, hits []api.Hit) error {
	keys, err := x.DecodedSettings().DecodedForeignKeys()
	if err != nil || !f.features().ForeignKeys {
		return err
	}
	room := roomFor(f.room)
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
		if err := f.read(ctx, k.Index, documents, room); err != nil {
			return err
		}
		for i := range hits {
			eachOf(&hits[i], func(raw []byte) []byte { return room.replaced(raw, list, documents) })
		}
	}
	return room.fault()
}

// foreignPage are the documents that a page of hits names, by index and id, and the indexes in the
// order in which they were met.
type foreignPage struct {
	documents map[string]map[string][]byte
	order     []string
}

// gather notes what stands at the keys of a hit and of the others of its group.
func (p *foreignPage) gather(hit *api.Hit, keys []settings.ForeignKey) {
	if len(keys) == 0 {
		return
	}
	if v, err := jsonvalue.Parse(hit.Document); err == nil {
		for _, k := range keys {
			visit(&v, k.Field, func(id string) { p.note(k.Index, id) })
		}
	}
	for i := range hit.Group {
		p.gather(&hit.Group[i], keys)
	}
}

func (p *foreignPage) note(index, id string) {
	if p.documents == nil {
		p.documents = map[string]map[string][]byte{}
	}
	if p.documents[index] == nil {
		p.documents[index] = map[string][]byte{}
		p.order = append(p.order, index)
	}
	p.documents[index][id] = nil
}

// eachOf rewrites the document of a hit, its formatted copy, and those of its group.
func eachOf(hit *api.Hit, rewrite func(raw []byte) []byte) {
	hit.Document, hit.Formatted = rewrite(hit.Document), rewrite(hit.Formatted)
	for i := range hit.Group {
		eachOf(&hit.Group[i], rewrite)
	}
}

// hydrationRoom is what is left of the room for the documents of a page.
type hydrationRoom struct {
	read  atomic.Int64
	shown int // below 0: some found no room
}

func roomFor(bytes int) *hydrationRoom {
	r := &hydrationRoom{shown: bytes}
	r.read.Store(int64(bytes))
	return r
}

func (r *hydrationRoom) fault() error {
	if r.shown < 0 {
		return apierr.ForeignDocumentsTooLarge()
	}
	return nil
}

// replaced is a document whose values at, below or above some fields are replaced by documents.
func (r *hydrationRoom) replaced(raw []byte, fields []string, documents map[string][]byte) []byte {
	return rewritten(raw, fields, func(id string) ([]byte, bool) {
		body, ok := documents[id]
		if !ok || r.shown < len(body) {
			if ok {
				r.shown = -1
			}
			return nil, false
		}
		r.shown -= len(body)
		return body, true
	})
}

// read fills in the documents of an index by id.
func (f *Foreign) read(ctx context.Context, uid string, documents map[string][]byte, room *hydrationRoom) error {
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
	group.SetLimit(foreignReads)
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
			if room.read.Add(-int64(foreignOverhead+len(body))) < 0 {
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
