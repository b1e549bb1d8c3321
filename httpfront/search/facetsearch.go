package search

import (
	"encoding/json"
	"net/http"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/api/decode"
	"shoal/api/jsonvalue"
	"shoal/api/settings"
	"shoal/httpfront/routing"
)

// facetSearchFields are the members of a facet-search body (spec search-api 10). Unlike on
// other routes, unknown members are ignored (see knownMembers).
var facetSearchFields = decode.NewObject(
	decode.Optional("facetQuery", apierr.CodeInvalidFacetSearchQuery, decode.String, func(r *api.FacetSearchRequest) **string { return &r.FacetQuery }),
	decode.Plain("facetName", apierr.CodeInvalidFacetSearchFacetName, decode.String, func(r *api.FacetSearchRequest) *string { return &r.FacetName }).Required(apierr.CodeMissingFacetSearchFacetName),
	decode.Optional("q", apierr.CodeInvalidSearchQ, decode.String, func(r *api.FacetSearchRequest) **string { return &r.Q }),
	decode.Nullable("vector", apierr.CodeInvalidSearchVector, decode.List(decode.Float32), func(r *api.FacetSearchRequest) *[]float32 { return &r.Vector }),
	decode.Nullable("media", apierr.CodeInvalidSearchMedia, decode.JSON, func(r *api.FacetSearchRequest) *json.RawMessage { return &r.Media }),
	decode.Optional("hybrid", apierr.CodeInvalidSearchHybridQuery, hybridFields.As(newHybrid), func(r *api.FacetSearchRequest) **settings.Hybrid { return &r.Hybrid }),
	decode.Nullable("filter", apierr.CodeInvalidSearchFilter, decode.JSON, func(r *api.FacetSearchRequest) *json.RawMessage { return &r.Filter }),
	decode.Plain("matchingStrategy", apierr.CodeInvalidSearchMatchingStrategy, matchingStrategy, func(r *api.FacetSearchRequest) *api.MatchingStrategy { return &r.MatchingStrategy }),
	decode.Nullable("attributesToSearchOn", apierr.CodeInvalidSearchAttributesToSearchOn, decode.Strings, func(r *api.FacetSearchRequest) *[]string { return &r.AttributesToSearchOn }),
	decode.Optional("rankingScoreThreshold", apierr.CodeInvalidSearchRankingScoreThreshold, scoreThreshold, func(r *api.FacetSearchRequest) **float64 { return &r.RankingScoreThreshold }),
	decode.Nullable("locales", apierr.CodeInvalidSearchLocales, decode.List(locale), func(r *api.FacetSearchRequest) *[]string { return &r.Locales }),
	decode.Nullable("exhaustiveFacetCount", apierr.CodeInvalidFacetSearchExhaustiveFacetCount, decode.Bool, func(r *api.FacetSearchRequest) *bool { return &r.ExhaustiveFacetCount }),
	decode.Optional("useNetwork", apierr.CodeInvalidSearchUseNetwork, decode.Bool, func(r *api.FacetSearchRequest) **bool { return &r.UseNetwork }),
)

func (h *Handlers) serveFacetSearch(x *routing.Exchange) error {
	body, err := x.AdmitBody()
	if err != nil {
		return err
	}
	if body.Kind() == jsonvalue.KindObject {
		body = knownMembers(&body, facetSearchFields.Names())
	}
	r := &api.FacetSearchRequest{MatchingStrategy: api.MatchLast}
	if err := facetSearchFields.Decode(decode.BodyRoot(apierr.CodeBadRequest), &body, r); err != nil {
		return err
	}
	uid, err := x.IndexUID()
	if err != nil {
		return err
	}
	if err := gateNetwork(x.Features(), r.UseNetwork); err != nil {
		return err
	}
	x.Asks(r.Q, r.Filter)
	r.Filter = x.Auth.Restrict(uid, r.Filter)
	found, err := h.Search.FacetSearch(x.Context(), uid, r)
	if err != nil {
		return err
	}
	return x.Respond(http.StatusOK, found.AppendJSON(x.Buffer()))
}

// knownMembers keeps only members with one of the names.
func knownMembers(v *jsonvalue.Value, names []string) jsonvalue.Value {
	var kept []jsonvalue.Member
	for _, m := range v.Members() {
		for _, name := range names {
			if m.Name == name {
				kept = append(kept, m)
				break
			}
		}
	}
	return jsonvalue.ObjectValue(kept...)
}
