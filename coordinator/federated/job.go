package federated

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/coordinator"
	"shoal/coordinator/driver"
	"shoal/coordinator/merge"
	"shoal/coordinator/search"
	"shoal/query/filter"
	"shoal/query/rule"
	"shoal/wire"
	"shoal/wire/span"
)

// federatedQuery is one query of a federated search, for one instance.
type federatedQuery struct {
	query *api.IndexQuery
	// windowed is the request of a local query. It is the same in each attempt.
	windowed *api.SearchRequest
	// at is its index in the request, position the number that clients see.
	at       int
	position uint64
	weight   float64
	// steps are the measured steps of the query, nil unless they are wanted.
	steps []api.PerformanceStep
	// named: the query names this very instance as its remote.
	named bool
}

// remoteQueries are the queries for one other instance.
type remoteQueries struct {
	name    string
	address api.NetworkRemote
	queries []federatedQuery
}

// indexQueries are the queries on one index of this instance.
type indexQueries struct {
	uid     string
	queries []federatedQuery
}

// job is a federated search, its queries grouped by the instance and index that answer them.
type job struct {
	request *api.FederatedRequest
	self    *string
	bare    bool
	// involved: a query uses a remote, so hits and metadata name theirs.
	involved bool
	here     []federatedQuery // of this instance, in request order
	locals   []indexQueries   // those of here by index uid; see group
	remotes  []remoteQueries  // by name
	// facets maps an index uid to its requested facets. nil requests none; an empty list
	// requests an empty entry.
	facets map[string][]string
	// rejected are the hits that federation.distinct rejected in the list of all indexes.
	rejected rejectedHits
}

// newJob groups the queries. It fails for a remote that is not registered.
func newJob(network *api.Network, r *api.FederatedRequest, bare bool) (*job, error) {
	j := &job{request: r, self: network.Self, bare: bare}
	for i := range r.Queries {
		q := federatedQuery{query: &r.Queries[i], at: i, position: positionOf(&r.Queries[i], i), weight: 1}
		var remote *string
		if o := q.query.FederationOptions; o != nil {
			q.weight, remote = o.Weight, o.Remote
		}
		switch {
		case remote != nil:
			j.involved = true
			if err := j.toRemote(network, q, *remote); err != nil {
				return nil, j.at(&q, err)
			}
		case overNetwork(q.query.UseNetwork):
			j.involved = j.involved || len(network.Remotes) > 0
			for name := range network.Remotes {
				if err := j.toRemote(network, q, name); err != nil {
					return nil, j.at(&q, err)
				}
			}
		default:
			j.toLocal(q)
		}
	}
	slices.SortFunc(j.remotes, func(a, b remoteQueries) int { return strings.Compare(a.name, b.name) })
	return j, nil
}

// group assigns the queries and facets of this instance to the indexes that their names mean in
// a catalogue.
func (j *job) group(c coordinator.Catalog) {
	j.locals, j.facets = nil, map[string][]string{}
	for _, e := range j.request.Federation.FacetsByIndex {
		uid := uidOf(c, e.IndexUID)
		if named := j.facets[uid]; len(named) > 0 { // the index has an entry by another name
			j.facets[uid] = slices.Concat(named, slices.DeleteFunc(slices.Clone(e.Facets), func(f string) bool { return slices.Contains(named, f) }))
			continue
		}
		j.facets[uid] = e.Facets
	}
	for _, q := range j.here {
		uid := uidOf(c, q.query.IndexUID)
		at := slices.IndexFunc(j.locals, func(l indexQueries) bool { return l.uid == uid })
		if at < 0 {
			at = len(j.locals)
			j.locals = append(j.locals, indexQueries{uid: uid})
		}
		j.locals[at].queries = append(j.locals[at].queries, q)
	}
	slices.SortFunc(j.locals, func(a, b indexQueries) int { return strings.Compare(a.uid, b.uid) })
}

