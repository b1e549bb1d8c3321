package httpfront

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"shoal/api"
)

// features are the experimental features in force.
func (x *exchange) features() api.Features { return x.server.ports.Features.Features() }

// wantsMetadata reads the header that asks for the member metadata, under its
// name and that of the service the product succeeds.
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

// freshUID makes a request or query uid: a UUID version 7.
func freshUID() (string, error) {
	id, err := uuid.NewV7()
	return id.String(), err
}

func serveSearchPost(x *exchange) error {
	body, err := x.admitBody()
	if err != nil {
		return err
	}
	r := api.NewSearchRequest()
	if err := decodeSearch(body, searchFields, r); err != nil {
		return err
	}
	return x.search(r)
}

func serveSearchGet(x *exchange) error {
	if err := x.admit(); err != nil {
		return err
	}
	r, err := readSearchQuery(x)
	if err != nil {
		return err
	}
	return x.search(r)
}

// search runs one admitted and decoded search on the index of the path.
func (x *exchange) search(r *api.SearchRequest) error {
	uid, err := x.indexUID()
	if err != nil {
		return err
	}
	if err := gateNetwork(x.features(), r.UseNetwork); err != nil {
		if _, fault := x.server.ports.Search.CheckFilters([]api.IndexQuery{{SearchRequest: *r}}); fault != nil {
			return fault
		}
		return err
	}
	r.Filter = x.auth.restrict(uid, r.Filter)
	begun := time.Now()
	found, err := x.server.ports.Search.Search(x.context(), uid, r)
	if err != nil {
		return err
	}
	if r.Personalize != nil {
		return noPersonalization()
	}
	if r.ShowPerformanceDetails {
		found.Performance = x.performance(begun, found.Performance)
	}
	x.server.stats.searched(found.Degraded)
	env, err := newEnvelope(x.http.Header)
	if err != nil {
		return err
	}
	if env.describe {
		if err := env.metadata(r.Q, uid, found); err != nil {
			return err
		}
	}
	return x.respond(http.StatusOK, found.AppendJSON(x.body[:0], &env.Envelope))
}

// performance are the steps of a search: the queue, those the search tells of,
// and the whole (spec search-api 4.6).
func (x *exchange) performance(begun time.Time, steps []api.PerformanceStep) []api.PerformanceStep {
	all := append([]api.PerformanceStep{{Name: "wait in queue", Nanos: int64(x.waited)}}, steps...)
	return append(all, api.PerformanceStep{Name: "search", Nanos: int64(time.Since(begun))})
}

// envelope builds what the front adds to the answers of one request.
type envelope struct {
	api.Envelope
	describe bool
}

func newEnvelope(h http.Header) (*envelope, error) {
	id, err := freshUID()
	return &envelope{Envelope: api.Envelope{RequestUID: id}, describe: wantsMetadata(h)}, err
}

// metadata describes one query and its answer.
func (e *envelope) metadata(q *string, uid string, found *api.SearchResponse) error {
	id, err := freshUID()
	if err != nil {
		return err
	}
	e.Metadata = &api.QueryMetadata{Query: q, QueryUID: id, IndexUID: uid, PrimaryKey: found.PrimaryKey, Remote: found.Remote}
	return nil
}

// noPersonalization refuses to rerank what a search found: there is no service to
// do it. It is the last check of a search, as the reranking would be.
func noPersonalization() *api.Error {
	return api.FeatureNotEnabled("reranking search results", "personalization", 866)
}

// gateNetwork refuses useNetwork, whatever its value, while the feature is off.
func gateNetwork(f api.Features, useNetwork *bool) *api.Error {
	if useNetwork != nil && !f.Network {
		return api.FeatureNotEnabled("passing `useNetwork` in a search query", "network", 805)
	}
	return nil
}

// searchFields are the members of a search body, in the order of error texts
// (spec search-api 3.1).
var searchFields = api.NewObject(searchRows(func(r *api.SearchRequest) *api.SearchRequest { return r })...)

