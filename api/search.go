package api

import (
	"context"
	"encoding/json"
	"time"

	"shoal/api/apierr"
	"shoal/api/settings"
)

// MatchingStrategy says which words of a query may be dropped.
type MatchingStrategy string

// The strategies, in the order of error texts (spec search-api 3.1 row 18).
const (
	MatchLast      MatchingStrategy = "last"
	MatchAll       MatchingStrategy = "all"
	MatchFrequency MatchingStrategy = "frequency"
)

// Defaults of search parameters (spec search-api 3.1).
const (
	DefaultSearchOffset     = 0
	DefaultSearchLimit      = 20
	DefaultCropLength       = 10
	DefaultCropMarker       = "…"
	DefaultHighlightPreTag  = "<em>"
	DefaultHighlightPostTag = "</em>"
)

// Personalize asks for reranking by an external service.
type Personalize struct {
	UserContext string `json:"userContext"`
}

// SearchRequest is one decoded search on one index, with all defaults filled in (spec
// search-api 3). A nil slice or pointer is an absent parameter, an empty slice is an empty
// list. It is not modified after decoding.
type SearchRequest struct {
	// Q is the raw text, nil when absent.
	Q *string
	// Offset and Limit are ignored in page mode.
	Offset, Limit uint64
	// Page and HitsPerPage select page mode when either is given (see PageMode).
	Page, HitsPerPage    *uint64
	AttributesToRetrieve []string
	AttributesToCrop     []string
	CropLength           uint64
	CropMarker           string
	// AttributesToHighlight is free of duplicates, in order of appearance.
	AttributesToHighlight []string
	HighlightPreTag       string
	HighlightPostTag      string
	ShowMatchesPosition   bool
	// Filter is JSON as the client sent it (text of a query string becomes a JSON string),
	// already joined with the filter of a tenant token. It is nil if there is none, and not
	// validated.
	Filter                json.RawMessage
	Sort                  []string
	Distinct              *string
	Facets                []string
	MatchingStrategy      MatchingStrategy
	AttributesToSearchOn  []string
	RankingScoreThreshold *float64
	Locales               []string
	Hybrid                *settings.Hybrid
	Vector                []float32
	RetrieveVectors       bool
	Media                 json.RawMessage
	Personalize           *Personalize
	InlineRule            *InlineRule
	// RankingRules replace those of the index unless nil.
	RankingRules []string
	// HitsPerGroup is how many hits of a group are shown: 0 and 1 for the best alone.
	HitsPerGroup            uint64
	UseNetwork              *bool
	ShowRankingScore        bool
	ShowRankingScoreDetails bool
	ShowPerformanceDetails  bool
}

// MaxHitsPerGroup bounds HitsPerGroup.
const MaxHitsPerGroup = 100

// NewSearchRequest returns a request with every default.
func NewSearchRequest() *SearchRequest {
	return &SearchRequest{
		Offset: DefaultSearchOffset, Limit: DefaultSearchLimit,
		CropLength: DefaultCropLength, CropMarker: DefaultCropMarker,
		HighlightPreTag: DefaultHighlightPreTag, HighlightPostTag: DefaultHighlightPostTag,
		MatchingStrategy: MatchLast,
	}
}

// PageMode tells whether the request pages by number (spec search-api 3.3):
// exact totals, "page"/"hitsPerPage" in the answer.
func (r *SearchRequest) PageMode() bool { return r.Page != nil || r.HitsPerPage != nil }

// Window returns the half-open range of ranked positions the client asked for.
// Page 0 is an empty window.
func (r *SearchRequest) Window() (from, to uint64) {
	return window(r.Offset, r.Limit, r.Page, r.HitsPerPage)
}

func window(offset, limit uint64, page, hitsPerPage *uint64) (from, to uint64) {
	if page == nil && hitsPerPage == nil {
		return offset, offset + limit // may wrap around, and then fewer hits are ranked, as in the reference
	}
	number, size := PageOf(page, hitsPerPage)
	if number == 0 {
		return 0, 0
	}
	from = (number - 1) * size // may wrap around to the first hits, as in the reference
	return from, satAdd(from, size)
}

// PageOf fills in the defaults of page mode: page 1 of 20 hits.
func PageOf(page, hitsPerPage *uint64) (number, size uint64) {
	number, size = 1, DefaultSearchLimit
	if page != nil {
		number = *page
	}
	if hitsPerPage != nil {
		size = *hitsPerPage
	}
	return number, size
}

func satAdd(a, b uint64) uint64 {
	if s := a + b; s >= a {
		return s
	}
	return ^uint64(0)
}

// Hit is one rendered document of an answer. Nil members are absent. Members are written in
// the order of spec search-api 4.2. Byte slices are complete JSON values, owned by the
// receiver.
type Hit struct {
	// Pinned tells that a dynamic search rule fixed the place of the hit, so that reranking
	// must not move it. It is not shown.
	Pinned bool
	// Document is the JSON object of the retrieved fields, `_vectors` last.
	Document    []byte
	GeoDistance *uint64
	Federation  *HitFederation
	// Formatted, MatchesPosition and RankingScoreDetails are JSON objects.
	Formatted           []byte
	MatchesPosition     []byte
	RankingScore        *float64
	RankingScoreDetails []byte
	// Group are the next best hits of the group of the hit, best first; nil in a search
	// without groups.
	Group []Hit
}

