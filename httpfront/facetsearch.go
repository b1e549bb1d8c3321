package httpfront

import (
	"encoding/json"
	"net/http"

	"shoal/api"
)

// facetSearchFields are the members of a facet-search body (spec search-api
// 10). Unlike everywhere else, other members are ignored: see knownMembers.
var facetSearchFields = api.NewObject(
	api.Optional("facetQuery", api.CodeInvalidFacetSearchQuery, api.String, func(r *api.FacetSearchRequest) **string { return &r.FacetQuery }),
	api.Plain("facetName", api.CodeInvalidFacetSearchFacetName, api.String, func(r *api.FacetSearchRequest) *string { return &r.FacetName }).Required(api.CodeMissingFacetSearchFacetName),
	api.Optional("q", api.CodeInvalidSearchQ, api.String, func(r *api.FacetSearchRequest) **string { return &r.Q }),
	api.Nullable("vector", api.CodeInvalidSearchVector, api.List(api.Float32), func(r *api.FacetSearchRequest) *[]float32 { return &r.Vector }),
	api.Nullable("media", api.CodeInvalidSearchMedia, rawJSON, func(r *api.FacetSearchRequest) *json.RawMessage { return &r.Media }),
	api.Optional("hybrid", api.CodeInvalidSearchHybridQuery, hybridFields.As(newHybrid), func(r *api.FacetSearchRequest) **api.Hybrid { return &r.Hybrid }),
	api.Nullable("filter", api.CodeInvalidSearchFilter, rawJSON, func(r *api.FacetSearchRequest) *json.RawMessage { return &r.Filter }),
	api.Plain("matchingStrategy", api.CodeInvalidSearchMatchingStrategy, matchingStrategy, func(r *api.FacetSearchRequest) *api.MatchingStrategy { return &r.MatchingStrategy }),
	api.Nullable("attributesToSearchOn", api.CodeInvalidSearchAttributesToSearchOn, api.Strings, func(r *api.FacetSearchRequest) *[]string { return &r.AttributesToSearchOn }),
	api.Optional("rankingScoreThreshold", api.CodeInvalidSearchRankingScoreThreshold, scoreThreshold, func(r *api.FacetSearchRequest) **float64 { return &r.RankingScoreThreshold }),
	api.Nullable("locales", api.CodeInvalidSearchLocales, api.List(locale), func(r *api.FacetSearchRequest) *[]string { return &r.Locales }),
	api.Nullable("exhaustiveFacetCount", api.CodeInvalidFacetSearchExhaustiveFacetCount, api.Bool, func(r *api.FacetSearchRequest) *bool { return &r.ExhaustiveFacetCount }),
	api.Optional("useNetwork", api.CodeInvalidSearchUseNetwork, api.Bool, func(r *api.FacetSearchRequest) **bool { return &r.UseNetwork }),
)

func serveFacetSearch(x *exchange) error {
	body, err := x.admitBody()
	if err != nil {
		return err
	}
	if body.Kind() == api.KindObject {
		body = knownMembers(&body, facetSearchFields.Names())
	}
	r := &api.FacetSearchRequest{MatchingStrategy: api.MatchLast}
	if err := facetSearchFields.Decode(api.BodyRoot(api.CodeBadRequest), &body, r); err != nil {
		return err
	}
	uid, err := x.indexUID()
	if err != nil {
		return err
	}
	if err := gateNetwork(x.features(), r.UseNetwork); err != nil {
		return err
	}
	r.Filter = x.auth.restrict(uid, r.Filter)
	found, err := x.server.ports.Search.FacetSearch(x.context(), uid, r)
	if err != nil {
		return err
	}
	return x.respond(http.StatusOK, found.AppendJSON(x.body[:0]))
}

// knownMembers keeps the members with one of the names.
func knownMembers(v *api.Value, names []string) api.Value {
	var kept []api.Member
	for _, m := range v.Members() {
		for _, name := range names {
			if m.Name == name {
				kept = append(kept, m)
				break
			}
		}
	}
	return api.ObjectValue(kept...)
}
