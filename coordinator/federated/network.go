package federated

import (
	"cmp"
	"context"
	"errors"
	"time"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/coordinator"
	"shoal/coordinator/search"
	"shoal/wire"
)

// localSearch is search.Search under a name that can be embedded beside the method Search.
type localSearch = search.Search

// NetworkSearch answers every search route. Search answers those on one index; NetworkSearch
// adds federated searches and searches over other instances. Safe for concurrent use;
// goroutines it starts end before the call does.
type NetworkSearch struct {
	*localSearch
	network func() *api.Network
	remotes remotes
}

// Config is what a NetworkSearch needs.
type Config struct {
	Search  *search.Search
	Network func() *api.Network
	// Out calls other instances. RemoteTimeout bounds a search there; 0 means 25 s.
	Out           coordinator.Outbound
	RemoteTimeout time.Duration
}

// NewNetworkSearch returns the searches of a node.
func NewNetworkSearch(c Config) *NetworkSearch {
	return &NetworkSearch{localSearch: c.Search, network: c.Network, remotes: remotes{c.Out, cmp.Or(c.RemoteTimeout, defaultRemoteTimeout)}}
}

// overNetwork tells whether a search includes the other instances.
func overNetwork(useNetwork *bool) bool { return useNetwork != nil && *useNetwork }

// Search answers one search, over the network on request.
func (n *NetworkSearch) Search(ctx context.Context, uid string, r *api.SearchRequest) (*api.SearchResponse, error) {
	return n.one(ctx, uid, r, search.AnswerRoom)
}

func (n *NetworkSearch) one(ctx context.Context, uid string, r *api.SearchRequest, room int) (*api.SearchResponse, error) {
	if overNetwork(r.UseNetwork) {
		if r.HitsPerGroup > 1 {
			return nil, apierr.GroupsOfSeveral()
		}
		return n.searchNetwork(ctx, uid, r, room)
	}
	return n.localSearch.SearchIn(ctx, uid, r, room)
}

// SearchMany answers the queries of a non-federated multi-search. If none uses the network, all
// read one state of the catalogue.
func (n *NetworkSearch) SearchMany(ctx context.Context, queries []api.IndexQuery) (answers []*api.SearchResponse, failed int, err error) {
	alone := true
	for i := range queries {
		alone = alone && !overNetwork(queries[i].UseNetwork)
	}
	if alone {
		return n.localSearch.SearchMany(ctx, queries)
	}
	return search.Each(ctx, queries, func(q *api.IndexQuery, room int) (*api.SearchResponse, error) {
		return n.one(ctx, q.IndexUID, &q.SearchRequest, room)
	})
}

// searchNetwork runs one search as a federated search with a single query.
func (n *NetworkSearch) searchNetwork(ctx context.Context, uid string, r *api.SearchRequest, room int) (*api.SearchResponse, error) {
	request := &api.FederatedRequest{
		Queries: []api.IndexQuery{{IndexUID: uid, SearchRequest: *r}},
		Federation: api.Federation{
			Offset: r.Offset, Limit: r.Limit, Page: r.Page, HitsPerPage: r.HitsPerPage, ShowPerformanceDetails: r.ShowPerformanceDetails,
		},
	}
	if len(r.Facets) > 0 {
		request.Federation.FacetsByIndex = []api.FacetsOfIndex{{IndexUID: uid, Facets: r.Facets}}
		request.Federation.MergeFacets = &api.MergeFacets{}
	}
	found, err := n.federate(ctx, request, true, room)
	if err != nil {
		return nil, err
	}
	answer := &api.SearchResponse{
		Hits: found.Hits, More: found.More, ProcessingTimeMs: found.ProcessingTimeMs, Took: found.Took, Pagination: found.Pagination, Facets: found.Facets,
		RemoteErrors: found.RemoteErrors, SemanticHitCount: found.SemanticHitCount, Degraded: found.Degraded, Deadline: found.Deadline, Performance: found.Performance,
		PrimaryKey: found.Metadata[0].PrimaryKey, Remote: found.Metadata[0].Remote, InlineRule: found.Metadata[0].InlineRule,
	}
	if r.Q != nil {
		answer.Query = *r.Q
	}
	if found.HasQueryVectors && len(found.QueryVectors) > 0 {
		answer.QueryVector = found.QueryVectors[0].Vector
	}
	return answer, nil
}