// HitFederation is the member `_federation` of a hit.
type HitFederation struct {
	IndexUID             string
	QueriesPosition      uint64
	WeightedRankingScore float64
	// Remote is set only when remotes are involved.
	Remote *string
	// WeightedScoreValues, a JSON array, is shown only in answers to proxied searches (spec
	// search-api 6).
	WeightedScoreValues []byte
	// ExtraDocument, a JSON object, has what federation.distinct needs to know of the document and
	// the hit does not show; PinnedPosition is where a rule pins the hit. Both are shown there, too.
	ExtraDocument  []byte
	PinnedPosition *uint32
}

// FacetValue is one counted value.
type FacetValue struct {
	Value string
	Count uint64
}

// FacetCounts are the values of one facet in display order.
type FacetCounts struct {
	Field  string
	Values []FacetValue
}

// FacetStat are the bounds of the numbers of one facet.
type FacetStat struct {
	Field    string
	Min, Max float64
}

// Facets are the facet members of an answer, in the order of display.
type Facets struct {
	Distribution []FacetCounts
	Stats        []FacetStat
}

// Pagination holds the pagination members of an answer (spec search-api 4.1 row 5). Page
// mode uses Page, HitsPerPage, TotalPages and Total; otherwise Limit, Offset and Total (an
// estimate) are used.
type Pagination struct {
	PageMode          bool
	Limit, Offset     uint64
	Page, HitsPerPage uint64
	Total             uint64
}

// NewPagination repeats a request's pagination with the total found.
func NewPagination(offset, limit uint64, page, hitsPerPage *uint64, total uint64) Pagination {
	p := Pagination{Limit: limit, Offset: offset, Total: total, PageMode: page != nil || hitsPerPage != nil}
	if p.PageMode {
		p.Page, p.HitsPerPage = PageOf(page, hitsPerPage)
	}
	return p
}

// Pagination repeats the request's pagination with the total found.
func (r *SearchRequest) Pagination(total uint64) Pagination {
	return NewPagination(r.Offset, r.Limit, r.Page, r.HitsPerPage, total)
}

// TotalPages is ceil(Total / HitsPerPage), 0 when HitsPerPage is 0. The sum wraps around as it does in
// the reference: pages of 2^64-1 hits are none, but for a single hit.
func (p *Pagination) TotalPages() uint64 {
	if p.HitsPerPage == 0 {
		return 0
	}
	return (p.Total + p.HitsPerPage - 1) / p.HitsPerPage
}

// PerformanceStep is one entry of performanceDetails.
type PerformanceStep struct {
	Name  string
	Nanos int64
}

// MoreHits yields the hits of a large answer that follow those already in it. They are
// rendered while the answer is sent. For one goroutine.
type MoreHits interface {
	// Next returns the next hits, or none after the last one. The caller owns them. After
	// an error there are no more.
	Next(ctx context.Context) ([]Hit, error)
	// Close releases what the search holds. It is idempotent.
	Close()
}

// CloseMore closes the rest of an answer, if there is one.
func CloseMore(more MoreHits) {
	if more != nil {
		more.Close()
	}
}

// SearchResponse is the answer to one search on one index.
type SearchResponse struct {
	Hits []Hit
	// More yields the hits after Hits, or is nil if there are none. The receiver of the
	// answer closes it.
	More             MoreHits
	Query            string
	QueryVector      []float32 // shown when not nil
	ProcessingTimeMs uint64
	// Took is the same before it is rounded. Clients do not see it.
	Took       time.Duration
	Pagination Pagination
	Facets     *Facets // nil when no facets were asked for
	// PrimaryKey is the primary key of the index, for the metadata of the answer.
	// InlineRule is as in QueryMetadata.
	PrimaryKey *string
	InlineRule []byte
	// If a remote was involved, Remote is this instance's name and RemoteErrors, then not
	// nil, are the failures of the others.
	Remote       *string
	RemoteErrors *RemoteErrors
	// Deadline is when ranking had to end, zero for never.
	Deadline time.Time
	// SemanticHitCount is set when the query was semantic or hybrid.
	SemanticHitCount *uint64
	// Degraded tells that the search cutoff stopped ranking. It is counted, not shown.
	Degraded    bool
	Performance []PerformanceStep
}

// RemoteErrors are the failures of remotes by name, sorted.
type RemoteErrors struct {
	Names  []string
	Errors []*apierr.Error
}

// FacetSearchRequest is the decoded body of a facet search (spec search-api 10). Of the
// search whose documents are counted it has some parameters only (see api/parameter).
type FacetSearchRequest struct {
	FacetQuery *string
	FacetName  string
	SearchRequest
	ExhaustiveFacetCount bool
}

// FacetSearchResponse is the answer of a facet search.
type FacetSearchResponse struct {
	FacetHits        []FacetValue
	FacetQuery       *string
	ProcessingTimeMs uint64
	RemoteErrors     *RemoteErrors
}

// SimilarRequest is a decoded search for similar documents (spec search-api
// 11). ID is the JSON of the id as sent (a string in the query string form).
type SimilarRequest struct {
	ID            json.RawMessage
	Offset, Limit uint64
	Filter        json.RawMessage // as in SearchRequest
	// Rule is the part of the filter that comes from a tenant token: a document
	// outside of it does not exist for the client.
	Rule                    json.RawMessage
	Embedder                string
	AttributesToRetrieve    []string
	RetrieveVectors         bool
	ShowRankingScore        bool
	ShowRankingScoreDetails bool
	ShowPerformanceDetails  bool
	RankingScoreThreshold   *float64
}

// SimilarResponse is the answer of a search for similar documents. ID is the id as text.
type SimilarResponse struct {
	Hits             []Hit
	More             MoreHits // as in SearchResponse
	ID               string
	ProcessingTimeMs uint64
	Pagination       Pagination // never page mode
	Performance      []PerformanceStep
}
