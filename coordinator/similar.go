package coordinator

import (
	"context"

	"shoal/api"
	"shoal/query"
)

// maxDocumentID is the longest external id in bytes.
const maxDocumentID = 511

// Similar answers a search for documents near another one. Everything about the
// request is checked in the reference's order (spec search-api 11); indexes hold
// no vectors to compare yet, which the error after the checks says.
func (n *NetworkSearch) Similar(_ context.Context, uid string, r *api.SimilarRequest) (*api.SimilarResponse, error) {
	x, ok := n.catalog().Index(uid)
	if !ok {
		return nil, api.IndexNotFound(uid)
	}
	settings := x.DecodedSettings()
	if _, ok := settings.Embedders[r.Embedder]; !ok {
		return nil, api.EmbedderNotFound(api.CodeInvalidSimilarEmbedder, r.Embedder)
	}
	filter, fault := query.ParseFilter(r.Filter)
	if fault == nil {
		fault = filter.CheckGates(filterGates(n.features()))
	}
	if fault != nil {
		return nil, fault.API(api.CodeInvalidSimilarFilter)
	}
	if _, ok := similarID(r.ID); !ok {
		return nil, api.NewError(api.CodeInvalidSimilarID, "Invalid value at `.id`: "+api.InvalidDocumentIDText(string(r.ID)))
	}
	if fault := filter.CheckFilterable(settings); fault != nil {
		return nil, fault.API(api.CodeInvalidSimilarFilter)
	}
	return nil, api.NewError(api.CodeFeatureNotEnabled, "Searching for similar documents is not available on this server.")
}

// similarID reads an id given as JSON; ok is false when no document can have it.
func similarID(raw []byte) (id string, ok bool) {
	v, err := api.ParseJSON(raw)
	if err != nil {
		return "", false
	}
	switch v.Kind() {
	case api.KindPositive, api.KindNegative:
		return v.JSON(), true
	case api.KindString:
		id = v.String()
	default:
		return "", false
	}
	if id == "" || len(id) > maxDocumentID {
		return "", false
	}
	for i := 0; i < len(id); i++ {
		c := id[i]
		letter := 'a' <= c|0x20 && c|0x20 <= 'z'
		if !letter && !('0' <= c && c <= '9') && c != '-' && c != '_' {
			return "", false
		}
	}
	return id, true
}