// Federated answers a federated multi-search.
func (n *NetworkSearch) Federated(ctx context.Context, r *api.FederatedRequest) (*api.FederatedResponse, error) {
	return n.federate(ctx, r, false, search.AnswerRoom)
}

// federate runs the local queries on one state of the catalogue while other instances answer
// theirs, and merges. bare: the request is one search, whose errors name no query. The answer
// holds room bytes of hits.
func (n *NetworkSearch) federate(ctx context.Context, r *api.FederatedRequest, bare bool, room int) (*api.FederatedResponse, error) {
	begun := time.Now()
	ctx, measured := search.Measure(ctx, r.Federation.ShowPerformanceDetails)
	job, err := newJob(n.network(), r, bare)
	if err != nil {
		return nil, cmp.Or(n.checkFirst(r, bare), err)
	}
	ctx, cancel := context.WithCancel(ctx)
	answers := make([]chan *remoteResult, len(job.remotes))
	for i := range job.remotes {
		answers[i] = make(chan *remoteResult, 1)
		remote := &job.remotes[i]
		go func() {
			var result *remoteResult
			if err := wire.Catch(func() error {
				result = n.remotes.ask(ctx, remote.name, remote.address, &r.Federation, remote.queries)
				return nil
			}); err != nil {
				result = &remoteResult{name: remote.name, fault: apierr.New(apierr.CodeInternal, err.Error())}
			}
			answers[i] <- result
		}()
	}
	// Every goroutine has answered before the call returns. A failure of the local part cancels
	// the others.
	await := func() []*remoteResult {
		results := make([]*remoteResult, len(answers))
		for i, answer := range answers {
			results[i] = <-answer
		}
		return results
	}
	defer cancel()
	var answer *api.FederatedResponse
	var results []*remoteResult
	var waited time.Duration
	err = n.Attempt(ctx, func(cut *search.Attempt) error {
		answer = nil
		local, err := job.runLocal(ctx, cut)
		defer func() {
			if err != nil || answer == nil || answer.More == nil {
				local.close()
			}
		}()
		if err != nil {
			return err
		}
		if results == nil {
			waiting := time.Now()
			results = await()
			waited = time.Since(waiting)
		}
		answer, err = job.finish(ctx, cut, local, results, room)
		return err
	})
	if results == nil {
		cancel()
		await()
	}
	if err != nil {
		return nil, err
	}
	answer.Took = time.Since(begun)
	answer.ProcessingTimeMs = uint64((answer.Took - waited).Milliseconds())
	if measured != nil {
		answer.Performance = append(job.performance(waited), measured.Steps("search")...)
	}
	for _, result := range results {
		answer.ProcessingTimeMs = max(answer.ProcessingTimeMs, result.processing)
	}
	return answer, nil
}

// CheckFederated makes those checks of a federated search that come before all others. Front
// ends call it before they refuse a query.
func (n *NetworkSearch) CheckFederated(r *api.FederatedRequest) error { return n.checkFirst(r, false) }

func (n *NetworkSearch) checkFirst(r *api.FederatedRequest, bare bool) error {
	j := &job{request: r, bare: bare}
	_, err := j.filters(&search.Attempt{Search: n.localSearch, Catalog: n.localSearch.Catalog()})
	return err
}

// at prefixes a client error with its query.
func (j *job) at(q *federatedQuery, err error) error {
	var known *apierr.Error
	if j.bare || !errors.As(err, &known) {
		return err
	}
	return apierr.InsideQuery(q.position, known)
}

// Similar answers a search for documents near another one. The checks have the reference's
// order (spec search-api 11).
func (n *NetworkSearch) Similar(ctx context.Context, uid string, r *api.SimilarRequest) (*api.SimilarResponse, error) {
	begun := time.Now()
	ctx, measured := search.Measure(ctx, r.ShowPerformanceDetails)
	var answer *api.SimilarResponse
	err := n.Attempt(ctx, func(cut *search.Attempt) (err error) {
		answer, err = cut.Similar(ctx, uid, r)
		return err
	})
	if err != nil {
		return nil, err
	}
	answer.ProcessingTimeMs = uint64(time.Since(begun).Milliseconds())
	answer.Performance = measured.Steps("search")
	return answer, nil
}
