package coordinator

import (
	"shoal/api"
	"shoal/query"
)

// checkKind decides what a search is run as (spec search-api 3.4).
func (p *SearchPlan) checkKind() *api.Error {
	r := p.Request
	vector, media := r.Vector != nil, r.Media != nil
	switch {
	case vector && media:
		return api.MediaAndVector()
	case r.Hybrid == nil && (vector || media):
		return api.MissingHybrid()
	}
	p.Kind = query.Keyword
	return nil
}
