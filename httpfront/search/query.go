package search

import (
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/api/decode"
	"shoal/api/jsonvalue"
	"shoal/api/settings"
	"shoal/httpfront/routing"
)

// searchQuery is the query-string form of a search (spec search-api 3.2). Members whose
// form differs from the body's stand beside the request.
type searchQuery struct {
	api.SearchRequest
	hybridEmbedder *string
	hybridRatio    *float32
	personal       *string
}

// searchParameters are the accepted names, in the order of error texts.
var searchParameters = decode.NewObject(
	decode.Optional("q", apierr.CodeInvalidSearchQ, decode.String, func(s *searchQuery) **string { return &s.Q }),
	decode.Plain("offset", apierr.CodeInvalidSearchOffset, decode.QueryUint, func(s *searchQuery) *uint64 { return &s.Offset }),
	decode.Plain("limit", apierr.CodeInvalidSearchLimit, decode.QueryUint, func(s *searchQuery) *uint64 { return &s.Limit }),
	decode.Optional("page", apierr.CodeInvalidSearchPage, decode.QueryUint, func(s *searchQuery) **uint64 { return &s.Page }),
	decode.Optional("hitsPerPage", apierr.CodeInvalidSearchHitsPerPage, decode.QueryUint, func(s *searchQuery) **uint64 { return &s.HitsPerPage }),
	decode.Plain("attributesToRetrieve", apierr.CodeInvalidSearchAttributesToRetrieve, stringList, func(s *searchQuery) *[]string { return &s.AttributesToRetrieve }),
	decode.Plain("attributesToCrop", apierr.CodeInvalidSearchAttributesToCrop, stringList, func(s *searchQuery) *[]string { return &s.AttributesToCrop }),
	decode.Plain("cropLength", apierr.CodeInvalidSearchCropLength, decode.QueryUint, func(s *searchQuery) *uint64 { return &s.CropLength }),
	decode.Plain("cropMarker", apierr.CodeInvalidSearchCropMarker, shortText, func(s *searchQuery) *string { return &s.CropMarker }),
	decode.Plain("attributesToHighlight", apierr.CodeInvalidSearchAttributesToHighlight, distinctList, func(s *searchQuery) *[]string { return &s.AttributesToHighlight }),
	decode.Plain("highlightPreTag", apierr.CodeInvalidSearchHighlightPreTag, shortText, func(s *searchQuery) *string { return &s.HighlightPreTag }),
	decode.Plain("highlightPostTag", apierr.CodeInvalidSearchHighlightPostTag, shortText, func(s *searchQuery) *string { return &s.HighlightPostTag }),
	decode.Plain("showMatchesPosition", apierr.CodeInvalidSearchShowMatchesPosition, decode.QueryBool, func(s *searchQuery) *bool { return &s.ShowMatchesPosition }),
	decode.Plain("filter", apierr.CodeInvalidSearchFilter, routing.FilterText, func(s *searchQuery) *json.RawMessage { return &s.Filter }),
	decode.Plain("sort", apierr.CodeInvalidSearchSort, routing.SortText, func(s *searchQuery) *[]string { return &s.Sort }),
	decode.Optional("distinct", apierr.CodeInvalidSearchDistinct, decode.String, func(s *searchQuery) **string { return &s.Distinct }),
	decode.Plain("facets", apierr.CodeInvalidSearchFacets, stringList, func(s *searchQuery) *[]string { return &s.Facets }),
	decode.Plain("matchingStrategy", apierr.CodeInvalidSearchMatchingStrategy, matchingStrategy, func(s *searchQuery) *api.MatchingStrategy { return &s.MatchingStrategy }),
	decode.Plain("attributesToSearchOn", apierr.CodeInvalidSearchAttributesToSearchOn, stringList, func(s *searchQuery) *[]string { return &s.AttributesToSearchOn }),
	decode.Optional("rankingScoreThreshold", apierr.CodeInvalidSearchRankingScoreThreshold, queryThreshold, func(s *searchQuery) **float64 { return &s.RankingScoreThreshold }),
	decode.Plain("locales", apierr.CodeInvalidSearchLocales, decode.QueryList(queryLocale), func(s *searchQuery) *[]string { return &s.Locales }),
	decode.Optional("hybridEmbedder", apierr.CodeInvalidSearchEmbedder, decode.String, func(s *searchQuery) **string { return &s.hybridEmbedder }),
	decode.Optional("hybridSemanticRatio", apierr.CodeInvalidSearchSemanticRatio, queryRatio, func(s *searchQuery) **float32 { return &s.hybridRatio }),
	decode.Plain("vector", apierr.CodeInvalidSearchVector, decode.QueryList(queryFloat32), func(s *searchQuery) *[]float32 { return &s.Vector }),
	decode.Plain("retrieveVectors", apierr.CodeInvalidSearchRetrieveVectors, decode.QueryBool, func(s *searchQuery) *bool { return &s.RetrieveVectors }),
	decode.Optional("personalizeUserContext", apierr.CodeInvalidSearchPersonalizeUserContext, decode.String, func(s *searchQuery) **string { return &s.personal }),
	decode.Optional("useNetwork", apierr.CodeInvalidSearchUseNetwork, decode.QueryBool, func(s *searchQuery) **bool { return &s.UseNetwork }),
	decode.Plain("showRankingScore", apierr.CodeInvalidSearchShowRankingScore, decode.QueryBool, func(s *searchQuery) *bool { return &s.ShowRankingScore }),
	decode.Plain("showRankingScoreDetails", apierr.CodeInvalidSearchShowRankingScoreDetails, decode.QueryBool, func(s *searchQuery) *bool { return &s.ShowRankingScoreDetails }),
	decode.Plain("showPerformanceDetails", apierr.CodeInvalidSearchShowPerformanceDetails, decode.QueryBool, func(s *searchQuery) *bool { return &s.ShowPerformanceDetails }),
)

