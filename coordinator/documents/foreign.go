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
	targets, err := foreignTargetsOf(x, parsed)
	if err != nil || len(targets) == 0 {
		return parsed, err
	}
	found := map[*filter.Node][]string{}
	for _, target := range targets {
		if err := d.selectAll(ctx, target, found); err != nil {
			return nil, err
		}
	}
	return parsed.ReplaceForeign(func(n *filter.Node) *filter.Node { return filter.InNode(n.Field, found[n]) }), nil
}

// CheckForeign makes those checks of ResolveForeign that read no documents.
func (d *Documents) CheckForeign(x *wire.Index, parsed *filter.Filter) error {
	_, err := foreignTargetsOf(x, parsed)
	return err
}

// foreignTarget is an index that foreign conditions refer to, with these conditions.
type foreignTarget struct {
	uid        string
	conditions []*filter.Node
}

// foreignTargetsOf groups the foreign conditions of a filter by the index that they refer to. As
// in the reference, the last condition comes first.
func foreignTargetsOf(x *wire.Index, parsed *filter.Filter) ([]foreignTarget, error) {
	conditions := parsed.Foreign()
	if len(conditions) == 0 {
		return nil, nil
	}
	if len(conditions) > foreignConditions {
		return nil, apierr.InIndex(x.UID, apierr.New(apierr.CodeInvalidSearchFilter, apierr.FilterTextForeignConditions(foreignConditions)))
	}
	keys, err := x.DecodedSettings().DecodedForeignKeys()
	if err != nil {
		return nil, err
	}
	var targets []foreignTarget
	for _, n := range slices.Backward(conditions) {
		uid, err := foreignIndex(x, keys, n)
		if err != nil {
			return nil, err
		}
		at := slices.IndexFunc(targets, func(t foreignTarget) bool { return t.uid == uid })
		if at < 0 {
			at = len(targets)
			targets = append(targets, foreignTarget{uid: uid})
		}
		targets[at].conditions = append(targets[at].conditions, n)
	}
	return targets, nil
}

// selectAll adds the ids that each of the conditions on an index selects. Together these may be
// too many.
func (d *Documents) selectAll(ctx context.Context, target foreignTarget, found map[*filter.Node][]string) error {
	all := map[string]bool{}
	for _, n := range target.conditions {
		ids, err := d.selected(ctx, target.uid, n)
		if err != nil {
			return err
		}
		found[n] = ids
		for _, id := range ids {
			all[id] = true
		}
	}
	if len(all) > foreignDocuments {
		return apierr.InIndex(target.uid, apierr.New(apierr.CodeInvalidSearchFilter, apierr.FilterTextForeignTooMany))
	}
	return nil
}

// foreignIndex returns the index that a condition refers to.
func foreignIndex(x *wire.Index, keys []settings.ForeignKey, n *filter.Node) (string, error) {
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
	request := &api.DocumentsRequest{Limit: foreignDocuments + 1, Fields: []string{}, Filter: jsonvalue.AppendString(nil, inner.String())}
	if x.PrimaryKey != nil { // otherwise no document was ever added, yet the filter may have faults
		request.Fields = append(request.Fields, *x.PrimaryKey)
	}
	page, err := d.Documents(ctx, uid, request)
	if err != nil {
		var client *apierr.Error
		if err = inner.Reworded(err, x.DecodedSettings()); errors.As(err, &client) && client.Code.Name != apierr.CodeIndexNotFound.Name {
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
