package federated

import (
	"context"
	"slices"
	"strings"

	"shoal/api"
	"shoal/api/settings"
	"shoal/coordinator"
	"shoal/coordinator/driver"
	"shoal/coordinator/merge"
	"shoal/coordinator/search"
	"shoal/query/filter"
	"shoal/wire"
)

// mergedHit tells the origin of a hit in the common list: a remote result, or a local index.
type mergedHit struct {
	remote, source int // remote is -1 for local ones
	ref            int
}

// finish merges the lists of all indexes and remotes, cuts the window and renders it up to room
// bytes (spec search-api 5.4, 5.6). If the answer has More hits, closing them closes local.
func (j *job) finish(ctx context.Context, cut *search.Attempt, local *localResult, remotes []*remoteResult, room int) (*api.FederatedResponse, error) {
	f := &j.request.Federation
	j.rejected = newRejectedHits(len(local.indexes), len(remotes))
	var origins []mergedHit
	var lists [][]merge.Ranked
	add := func(list []merge.Ranked, origin func(ref int) mergedHit) {
		own := slices.Clone(list)
		for i := range own {
			origins = append(origins, origin(own[i].Ref))
			own[i].Ref = len(origins) - 1
		}
		lists = append(lists, own)
	}
	for i, x := range local.indexes {
		add(x.merged, func(ref int) mergedHit { return mergedHit{remote: -1, source: i, ref: ref} })
	}
	for i, r := range remotes {
		add(r.ranked, func(ref int) mergedHit { return mergedHit{remote: i, ref: ref} })
	}
	merged, err := j.distinctOverall(ctx, merge.Merge(lists, ^uint64(0), nil), origins, local, remotes)
	if err != nil {
		return nil, err
	}
	from, to := f.Window()
	all, origins := placePins(merged, origins, local, remotes, to)
	n := uint64(len(all))
	window := all[min(from, n):max(min(from, n), min(to, n))]
	counted := window
	if hasPins(local, remotes) { // hits before the page count, too
		counted = merged[:min(to, uint64(len(merged)))]
	}
	answer := &api.FederatedResponse{}
	pages := search.NewPages(len(window), func(ctx context.Context, from, to, room int) ([]api.Hit, bool, error) {
		out, full, err := j.render(ctx, window[from:to], origins, local, remotes, room)
		if err == nil && !full && !j.request.Proxied { // who asked follows the keys
			err = cut.Search.Foreign.Hydrate(ctx, func(i int) *wire.Index { return j.indexOf(cut, window[from+i].Query) }, out)
		}
		return out, full, err
	}, local.close)
	if answer.Hits, err = pages.Fill(ctx, room); err != nil {
		return nil, err
	}
	answer.More = pages.More()
	j.count(answer, counted, local, remotes)
	if err := j.gatherFacets(ctx, answer, local, remotes); err != nil {
		return nil, err
	}
	j.describe(answer, cut, local, remotes)
	return answer, nil
}

// indexOf is the index of this instance that a query names, also when a remote answered it; nil if
// there is none.
func (j *job) indexOf(cut *search.Attempt, query uint64) *wire.Index {
	if query >= uint64(len(j.request.Queries)) {
		return nil
	}
	if x, ok := coordinator.Named(cut.Catalog, j.request.Queries[query].IndexUID); ok {
		return x
	}
	return nil
}

// distinctOverall applies federation.distinct to the whole merged list, remotes included.
func (j *job) distinctOverall(ctx context.Context, merged []merge.Ranked, origins []mergedHit, local *localResult, remotes []*remoteResult) ([]merge.Ranked, error) {
	path := j.request.Federation.Distinct
	if path == nil {
		return merged, nil
	}
	keys := make([][][]string, len(local.indexes)) // by index, then by ref
	for i, x := range local.indexes {
		hits := make([]driver.Hit, len(x.hits))
		for ref := range x.hits {
			hits[ref] = x.hits[ref].hit
		}
		var err error
		if keys[i], err = x.found().FieldValues(ctx, *path, hits); err != nil {
			return nil, err
		}
	}
	seen := search.DistinctKeys{}
	kept := make([]merge.Ranked, 0, len(merged))
	for _, r := range merged {
		o := &origins[r.Ref]
		var values []string
		if o.remote >= 0 {
			values = remotes[o.remote].keysOf(o.ref, *path)
		} else {
			values = keys[o.source][o.ref]
		}
		if seen.Keep(values) {
			kept = append(kept, r)
		} else {
			j.rejected.add(o)
		}
	}
	return kept, nil
}

