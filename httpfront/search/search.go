package search

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/api/decode"
	"shoal/api/jsonvalue"
	"shoal/api/settings"
	"shoal/httpfront/routing"
)

// SearchRoutes are the rows of searches.
func (h *Handlers) SearchRoutes() []routing.Route {
	return []routing.Route{
		{Method: "GET", Pattern: "/indexes/{index_uid}/search", Actions: []string{"search"}, Serve: h.serveSearchGet, OnIndex: true, Query: searchParameters},
		{Method: "POST", Pattern: "/indexes/{index_uid}/search", Actions: []string{"search"}, Serve: h.serveSearchPost, OnIndex: true, Body: searchFields},
		{Method: "POST", Pattern: "/indexes/{index_uid}/facet-search", Actions: []string{"search"}, Serve: h.serveFacetSearch, OnIndex: true, Body: facetSearchFields},
		{Method: "GET", Pattern: "/indexes/{index_uid}/similar", Actions: []string{"search"}, Serve: h.serveSimilarGet, OnIndex: true, Query: similarParameters},
		{Method: "POST", Pattern: "/indexes/{index_uid}/similar", Actions: []string{"search"}, Serve: h.serveSimilarPost, OnIndex: true, Body: similarFields},
		{Method: "POST", Pattern: "/multi-search", Actions: []string{"search"}, Serve: h.serveMultiSearch, Body: multiSearchFields},
	}
}

// wantsMetadata reads the header that asks for the member metadata. Two names are accepted.
func wantsMetadata(h http.Header) bool {
	for _, name := range [...]string{"Meili-Include-Metadata", "Service-Include-Metadata"} {
		if values := h[name]; len(values) > 0 {
			switch strings.ToLower(values[0]) {
			case "true", "1":
				return true
			}
		}
	}
	return false
}

// freshUID makes a request uid: a UUID of version 7.
func freshUID() (string, error) {
	id, err := uuid.NewV7()
	return id.String(), err
}

func (h *Handlers) serveSearchPost(x *routing.Exchange) error {
	body, err := x.AdmitBody()
	if err != nil {
		return err
	}
	r := api.NewSearchRequest()
	if err := routing.DecodeSearch(body, searchFields, r); err != nil {
		return err
	}
	return h.search(x, r)
}

func (h *Handlers) serveSearchGet(x *routing.Exchange) error {
	if err := x.Admit(); err != nil {
		return err
	}
	r, err := readSearchQuery(x)
	if err != nil {
		return err
	}
	return h.search(x, r)
}

// search runs one admitted and decoded search on the index of the path.
func (h *Handlers) search(x *routing.Exchange, r *api.SearchRequest) error {
	uid, err := x.IndexUID()
	if err != nil {
		return err
	}
	if err := gateNetwork(x.Features(), r.UseNetwork); err != nil {
		if _, fault := h.Search.CheckFilters([]api.IndexQuery{{SearchRequest: *r}}); fault != nil {
			return fault
		}
		return err
	}
	x.Asks(r.Q, r.Filter)
	r.Filter = x.Auth.Restrict(uid, r.Filter)
	found, err := h.Search.Search(x.Context(), uid, r)
	if err != nil {
		return err
	}
	defer api.CloseMore(found.More)
	if err := h.personalize(x, r, found); err != nil {
		return err
	}
	if r.ShowPerformanceDetails {
		found.Performance = performance(x, found.Performance)
	}
	x.Searched(found.Degraded)
	env, err := newEnvelope(x.HTTP.Header)
	if err != nil {
		return err
	}
	if env.describe {
		if err := env.metadata(h.Analytics, r.Q, uid, found); err != nil {
			return err
		}
	}
	h.count(r.Q, uid, found, env.Metadata)
	if found.More == nil {
		return x.Respond(http.StatusOK, found.AppendJSON(x.Buffer(), &env.Envelope))
	}
	return respond(x, "", []part{searchPart(found, env.Envelope)}, "")
}