// searchRows builds the table for any type that holds a request: a search, or
// one query of a multi-search.
func searchRows[S any](of func(*S) *api.SearchRequest) []api.Row[S] {
	return []api.Row[S]{
		api.Optional("q", api.CodeInvalidSearchQ, api.String, func(s *S) **string { return &of(s).Q }),
		api.Plain("offset", api.CodeInvalidSearchOffset, api.Uint, func(s *S) *uint64 { return &of(s).Offset }),
		api.Plain("limit", api.CodeInvalidSearchLimit, api.Uint, func(s *S) *uint64 { return &of(s).Limit }),
		api.Optional("page", api.CodeInvalidSearchPage, api.Uint, func(s *S) **uint64 { return &of(s).Page }),
		api.Optional("hitsPerPage", api.CodeInvalidSearchHitsPerPage, api.Uint, func(s *S) **uint64 { return &of(s).HitsPerPage }),
		api.Nullable("attributesToRetrieve", api.CodeInvalidSearchAttributesToRetrieve, api.Strings, func(s *S) *[]string { return &of(s).AttributesToRetrieve }),
		api.Nullable("attributesToCrop", api.CodeInvalidSearchAttributesToCrop, api.Strings, func(s *S) *[]string { return &of(s).AttributesToCrop }),
		api.Plain("cropLength", api.CodeInvalidSearchCropLength, api.Uint, func(s *S) *uint64 { return &of(s).CropLength }),
		api.Plain("cropMarker", api.CodeInvalidSearchCropMarker, shortText, func(s *S) *string { return &of(s).CropMarker }),
		api.Nullable("attributesToHighlight", api.CodeInvalidSearchAttributesToHighlight, distinctStrings, func(s *S) *[]string { return &of(s).AttributesToHighlight }),
		api.Plain("highlightPreTag", api.CodeInvalidSearchHighlightPreTag, shortText, func(s *S) *string { return &of(s).HighlightPreTag }),
		api.Plain("highlightPostTag", api.CodeInvalidSearchHighlightPostTag, shortText, func(s *S) *string { return &of(s).HighlightPostTag }),
		api.Plain("showMatchesPosition", api.CodeInvalidSearchShowMatchesPosition, api.Bool, func(s *S) *bool { return &of(s).ShowMatchesPosition }),
		api.Nullable("filter", api.CodeInvalidSearchFilter, rawJSON, func(s *S) *json.RawMessage { return &of(s).Filter }),
		api.Nullable("sort", api.CodeInvalidSearchSort, sortList, func(s *S) *[]string { return &of(s).Sort }),
		api.Optional("distinct", api.CodeInvalidSearchDistinct, api.String, func(s *S) **string { return &of(s).Distinct }),
		api.Nullable("facets", api.CodeInvalidSearchFacets, api.Strings, func(s *S) *[]string { return &of(s).Facets }),
		api.Plain("matchingStrategy", api.CodeInvalidSearchMatchingStrategy, matchingStrategy, func(s *S) *api.MatchingStrategy { return &of(s).MatchingStrategy }),
		api.Nullable("attributesToSearchOn", api.CodeInvalidSearchAttributesToSearchOn, api.Strings, func(s *S) *[]string { return &of(s).AttributesToSearchOn }),
		api.Optional("rankingScoreThreshold", api.CodeInvalidSearchRankingScoreThreshold, scoreThreshold, func(s *S) **float64 { return &of(s).RankingScoreThreshold }),
		api.Nullable("locales", api.CodeInvalidSearchLocales, api.List(locale), func(s *S) *[]string { return &of(s).Locales }),
		api.Optional("hybrid", api.CodeInvalidSearchHybridQuery, hybridFields.As(newHybrid), func(s *S) **api.Hybrid { return &of(s).Hybrid }),
		api.Nullable("vector", api.CodeInvalidSearchVector, api.List(api.Float32), func(s *S) *[]float32 { return &of(s).Vector }),
		api.Plain("retrieveVectors", api.CodeInvalidSearchRetrieveVectors, api.Bool, func(s *S) *bool { return &of(s).RetrieveVectors }),
		api.Nullable("media", api.CodeInvalidSearchMedia, rawJSON, func(s *S) *json.RawMessage { return &of(s).Media }),
		api.Optional("personalize", api.CodeInvalidSearchPersonalize, personalizeFields.As(newPersonalize), func(s *S) **api.Personalize { return &of(s).Personalize }),
		api.Optional("useNetwork", api.CodeInvalidSearchUseNetwork, api.Bool, func(s *S) **bool { return &of(s).UseNetwork }),
		api.Plain("showRankingScore", api.CodeInvalidSearchShowRankingScore, api.Bool, func(s *S) *bool { return &of(s).ShowRankingScore }),
		api.Plain("showRankingScoreDetails", api.CodeInvalidSearchShowRankingScoreDetails, api.Bool, func(s *S) *bool { return &of(s).ShowRankingScoreDetails }),
		api.Plain("showPerformanceDetails", api.CodeInvalidSearchShowPerformanceDetails, api.Bool, func(s *S) *bool { return &of(s).ShowPerformanceDetails }),
	}
}

