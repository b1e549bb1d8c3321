package parameter

import (
	"shoal/api"
	"shoal/api/apierr"
	"shoal/api/decode"
	"shoal/api/settings"
)

// Query is the query-string form of a search (spec search-api 3.2). Parameters whose form
// differs from the body's stand beside the request until Search.
type Query struct {
	api.SearchRequest
	hybridEmbedder *string
	hybridRatio    *float32
	userContext    *string
}

// NewQuery returns a query with every default.
func NewQuery() *Query { return &Query{SearchRequest: *api.NewSearchRequest()} }

// SearchQuery reads the query string of a search.
var SearchQuery = decode.NewObject(queryRows()...)

func queryRows() (rows []decode.Row[Query]) {
	for i := range search {
		if search[i].query != nil {
			rows = append(rows, decode.Within(*search[i].query, func(q *Query) *api.SearchRequest { return &q.SearchRequest }))
		}
		rows = append(rows, search[i].forms...)
	}
	return rows
}

// Search returns the request. It fails if parameters are there that need another one.
func (q *Query) Search() (*api.SearchRequest, *apierr.Error) {
	switch {
	case q.hybridEmbedder != nil:
		q.Hybrid = &settings.Hybrid{Embedder: *q.hybridEmbedder, SemanticRatio: settings.DefaultSemanticRatio}
		if q.hybridRatio != nil {
			q.Hybrid.SemanticRatio = *q.hybridRatio
		}
	case q.hybridRatio != nil:
		return nil, apierr.New(apierr.CodeInvalidSearchHybridQuery, "`hybridEmbedder` is mandatory when `hybridSemanticRatio` is present")
	case q.Vector != nil:
		return nil, apierr.New(apierr.CodeMissingSearchHybrid, "`hybridEmbedder` is mandatory when `vector` is present")
	}
	if q.userContext != nil {
		q.Personalize = &api.Personalize{UserContext: *q.userContext}
	}
	return &q.SearchRequest, nil
}
