package documents

import (
	"context"
	"errors"
	"slices"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/api/jsonvalue"
	"shoal/api/payload"
	"shoal/api/settings"
	"shoal/coordinator"
	"shoal/query/filter"
	"shoal/wire"
)

// foreignDocuments bounds the documents of one index that the foreign conditions of a filter
// may select (100 before 1.53).
const foreignDocuments = 1000

// foreignConditions bounds the `_foreign` conditions of a filter. Each needs a listing of its
// own, whether documents match or not.
const foreignConditions = 100

// ResolveForeign replaces every `_foreign` condition of a filter on an index by the ids of the
// matching documents: `field IN [ids]` (spec search-api 7.7). Its errors name their index.
func (d *Documents) ResolveForeign(ctx context.Context, x *wire.Index, parsed *filter.Filter) (*filter.Filter, error) {
	conditions := parsed.Foreign()
	if len(conditions) == 0 {
		return parsed, nil
	}
	if len(conditions) > foreignConditions {
		return nil, apierr.InIndex(x.UID, apierr.New(apierr.CodeInvalidSearchFilter, apierr.FilterTextForeignConditions(foreignConditions)))
	}
	keys, err := x.DecodedSettings().DecodedForeignKeys()
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
		ids, err := d.selected(ctx, targets[i], n)
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
func foreignTarget(x *wire.Index, keys []settings.ForeignKey, n *filter.Node) (string, error) {
	at := slices.IndexFunc(keys, func(k settings.ForeignKey) bool { return k.Field == n.Field.Value })
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
func (d *Documents) selected(ctx context.Context, uid string, n *filter.Node) ([]string, error) {
	x, ok := coordinator.Named(d.log.Catalog(), uid)
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
	page, err := d.Documents(ctx, uid, &api.DocumentsRequest{
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
		if id, ok := IDAt(raw, *x.PrimaryKey); ok {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// IDAt reads the id of a document that was fetched with its primary key only.
func IDAt(raw []byte, key string) (string, bool) {
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
