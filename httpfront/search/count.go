package search

import "shoal/api"

// count counts a search that was answered. meta is nil if the answer has no uid.
func (h *Handlers) count(q *string, index string, found *api.SearchResponse, meta *api.QueryMetadata) {
	c := api.CountedSearch{IndexUID: index, Empty: found.Pagination.Total == 0 && len(found.Hits) == 0, Took: found.Took}
	if q != nil {
		c.Query = *q
	}
	if meta != nil {
		c.QueryUID = meta.QueryUID
	}
	h.Analytics.Searched(&c)
}

// countMerged counts each query of a federated search. Their hits are one list: it is empty
// for all of them or for none, and all took as long as the whole.
func (h *Handlers) countMerged(r *api.FederatedRequest, found *api.FederatedResponse, described bool) {
	if r.Proxied { // the instance that the client asked counts
		return
	}
	for i := range r.Queries {
		q := &r.Queries[i]
		c := api.CountedSearch{IndexUID: q.IndexUID, Empty: found.Pagination.Total == 0 && len(found.Hits) == 0, Took: found.Took}
		if q.Q != nil {
			c.Query = *q.Q
		}
		if described && i < len(found.Metadata) {
			c.QueryUID = found.Metadata[i].QueryUID
		}
		h.Analytics.Searched(&c)
	}
}
