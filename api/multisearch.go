package api

import "time"

// IndexQuery is one query of a multi-search.
type IndexQuery struct {
	IndexUID string
	SearchRequest
	// OffsetGiven and LimitGiven tell which pagination members the client wrote; federation
	// forbids them. PerformanceGiven is the same for showPerformanceDetails.
	OffsetGiven, LimitGiven, PerformanceGiven bool
	FederationOptions                         *FederationOptions
}

// FederationOptions belong to one query of a federated search.
type FederationOptions struct {
	Weight        float64 // >= 0, default 1
	Remote        *string
	QueryPosition *uint64
}

// MergeFacets merges the facets of several indexes into one.
type MergeFacets struct {
	MaxValuesPerFacet *uint64
}

// FacetsOfIndex is one entry of federation.facetsByIndex. Facets is nil for null.
type FacetsOfIndex struct {
	IndexUID string
	Facets   []string
}

// Federation merges the results of all queries into one list.
type Federation struct {
	Offset, Limit     uint64
	Page, HitsPerPage *uint64
	// FacetsByIndex is sorted by index uid.
	FacetsByIndex          []FacetsOfIndex
	MergeFacets            *MergeFacets
	Distinct               *string
	ShowPerformanceDetails bool
	Personalize            *Personalize
}

// Window is SearchRequest.Window for the merged list.
func (f *Federation) Window() (from, to uint64) {
	return window(f.Offset, f.Limit, f.Page, f.HitsPerPage)
}

// PageMode is SearchRequest.PageMode for the merged list.
func (f *Federation) PageMode() bool { return f.Page != nil || f.HitsPerPage != nil }

// FederatedRequest is a federated multi-search. Proxied marks a request of another instance
// (header Meili-Proxy-Search). Its hits carry the values by which they are compared.
type FederatedRequest struct {
	Queries    []IndexQuery
	Federation Federation
	Proxied    bool
}

// FacetsResult are the facets of one index in a federated answer.
type FacetsResult struct {
	IndexUID string
	Facets   Facets
}

// QueryMetadata is one entry of the member `metadata` (spec search-api 4.5).
type QueryMetadata struct {
	Query      *string
	QueryUID   string
	IndexUID   string
	PrimaryKey *string
	Remote     *string
	// InlineRule tells as JSON which conditions of the query's inlineRule hold. It is nil
	// without such a rule.
	InlineRule []byte
}

// FederatedResponse is the answer of a federated search.
type FederatedResponse struct {
	Hits []Hit
	More MoreHits // as in SearchResponse
	// QueryVectors by query position. Shown when not nil.
	QueryVectors     []QueryVector
	HasQueryVectors  bool
	ProcessingTimeMs uint64
	// Took is the same before it is rounded. Clients do not see it.
	Took       time.Duration
	Pagination Pagination
	// Facets are the merged facets, FacetsByIndex those of each index.
	Facets           *Facets
	FacetsByIndex    []FacetsResult
	HasFacetsByIndex bool
	// Metadata has one entry per query in request order. The front fills in QueryUID.
	Metadata         []QueryMetadata
	RemoteErrors     *RemoteErrors
	SemanticHitCount *uint64
	Performance      []PerformanceStep
	Degraded         bool
	Deadline         time.Time // as in SearchResponse
}

// QueryVector is the vector used for the query at Position.
type QueryVector struct {
	Position uint64
	Vector   []float32
}

// Network is the stored topology of other instances (spec tasks-auth-ops-api 10.10).
type Network struct {
	Self    *string                  `json:"self"`
	Remotes map[string]NetworkRemote `json:"remotes"`
	Shards  map[string]NetworkShard  `json:"shards"`
	Leader  *string                  `json:"leader"`
	Version string                   `json:"version"`
}

// NetworkRemote is another instance. Keys are shown in clear, as upstream does.
type NetworkRemote struct {
	URL          string  `json:"url"`
	SearchAPIKey *string `json:"searchApiKey"`
	WriteAPIKey  *string `json:"writeApiKey"`
}

// NetworkShard names the remotes that hold a shard, sorted.
type NetworkShard struct {
	Remotes []string `json:"remotes"`
}