// uidOf returns the uid of the index that a name means, or the name if there is none.
func uidOf(c coordinator.Catalog, name string) string {
	if x, ok := coordinator.Named(c, name); ok {
		return x.UID
	}
	return name
}

// positionOf returns the position of a query that clients see.
func positionOf(q *api.IndexQuery, at int) uint64 {
	if o := q.FederationOptions; o != nil && o.QueryPosition != nil {
		return *o.QueryPosition
	}
	return uint64(at)
}

// filters makes the checks that come before all others and returns the parsed filters of all
// queries, in request order. With foreign keys every query needs an index of this instance, even
// a query for a remote; the error for a missing one names no query.
func (j *job) filters(cut *search.Attempt) ([]*filter.Filter, error) {
	if cut.Search.Foreign.Followed() && !j.request.Proxied {
		for i := range j.request.Queries {
			if _, err := cut.Index(j.request.Queries[i].IndexUID); err != nil {
				return nil, err
			}
		}
	}
	filters := make([]*filter.Filter, len(j.request.Queries))
	for i := range filters {
		q, err := &j.request.Queries[i], error(nil)
		if filters[i], err = cut.ParseFilter(q.Filter); err != nil {
			return nil, j.at(&federatedQuery{position: positionOf(q, i)}, err)
		}
	}
	return filters, nil
}

func (j *job) toLocal(q federatedQuery) {
	q.windowed = j.windowed(&q)
	j.here = append(j.here, q)
}

func (j *job) toRemote(network *api.Network, q federatedQuery, name string) error {
	if network.Self != nil && name == *network.Self {
		q.named = q.query.FederationOptions != nil && q.query.FederationOptions.Remote != nil
		j.toLocal(q)
		return nil
	}
	address, ok := network.Remotes[name]
	if !ok {
		return apierr.RemoteNotRegistered(name)
	}
	at := slices.IndexFunc(j.remotes, func(r remoteQueries) bool { return r.name == name })
	if at < 0 {
		at = len(j.remotes)
		j.remotes = append(j.remotes, remoteQueries{name: name, address: address})
	}
	j.remotes[at].queries = append(j.remotes[at].queries, q)
	return nil
}

// windowed returns a query with the window of the federation, from the first hit on.
func (j *job) windowed(q *federatedQuery) *api.SearchRequest {
	r := q.query.SearchRequest
	f := &j.request.Federation
	_, to := f.Window()
	r.Offset, r.Limit, r.Page, r.HitsPerPage, r.Facets = 0, to, nil, nil, nil
	if f.PageMode() {
		first := uint64(1)
		r.Page, r.HitsPerPage = &first, &to
	}
	if f.Distinct != nil {
		r.Distinct = f.Distinct
	}
	return &r
}

// localResult is what this instance found, by index.
type localResult struct {
	indexes []*localIndex
	order   merge.OrderCheck
}

// localIndex is the outcome of the queries on one index.
type localIndex struct {
	record   *wire.Index
	queries  []federatedQuery
	rankings []*search.Ranking // parallel to queries
	// merged is the common list; a Ref indexes hits.
	merged []merge.Ranked
	hits   []localHit
	total  uint64
	// counted are the documents in total, by source, if several queries search the index.
	counted []*roaring.Bitmap
	// pinned are the hits that rules pin; merged has none of them.
	pinned []pinnedHit
	// union holds what all queries found, without a ranking. It is nil when the first ranking
	// holds the same.
	union *search.Ranking
	// facets are the facets of what the index found, nil when none are requested.
	facets *api.Facets
}

// localHit is one hit of one query.
type localHit struct {
	query int // index in queries
	hit   driver.Hit
}

// close closes all sessions.
func (l *localResult) close() {
	if l == nil {
		return
	}
	for _, x := range l.indexes {
		for _, r := range x.rankings {
			r.Close()
		}
		if x.union != nil {
			x.union.Close()
		}
	}
}