// searchPart makes the answer to one search a part of a response.
func searchPart(found *api.SearchResponse, env api.Envelope) part {
	return part{
		begin: func(dst []byte) []byte { return found.AppendBegin(dst, &env) },
		hits:  found.Hits, more: found.More,
		end: func(dst []byte) []byte { return found.AppendEnd(dst, &env) },
	}
}

// performance puts the time in the queue before the steps that a search reports (spec
// search-api 4.6).
func performance(x *routing.Exchange, steps []api.PerformanceStep) []api.PerformanceStep {
	return append([]api.PerformanceStep{{Name: "wait in queue", Nanos: int64(x.Waited)}}, steps...)
}

// envelope holds the members that the front adds to the answers of one request.
type envelope struct {
	api.Envelope
	describe bool
}

func newEnvelope(h http.Header) (*envelope, error) {
	id, err := freshUID()
	return &envelope{Envelope: api.Envelope{RequestUID: id}, describe: wantsMetadata(h)}, err
}

// metadata describes one query and its answer.
func (e *envelope) metadata(uids Analytics, q *string, uid string, found *api.SearchResponse) error {
	id, err := uids.QueryUID()
	if err != nil {
		return err
	}
	e.Metadata = &api.QueryMetadata{Query: q, QueryUID: id, IndexUID: uid, PrimaryKey: found.PrimaryKey, Remote: found.Remote, InlineRule: found.InlineRule}
	return nil
}

// gateNetwork refuses useNetwork, with any value, while the feature is off.
func gateNetwork(f settings.Features, useNetwork *bool) *apierr.Error {
	if useNetwork != nil && !f.Network {
		return apierr.FeatureNotEnabled("passing `useNetwork` in a search query", "network", 805)
	}
	return nil
}

// searchFields are the members of a search body, in the order of error texts
// (spec search-api 3.1).
var searchFields = decode.NewObject(searchRows(func(r *api.SearchRequest) *api.SearchRequest { return r })...)