// render renders hits of the window on the nodes that hold them, in about room bytes. full
// tells that some are missing.
func (j *job) render(ctx context.Context, window []merge.Ranked, origins []mergedHit, local *localResult, remotes []*remoteResult, room int) (out []api.Hit, full bool, err error) {
	out = make([]api.Hit, len(window))
	type batch struct {
		hits   []driver.Hit
		places []int
	}
	batches := map[*search.Ranking]*batch{}
	var order []*search.Ranking
	for i := range window {
		o := &origins[window[i].Ref]
		if o.remote >= 0 {
			out[i] = remotes[o.remote].hits[o.ref]
			if j.request.Proxied {
				out[i].Federation.WeightedScoreValues = merge.AppendWeighted(nil, window[i].Values)
				out[i].Federation.ExtraDocument = remotes[o.remote].extra[o.ref].AppendJSON(nil)
			}
			continue
		}
		x := local.indexes[o.source]
		h := &x.hits[o.ref]
		ranking := x.rankings[h.query]
		b := batches[ranking]
		if b == nil {
			b = &batch{}
			batches[ranking] = b
			order = append(order, ranking)
		}
		b.hits, b.places = append(b.hits, h.hit), append(b.places, i)
	}
	for _, ranking := range order {
		b := batches[ranking]
		rendered, left, err := ranking.Render(ctx, b.hits, max(1, room*len(b.hits)/len(window)), j.extraOf(ranking, local))
		if err != nil {
			return nil, false, err
		}
		full = full || left
		for k, i := range b.places {
			out[i] = rendered[k]
			f := j.federationOf(&window[i], &b.hits[k], ranking)
			if extra := out[i].Federation; extra != nil {
				f.ExtraDocument = extra.ExtraDocument
			}
			out[i].Federation = f
		}
	}
	return out, full, nil
}

// extraOf returns the fields that another instance needs to apply federation.distinct to hits of
// ranking: the distinct one, and those that facets count, of which it takes out what it rejects. It is
// nil if no other instance asks.
func (j *job) extraOf(ranking *search.Ranking, local *localResult) []string {
	if !j.request.Proxied {
		return nil
	}
	extra := []string{}
	distinct := j.request.Federation.Distinct
	if distinct == nil {
		return extra
	}
	extra = append(extra, *distinct)
	for _, x := range local.indexes {
		if x.record == ranking.Plan.Index && x.facets != nil {
			for i := range x.facets.Distribution {
				extra = append(extra, x.facets.Distribution[i].Field)
			}
		}
	}
	return extra
}

func (j *job) federationOf(r *merge.Ranked, hit *driver.Hit, ranking *search.Ranking) *api.HitFederation {
	f := &api.HitFederation{IndexUID: ranking.Plan.Index.UID, QueriesPosition: r.Query, WeightedRankingScore: r.Global}
	if j.involved {
		f.Remote = j.self
	}
	if j.request.Proxied {
		f.WeightedScoreValues = merge.AppendWeighted(nil, r.Values)
		if len(hit.Details) > 0 && hit.Details[0].Pinned {
			f.PinnedPosition = &hit.Details[0].Position
		}
	}
	return f
}

// count fills in the totals. Of the given hits it counts those that were found by vectors.
func (j *job) count(answer *api.FederatedResponse, hits []merge.Ranked, local *localResult, remotes []*remoteResult) {
	f := &j.request.Federation
	var total, semantic uint64
	isSemantic := false
	for i, x := range local.indexes {
		total += x.total - min(x.total, uint64(len(j.rejected.local[i])))
		for _, r := range x.rankings {
			answer.Degraded = answer.Degraded || r.Ranked.Degraded
			if d := r.Plan.Drive.Deadline; answer.Deadline.IsZero() || d.Before(answer.Deadline) {
				answer.Deadline = d
			}
			isSemantic = isSemantic || r.Plan.Vectors()
		}
	}
	for i, r := range remotes {
		total += r.total - min(r.total, uint64(len(j.rejected.remote[i])))
		isSemantic = isSemantic || r.semantic != nil
	}
	for i := range hits {
		if slices.ContainsFunc(hits[i].Values, func(v merge.Value) bool { return v.Kind == merge.VectorValue }) {
			semantic++
		}
	}
	answer.Pagination = api.NewPagination(f.Offset, f.Limit, f.Page, f.HitsPerPage, total)
	if isSemantic {
		answer.SemanticHitCount = &semantic
	}
	for i := range j.request.Queries {
		if q := &j.request.Queries[i]; q.RetrieveVectors {
			answer.HasQueryVectors = true
			if v := j.queryVector(i, local); v != nil {
				answer.QueryVectors = append(answer.QueryVectors, api.QueryVector{Position: uint64(i), Vector: v})
			}
		}
	}
}

// queryVector returns the vector that a query compared documents with, if this instance knows
// it; nil otherwise.
func (j *job) queryVector(at int, local *localResult) []float32 {
	for _, x := range local.indexes {
		for i := range x.rankings {
			if x.queries[i].at == at {
				return x.rankings[i].Vector
			}
		}
	}
	if q := &j.request.Queries[at]; q.Hybrid != nil {
		return q.Vector
	}
	return nil
}