// runLocal checks and ranks the queries of this instance, indexes by name (spec search-api
// 3.9). The caller must close the result, on error too.
func (j *job) runLocal(ctx context.Context, cut *search.Attempt) (*localResult, error) {
	out := &localResult{}
	j.group(cut.Catalog)
	filters, err := j.filters(cut)
	if err != nil {
		return out, err
	}
	if err := j.resolve(ctx, cut, filters); err != nil {
		return out, err
	}
	var compatible merge.Compatibility
	for _, locals := range j.locals {
		x := &localIndex{queries: locals.queries}
		out.indexes = append(out.indexes, x)
		if x.record, err = cut.Index(locals.uid); err != nil {
			return out, j.at(&locals.queries[0], err)
		}
		if err := j.checkOrder(&out.order, x.record, &locals.queries[0]); err != nil {
			return out, err
		}
		if err := j.rank(ctx, cut, x, filters, &compatible); err != nil {
			return out, err
		}
	}
	return out, j.checkUnused(cut, &out.order)
}

// resolve replaces the foreign conditions of all filters, after it has checked all of them. Its
// errors name an index, not the query. It skips missing indexes; a later check reports them.
func (j *job) resolve(ctx context.Context, cut *search.Attempt, filters []*filter.Filter) error {
	keys := cut.Search.Foreign
	err := j.eachIndexed(cut, func(x *wire.Index, at int) error { return keys.Check(x, filters[at]) })
	if err != nil {
		return err
	}
	return j.eachIndexed(cut, func(x *wire.Index, at int) (err error) {
		filters[at], err = keys.Resolve(ctx, x, filters[at])
		return err
	})
}

// eachIndexed calls visit for the queries of this instance whose index exists, until it fails.
func (j *job) eachIndexed(cut *search.Attempt, visit func(x *wire.Index, at int) error) error {
	for i := range j.here {
		x, missing := cut.Index(j.here[i].query.IndexUID)
		if missing != nil {
			continue
		}
		if err := visit(x, j.here[i].at); err != nil {
			return err
		}
	}
	return nil
}

// checkOrder checks that all indexes order merged facets alike.
func (j *job) checkOrder(order *merge.OrderCheck, x *wire.Index, first *federatedQuery) error {
	if j.request.Federation.MergeFacets == nil {
		return nil
	}
	settings := x.DecodedSettings()
	if err := order.Add(x.UID, filter.NamedFacets(j.facets[x.UID], settings, x.Fields), settings); err != nil {
		return j.at(first, apierr.InsideFacets(x.UID, true, err))
	}
	return nil
}

// checkCompatible checks that the hits of a query compare with those of the queries before it.
func (j *job) checkCompatible(c *merge.Compatibility, x *wire.Index, q *federatedQuery) error {
	p := &search.Plan{Index: x, Settings: search.SettingsOf(x, q.windowed), Request: q.windowed}
	if err := p.CheckKind(); err != nil {
		return j.at(q, err)
	}
	sort, fault := filter.ParseSort(q.query.Sort)
	if fault != nil {
		return j.at(q, fault.API(apierr.CodeInvalidSearchSort))
	}
	kind := p.Kind
	if kind == rule.Keyword && !search.HasText(q.query.Q) {
		kind = rule.Placeholder
	}
	rules := &merge.RuleQuery{
		Position: q.position, IndexUID: x.UID, Rules: p.Settings.RankingRules, Sort: search.SortRules(sort, x.UID),
		HasSort: q.query.Sort != nil, Kind: kind, Strategy: q.query.MatchingStrategy,
	}
	if err := c.Add(rules); err != nil {
		return j.at(q, err)
	}
	return nil
}

