package search

import (
	"cmp"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/api/decode"
	"shoal/api/jsonvalue"
	"shoal/api/parameter"
	"shoal/api/settings"
	"shoal/httpfront/auth"
	"shoal/httpfront/routing"
	"shoal/wire"
)

// multiSearch is the body of POST /multi-search (spec search-api 5.1).
type multiSearch struct {
	Queries    []api.IndexQuery
	Federation *api.Federation
}

var multiSearchFields = decode.NewObject(
	decode.Plain("queries", apierr.Code{}, decode.List(indexQueryFields.As(newIndexQuery)), func(m *multiSearch) *[]api.IndexQuery { return &m.Queries }).Required(apierr.Code{}),
	decode.Optional("federation", apierr.Code{}, federationFields.As(newFederation), func(m *multiSearch) **api.Federation { return &m.Federation }),
)

// indexQueryFields are the members of a search, between indexUid and federationOptions.
// Here a null offset, limit or showPerformanceDetails counts as absent.
var indexQueryFields = decode.NewObject(indexQueryRows()...)

func indexQueryRows() []decode.Row[api.IndexQuery] {
	rows := []decode.Row[api.IndexQuery]{
		decode.Plain("indexUid", apierr.CodeInvalidIndexUID, decode.IndexUID, func(q *api.IndexQuery) *string { return &q.IndexUID }).Required(apierr.CodeMissingIndexUID),
	}
	rows = append(rows, parameter.SearchRows(func(q *api.IndexQuery) *api.SearchRequest { return &q.SearchRequest },
		optionalHere("offset", apierr.CodeInvalidSearchOffset, decode.Uint, func(q *api.IndexQuery) (*uint64, *bool) { return &q.Offset, &q.OffsetGiven }),
		optionalHere("limit", apierr.CodeInvalidSearchLimit, decode.Uint, func(q *api.IndexQuery) (*uint64, *bool) { return &q.Limit, &q.LimitGiven }),
		optionalHere("showPerformanceDetails", apierr.CodeInvalidSearchShowPerformanceDetails, decode.Bool, func(q *api.IndexQuery) (*bool, *bool) {
			return &q.ShowPerformanceDetails, &q.PerformanceGiven
		}))...)
	return append(rows,
		decode.Optional("federationOptions", apierr.Code{}, federationOptionsFields.As(newFederationOptions), func(q *api.IndexQuery) **api.FederationOptions { return &q.FederationOptions }))
}

// optionalHere is a member for which null means absent. It records whether the member was
// given.
func optionalHere[T any](name string, code apierr.Code, dec decode.Decoder[T], slot func(*api.IndexQuery) (*T, *bool)) decode.Row[api.IndexQuery] {
	return decode.Custom(name, code, func(q *api.IndexQuery, at *decode.Loc, v *jsonvalue.Value) *apierr.Error {
		if v.IsNull() {
			return nil
		}
		t, err := dec(at, v)
		if err == nil {
			value, given := slot(q)
			*value, *given = t, true
		}
		return err
	})
}

func newIndexQuery() api.IndexQuery { return api.IndexQuery{SearchRequest: *api.NewSearchRequest()} }

var federationOptionsFields = decode.NewObject(
	decode.Plain("weight", apierr.CodeInvalidMultiSearchWeight, weight, func(o *api.FederationOptions) *float64 { return &o.Weight }),
	decode.Optional("remote", apierr.CodeInvalidMultiSearchRemote, decode.String, func(o *api.FederationOptions) **string { return &o.Remote }),
	decode.Optional("queryPosition", apierr.CodeInvalidMultiSearchQueryPosition, decode.Uint, func(o *api.FederationOptions) **uint64 { return &o.QueryPosition }),
)

func newFederationOptions() api.FederationOptions { return api.FederationOptions{Weight: 1} }

func weight(at *decode.Loc, v *jsonvalue.Value) (float64, *apierr.Error) {
	f, err := decode.Float(at, v)
	if err == nil && !(f >= 0) {
		return 0, at.Invalid("the value of `weight` is invalid, expected a positive float (>= 0.0).")
	}
	return f, err
}

