package search

import (
	"net/http"

	"shoal/api"
	"shoal/api/parameter"
	"shoal/httpfront/routing"
)

func newSimilarRequest() *api.SimilarRequest {
	return &api.SimilarRequest{Limit: api.DefaultSearchLimit}
}

func (h *Handlers) serveSimilarPost(x *routing.Exchange) error {
	body, err := x.AdmitBody()
	if err != nil {
		return err
	}
	r := newSimilarRequest()
	if err := routing.DecodeSearch(body, parameter.SimilarBody, r); err != nil {
		return err
	}
	return h.similar(x, r)
}

func (h *Handlers) serveSimilarGet(x *routing.Exchange) error {
	if err := x.Admit(); err != nil {
		return err
	}
	r := newSimilarRequest()
	if err := routing.ReadQuery(x, parameter.SimilarQuery, r); err != nil {
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
