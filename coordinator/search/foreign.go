package search

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
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

// foreignDocuments bounds the documents of one index that the foreign conditions of a filter
// may select (100 before 1.53).
const foreignDocuments = 1000

// foreignConditions bounds the `_foreign` conditions of a filter. Each needs a listing of its
// own, whether documents match or not.
const foreignConditions = 100

// foreignReads bounds the documents that are read concurrently to hydrate a page.
const foreignReads = 8

// Foreign follows foreign keys, an experimental setting. It resolves `_foreign` conditions and
// replaces keys in hits by the documents that they name (spec search-api 7.7). Safe for
// concurrent use.
type Foreign struct {
	catalog   func() coordinator.Catalog
	documents *documents.Documents
	features  func() settings.Features
}

// NewForeign returns a Foreign that reads through documents.
func NewForeign(catalog func() coordinator.Catalog, documents *documents.Documents, features func() settings.Features) *Foreign {
	return &Foreign{catalog, documents, features}
}

// foreignKey is one element of the setting foreignKeys.
type foreignKey struct {
	Index string `json:"foreignIndexUid"`
	Field string `json:"fieldName"`
}

func foreignKeys(s *settings.Settings) ([]foreignKey, error) {
	if len(s.ForeignKeys) == 0 {
		return nil, nil
	}
	var keys []foreignKey
	err := json.Unmarshal(s.ForeignKeys, &keys)
	return keys, err
}

// Resolve replaces every `_foreign` condition of a filter by the ids of the matching documents:
// `field IN [ids]`. Its errors already name their index and need no prefix for the query.
func (f *Foreign) Resolve(ctx context.Context, x *wire.Index, parsed *filter.Filter) (*filter.Filter, error) {
	conditions := parsed.Foreign()
	if len(conditions) == 0 {
		return parsed, nil
	}
	if len(conditions) > foreignConditions {
		return nil, apierr.InIndex(x.UID, apierr.New(apierr.CodeInvalidSearchFilter, apierr.FilterTextForeignConditions(foreignConditions)))
	}
	keys, err := foreignKeys(x.DecodedSettings())
	if err != nil {
		return nil, err
	}
	found := make(map[*filter.Node][]string, len(conditions))
	perIndex := map[string]map[string]bool{}
	targets := make([]string, len(conditions))
	for i, n := range conditions {
		if targets[i], err = foreignTarget(x, keys, n); err != nil {
			return nil, err
		}
	}
	for i, n := range conditions {
		ids, err := f.selected(ctx, targets[i], n)
		if err != nil {
			return nil, err
		}
		found[n] = ids
		all := perIndex[targets[i]]
		if all == nil {
			all = map[string]bool{}
			perIndex[targets[i]] = all
		}
		for _, id := range ids {
			all[id] = true
		}
		if len(all) > foreignDocuments {
			return nil, apierr.InIndex(targets[i], apierr.New(apierr.CodeInvalidSearchFilter, apierr.FilterTextForeignTooMany))
		}
	}
	return parsed.ReplaceForeign(func(n *filter.Node) *filter.Node { return filter.InNode(n.Field, found[n]) }), nil
}

// foreignTarget returns the index that a condition refers to.
func foreignTarget(x *wire.Index, keys []foreignKey, n *filter.Node) (string, error) {
	at := slices.IndexFunc(keys, func(k foreignKey) bool { return k.Field == n.Field.Value })
	text := ""
	switch {
	case at < 0:
		text = "Field `" + n.Field.Value + "` is not a foreign key"
	case len((&filter.Filter{Root: n.Kids[0]}).Foreign()) > 0:
		text = apierr.FilterTextNestedForeign
	default:
		return keys[at].Index, nil
	}
	return "", apierr.InIndex(x.UID, apierr.New(apierr.CodeInvalidSearchFilter, text))
}

// selected lists the ids of the documents that pass the inner filter of a condition, at most
// one more than allowed.
func (f *Foreign) selected(ctx context.Context, uid string, n *filter.Node) ([]string, error) {
	x, ok := coordinator.Named(f.catalog(), uid)
	if !ok {
		return nil, apierr.IndexNotFound(uid)
	}
	inner := &filter.Filter{Root: n.Kids[0]}
	// The error message quotes the text of the whole condition.
	if fault := inner.CheckFilterable(x.DecodedSettings()); fault != nil {
		return nil, apierr.InIndex(uid, fault.API(apierr.CodeInvalidDocumentFilter))
	}
	if x.PrimaryKey == nil {
		return nil, nil // no document was ever added
	}
	page, err := f.documents.Documents(ctx, uid, &api.DocumentsRequest{
		Limit: foreignDocuments + 1, Fields: []string{*x.PrimaryKey}, Filter: jsonvalue.AppendString(nil, inner.String()),
	})
	if err != nil {
		var client *apierr.Error
		if errors.As(err, &client) && client.Code.Name != apierr.CodeIndexNotFound.Name {
			return nil, apierr.InIndex(uid, client)
		}
		return nil, err
	}
	ids := make([]string, 0, len(page.Documents))
	for _, raw := range page.Documents {
		if id, ok := idAt(raw, *x.PrimaryKey); ok {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// idAt reads the id of a document that was fetched with its primary key only.
func idAt(raw []byte, key string) (string, bool) {
	v, err := jsonvalue.Parse(raw)
	if err != nil {
		return "", false
	}
	at := v.Get(key)
	for at == nil && v.Kind() == jsonvalue.KindObject && v.Len() == 1 {
		// A dotted key: the document holds nothing but the path to it.
		v = v.Members()[0].Value
		if v.Kind() != jsonvalue.KindObject {
			at = &v
		}
	}
	if at == nil {
		return "", false
	}
	id, failure := payload.IDOf(at)
	return id, failure == nil
}

// Hydrate replaces the values of foreign keys in the documents of hits, and in their formatted
// copies, by the documents that they name, with displayed attributes only. A value that is no
// id stays. An id without a document gives {}.
func (f *Foreign) Hydrate(ctx context.Context, x *wire.Index, hits []api.Hit) error {
	keys, err := foreignKeys(x.DecodedSettings())
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

func (f *Foreign) hydrateKey(ctx context.Context, k foreignKey, hits []api.Hit) error {
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
