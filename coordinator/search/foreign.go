package search

import (
	"context"
	"errors"
	"sync"

	"golang.org/x/sync/errgroup"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/api/jsonvalue"
	"shoal/api/payload"
	"shoal/api/settings"
	"shoal/coordinator"
	"shoal/coordinator/documents"
	"shoal/query/filter"
	"shoal/wire"
)

// foreignReads bounds the documents that are read concurrently to hydrate a page.
const foreignReads = 8

// Foreign follows foreign keys, an experimental setting: it replaces keys in hits by the
// documents that they name (spec search-api 7.7). Safe for concurrent use.
type Foreign struct {
	catalog   func() coordinator.Catalog
	documents *documents.Documents
	features  func() settings.Features
}

// NewForeign returns a Foreign that reads through documents.
func NewForeign(catalog func() coordinator.Catalog, documents *documents.Documents, features func() settings.Features) *Foreign {
	return &Foreign{catalog, documents, features}
}

// Hydrate replaces the values of foreign keys in the documents of hits, and in their formatted
// copies, by the documents that they name, with displayed attributes only. A value that is no
// id stays. An id without a document gives {}.
func (f *Foreign) Hydrate(ctx context.Context, x *wire.Index, hits []api.Hit) error {
	keys, err := x.DecodedSettings().DecodedForeignKeys()
	if err != nil || len(keys) == 0 || len(hits) == 0 || !f.features().ForeignKeys {
		return err
	}
	for _, k := range keys {
		if err := f.hydrateKey(ctx, k, hits); err != nil {
			return err
		}
	}
	return nil
}

func (f *Foreign) hydrateKey(ctx context.Context, k settings.ForeignKey, hits []api.Hit) error {
	x, ok := coordinator.Named(f.catalog(), k.Index)
	if !ok {
		e := apierr.IndexNotFound(k.Index)
		return apierr.New(e.Code, "When trying to open an hydration index: "+e.Message)
	}
	h := hydration{field: k.Field, documents: map[string][]byte{}}
	for i := range hits {
		h.gather(hits[i].Document)
		h.gather(hits[i].Formatted)
	}
	if err := f.read(ctx, x, h.documents); err != nil {
		return err
	}
	for i := range hits {
		hits[i].Document = h.replace(hits[i].Document)
		hits[i].Formatted = h.replace(hits[i].Formatted)
	}
	return nil
}

// read fills in the documents by id.
func (f *Foreign) read(ctx context.Context, x *wire.Index, documents map[string][]byte) error {
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
				body, err = f.documents.Document(ctx, x.UID, id, fields, false)
				return err
			})
			var client *apierr.Error
			if errors.As(err, &client) && client.Code.Name == apierr.CodeDocumentNotFound.Name {
				body, err = []byte("{}"), nil
			}
			if err != nil {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			documents[id] = body
			return nil
		})
	}
	return group.Wait()
}

// hydration replaces the values of one foreign key.
type hydration struct {
	field     string
	documents map[string][]byte // by id
}

func (h *hydration) gather(raw []byte) {
	h.rewrite(raw, func(id string) ([]byte, bool) {
		h.documents[id] = nil
		return nil, false
	})
}

func (h *hydration) replace(raw []byte) []byte {
	return h.rewrite(raw, func(id string) ([]byte, bool) { body, ok := h.documents[id]; return body, ok })
}

func (h *hydration) rewrite(raw []byte, document func(id string) ([]byte, bool)) []byte {
	if len(raw) == 0 {
		return raw
	}
	v, err := jsonvalue.Parse(raw)
	if err != nil {
		return raw
	}
	return h.append(make([]byte, 0, len(raw)), &v, "", document)
}

func (h *hydration) append(dst []byte, v *jsonvalue.Value, path string, document func(id string) ([]byte, bool)) []byte {
	if path != "" && !filter.Below(h.field, path) && !filter.Below(path, h.field) {
		return v.AppendJSON(dst)
	}
	switch v.Kind() {
	case jsonvalue.KindObject:
		dst = append(dst, '{')
		for i := range v.Members() {
			m := &v.Members()[i]
			if i > 0 {
				dst = append(dst, ',')
			}
			below := m.Name
			if path != "" {
				below = path + "." + m.Name
			}
			dst = h.append(append(jsonvalue.AppendString(dst, m.Name), ':'), &m.Value, below, document)
		}
		return append(dst, '}')
	case jsonvalue.KindArray:
		dst = append(dst, '[')
		for i := range v.Members() {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = h.append(dst, &v.Members()[i].Value, path, document)
		}
		return append(dst, ']')
	}
	if filter.Below(path, h.field) {
		if id, failure := payload.IDOf(v); failure == nil {
			if body, ok := document(id); ok {
				return append(dst, body...)
			}
		}
	}
	return v.AppendJSON(dst)
}
