package search

import (
	"encoding/json"
	"net/http"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/api/decode"
	"shoal/httpfront/routing"
)

// similarFields are the members of a similar body, similarParameters the parameters of its
// query-string form. Their orders differ (spec search-api 11).
var (
	similarFields = decode.NewObject(
		decode.Plain("id", apierr.CodeInvalidSimilarID, decode.JSON, similarID).Required(apierr.Code{}),
		decode.Plain("offset", apierr.CodeInvalidSimilarOffset, decode.Uint, func(r *api.SimilarRequest) *uint64 { return &r.Offset }),
		decode.Plain("limit", apierr.CodeInvalidSimilarLimit, decode.Uint, func(r *api.SimilarRequest) *uint64 { return &r.Limit }),
		decode.Nullable("filter", apierr.CodeInvalidSimilarFilter, decode.JSON, func(r *api.SimilarRequest) *json.RawMessage { return &r.Filter }),
		decode.Plain("embedder", apierr.CodeInvalidSimilarEmbedder, decode.String, similarEmbedder).Required(apierr.Code{}),
		decode.Nullable("attributesToRetrieve", apierr.CodeInvalidSimilarAttributesToRetrieve, decode.Strings, func(r *api.SimilarRequest) *[]string { return &r.AttributesToRetrieve }),
		decode.Plain("retrieveVectors", apierr.CodeInvalidSimilarRetrieveVectors, decode.Bool, func(r *api.SimilarRequest) *bool { return &r.RetrieveVectors }),
		decode.Plain("showRankingScore", apierr.CodeInvalidSimilarShowRankingScore, decode.Bool, func(r *api.SimilarRequest) *bool { return &r.ShowRankingScore }),
		decode.Plain("showRankingScoreDetails", apierr.CodeInvalidSimilarShowRankingScoreDetails, decode.Bool, func(r *api.SimilarRequest) *bool { return &r.ShowRankingScoreDetails }),
		decode.Plain("showPerformanceDetails", apierr.CodeInvalidSimilarShowPerformanceDetails, decode.Bool, func(r *api.SimilarRequest) *bool { return &r.ShowPerformanceDetails }),
		decode.Optional("rankingScoreThreshold", apierr.CodeInvalidSimilarRankingScoreThreshold, scoreThreshold, func(r *api.SimilarRequest) **float64 { return &r.RankingScoreThreshold }),
	)
	similarParameters = decode.NewObject(
		decode.Plain("id", apierr.CodeInvalidSimilarID, decode.JSON, similarID).Required(apierr.Code{}),
		decode.Plain("embedder", apierr.CodeInvalidSimilarEmbedder, decode.String, similarEmbedder).Required(apierr.Code{}),
		decode.Plain("offset", apierr.CodeInvalidSimilarOffset, decode.QueryUint, func(r *api.SimilarRequest) *uint64 { return &r.Offset }),
		decode.Plain("limit", apierr.CodeInvalidSimilarLimit, decode.QueryUint, func(r *api.SimilarRequest) *uint64 { return &r.Limit }),
		decode.Plain("attributesToRetrieve", apierr.CodeInvalidSimilarAttributesToRetrieve, stringList, func(r *api.SimilarRequest) *[]string { return &r.AttributesToRetrieve }),
		decode.Plain("retrieveVectors", apierr.CodeInvalidSimilarRetrieveVectors, decode.QueryBool, func(r *api.SimilarRequest) *bool { return &r.RetrieveVectors }),
		decode.Plain("filter", apierr.CodeInvalidSimilarFilter, routing.FilterText, func(r *api.SimilarRequest) *json.RawMessage { return &r.Filter }),
		decode.Plain("showRankingScore", apierr.CodeInvalidSimilarShowRankingScore, decode.QueryBool, func(r *api.SimilarRequest) *bool { return &r.ShowRankingScore }),
		decode.Plain("showRankingScoreDetails", apierr.CodeInvalidSimilarShowRankingScoreDetails, decode.QueryBool, func(r *api.SimilarRequest) *bool { return &r.ShowRankingScoreDetails }),
		decode.Plain("showPerformanceDetails", apierr.CodeInvalidSimilarShowPerformanceDetails, decode.QueryBool, func(r *api.SimilarRequest) *bool { return &r.ShowPerformanceDetails }),
		decode.Optional("rankingScoreThreshold", apierr.CodeInvalidSimilarRankingScoreThreshold, queryThreshold, func(r *api.SimilarRequest) **float64 { return &r.RankingScoreThreshold }),
	)
)

func similarID(r *api.SimilarRequest) *json.RawMessage { return &r.ID }

func similarEmbedder(r *api.SimilarRequest) *string { return &r.Embedder }

func newSimilarRequest() *api.SimilarRequest {
	return &api.SimilarRequest{Limit: api.DefaultSearchLimit}
}

func (h *Handlers) serveSimilarPost(x *routing.Exchange) error {
	body, err := x.AdmitBody()
	if err != nil {
		return err
	}
	r := newSimilarRequest()
	if err := routing.DecodeSearch(body, similarFields, r); err != nil {
		return err
	}
	return h.similar(x, r)
}

func (h *Handlers) serveSimilarGet(x *routing.Exchange) error {
	if err := x.Admit(); err != nil {
		return err
	}
	r := newSimilarRequest()
	if err := routing.ReadQuery(x, similarParameters, r); err != nil {
		return err
	}
	return h.similar(x, r)
}

func (h *Handlers) similar(x *routing.Exchange, r *api.SimilarRequest) error {
	uid, err := x.IndexUID()
	if err != nil {
		return err
	}
	x.Asks(nil, r.Filter)
	r.Rule = x.Auth.Restrict(uid, nil)
	r.Filter = x.Auth.Restrict(uid, r.Filter)
	found, err := h.Search.Similar(x.Context(), uid, r)
	if err != nil {
		return err
	}
	defer api.CloseMore(found.More)
	if r.ShowPerformanceDetails {
		found.Performance = performance(x, found.Performance)
	}
	if found.More == nil {
		return x.Respond(http.StatusOK, found.AppendJSON(x.Buffer()))
	}
	return respond(x, "", []part{{begin: found.AppendBegin, hits: found.Hits, more: found.More, end: found.AppendEnd}}, "")
}
