package federated

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/api/jsonvalue"
	"shoal/api/parameter"
	"shoal/api/settings"
	"shoal/coordinator"
	"shoal/query/filter"
	"shoal/text"
	"shoal/wire"
)

// FacetSearch answers a facet search, over the network on request. Like a search it goes to
// every registered instance, including this one if it is registered (spec search-api 6). A
// failure of this instance fails the request; those of others are listed in the answer.
func (n *NetworkSearch) FacetSearch(ctx context.Context, uid string, r *api.FacetSearchRequest) (*api.FacetSearchResponse, error) {
	if !overNetwork(r.UseNetwork) {
		return n.localSearch.FacetSearch(ctx, uid, r)
	}
	begun := time.Now()
	network := n.network()
	names := slices.Sorted(maps.Keys(network.Remotes))
	ctx, cancel := context.WithCancel(ctx)
	var asked sync.WaitGroup
	defer asked.Wait()
	defer cancel() // a failure of this instance cancels the others
	lists := make([][]api.FacetValue, len(names))
	faults := make([]*apierr.Error, len(names))
	here, body := -1, parameter.WriteFacetSearch(r)
	for i, name := range names {
		if network.Self != nil && name == *network.Self {
			here = i
			continue
		}
		asked.Go(func() {
			if err := wire.Catch(func() error {
				faults[i] = n.remotes.post(ctx, network.Remotes[name], "/indexes/"+uid+"/facet-search", body, func(answer []byte) (refused *apierr.Error) {
					lists[i], refused = parseFacetHits(answer)
					return refused
				})
				return nil
			}); err != nil {
				faults[i] = apierr.New(apierr.CodeInternal, err.Error())
			}
		})
	}
	if here >= 0 {
		answer, err := n.localSearch.FacetSearch(ctx, uid, r)
		if err != nil {
			return nil, err
		}
		lists[here] = answer.FacetHits
	}
	asked.Wait()
	settings := settings.Default()
	if x, ok := coordinator.Named(n.Catalog(), uid); ok {
		settings = x.DecodedSettings()
	}
	answer := &api.FacetSearchResponse{FacetQuery: r.FacetQuery, RemoteErrors: &api.RemoteErrors{}}
	answer.FacetHits = joinFacetHits(lists, filter.FacetByCount(settings, r.FacetName), settings.MaxValuesPerFacet)
	for i, name := range names {
		if faults[i] != nil {
			answer.RemoteErrors.Names = append(answer.RemoteErrors.Names, name)
			answer.RemoteErrors.Errors = append(answer.RemoteErrors.Errors, faults[i])
		}
	}
	answer.ProcessingTimeMs = uint64(time.Since(begun).Milliseconds())
	return answer, nil
}

// parseFacetHits reads the answer to a facet search.
func parseFacetHits(data []byte) ([]api.FacetValue, *apierr.Error) {
	v, err := jsonvalue.Parse(data)
	if err != nil {
		return nil, badRemoteAnswer(": " + err.Error())
	}
	hits := v.Get("facetHits")
	if hits == nil || hits.Kind() != jsonvalue.KindArray {
		return nil, badRemoteAnswer(": missing field `facetHits`")
	}
	list := make([]api.FacetValue, 0, hits.Len())
	for i := range hits.Members() {
		hit := &hits.Members()[i].Value
		value, count := hit.Get("value"), hit.Get("count")
		if value == nil || value.Kind() != jsonvalue.KindString || count == nil || count.Kind() != jsonvalue.KindPositive {
			return nil, badRemoteAnswer(": a facet hit without `value` or `count`")
		}
		list = append(list, api.FacetValue{Value: value.String(), Count: count.Uint()})
	}
	return list, nil
}

// joinFacetHits adds up the values of several instances, in the order of a single instance's
// list and no longer than that: by facet form, or by count with the greater of equally frequent
// values first.
func joinFacetHits(lists [][]api.FacetValue, byCount bool, most int) []api.FacetValue {
	places := map[string]int{}
	out := []api.FacetValue{}
	for _, list := range lists {
		for _, v := range list {
			at, ok := places[v.Value]
			if !ok {
				at = len(out)
				places[v.Value], out = at, append(out, api.FacetValue{Value: v.Value})
			}
			out[at].Count += v.Count
		}
	}
	slices.SortFunc(out, func(a, b api.FacetValue) int {
		if byCount {
			return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(b.Value, a.Value))
		}
		return cmp.Or(strings.Compare(text.FacetForm(a.Value), text.FacetForm(b.Value)), strings.Compare(a.Value, b.Value))
	})
	return out[:min(most, len(out))]
}