// searchRows builds the table for any type that contains a request: a search, or one query
// of a multi-search.
func searchRows[S any](of func(*S) *api.SearchRequest) []decode.Row[S] {
	return []decode.Row[S]{
		decode.Optional("q", apierr.CodeInvalidSearchQ, decode.String, func(s *S) **string { return &of(s).Q }),
		decode.Plain("offset", apierr.CodeInvalidSearchOffset, decode.Uint, func(s *S) *uint64 { return &of(s).Offset }),
		decode.Plain("limit", apierr.CodeInvalidSearchLimit, decode.Uint, func(s *S) *uint64 { return &of(s).Limit }),
		decode.Optional("page", apierr.CodeInvalidSearchPage, decode.Uint, func(s *S) **uint64 { return &of(s).Page }),
		decode.Optional("hitsPerPage", apierr.CodeInvalidSearchHitsPerPage, decode.Uint, func(s *S) **uint64 { return &of(s).HitsPerPage }),
		decode.Nullable("attributesToRetrieve", apierr.CodeInvalidSearchAttributesToRetrieve, decode.Strings, func(s *S) *[]string { return &of(s).AttributesToRetrieve }),
		decode.Nullable("attributesToCrop", apierr.CodeInvalidSearchAttributesToCrop, decode.Strings, func(s *S) *[]string { return &of(s).AttributesToCrop }),
		decode.Plain("cropLength", apierr.CodeInvalidSearchCropLength, decode.Uint, func(s *S) *uint64 { return &of(s).CropLength }),
		decode.Plain("cropMarker", apierr.CodeInvalidSearchCropMarker, shortText, func(s *S) *string { return &of(s).CropMarker }),
		decode.Nullable("attributesToHighlight", apierr.CodeInvalidSearchAttributesToHighlight, distinctStrings, func(s *S) *[]string { return &of(s).AttributesToHighlight }),
		decode.Plain("highlightPreTag", apierr.CodeInvalidSearchHighlightPreTag, shortText, func(s *S) *string { return &of(s).HighlightPreTag }),
		decode.Plain("highlightPostTag", apierr.CodeInvalidSearchHighlightPostTag, shortText, func(s *S) *string { return &of(s).HighlightPostTag }),
		decode.Plain("showMatchesPosition", apierr.CodeInvalidSearchShowMatchesPosition, decode.Bool, func(s *S) *bool { return &of(s).ShowMatchesPosition }),
		decode.Nullable("filter", apierr.CodeInvalidSearchFilter, decode.JSON, func(s *S) *json.RawMessage { return &of(s).Filter }),
		decode.Nullable("sort", apierr.CodeInvalidSearchSort, routing.SortList, func(s *S) *[]string { return &of(s).Sort }),
		decode.Optional("distinct", apierr.CodeInvalidSearchDistinct, decode.String, func(s *S) **string { return &of(s).Distinct }),
		decode.Nullable("facets", apierr.CodeInvalidSearchFacets, decode.Strings, func(s *S) *[]string { return &of(s).Facets }),
		decode.Plain("matchingStrategy", apierr.CodeInvalidSearchMatchingStrategy, matchingStrategy, func(s *S) *api.MatchingStrategy { return &of(s).MatchingStrategy }),
		decode.Nullable("attributesToSearchOn", apierr.CodeInvalidSearchAttributesToSearchOn, decode.Strings, func(s *S) *[]string { return &of(s).AttributesToSearchOn }),
		decode.Optional("rankingScoreThreshold", apierr.CodeInvalidSearchRankingScoreThreshold, scoreThreshold, func(s *S) **float64 { return &of(s).RankingScoreThreshold }),
		decode.Nullable("locales", apierr.CodeInvalidSearchLocales, decode.List(locale), func(s *S) *[]string { return &of(s).Locales }),
		decode.Optional("hybrid", apierr.CodeInvalidSearchHybridQuery, hybridFields.As(newHybrid), func(s *S) **settings.Hybrid { return &of(s).Hybrid }),
		decode.Nullable("vector", apierr.CodeInvalidSearchVector, decode.List(decode.Float32), func(s *S) *[]float32 { return &of(s).Vector }),
		decode.Plain("retrieveVectors", apierr.CodeInvalidSearchRetrieveVectors, decode.Bool, func(s *S) *bool { return &of(s).RetrieveVectors }),
		decode.Nullable("media", apierr.CodeInvalidSearchMedia, decode.JSON, func(s *S) *json.RawMessage { return &of(s).Media }),
		decode.Optional("personalize", apierr.CodeInvalidSearchPersonalize, personalizeFields.As(newPersonalize), func(s *S) **api.Personalize { return &of(s).Personalize }),
		decode.Optional("useNetwork", apierr.CodeInvalidSearchUseNetwork, decode.Bool, func(s *S) **bool { return &of(s).UseNetwork }),
		decode.Plain("showRankingScore", apierr.CodeInvalidSearchShowRankingScore, decode.Bool, func(s *S) *bool { return &of(s).ShowRankingScore }),
		decode.Plain("showRankingScoreDetails", apierr.CodeInvalidSearchShowRankingScoreDetails, decode.Bool, func(s *S) *bool { return &of(s).ShowRankingScoreDetails }),
		decode.Optional("inlineRule", apierr.CodeInvalidSearchInlineRule, api.DecodeInlineRule, func(s *S) **api.InlineRule { return &of(s).InlineRule }).Unlisted(),
		decode.Nullable("rankingRules", apierr.CodeInvalidSearchRankingRules, settings.DecodeQueryRankingRules, func(s *S) *[]string { return &of(s).RankingRules }).Unlisted(),
		decode.Plain("hitsPerGroup", apierr.CodeInvalidSearchHitsPerGroup, decode.UintUpTo(api.MaxHitsPerGroup), func(s *S) *uint64 { return &of(s).HitsPerGroup }).Unlisted(),
		decode.Plain("showPerformanceDetails", apierr.CodeInvalidSearchShowPerformanceDetails, decode.Bool, func(s *S) *bool { return &of(s).ShowPerformanceDetails }),
	}
}