var hybridFields = api.NewObject(
	api.Plain("semanticRatio", api.CodeInvalidSearchSemanticRatio, semanticRatio, func(h *api.Hybrid) *float32 { return &h.SemanticRatio }),
	api.Plain("embedder", api.CodeInvalidSearchEmbedder, api.String, func(h *api.Hybrid) *string { return &h.Embedder }).Required(api.Code{}),
)

func newHybrid() api.Hybrid { return api.Hybrid{SemanticRatio: api.DefaultSemanticRatio} }

var personalizeFields = api.NewObject(
	api.Plain("userContext", api.CodeInvalidSearchPersonalizeUserContext, api.String, func(p *api.Personalize) *string { return &p.UserContext }).Required(api.Code{}),
)

func newPersonalize() api.Personalize { return api.Personalize{} }

var matchingStrategy = api.OneOf(api.MatchLast, api.MatchAll, api.MatchFrequency)

// Limits that the reference does not have. What is inserted at every match may be
// inserted a million times; every criterion of a sort is a ranking rule of its own.
const (
	maxInserted = 1 << 10
	maxSort     = 1000
)

// shortText accepts a text that is inserted into answers: a tag or marker.
func shortText(at *api.Loc, v *api.Value) (string, *api.Error) {
	s, err := api.String(at, v)
	if err == nil && len(s) > maxInserted {
		return "", at.Invalid("expected at most " + strconv.Itoa(maxInserted) + " bytes, but found " + strconv.Itoa(len(s)))
	}
	return s, err
}

// sortList accepts the criteria of a sort.
func sortList(at *api.Loc, v *api.Value) ([]string, *api.Error) {
	if v.Len() > maxSort {
		return nil, tooManySorts(at, v.Len())
	}
	return api.Strings(at, v)
}

func tooManySorts(at *api.Loc, n int) *api.Error {
	return at.Invalid("expected at most " + strconv.Itoa(maxSort) + " criteria, but found " + strconv.Itoa(n))
}

// rawJSON keeps a value as compact JSON.
func rawJSON(_ *api.Loc, v *api.Value) (json.RawMessage, *api.Error) {
	return json.RawMessage(v.AppendJSON(nil)), nil
}

// distinctStrings accepts an array of strings and drops repetitions.
func distinctStrings(at *api.Loc, v *api.Value) ([]string, *api.Error) {
	list, err := api.Strings(at, v)
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

func scoreThreshold(at *api.Loc, v *api.Value) (float64, *api.Error) {
	f, err := api.Float(at, v)
	if err == nil && !(f >= 0 && f <= 1) {
		return 0, at.Invalid(thresholdText)
	}
	return f, err
}

func semanticRatio(at *api.Loc, v *api.Value) (float32, *api.Error) {
	f, err := api.Float32(at, v)
	if err == nil && !(f >= 0 && f <= 1) {
		return 0, at.Invalid(ratioText)
	}
	return f, err
}