// gatherFacets combines the facets of each index with those that remotes counted under the same
// name, and merges them on request (spec search-api 5.7). Finally it subtracts the hits
// rejected across indexes.
func (j *job) gatherFacets(ctx context.Context, answer *api.FederatedResponse, local *localResult, remotes []*remoteResult) error {
	f := &j.request.Federation
	var all []api.FacetsResult
	limits := map[string]uint64{}
	for _, x := range local.indexes {
		if x.facets != nil {
			limits[x.record.UID] = uint64(x.record.DecodedSettings().MaxValuesPerFacet)
			all = append(all, api.FacetsResult{IndexUID: x.record.UID, Facets: *x.facets})
		}
	}
	for _, r := range remotes {
		all = append(all, r.facets...)
	}
	if f.MergeFacets != nil {
		if len(all) > 0 {
			answer.Facets = merge.MergeFacets(all, local.order.ByCount, f.MergeFacets.MaxValuesPerFacet)
			return j.rejected.takeOut(ctx, "", answer.Facets, local, remotes)
		}
		return nil
	}
	answer.FacetsByIndex = j.joinByIndex(all, local, limits)
	answer.HasFacetsByIndex = len(answer.FacetsByIndex) > 0
	for i := range answer.FacetsByIndex {
		one := &answer.FacetsByIndex[i]
		if err := j.rejected.takeOut(ctx, one.IndexUID, &one.Facets, local, remotes); err != nil {
			return err
		}
	}
	return nil
}

// joinByIndex adds up results with the same index name.
func (j *job) joinByIndex(all []api.FacetsResult, local *localResult, limits map[string]uint64) []api.FacetsResult {
	slices.SortStableFunc(all, func(a, b api.FacetsResult) int { return strings.Compare(a.IndexUID, b.IndexUID) })
	var out []api.FacetsResult
	for start := 0; start < len(all); {
		end := start + 1
		for end < len(all) && all[end].IndexUID == all[start].IndexUID {
			end++
		}
		result := all[start]
		if end-start > 1 {
			limit, known := limits[result.IndexUID]
			if !known {
				limit = uint64(settings.Default().MaxValuesPerFacet)
			}
			result.Facets = *merge.MergeFacets(all[start:end], j.orderOf(result.IndexUID, local), &limit)
		}
		out = append(out, result)
		start = end
	}
	return out
}

// orderOf tells how an index orders facets: alphabetically when this instance does not know it.
func (j *job) orderOf(uid string, local *localResult) func(field string) bool {
	for _, x := range local.indexes {
		if x.record.UID == uid {
			return func(field string) bool { return filter.FacetByCount(x.record.DecodedSettings(), field) }
		}
	}
	return func(string) bool { return false }
}

// describe fills in the metadata of the queries and the failures of remotes.
func (j *job) describe(answer *api.FederatedResponse, cut *search.Attempt, local *localResult, remotes []*remoteResult) {
	for i := range j.request.Queries {
		q := &j.request.Queries[i]
		m := api.QueryMetadata{Query: q.Q, IndexUID: q.IndexUID}
		j.describeQuery(&m, i, cut, remotes)
		answer.Metadata = append(answer.Metadata, m)
	}
	for _, x := range local.indexes {
		for i, ranking := range x.rankings {
			if outcomes := ranking.Plan.InlineRule; outcomes != nil {
				answer.Metadata[x.queries[i].at].InlineRule = outcomes
			}
		}
	}
	if !j.involved {
		return
	}
	answer.RemoteErrors = &api.RemoteErrors{}
	for _, r := range remotes {
		if r.fault != nil {
			answer.RemoteErrors.Names = append(answer.RemoteErrors.Names, r.name)
			answer.RemoteErrors.Errors = append(answer.RemoteErrors.Errors, r.fault)
		}
	}
}

// describeQuery sets the instance that answered a query, and the primary key there. Like in the
// reference, a query that names this instance as its remote shows no primary key.
func (j *job) describeQuery(m *api.QueryMetadata, at int, cut *search.Attempt, remotes []*remoteResult) {
	options := j.request.Queries[at].FederationOptions
	if j.involved {
		m.Remote = j.self
		if options != nil && options.Remote != nil {
			m.Remote = options.Remote
		}
	}
	for _, locals := range j.locals {
		for i := range locals.queries {
			if q := &locals.queries[i]; q.at == at {
				if x, ok := cut.Catalog.Index(locals.uid); ok && !q.named {
					m.PrimaryKey = x.PrimaryKey
				}
				return
			}
		}
	}
	for i, r := range j.remotes {
		for k := range r.queries {
			if r.queries[k].at != at {
				continue
			}
			if key, ok := remotes[i].primaryKeys[r.queries[k].position]; ok {
				m.PrimaryKey = &key
			}
			if outcomes, ok := remotes[i].inlineRules[r.queries[k].position]; ok {
				m.InlineRule = outcomes
			}
		}
	}
}