var hybridFields = decode.NewObject(
	decode.Plain("semanticRatio", apierr.CodeInvalidSearchSemanticRatio, semanticRatio, func(h *settings.Hybrid) *float32 { return &h.SemanticRatio }),
	decode.Plain("embedder", apierr.CodeInvalidSearchEmbedder, decode.String, func(h *settings.Hybrid) *string { return &h.Embedder }).Required(apierr.Code{}),
)

func newHybrid() settings.Hybrid {
	return settings.Hybrid{SemanticRatio: settings.DefaultSemanticRatio}
}

var matchingStrategy = decode.OneOf(api.MatchLast, api.MatchAll, api.MatchFrequency)

// maxInserted is a limit that the reference does not have: a text that is inserted at every
// match may be inserted a million times.
const maxInserted = 1 << 10

// shortText accepts a text that is inserted into answers: a tag or marker.
func shortText(at *decode.Loc, v *jsonvalue.Value) (string, *apierr.Error) {
	s, err := decode.String(at, v)
	if err == nil && len(s) > maxInserted {
		return "", at.Invalid("expected at most " + strconv.Itoa(maxInserted) + " bytes, but found " + strconv.Itoa(len(s)))
	}
	return s, err
}

// distinctStrings accepts an array of strings and drops repetitions.
func distinctStrings(at *decode.Loc, v *jsonvalue.Value) ([]string, *apierr.Error) {
	list, err := decode.Strings(at, v)
	if err != nil {
		return nil, err
	}
	return dropRepeated(list), nil
}

func dropRepeated(list []string) []string {
	kept := list[:0]
	if len(list) <= 32 { // without the cost of a map
		for _, s := range list {
			if !slices.Contains(kept, s) {
				kept = append(kept, s)
			}
		}
		return kept
	}
	seen := make(map[string]struct{}, len(list))
	for _, s := range list {
		if _, again := seen[s]; !again {
			seen[s] = struct{}{}
			kept = append(kept, s)
		}
	}
	return kept
}

const (
	thresholdText = "the value of `rankingScoreThreshold` is invalid, expected a float between `0.0` and `1.0`."
	ratioText     = "the value of `semanticRatio` is invalid, expected a float between `0.0` and `1.0`."
)

func scoreThreshold(at *decode.Loc, v *jsonvalue.Value) (float64, *apierr.Error) {
	f, err := decode.Float(at, v)
	if err == nil && !(f >= 0 && f <= 1) {
		return 0, at.Invalid(thresholdText)
	}
	return f, err
}

func semanticRatio(at *decode.Loc, v *jsonvalue.Value) (float32, *apierr.Error) {
	f, err := decode.Float32(at, v)
	if err == nil && !(f >= 0 && f <= 1) {
		return 0, at.Invalid(ratioText)
	}
	return f, err
}

// Search answers searches. Requests must be fully decoded. Results belong to the caller.
type Search interface {
	// Search answers one search. It returns apierr.IndexNotFound if there is no such index.
	Search(ctx context.Context, uid string, r *api.SearchRequest) (*api.SearchResponse, error)
	// SearchMany answers the queries of a non-federated multi-search on one version of the
	// catalogue. On error, failed is the position of the failed query.
	SearchMany(ctx context.Context, queries []api.IndexQuery) (answers []*api.SearchResponse, failed int, err error)
	// Federated answers a federated multi-search. The messages of its errors already name
	// the failed query.
	Federated(ctx context.Context, r *api.FederatedRequest) (*api.FederatedResponse, error)
	// CheckFilters makes those checks of the queries' filters that need no index. failed is
	// the first faulty query. These errors come before every other refusal.
	CheckFilters(queries []api.IndexQuery) (failed int, err error)
	FacetSearch(ctx context.Context, uid string, r *api.FacetSearchRequest) (*api.FacetSearchResponse, error)
	Similar(ctx context.Context, uid string, r *api.SimilarRequest) (*api.SimilarResponse, error)
}