// readSearchQuery decodes the query-string form of a search.
func readSearchQuery(x *routing.Exchange) (*api.SearchRequest, error) {
	s := searchQuery{SearchRequest: *api.NewSearchRequest()}
	if err := routing.ReadQuery(x, searchParameters, &s); err != nil {
		return nil, err
	}
	// The uid of the path is checked before combinations of parameters.
	if _, err := x.IndexUID(); err != nil {
		return nil, err
	}
	switch {
	case s.hybridEmbedder != nil:
		s.Hybrid = &settings.Hybrid{Embedder: *s.hybridEmbedder, SemanticRatio: settings.DefaultSemanticRatio}
		if s.hybridRatio != nil {
			s.Hybrid.SemanticRatio = *s.hybridRatio
		}
	case s.hybridRatio != nil:
		return nil, apierr.New(apierr.CodeInvalidSearchHybridQuery, "`hybridEmbedder` is mandatory when `hybridSemanticRatio` is present")
	case s.Vector != nil:
		return nil, apierr.New(apierr.CodeMissingSearchHybrid, "`hybridEmbedder` is mandatory when `vector` is present")
	}
	if s.personal != nil {
		s.Personalize = &api.Personalize{UserContext: *s.personal}
	}
	return &s.SearchRequest, nil
}

var stringList = decode.QueryList(decode.Decoder[string](decode.String))

func distinctList(at *decode.Loc, v *jsonvalue.Value) ([]string, *apierr.Error) {
	list, err := stringList(at, v)
	return dropRepeated(list), err
}

func queryThreshold(at *decode.Loc, v *jsonvalue.Value) (float64, *apierr.Error) {
	f, ok := rustFloat(v.String(), 64)
	if !ok || f < 0 || f > 1 {
		return 0, at.Invalid(thresholdText)
	}
	return f, nil
}

func queryRatio(at *decode.Loc, v *jsonvalue.Value) (float32, *apierr.Error) {
	f, ok := rustFloat(v.String(), 32)
	if !ok || f < 0 || f > 1 {
		return 0, at.Invalid(ratioText)
	}
	return float32(f), nil
}

func queryFloat32(at *decode.Loc, v *jsonvalue.Value) (float32, *apierr.Error) {
	f, ok := rustFloat(v.String(), 32)
	if !ok {
		return 0, at.Invalid("invalid float literal")
	}
	return float32(f), nil
}

// rustFloat parses a decimal float. It refuses hexadecimal forms and underscores, which Go
// accepts, and NaN.
func rustFloat(text string, bits int) (float64, bool) {
	if strings.ContainsAny(text, "xXpP_") {
		return 0, false
	}
	f, err := strconv.ParseFloat(text, bits)
	if err != nil && !errors.Is(err, strconv.ErrRange) || math.IsNaN(f) {
		return 0, false
	}
	return f, true
}
