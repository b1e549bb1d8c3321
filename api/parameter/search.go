package parameter

import (
	"encoding/json"
	"slices"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/api/decode"
	"shoal/api/jsonvalue"
	"shoal/api/settings"
)

// search has the parameters of a search, in the order of error texts (spec search-api 3.1,
// 3.2).
var search = []row[api.SearchRequest]{
	optionalText("q", apierr.CodeInvalidSearchQ, func(r *api.SearchRequest) **string { return &r.Q }),
	number("offset", apierr.CodeInvalidSearchOffset, func(r *api.SearchRequest) *uint64 { return &r.Offset }).kept(),
	number("limit", apierr.CodeInvalidSearchLimit, func(r *api.SearchRequest) *uint64 { return &r.Limit }).kept(),
	optionalNumber("page", apierr.CodeInvalidSearchPage, func(r *api.SearchRequest) **uint64 { return &r.Page }).kept(),
	optionalNumber("hitsPerPage", apierr.CodeInvalidSearchHitsPerPage, func(r *api.SearchRequest) **uint64 { return &r.HitsPerPage }).kept(),
	list("attributesToRetrieve", apierr.CodeInvalidSearchAttributesToRetrieve, decode.Strings, queryStrings, func(r *api.SearchRequest) *[]string { return &r.AttributesToRetrieve }),
	list("attributesToCrop", apierr.CodeInvalidSearchAttributesToCrop, decode.Strings, queryStrings, func(r *api.SearchRequest) *[]string { return &r.AttributesToCrop }),
	number("cropLength", apierr.CodeInvalidSearchCropLength, func(r *api.SearchRequest) *uint64 { return &r.CropLength }),
	word("cropMarker", apierr.CodeInvalidSearchCropMarker, shortText, func(r *api.SearchRequest) *string { return &r.CropMarker }),
	list("attributesToHighlight", apierr.CodeInvalidSearchAttributesToHighlight, distinctStrings, queryDistinctStrings, func(r *api.SearchRequest) *[]string { return &r.AttributesToHighlight }),
	word("highlightPreTag", apierr.CodeInvalidSearchHighlightPreTag, shortText, func(r *api.SearchRequest) *string { return &r.HighlightPreTag }),
	word("highlightPostTag", apierr.CodeInvalidSearchHighlightPostTag, shortText, func(r *api.SearchRequest) *string { return &r.HighlightPostTag }),
	flag("showMatchesPosition", apierr.CodeInvalidSearchShowMatchesPosition, func(r *api.SearchRequest) *bool { return &r.ShowMatchesPosition }),
	anyJSON("filter", apierr.CodeInvalidSearchFilter, QueryFilter, func(r *api.SearchRequest) *json.RawMessage { return &r.Filter }),
	list("sort", apierr.CodeInvalidSearchSort, Sort, QuerySort, func(r *api.SearchRequest) *[]string { return &r.Sort }),
	optionalText("distinct", apierr.CodeInvalidSearchDistinct, func(r *api.SearchRequest) **string { return &r.Distinct }),
	list("facets", apierr.CodeInvalidSearchFacets, decode.Strings, queryStrings, func(r *api.SearchRequest) *[]string { return &r.Facets }).kept(),
	word("matchingStrategy", apierr.CodeInvalidSearchMatchingStrategy, decode.OneOf(api.MatchLast, api.MatchAll, api.MatchFrequency), func(r *api.SearchRequest) *api.MatchingStrategy { return &r.MatchingStrategy }),
	list("attributesToSearchOn", apierr.CodeInvalidSearchAttributesToSearchOn, decode.Strings, queryStrings, func(r *api.SearchRequest) *[]string { return &r.AttributesToSearchOn }),
	threshold(apierr.CodeInvalidSearchRankingScoreThreshold, func(r *api.SearchRequest) **float64 { return &r.RankingScoreThreshold }),
	list("locales", apierr.CodeInvalidSearchLocales, decode.List(locale), decode.QueryList(queryLocale), func(r *api.SearchRequest) *[]string { return &r.Locales }),
	hybrid(),
	vector(),
	flag("retrieveVectors", apierr.CodeInvalidSearchRetrieveVectors, func(r *api.SearchRequest) *bool { return &r.RetrieveVectors }),
	bodyOnly(anyJSON("media", apierr.CodeInvalidSearchMedia, decode.JSON, func(r *api.SearchRequest) *json.RawMessage { return &r.Media })),
	personalize().kept(),
	useNetwork().kept(),
	flag("showRankingScore", apierr.CodeInvalidSearchShowRankingScore, func(r *api.SearchRequest) *bool { return &r.ShowRankingScore }),
	flag("showRankingScoreDetails", apierr.CodeInvalidSearchShowRankingScoreDetails, func(r *api.SearchRequest) *bool { return &r.ShowRankingScoreDetails }),
	inlineRule().added(),
	list("rankingRules", apierr.CodeInvalidSearchRankingRules, settings.DecodeQueryRankingRules, nil, func(r *api.SearchRequest) *[]string { return &r.RankingRules }).added(),
	hitsPerGroup().kept().added(),
	flag("showPerformanceDetails", apierr.CodeInvalidSearchShowPerformanceDetails, func(r *api.SearchRequest) *bool { return &r.ShowPerformanceDetails }).kept(),
}