var federationFields = decode.NewObject(
	decode.Plain("limit", apierr.CodeInvalidSearchLimit, decode.Uint, func(f *api.Federation) *uint64 { return &f.Limit }),
	decode.Plain("offset", apierr.CodeInvalidSearchOffset, decode.Uint, func(f *api.Federation) *uint64 { return &f.Offset }),
	decode.Optional("page", apierr.CodeInvalidSearchPage, decode.Uint, func(f *api.Federation) **uint64 { return &f.Page }),
	decode.Optional("hitsPerPage", apierr.CodeInvalidSearchHitsPerPage, decode.Uint, func(f *api.Federation) **uint64 { return &f.HitsPerPage }),
	decode.Plain("facetsByIndex", apierr.CodeInvalidMultiSearchFacetsByIndex, facetsByIndex, func(f *api.Federation) *[]api.FacetsOfIndex { return &f.FacetsByIndex }),
	decode.Optional("mergeFacets", apierr.CodeInvalidMultiSearchMergeFacets, mergeFacetsFields.Read, func(f *api.Federation) **api.MergeFacets { return &f.MergeFacets }),
	decode.Optional("distinct", apierr.CodeInvalidSearchDistinct, decode.String, func(f *api.Federation) **string { return &f.Distinct }),
	decode.Plain("showPerformanceDetails", apierr.CodeInvalidSearchShowPerformanceDetails, decode.Bool, func(f *api.Federation) *bool { return &f.ShowPerformanceDetails }),
	decode.Optional("personalize", apierr.CodeInvalidSearchPersonalize, parameter.Personalize, func(f *api.Federation) **api.Personalize { return &f.Personalize }),
)

func newFederation() api.Federation { return api.Federation{Limit: api.DefaultSearchLimit} }

var mergeFacetsFields = decode.NewObject(
	decode.Optional("maxValuesPerFacet", apierr.CodeInvalidMultiSearchMaxValuesPerFacet, decode.Uint, func(m *api.MergeFacets) **uint64 { return &m.MaxValuesPerFacet }),
)

// facetsByIndex accepts an object from index uid to a list of facets or null.
func facetsByIndex(at *decode.Loc, v *jsonvalue.Value) ([]api.FacetsOfIndex, *apierr.Error) {
	entries, err := decode.Map(decode.OrNull(decode.Decoder[[]string](decode.Strings)))(at, v)
	if err != nil {
		return nil, err
	}
	out := make([]api.FacetsOfIndex, len(entries))
	for i, e := range entries {
		if !apierr.ValidIndexUID(e.Name) {
			return nil, at.Invalid("the key \"" + e.Name + "\" could not be deserialized into the key type `meilisearch_types::index_uid::IndexUid`")
		}
		out[i].IndexUID = e.Name
		if e.Value != nil {
			out[i].Facets = *e.Value
		}
	}
	slices.SortFunc(out, func(a, b api.FacetsOfIndex) int { return strings.Compare(a.IndexUID, b.IndexUID) })
	return out, nil
}

func (h *Handlers) serveMultiSearch(x *routing.Exchange) error {
	body, err := x.AdmitBody()
	if err != nil {
		return err
	}
	if err := tooManyQueries(&body); err != nil {
		return err
	}
	var m multiSearch
	if err := routing.DecodeSearch(body, multiSearchFields, &m); err != nil {
		return err
	}
	for i := range m.Queries {
		q := &m.Queries[i]
		if !x.Auth.Allows(q.IndexUID) {
			return apierr.InsideQuery(uint64(i), auth.ErrInvalidKey)
		}
		x.Asks(q.Q, q.Filter)
		q.Filter = x.Auth.Restrict(q.IndexUID, q.Filter)
	}
	if m.Federation != nil {
		return h.federated(x, &m)
	}
	return h.separate(x, m.Queries)
}

// maxQueries bounds the queries of a multi-search. The reference has no limit, but a query
// takes a hundred times the memory of its text. maxFederated bounds the queries of a
// federated search, which are all open at once.
const (
	maxQueries   = 1000
	maxFederated = 500
)

func tooManyQueries(body *jsonvalue.Value) error {
	queries := body.Get("queries")
	what, most := "multi-search", maxQueries
	if f := body.Get("federation"); f != nil && !f.IsNull() {
		what, most = "federated search", maxFederated
	}
	if queries == nil || queries.Kind() != jsonvalue.KindArray || queries.Len() <= most {
		return nil
	}
	return apierr.New(apierr.CodePayloadTooLarge, "A "+what+" has at most "+strconv.Itoa(most)+" queries, but found "+
		strconv.Itoa(queries.Len())+": send them in several requests.")
}

