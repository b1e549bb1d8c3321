package httpfront

import (
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"

	"shoal/api"
)

// searchQuery is the query-string form of a search (spec search-api 3.2); the
// members that have another shape than in the body stand beside the request.
type searchQuery struct {
	api.SearchRequest
	hybridEmbedder *string
	hybridRatio    *float32
	personal       *string
}

// searchParameters are the accepted names, in the order of error texts.
var searchParameters = api.NewObject(
	api.Optional("q", api.CodeInvalidSearchQ, api.String, func(s *searchQuery) **string { return &s.Q }),
	api.Plain("offset", api.CodeInvalidSearchOffset, api.QueryUint, func(s *searchQuery) *uint64 { return &s.Offset }),
	api.Plain("limit", api.CodeInvalidSearchLimit, api.QueryUint, func(s *searchQuery) *uint64 { return &s.Limit }),
	api.Optional("page", api.CodeInvalidSearchPage, api.QueryUint, func(s *searchQuery) **uint64 { return &s.Page }),
	api.Optional("hitsPerPage", api.CodeInvalidSearchHitsPerPage, api.QueryUint, func(s *searchQuery) **uint64 { return &s.HitsPerPage }),
	api.Plain("attributesToRetrieve", api.CodeInvalidSearchAttributesToRetrieve, stringList, func(s *searchQuery) *[]string { return &s.AttributesToRetrieve }),
	api.Plain("attributesToCrop", api.CodeInvalidSearchAttributesToCrop, stringList, func(s *searchQuery) *[]string { return &s.AttributesToCrop }),
	api.Plain("cropLength", api.CodeInvalidSearchCropLength, api.QueryUint, func(s *searchQuery) *uint64 { return &s.CropLength }),
	api.Plain("cropMarker", api.CodeInvalidSearchCropMarker, shortText, func(s *searchQuery) *string { return &s.CropMarker }),
	api.Plain("attributesToHighlight", api.CodeInvalidSearchAttributesToHighlight, distinctList, func(s *searchQuery) *[]string { return &s.AttributesToHighlight }),
	api.Plain("highlightPreTag", api.CodeInvalidSearchHighlightPreTag, shortText, func(s *searchQuery) *string { return &s.HighlightPreTag }),
	api.Plain("highlightPostTag", api.CodeInvalidSearchHighlightPostTag, shortText, func(s *searchQuery) *string { return &s.HighlightPostTag }),
	api.Plain("showMatchesPosition", api.CodeInvalidSearchShowMatchesPosition, api.QueryBool, func(s *searchQuery) *bool { return &s.ShowMatchesPosition }),
	api.Plain("filter", api.CodeInvalidSearchFilter, queryFilter, func(s *searchQuery) *json.RawMessage { return &s.Filter }),
	api.Plain("sort", api.CodeInvalidSearchSort, querySort, func(s *searchQuery) *[]string { return &s.Sort }),
	api.Optional("distinct", api.CodeInvalidSearchDistinct, api.String, func(s *searchQuery) **string { return &s.Distinct }),
	api.Plain("facets", api.CodeInvalidSearchFacets, stringList, func(s *searchQuery) *[]string { return &s.Facets }),
	api.Plain("matchingStrategy", api.CodeInvalidSearchMatchingStrategy, matchingStrategy, func(s *searchQuery) *api.MatchingStrategy { return &s.MatchingStrategy }),
	api.Plain("attributesToSearchOn", api.CodeInvalidSearchAttributesToSearchOn, stringList, func(s *searchQuery) *[]string { return &s.AttributesToSearchOn }),
	api.Optional("rankingScoreThreshold", api.CodeInvalidSearchRankingScoreThreshold, queryThreshold, func(s *searchQuery) **float64 { return &s.RankingScoreThreshold }),
	api.Plain("locales", api.CodeInvalidSearchLocales, api.QueryList(queryLocale), func(s *searchQuery) *[]string { return &s.Locales }),
	api.Optional("hybridEmbedder", api.CodeInvalidSearchEmbedder, api.String, func(s *searchQuery) **string { return &s.hybridEmbedder }),
	api.Optional("hybridSemanticRatio", api.CodeInvalidSearchSemanticRatio, queryRatio, func(s *searchQuery) **float32 { return &s.hybridRatio }),
	api.Plain("vector", api.CodeInvalidSearchVector, api.QueryList(queryFloat32), func(s *searchQuery) *[]float32 { return &s.Vector }),
	api.Plain("retrieveVectors", api.CodeInvalidSearchRetrieveVectors, api.QueryBool, func(s *searchQuery) *bool { return &s.RetrieveVectors }),
	api.Optional("personalizeUserContext", api.CodeInvalidSearchPersonalizeUserContext, api.String, func(s *searchQuery) **string { return &s.personal }),
	api.Optional("useNetwork", api.CodeInvalidSearchUseNetwork, api.QueryBool, func(s *searchQuery) **bool { return &s.UseNetwork }),
	api.Plain("showRankingScore", api.CodeInvalidSearchShowRankingScore, api.QueryBool, func(s *searchQuery) *bool { return &s.ShowRankingScore }),
	api.Plain("showRankingScoreDetails", api.CodeInvalidSearchShowRankingScoreDetails, api.QueryBool, func(s *searchQuery) *bool { return &s.ShowRankingScoreDetails }),
	api.Plain("showPerformanceDetails", api.CodeInvalidSearchShowPerformanceDetails, api.QueryBool, func(s *searchQuery) *bool { return &s.ShowPerformanceDetails }),
)