// bodyOnly takes the form in query strings away.
func bodyOnly(r row[api.SearchRequest]) row[api.SearchRequest] {
	r.query = nil
	return r
}

var hybridFields = decode.NewObject(
	decode.Plain("semanticRatio", apierr.CodeInvalidSearchSemanticRatio, semanticRatio, func(h *settings.Hybrid) *float32 { return &h.SemanticRatio }),
	decode.Plain("embedder", apierr.CodeInvalidSearchEmbedder, decode.String, func(h *settings.Hybrid) *string { return &h.Embedder }).Required(apierr.Code{}),
)

func newHybrid() settings.Hybrid {
	return settings.Hybrid{SemanticRatio: settings.DefaultSemanticRatio}
}

func hybrid() row[api.SearchRequest] {
	return row[api.SearchRequest]{
		name: "hybrid",
		body: decode.Optional("hybrid", apierr.CodeInvalidSearchHybridQuery, hybridFields.As(newHybrid), func(r *api.SearchRequest) **settings.Hybrid { return &r.Hybrid }),
		forms: []decode.Row[Query]{
			decode.Optional("hybridEmbedder", apierr.CodeInvalidSearchEmbedder, decode.String, func(q *Query) **string { return &q.hybridEmbedder }),
			decode.Optional("hybridSemanticRatio", apierr.CodeInvalidSearchSemanticRatio, queryRatio, func(q *Query) **float32 { return &q.hybridRatio }),
		},
		write: func(o *jsonvalue.ObjectWriter, r *api.SearchRequest) {
			if r.Hybrid != nil {
				h := jsonvalue.ObjectWriter{}
				h.Raw("semanticRatio", jsonvalue.AppendFloat32(nil, r.Hybrid.SemanticRatio))
				h.Text("embedder", r.Hybrid.Embedder)
				o.Raw("hybrid", h.End())
			}
		},
	}
}

func vector() row[api.SearchRequest] {
	slot := func(r *api.SearchRequest) *[]float32 { return &r.Vector }
	return made("vector",
		decode.Nullable("vector", apierr.CodeInvalidSearchVector, decode.List(decode.Float32), slot),
		decode.Plain("vector", apierr.CodeInvalidSearchVector, decode.QueryList(queryFloat32), slot),
		func(o *jsonvalue.ObjectWriter, r *api.SearchRequest) {
			if r.Vector != nil {
				o.Raw("vector", jsonvalue.AppendVector(nil, r.Vector))
			}
		})
}

var personalizeFields = decode.NewObject(
	decode.Plain("userContext", apierr.CodeInvalidSearchPersonalizeUserContext, decode.String, func(p *api.Personalize) *string { return &p.UserContext }).Required(apierr.Code{}),
)

// Personalize reads the parameter personalize of a search or of a federation.
var Personalize = personalizeFields.Read

func personalize() row[api.SearchRequest] {
	return row[api.SearchRequest]{
		name: "personalize",
		body: decode.Optional("personalize", apierr.CodeInvalidSearchPersonalize, Personalize, func(r *api.SearchRequest) **api.Personalize { return &r.Personalize }),
		forms: []decode.Row[Query]{
			decode.Optional("personalizeUserContext", apierr.CodeInvalidSearchPersonalizeUserContext, decode.String, func(q *Query) **string { return &q.userContext }),
		},
	}
}