// separate answers every query on its own (spec search-api 5.2).
func (h *Handlers) separate(x *routing.Exchange, queries []api.IndexQuery) error {
	features := x.Features()
	run, refusal := h.refusedSeparate(features, queries)
	ctx := wire.WithTurn(x.Context(), func() error { return x.Turn() })
	answers, failed, err := h.Search.SearchMany(ctx, queries[:run])
	defer func() {
		for _, found := range answers {
			api.CloseMore(found.More)
		}
	}()
	switch {
	case err != nil:
		return inQuery(features, failed, queries[failed].IndexUID, err)
	case refusal != nil:
		return refusal
	}
	env, err := newEnvelope(x.HTTP.Header)
	if err != nil {
		return err
	}
	parts := make([]part, len(answers))
	for i, found := range answers {
		q := &queries[i]
		if err := h.personalize(x, &q.SearchRequest, found); err != nil {
			return inQuery(features, i, q.IndexUID, err)
		}
		env.IndexUID = &q.IndexUID
		if env.describe {
			if err := env.metadata(h.Analytics, q.Q, q.IndexUID, found); err != nil {
				return err
			}
		}
		h.count(q.Q, q.IndexUID, found, env.Metadata)
		x.Metrics().Searched(found.Degraded)
		if q.ShowPerformanceDetails {
			found.Performance = performance(x, found.Performance)
		}
		parts[i] = searchPart(found, env.Envelope)
	}
	return respond(x, `{"results":[`, parts, "]}")
}

// refusedSeparate finds the first query that will be refused whatever the search finds. The
// queries before it still run, because their errors come first; so does the query itself if
// it is refused only after its search. Without such a query all run.
func (h *Handlers) refusedSeparate(features settings.Features, queries []api.IndexQuery) (run int, refusal error) {
	for i := range queries {
		q := &queries[i]
		if q.FederationOptions != nil {
			return i, inQuery(features, i, q.IndexUID, apierr.New(apierr.CodeInvalidMultiSearchFederationOptions,
				"Using `federationOptions` is not allowed in a non-federated search.\n - Hint: remove `federationOptions` from the query or add `federation` to the request."))
		}
		if err := gateNetwork(features, q.UseNetwork); err != nil {
			return i, inQuery(features, i, q.IndexUID, cmp.Or[error](h.Search.CheckFirst(q.IndexUID, q.Filter), err))
		}
		if q.Personalize != nil && h.Reranker == nil {
			return i + 1, inQuery(features, i, q.IndexUID, noPersonalization())
		}
	}
	return len(queries), nil
}

// inQuery names the query before client errors; other errors stay. With foreign keys a missing
// index is a 404, but that of a query of before 1.50, which is a bad request, as all are without.
func inQuery(features settings.Features, i int, uid string, err error) error {
	var known *apierr.Error
	if !errors.As(err, &known) {
		return err
	}
	inside := apierr.InsideQuery(uint64(i), known)
	if features.ForeignKeys && !(features.LegacySearch && known.Message == apierr.IndexNotFound(uid).Message) {
		inside.Code.Status = known.Code.Status
	}
	return inside
}

// federated merges all queries into one list (spec search-api 5.3, 5.4).
func (h *Handlers) federated(x *routing.Exchange, m *multiSearch) error {
	features := x.Features()
	request := &api.FederatedRequest{Queries: m.Queries, Federation: *m.Federation}
	request.Proxied = features.Network && strings.EqualFold(x.HTTP.Header.Get("Meili-Proxy-Search"), "true")
	for i := range m.Queries {
		if refusal := forbidInFederation(features, &m.Queries[i], m.Federation); refusal != nil {
			if err := h.Search.CheckFederated(request); err != nil {
				return err
			}
			return apierr.InsideQuery(uint64(i), refusal)
		}
	}
	found, err := h.Search.Federated(x.Context(), request)
	if err != nil {
		return err
	}
	defer api.CloseMore(found.More)
	if err := h.personalizeMerged(x, request, found); err != nil {
		return err
	}
	if m.Federation.ShowPerformanceDetails {
		found.Performance = performance(x, found.Performance)
	}
	x.Metrics().Searched(found.Degraded)
	id, err := freshUID()
	if err != nil {
		return err
	}
	describe := wantsMetadata(x.HTTP.Header)
	for i := range found.Metadata {
		if found.Metadata[i].QueryUID, err = h.Analytics.QueryUID(); err != nil {
			return err
		}
	}
	h.countMerged(request, found, describe)
	if found.More == nil {
		return x.Respond(http.StatusOK, found.AppendJSON(x.Buffer(), id, describe))
	}
	end := func(dst []byte) []byte { return found.AppendEnd(dst, id, describe) }
	return respond(x, "", []part{{begin: found.AppendBegin, hits: found.Hits, more: found.More, end: end}}, "")
}

