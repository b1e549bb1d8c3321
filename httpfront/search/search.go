package search

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/google/uuid"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/api/parameter"
	"shoal/api/settings"
	"shoal/httpfront/routing"
)

// SearchRoutes are the rows of searches.
func (h *Handlers) SearchRoutes() []routing.Route {
	return []routing.Route{
		{Method: "GET", Pattern: "/indexes/{index_uid}/search", Actions: []string{"search"}, Serve: h.serveSearchGet, OnIndex: true, Query: parameter.SearchQuery},
		{Method: "POST", Pattern: "/indexes/{index_uid}/search", Actions: []string{"search"}, Serve: h.serveSearchPost, OnIndex: true, Body: parameter.SearchBody},
		{Method: "POST", Pattern: "/indexes/{index_uid}/facet-search", Actions: []string{"search"}, Serve: h.serveFacetSearch, OnIndex: true, Body: parameter.FacetBody},
		{Method: "GET", Pattern: "/indexes/{index_uid}/similar", Actions: []string{"search"}, Serve: h.serveSimilarGet, OnIndex: true, Query: parameter.SimilarQuery},
		{Method: "POST", Pattern: "/indexes/{index_uid}/similar", Actions: []string{"search"}, Serve: h.serveSimilarPost, OnIndex: true, Body: parameter.SimilarBody},
		{Method: "POST", Pattern: "/multi-search", Actions: []string{"search"}, Serve: h.serveMultiSearch, Body: multiSearchFields},
	}
}

// wantsMetadata reads the header that asks for the member metadata. Two names are accepted.
func wantsMetadata(h http.Header) bool {
	for _, name := range [...]string{"Meili-Include-Metadata", "Service-Include-Metadata"} {
		if values := h[name]; len(values) > 0 {
			switch strings.ToLower(values[0]) {
			case "true", "1":
				return true
			}
		}
	}
	return false
}

// freshUID makes a request uid: a UUID of version 7.
func freshUID() (string, error) {
	id, err := uuid.NewV7()
	return id.String(), err
}

func (h *Handlers) serveSearchPost(x *routing.Exchange) error {
	body, err := x.AdmitBody()
	if err != nil {
		return err
	}
	r := api.NewSearchRequest()
	if err := routing.DecodeSearch(body, parameter.SearchBody, r); err != nil {
		return err
	}
	return h.search(x, r)
}

func (h *Handlers) serveSearchGet(x *routing.Exchange) error {
	if err := x.Admit(); err != nil {
		return err
	}
	r, err := readSearchQuery(x)
	if err != nil {
		return err
	}
	return h.search(x, r)
}

// readSearchQuery decodes the query-string form of a search.
func readSearchQuery(x *routing.Exchange) (*api.SearchRequest, error) {
	q := parameter.NewQuery()
	if err := routing.ReadQuery(x, parameter.SearchQuery, q); err != nil {
		return nil, err
	}
	// The uid of the path is checked before combinations of parameters.
	if _, err := x.IndexUID(); err != nil {
		return nil, err
	}
	r, err := q.Search()
	if err != nil {
		return nil, err
	}
	return r, nil
}

// search runs one admitted and decoded search on the index of the path.
func (h *Handlers) search(x *routing.Exchange, r *api.SearchRequest) error {
	uid, err := x.IndexUID()
	if err != nil {
		return err
	}
	if err := gateNetwork(x.Features(), r.UseNetwork); err != nil {
		return cmp.Or[error](h.Search.CheckFirst(uid, r.Filter), err)
	}
	x.Asks(r.Q, r.Filter)
	r.Filter = x.Auth.Restrict(uid, r.Filter)
	found, err := h.Search.Search(x.Context(), uid, r)
	if err != nil {
		return err
	}
	defer api.CloseMore(found.More)
	if err := h.personalize(x, r, found); err != nil {
		return err
	}
	if r.ShowPerformanceDetails {
		found.Performance = performance(x, found.Performance)
	}
	x.Metrics().Searched(found.Degraded)
	env, err := newEnvelope(x.HTTP.Header)
	if err != nil {
		return err
	}
	if env.describe {
		if err := env.metadata(h.Analytics, r.Q, uid, found); err != nil {
			return err
		}
	}
	h.count(r.Q, uid, found, env.Metadata)
	if found.More == nil {
		return x.Respond(http.StatusOK, found.AppendJSON(x.Buffer(), &env.Envelope))
	}
	return respond(x, "", []part{searchPart(found, env.Envelope)}, "")
}

// searchPart makes the answer to one search a part of a response.
func searchPart(found *api.SearchResponse, env api.Envelope) part {
	return part{
		begin: func(dst []byte) []byte { return found.AppendBegin(dst, &env) },
		hits:  found.Hits, more: found.More,
		end: func(dst []byte) []byte { return found.AppendEnd(dst, &env) },
	}
}

// performance puts the time in the queue before the steps that a search reports (spec
// search-api 4.6).
func performance(x *routing.Exchange, steps []api.PerformanceStep) []api.PerformanceStep {
	return append([]api.PerformanceStep{{Name: "wait in queue", Nanos: int64(x.Waited)}}, steps...)
}

// envelope holds the members that the front adds to the answers of one request.
type envelope struct {
	api.Envelope
	describe bool
}

func newEnvelope(h http.Header) (*envelope, error) {
	id, err := freshUID()
	return &envelope{Envelope: api.Envelope{RequestUID: id}, describe: wantsMetadata(h)}, err
}

// metadata describes one query and its answer.
func (e *envelope) metadata(uids Analytics, q *string, uid string, found *api.SearchResponse) error {
	id, err := uids.QueryUID()
	if err != nil {
		return err
	}
	e.Metadata = &api.QueryMetadata{Query: q, QueryUID: id, IndexUID: uid, PrimaryKey: found.PrimaryKey, Remote: found.Remote, InlineRule: found.InlineRule}
	return nil
}

// gateNetwork refuses useNetwork, with any value, while the feature is off.
func gateNetwork(f settings.Features, useNetwork *bool) *apierr.Error {
	if useNetwork != nil && !f.Network {
		return apierr.FeatureNotEnabled("passing `useNetwork` in a search query", "network", 805)
	}
	return nil
}

// Search answers searches. Requests must be fully decoded. Results belong to the caller.
type Search interface {
	// Search answers one search. It returns apierr.IndexNotFound if there is no such index.
	Search(ctx context.Context, uid string, r *api.SearchRequest) (*api.SearchResponse, error)
	// SearchMany answers the queries of a non-federated multi-search on one version of the
	// catalogue. On error, failed is the position of the failed query.
	SearchMany(ctx context.Context, queries []api.IndexQuery) (answers []*api.SearchResponse, failed int, err error)
	// Federated answers a federated multi-search. The messages of its errors already name
	// the failed query.
	Federated(ctx context.Context, r *api.FederatedRequest) (*api.FederatedResponse, error)
	// CheckFirst makes those checks of a search on one index that come before all others.
	CheckFirst(uid string, filter json.RawMessage) error
	// CheckFederated makes those checks of a federated search that come before all others.
	CheckFederated(r *api.FederatedRequest) error
	FacetSearch(ctx context.Context, uid string, r *api.FacetSearchRequest) (*api.FacetSearchResponse, error)
	Similar(ctx context.Context, uid string, r *api.SimilarRequest) (*api.SimilarResponse, error)
}