func useNetwork() row[api.SearchRequest] {
	slot := func(r *api.SearchRequest) **bool { return &r.UseNetwork }
	return made("useNetwork", decode.Optional("useNetwork", apierr.CodeInvalidSearchUseNetwork, decode.Bool, slot),
		decode.Optional("useNetwork", apierr.CodeInvalidSearchUseNetwork, decode.QueryBool, slot), nil)
}

func inlineRule() row[api.SearchRequest] {
	return row[api.SearchRequest]{
		name: "inlineRule",
		body: decode.Optional("inlineRule", apierr.CodeInvalidSearchInlineRule, api.DecodeInlineRule, func(r *api.SearchRequest) **api.InlineRule { return &r.InlineRule }),
		write: func(o *jsonvalue.ObjectWriter, r *api.SearchRequest) {
			if r.InlineRule != nil {
				o.Raw("inlineRule", r.InlineRule.Raw)
			}
		},
	}
}

func hitsPerGroup() row[api.SearchRequest] {
	return row[api.SearchRequest]{
		name: "hitsPerGroup",
		body: decode.Plain("hitsPerGroup", apierr.CodeInvalidSearchHitsPerGroup, decode.UintUpTo(api.MaxHitsPerGroup), func(r *api.SearchRequest) *uint64 { return &r.HitsPerGroup }),
	}
}

// SearchBody reads the body of a search.
var SearchBody = decode.NewObject(SearchRows(func(r *api.SearchRequest) *api.SearchRequest { return r })...)

// SearchRows are the members of a body that contains a search, where of finds it. A row of
// instead replaces the one of its name.
func SearchRows[S any](of func(*S) *api.SearchRequest, instead ...decode.Row[S]) []decode.Row[S] {
	out := make([]decode.Row[S], len(search))
	for i := range search {
		out[i] = decode.Within(search[i].body, of)
		for _, other := range instead {
			if other.Name() == search[i].name {
				out[i] = other
			}
		}
	}
	return out
}

// WriteSearch writes the parameters of one query of a federated search for another instance.
// Local ones are left out: they belong to the federation, or to the instance that merges.
func WriteSearch(o *jsonvalue.ObjectWriter, r *api.SearchRequest) {
	for i := range search {
		if !search[i].local {
			search[i].write(o, r)
		}
	}
}

// facetSearch names the parameters of a search that facet searches have, too, besides
// useNetwork.
var facetSearch = []string{"q", "vector", "media", "hybrid", "filter", "matchingStrategy", "attributesToSearchOn", "rankingScoreThreshold", "locales"}

// FacetBody reads the body of a facet search (spec search-api 10).
var FacetBody = decode.NewObject(facetRows()...)

func facetRows() []decode.Row[api.FacetSearchRequest] {
	rows := []decode.Row[api.FacetSearchRequest]{
		decode.Optional("facetQuery", apierr.CodeInvalidFacetSearchQuery, decode.String, func(r *api.FacetSearchRequest) **string { return &r.FacetQuery }),
		decode.Plain("facetName", apierr.CodeInvalidFacetSearchFacetName, decode.String, func(r *api.FacetSearchRequest) *string { return &r.FacetName }).Required(apierr.CodeMissingFacetSearchFacetName),
	}
	share := func(names ...string) {
		for _, r := range named(search, names...) {
			rows = append(rows, decode.Within(r.body, func(r *api.FacetSearchRequest) *api.SearchRequest { return &r.SearchRequest }))
		}
	}
	share(facetSearch...)
	rows = append(rows, decode.Nullable("exhaustiveFacetCount", apierr.CodeInvalidFacetSearchExhaustiveFacetCount, decode.Bool, func(r *api.FacetSearchRequest) *bool { return &r.ExhaustiveFacetCount }))
	share("useNetwork")
	return rows
}

// WriteFacetSearch returns the body of a facet search for another instance.
func WriteFacetSearch(r *api.FacetSearchRequest) []byte {
	o := jsonvalue.ObjectWriter{}
	o.OptionalText("facetQuery", r.FacetQuery)
	o.Text("facetName", r.FacetName)
	for i := range search {
		if p := &search[i]; slices.Contains(facetSearch, p.name) {
			p.write(&o, &r.SearchRequest)
		}
	}
	if r.ExhaustiveFacetCount {
		o.Raw("exhaustiveFacetCount", []byte("true"))
	}
	return o.End()
}
