package coordinator

import (
	"context"
	"slices"
	"strings"
	"sync"

	"shoal/api"
	"shoal/query"
)

// FacetSearch answers a facet search, over the network when it asks for it.
func (n *NetworkSearch) FacetSearch(ctx context.Context, uid string, r *api.FacetSearchRequest) (*api.FacetSearchResponse, error) {
	if !overNetwork(r.UseNetwork) {
		return n.localSearch.FacetSearch(ctx, uid, r)
	}
	network := n.network.Network()
	names := make([]string, 0, len(network.Remotes))
	for name := range network.Remotes {
		if network.Self == nil || name != *network.Self {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	ctx, cancel := context.WithCancel(ctx)
	var asked sync.WaitGroup
	defer asked.Wait()
	defer cancel()
	lists := make([][]api.FacetValue, len(names)+1)
	faults := make([]*api.Error, len(names))
	body := facetBody(r)
	for i, name := range names {
		asked.Go(func() {
			faults[i] = postRemote(ctx, n.out, network.Remotes[name], "/indexes/"+uid+"/facet-search", body, func(answer []byte) (refused *api.Error) {
				lists[i], refused = parseFacetHits(answer)
				return refused
			})
		})
	}
	answer, err := n.localSearch.FacetSearch(ctx, uid, r)
	if err != nil {
		return nil, err // the others are cut short
	}
	asked.Wait()
	lists[len(names)] = answer.FacetHits
	byCount := false
	if x, ok := n.catalog().Index(uid); ok {
		byCount = query.FacetByCount(x.DecodedSettings(), r.FacetName)
	}
	answer.FacetHits = mergeFacetHits(lists, byCount)
	answer.RemoteErrors = &api.RemoteErrors{}
	for i, name := range names {
		if faults[i] != nil {
			answer.RemoteErrors.Names = append(answer.RemoteErrors.Names, name)
			answer.RemoteErrors.Errors = append(answer.RemoteErrors.Errors, faults[i])
		}
	}
	return answer, nil
}

// facetBody is the facet search sent to another instance.
func facetBody(r *api.FacetSearchRequest) []byte {
	var m members
	m.text("facetQuery", r.FacetQuery)
	m.text("facetName", &r.FacetName)
	m.text("q", r.Q)
	if r.Filter != nil {
		m.raw("filter", r.Filter)
	}
	m.selection(r.MatchingStrategy, r.AttributesToSearchOn, r.RankingScoreThreshold, r.Locales)
	m.semantic(r.Hybrid, r.Vector, r.Media)
	m.yes("exhaustiveFacetCount", r.ExhaustiveFacetCount)
	return m.end()
}

// parseFacetHits reads the answer to a facet search.
func parseFacetHits(data []byte) ([]api.FacetValue, *api.Error) {
	v, err := api.ParseJSON(data)
	if err != nil {
		return nil, badRemoteAnswer(": " + err.Error())
	}
	hits := v.Get("facetHits")
	if hits == nil || hits.Kind() != api.KindArray {
		return nil, badRemoteAnswer(": missing field `facetHits`")
	}
	list := make([]api.FacetValue, 0, hits.Len())
	for i := range hits.Members() {
		hit := &hits.Members()[i].Value
		value, count := hit.Get("value"), hit.Get("count")
		if value == nil || value.Kind() != api.KindString || count == nil || count.Kind() != api.KindPositive {
			return nil, badRemoteAnswer(": a facet hit without `value` or `count`")
		}
		list = append(list, api.FacetValue{Value: value.String(), Count: count.Uint()})
	}
	return list, nil
}

// mergeFacetHits joins the lists of several instances: equal values that meet are
// added up. Lists by count are sorted by it in the end; the others keep their order.
func mergeFacetHits(lists [][]api.FacetValue, byCount bool) []api.FacetValue {
	if byCount {
		for _, list := range lists {
			slices.SortFunc(list, func(a, b api.FacetValue) int { return strings.Compare(a.Value, b.Value) })
		}
	}
	out := []api.FacetValue{}
	for {
		least := -1
		for i, list := range lists {
			if len(list) > 0 && (least < 0 || list[0].Value < lists[least][0].Value) {
				least = i
			}
		}
		if least < 0 {
			break
		}
		next := lists[least][0]
		lists[least] = lists[least][1:]
		if last := len(out) - 1; last >= 0 && out[last].Value == next.Value {
			out[last].Count += next.Count
		} else {
			out = append(out, next)
		}
	}
	if byCount {
		slices.SortStableFunc(out, func(a, b api.FacetValue) int {
			switch {
			case a.Count > b.Count:
				return -1
			case a.Count < b.Count:
				return 1
			}
			return 0
		})
	}
	return out
}
