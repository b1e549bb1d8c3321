package search

import (
	"context"
	"errors"
	"slices"
	"strings"
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

// Hydrate replaces foreign keys in the documents of hits of one page, and in their formatted
// copies, by the documents that they name, with displayed attributes only. of returns the index of
// a hit, nil if it has no keys. What stands at a key in one hit, or in a list there, is read once
// for the page; every value of that kind at, below or above the key is replaced, in every hit. A
// value that is no id stays, as what is behind it in a list does. An id without a document gives
// {}. So does the reference since 1.50.
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
		for _, k := range keys[i] {
			page.gather(&hits[i], k)
		}
	}
	for _, uid := range page.order {
		if err := f.read(ctx, uid, page.documents[uid]); err != nil {
			return err
		}
	}
	for i := range hits {
		for _, k := range keys[i] {
			eachOf(&hits[i], func(raw []byte) []byte { return replaced(raw, []string{k.Field}, page.documents[k.Index]) })
		}
	}
	return nil
}

// hydrateEvery is Hydrate for the hits of one index as before 1.50: all values at, below or above
// a key are read.
func (f *Foreign) hydrateEvery(ctx context.Context, x *wire.Index, hits []api.Hit) error {
	keys, err := x.DecodedSettings().DecodedForeignKeys()
	if err != nil || !f.features().ForeignKeys {
		return err
	}
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
		if err := f.read(ctx, k.Index, documents); err != nil {
			return err
		}
		for i := range hits {
			eachOf(&hits[i], func(raw []byte) []byte { return replaced(raw, list, documents) })
		}
	}
	return nil
}

// foreignPage are the documents that a page of hits names, by index and id, and the indexes in the
// order in which they were met.
type foreignPage struct {
	documents map[string]map[string][]byte
	order     []string
}

// gather notes what stands at a key of a hit and of the others of its group.
func (p *foreignPage) gather(hit *api.Hit, k settings.ForeignKey) {
	if v, err := jsonvalue.Parse(hit.Document); err == nil {
		visit(&v, k.Field, func(id string) {
			if p.documents == nil {
				p.documents = map[string]map[string][]byte{}
			}
			if p.documents[k.Index] == nil {
				p.documents[k.Index] = map[string][]byte{}
				p.order = append(p.order, k.Index)
			}
			p.documents[k.Index][id] = nil
		})
	}
	for i := range hit.Group {
		p.gather(&hit.Group[i], k)
	}
}

// visit calls do with each id that stands at a path of a document. The members of the path may be
// nested or stand in one dotted name. A list ends at the first value that is no id.
func visit(document *jsonvalue.Value, path string, do func(id string)) {
	if v := document.Get(path); v != nil && v.Kind() == jsonvalue.KindArray {
		for i := range v.Members() {
			id, refused := payload.IDOf(&v.Members()[i].Value)
			if refused != nil {
				break
			}
			do(id)
		}
	} else if v != nil {
		if id, refused := payload.IDOf(v); refused == nil {
			do(id)
		}
	}
	for dot := strings.LastIndexByte(path, '.'); dot >= 0; dot = strings.LastIndexByte(path[:dot], '.') {
		v := document.Get(path[:dot])
		switch {
		case v == nil:
		case v.Kind() == jsonvalue.KindObject:
			visit(v, path[dot+1:], do)
		case v.Kind() == jsonvalue.KindArray:
			for i := range v.Members() {
				if m := &v.Members()[i].Value; m.Kind() == jsonvalue.KindObject {
					visit(m, path[dot+1:], do)
				}
			}
		}
	}
}

// eachOf rewrites the document of a hit, its formatted copy, and those of its group.
func eachOf(hit *api.Hit, rewrite func(raw []byte) []byte) {
	hit.Document, hit.Formatted = rewrite(hit.Document), rewrite(hit.Formatted)
	for i := range hit.Group {
		eachOf(&hit.Group[i], rewrite)
	}
}

// read fills in the documents of an index by id.
func (f *Foreign) read(ctx context.Context, uid string, documents map[string][]byte) error {
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

// replaced is a document whose values at, below or above some fields are replaced by documents.
func replaced(raw []byte, fields []string, documents map[string][]byte) []byte {
	return rewritten(raw, fields, func(id string) ([]byte, bool) { body, ok := documents[id]; return body, ok })
}

func rewritten(raw []byte, fields []string, document func(id string) ([]byte, bool)) []byte {
	if len(raw) == 0 {
		return raw
	}
	v, err := jsonvalue.Parse(raw)
	if err != nil {
		return raw
	}
	return appendRewritten(make([]byte, 0, len(raw)), &v, "", fields, document)
}

func appendRewritten(dst []byte, v *jsonvalue.Value, path string, fields []string, document func(id string) ([]byte, bool)) []byte {
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
			dst = append(jsonvalue.AppendString(dst, m.Name), ':')
			if slices.ContainsFunc(fields, func(f string) bool { return filter.Below(f, below) || filter.Below(below, f) }) {
				dst = appendRewritten(dst, &m.Value, below, fields, document)
			} else {
				dst = m.Value.AppendJSON(dst)
			}
		}
		return append(dst, '}')
	case jsonvalue.KindArray:
		dst = append(dst, '[')
		for i := range v.Members() {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendRewritten(dst, &v.Members()[i].Value, path, fields, document)
		}
		return append(dst, ']')
	}
	if id, refused := payload.IDOf(v); refused == nil {
		if body, ok := document(id); ok {
			return append(dst, body...)
		}
	}
	return v.AppendJSON(dst)
}
