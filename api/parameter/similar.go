package parameter

import (
	"encoding/json"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/api/decode"
)

// similar has the parameters of a search for similar documents, in the order of its body
// (spec search-api 11).
var similar = []row[api.SimilarRequest]{
	similarID(),
	number("offset", apierr.CodeInvalidSimilarOffset, func(r *api.SimilarRequest) *uint64 { return &r.Offset }),
	number("limit", apierr.CodeInvalidSimilarLimit, func(r *api.SimilarRequest) *uint64 { return &r.Limit }),
	anyJSON("filter", apierr.CodeInvalidSimilarFilter, QueryFilter, func(r *api.SimilarRequest) *json.RawMessage { return &r.Filter }),
	word("embedder", apierr.CodeInvalidSimilarEmbedder, decode.String, func(r *api.SimilarRequest) *string { return &r.Embedder }).required(),
	list("attributesToRetrieve", apierr.CodeInvalidSimilarAttributesToRetrieve, decode.Strings, queryStrings, func(r *api.SimilarRequest) *[]string { return &r.AttributesToRetrieve }),
	flag("retrieveVectors", apierr.CodeInvalidSimilarRetrieveVectors, func(r *api.SimilarRequest) *bool { return &r.RetrieveVectors }),
	flag("showRankingScore", apierr.CodeInvalidSimilarShowRankingScore, func(r *api.SimilarRequest) *bool { return &r.ShowRankingScore }),
	flag("showRankingScoreDetails", apierr.CodeInvalidSimilarShowRankingScoreDetails, func(r *api.SimilarRequest) *bool { return &r.ShowRankingScoreDetails }),
	flag("showPerformanceDetails", apierr.CodeInvalidSimilarShowPerformanceDetails, func(r *api.SimilarRequest) *bool { return &r.ShowPerformanceDetails }),
	threshold(apierr.CodeInvalidSimilarRankingScoreThreshold, func(r *api.SimilarRequest) **float64 { return &r.RankingScoreThreshold }),
}

// similarID takes the id as JSON, null too.
func similarID() row[api.SimilarRequest] {
	id := decode.Plain("id", apierr.CodeInvalidSimilarID, decode.JSON, func(r *api.SimilarRequest) *json.RawMessage { return &r.ID })
	return made("id", id, id, nil).required()
}

// SimilarBody and SimilarQuery read the two forms of a search for similar documents.
var SimilarBody, SimilarQuery = similarForms()

func similarForms() (body, query *decode.Object[api.SimilarRequest]) {
	var members, parameters []decode.Row[api.SimilarRequest]
	for i := range similar {
		members = append(members, similar[i].body)
	}
	for _, r := range named(similar, "id", "embedder", "offset", "limit", "attributesToRetrieve", "retrieveVectors", "filter",
		"showRankingScore", "showRankingScoreDetails", "showPerformanceDetails", "rankingScoreThreshold") {
		parameters = append(parameters, *r.query)
	}
	return decode.NewObject(members...), decode.NewObject(parameters...)
}