// readSearchQuery decodes the query-string form of a search.
func readSearchQuery(x *exchange) (*api.SearchRequest, error) {
	s := searchQuery{SearchRequest: *api.NewSearchRequest()}
	if err := readQuery(x, searchParameters, &s); err != nil {
		return nil, err
	}
	// The uid of the path goes before what single parameters do not show.
	if _, err := x.indexUID(); err != nil {
		return nil, err
	}
	switch {
	case s.hybridEmbedder != nil:
		s.Hybrid = &api.Hybrid{Embedder: *s.hybridEmbedder, SemanticRatio: api.DefaultSemanticRatio}
		if s.hybridRatio != nil {
			s.Hybrid.SemanticRatio = *s.hybridRatio
		}
	case s.hybridRatio != nil:
		return nil, api.NewError(api.CodeInvalidSearchHybridQuery, "`hybridEmbedder` is mandatory when `hybridSemanticRatio` is present")
	case s.Vector != nil:
		return nil, api.NewError(api.CodeMissingSearchHybrid, "`hybridEmbedder` is mandatory when `vector` is present")
	}
	if s.personal != nil {
		s.Personalize = &api.Personalize{UserContext: *s.personal}
	}
	return &s.SearchRequest, nil
}

var stringList = api.QueryList(api.Decoder[string](api.String))

func distinctList(at *api.Loc, v *api.Value) ([]string, *api.Error) {
	list, err := stringList(at, v)
	return dropRepeated(list), err
}

// queryFilter: text that parses as JSON is that JSON, any other text is one
// expression; the empty text is no filter.
func queryFilter(_ *api.Loc, v *api.Value) (json.RawMessage, *api.Error) {
	text := v.String()
	if text == "" {
		return nil, nil
	}
	if parsed, err := api.ParseJSON([]byte(text)); err == nil {
		return json.RawMessage(parsed.AppendJSON(nil)), nil
	}
	return json.RawMessage(api.AppendString(nil, text)), nil
}

// querySort splits a list of sort expressions at its commas, apart from those of a
// _geoPoint(...), which reaches to the next piece that ends as one does. A point
// that is whole without a comma takes the next piece all the same, and one inside
// another begins anew, as in the reference. Empty pieces stay, and fail later.
func querySort(at *api.Loc, v *api.Value) ([]string, *api.Error) {
	var out []string
	inPoint := false
	for _, piece := range strings.Split(strings.Trim(v.String(), `"`), ",") {
		piece = strings.TrimSpace(piece)
		switch {
		case strings.HasPrefix(piece, "_geoPoint("):
			out, inPoint = append(out, piece), true
		case inPoint:
			out[len(out)-1] += "," + piece
			inPoint = !strings.HasSuffix(piece, "):asc") && !strings.HasSuffix(piece, "):desc")
		default:
			out = append(out, piece)
		}
	}
	if len(out) > maxSort {
		return nil, tooManySorts(at, len(out))
	}
	return out, nil
}

func queryThreshold(at *api.Loc, v *api.Value) (float64, *api.Error) {
	f, ok := rustFloat(v.String(), 64)
	if !ok || f < 0 || f > 1 {
		return 0, at.Invalid(thresholdText)
	}
	return f, nil
}

func queryRatio(at *api.Loc, v *api.Value) (float32, *api.Error) {
	f, ok := rustFloat(v.String(), 32)
	if !ok || f < 0 || f > 1 {
		return 0, at.Invalid(ratioText)
	}
	return float32(f), nil
}

func queryFloat32(at *api.Loc, v *api.Value) (float32, *api.Error) {
	f, ok := rustFloat(v.String(), 32)
	if !ok {
		return 0, at.Invalid("invalid float literal")
	}
	return float32(f), nil
}

// rustFloat parses a decimal float; hexadecimal forms and underscores, which Go
// knows, are refused, and so is NaN, which means nothing here.
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