// checkUnused checks the entries of facetsByIndex that no query uses.
func (j *job) checkUnused(cut *search.Attempt, order *merge.OrderCheck) error {
	for _, e := range j.request.Federation.FacetsByIndex {
		uid := uidOf(cut.Catalog, e.IndexUID)
		if slices.ContainsFunc(j.request.Queries, func(q api.IndexQuery) bool { return uidOf(cut.Catalog, q.IndexUID) == uid }) {
			continue
		}
		x, ok := cut.Catalog.Index(uid)
		if !ok {
			return apierr.InsideFacets(e.IndexUID, false, apierr.IndexNotFound(e.IndexUID))
		}
		settings := x.DecodedSettings()
		if j.request.Federation.MergeFacets != nil {
			if err := order.Add(e.IndexUID, filter.NamedFacets(e.Facets, settings, x.Fields), settings); err != nil {
				return apierr.InsideFacets(e.IndexUID, false, err)
			}
		}
		if err := filter.CheckFacets(e.Facets, settings); err != nil {
			return apierr.InsideFacets(e.IndexUID, false, err)
		}
	}
	return nil
}

// rank checks and runs the queries of one index one after the other, so that the error names
// the first faulty one. It merges their lists. Of a document found by several queries it keeps
// the best copy.
func (j *job) rank(ctx context.Context, cut *search.Attempt, x *localIndex, filters []*filter.Filter, compatible *merge.Compatibility) error {
	lists := make([][]merge.Ranked, len(x.queries))
	for i := range x.queries {
		q := &x.queries[i]
		if err := j.checkCompatible(compatible, x.record, q); err != nil {
			return err
		}
		ranking, err := j.rankOne(ctx, cut, x, q, filters[q.at])
		if err != nil {
			return j.at(q, err)
		}
		x.rankings = append(x.rankings, ranking)
		for _, hit := range ranking.Hits {
			lists[i] = append(lists[i], merge.Ranked{
				Values: merge.Values(hit.Details, q.weight), Global: hit.Details.Score() * hit.Details.Weight() * q.weight, Query: q.position, Ref: len(x.hits),
			})
			x.hits = append(x.hits, localHit{query: i, hit: hit})
		}
	}
	x.pin()
	seen := map[uint64]bool{}
	x.merged = merge.Merge(lists, ^uint64(0), func(r *merge.Ranked) bool {
		document := search.DocumentOf(&x.hits[r.Ref].hit)
		again := seen[document]
		seen[document] = true
		return !again
	})
	if err := j.unite(ctx, x); err != nil {
		return err
	}
	if err := j.distinctInIndex(ctx, x); err != nil {
		return err
	}
	return j.prepareFacets(ctx, x)
}

// rankOne plans and ranks one query. If it is the only one of its index, it applies
// federation.distinct to the values in the documents, too. It measures its steps if they are wanted.
func (j *job) rankOne(ctx context.Context, cut *search.Attempt, x *localIndex, q *federatedQuery, f *filter.Filter) (*search.Ranking, error) {
	ctx, measured := search.Measure(ctx, j.request.Federation.ShowPerformanceDetails)
	planning, piece := span.Start(ctx, "plan")
	plan, err := cut.Plan(planning, x.record, q.windowed, f)
	piece.End()
	if err != nil {
		return nil, err
	}
	rank := cut.RankForMerge
	if j.request.Federation.Distinct != nil && len(x.queries) == 1 {
		rank = cut.Rank
	}
	ranking, err := rank(ctx, plan)
	q.steps = measured.Steps("search > queries[" + strconv.FormatUint(q.position, 10) + "]")
	return ranking, err
}

// performance lists the steps of each query of this instance, in request order, and how long the
// job waited for other instances after that.
func (j *job) performance(waited time.Duration) []api.PerformanceStep {
	byQuery := make([][]api.PerformanceStep, len(j.request.Queries))
	for _, l := range j.locals {
		for _, q := range l.queries {
			byQuery[q.at] = q.steps
		}
	}
	steps := slices.Concat(byQuery...)
	if len(j.remotes) > 0 {
		steps = append(steps, api.PerformanceStep{Name: "search > wait for remote results", Nanos: int64(waited)})
	}
	return steps
}

// found returns the ranking whose sessions hold what all queries found.
func (x *localIndex) found() *search.Ranking { return cmp.Or(x.union, x.rankings[0]) }