// forbidInFederation refuses members that belong to the federation instead of a query: the
// first match in the order of spec search-api 5.3.
func forbidInFederation(features settings.Features, q *api.IndexQuery, f *api.Federation) *apierr.Error {
	refuse := func(code apierr.Code, text string) *apierr.Error { return apierr.New(code, text) }
	remote := q.FederationOptions != nil && q.FederationOptions.Remote != nil
	switch {
	case paginationOf(q) != "":
		return refuse(apierr.CodeInvalidMultiSearchQueryPagination, "Using pagination options is not allowed in federated queries.\n - Hint: remove `"+paginationOf(q)+
			"` from the query or remove `federation` from the request\n - Hint: pass `federation.limit` and `federation.offset` for pagination in federated search")
	case len(q.Facets) > 0:
		return refuse(apierr.CodeInvalidMultiSearchQueryFacets, "Using facet options is not allowed in federated queries.\n - Hint: remove `facets` from the query or remove `federation` from the request\n - Hint: pass `federation.facetsByIndex."+
			q.IndexUID+": "+auth.DebugStrings(q.Facets)+"` for facets in federated search")
	case q.Personalize != nil:
		return refuse(apierr.CodeInvalidMultiSearchQueryPersonalization, "Using `.personalize` is not allowed in federated queries.\n - Hint: remove `personalize` from the query or remove `federation` from the request\n - Hint: pass `federation.personalize` for personalization in federated search")
	case q.HitsPerGroup > 1:
		return apierr.GroupsOfSeveral()
	case remote && q.UseNetwork != nil && *q.UseNetwork:
		return refuse(apierr.CodeInvalidMultiSearchFederationOptions, "Using `.useNetwork` is not allowed as the same time as `.federationOptions.remote`.\n  - Hint: to perform an explicit query against a remote, remove `.useNetwork`.\n  - Hint: to automatically perform queries against the entire network, remove `.federationOptions.remote`.")
	case q.PerformanceGiven:
		return refuse(apierr.CodeInvalidMultiSearchQueryShowPerformanceDetails, "Using `.showPerformanceDetails` is not allowed in federated queries.\n - Hint: remove `showPerformanceDetails` from the query or remove `federation` from the request")
	case q.Distinct != nil && f.Distinct != nil:
		return refuse(apierr.CodeInvalidMultiSearchDistinct, "Using `distinct` options is not allowed in federated queries when it also appears in `.federation.distinct`.\n - Hint: remove `distinct` from the query or remove `federation` from the request\n  - Note: `distinct` at the query level is discouraged in federated search.")
	}
	return gateFederation(features, q, remote)
}

// gateFederation refuses parameters of disabled features.
func gateFederation(features settings.Features, q *api.IndexQuery, remote bool) *apierr.Error {
	if features.Network {
		return nil
	}
	switch {
	case q.UseNetwork != nil:
		return gateNetwork(features, q.UseNetwork)
	case remote:
		return apierr.FeatureNotEnabled("Performing a remote federated search", "network", 805)
	case q.FederationOptions != nil && q.FederationOptions.QueryPosition != nil:
		return apierr.FeatureNotEnabled("Using `federationOptions.queryPosition`", "network", 805)
	}
	return nil
}

// paginationOf names the first pagination member a query has.
func paginationOf(q *api.IndexQuery) string {
	switch {
	case q.OffsetGiven:
		return "offset"
	case q.LimitGiven:
		return "limit"
	case q.Page != nil:
		return "page"
	case q.HitsPerPage != nil:
		return "hitsPerPage"
	}
	return ""
}
