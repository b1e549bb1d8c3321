package httpfront

import (
	"encoding/json"
	"net/http"
	"time"

	"shoal/api"
)

// similarFields are the members of a similar body, similarParameters those of
// its query-string form; the two differ in order (spec search-api 11).
var (
	similarFields = api.NewObject(
		api.Plain("id", api.CodeInvalidSimilarID, rawJSON, similarID).Required(api.Code{}),
		api.Plain("offset", api.CodeInvalidSimilarOffset, api.Uint, func(r *api.SimilarRequest) *uint64 { return &r.Offset }),
		api.Plain("limit", api.CodeInvalidSimilarLimit, api.Uint, func(r *api.SimilarRequest) *uint64 { return &r.Limit }),
		api.Nullable("filter", api.CodeInvalidSimilarFilter, rawJSON, func(r *api.SimilarRequest) *json.RawMessage { return &r.Filter }),
		api.Plain("embedder", api.CodeInvalidSimilarEmbedder, api.String, similarEmbedder).Required(api.Code{}),
		api.Nullable("attributesToRetrieve", api.CodeInvalidSimilarAttributesToRetrieve, api.Strings, func(r *api.SimilarRequest) *[]string { return &r.AttributesToRetrieve }),
		api.Plain("retrieveVectors", api.CodeInvalidSimilarRetrieveVectors, api.Bool, func(r *api.SimilarRequest) *bool { return &r.RetrieveVectors }),
		api.Plain("showRankingScore", api.CodeInvalidSimilarShowRankingScore, api.Bool, func(r *api.SimilarRequest) *bool { return &r.ShowRankingScore }),
		api.Plain("showRankingScoreDetails", api.CodeInvalidSimilarShowRankingScoreDetails, api.Bool, func(r *api.SimilarRequest) *bool { return &r.ShowRankingScoreDetails }),
		api.Plain("showPerformanceDetails", api.CodeInvalidSimilarShowPerformanceDetails, api.Bool, func(r *api.SimilarRequest) *bool { return &r.ShowPerformanceDetails }),
		api.Optional("rankingScoreThreshold", api.CodeInvalidSimilarRankingScoreThreshold, scoreThreshold, func(r *api.SimilarRequest) **float64 { return &r.RankingScoreThreshold }),
	)
	similarParameters = api.NewObject(
		api.Plain("id", api.CodeInvalidSimilarID, rawJSON, similarID).Required(api.Code{}),
		api.Plain("embedder", api.CodeInvalidSimilarEmbedder, api.String, similarEmbedder).Required(api.Code{}),
		api.Plain("offset", api.CodeInvalidSimilarOffset, api.QueryUint, func(r *api.SimilarRequest) *uint64 { return &r.Offset }),
		api.Plain("limit", api.CodeInvalidSimilarLimit, api.QueryUint, func(r *api.SimilarRequest) *uint64 { return &r.Limit }),
		api.Plain("attributesToRetrieve", api.CodeInvalidSimilarAttributesToRetrieve, stringList, func(r *api.SimilarRequest) *[]string { return &r.AttributesToRetrieve }),
		api.Plain("retrieveVectors", api.CodeInvalidSimilarRetrieveVectors, api.QueryBool, func(r *api.SimilarRequest) *bool { return &r.RetrieveVectors }),
		api.Plain("filter", api.CodeInvalidSimilarFilter, queryFilter, func(r *api.SimilarRequest) *json.RawMessage { return &r.Filter }),
		api.Plain("showRankingScore", api.CodeInvalidSimilarShowRankingScore, api.QueryBool, func(r *api.SimilarRequest) *bool { return &r.ShowRankingScore }),
		api.Plain("showRankingScoreDetails", api.CodeInvalidSimilarShowRankingScoreDetails, api.QueryBool, func(r *api.SimilarRequest) *bool { return &r.ShowRankingScoreDetails }),
		api.Plain("showPerformanceDetails", api.CodeInvalidSimilarShowPerformanceDetails, api.QueryBool, func(r *api.SimilarRequest) *bool { return &r.ShowPerformanceDetails }),
		api.Optional("rankingScoreThreshold", api.CodeInvalidSimilarRankingScoreThreshold, queryThreshold, func(r *api.SimilarRequest) **float64 { return &r.RankingScoreThreshold }),
	)
)

func similarID(r *api.SimilarRequest) *json.RawMessage { return &r.ID }

func similarEmbedder(r *api.SimilarRequest) *string { return &r.Embedder }

func newSimilarRequest() *api.SimilarRequest {
	return &api.SimilarRequest{Limit: api.DefaultSearchLimit}
}

func serveSimilarPost(x *exchange) error {
	body, err := x.admitBody()
	if err != nil {
		return err
	}
	r := newSimilarRequest()
	if err := decodeSearch(body, similarFields, r); err != nil {
		return err
	}
	return x.similar(r)
}

func serveSimilarGet(x *exchange) error {
	if err := x.admit(); err != nil {
		return err
	}
	r := newSimilarRequest()
	if err := readQuery(x, similarParameters, r); err != nil {
		return err
	}
	return x.similar(r)
}

func (x *exchange) similar(r *api.SimilarRequest) error {
	uid, err := x.indexUID()
	if err != nil {
		return err
	}
	r.Rule = x.auth.restrict(uid, nil)
	r.Filter = x.auth.restrict(uid, r.Filter)
	begun := time.Now()
	found, err := x.server.ports.Search.Similar(x.context(), uid, r)
	if err != nil {
		return err
	}
	if r.ShowPerformanceDetails {
		found.Performance = append(found.Performance, api.PerformanceStep{Name: "search", Nanos: int64(time.Since(begun))})
	}
	return x.respond(http.StatusOK, found.AppendJSON(x.body[:0]))
}
