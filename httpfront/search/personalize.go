package search

import (
	"context"
	"strings"
	"time"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/embed/rerank"
	"shoal/httpfront/routing"
)

// Reranker reorders the hits of a page for a user. See rerank.Service.
type Reranker interface {
	Rerank(ctx context.Context, p rerank.Page) ([]api.Hit, error)
}

// noPersonalization refuses a search that asks for reranking when no service is configured.
// It is the last check of a search, because reranking would come last.
func noPersonalization() *apierr.Error {
	return apierr.FeatureNotEnabled("reranking search results", "personalization", 866)
}

// personalize reranks the page of an answer to one search.
func (h *Handlers) personalize(x *routing.Exchange, r *api.SearchRequest, found *api.SearchResponse) (err error) {
	if r.Personalize == nil {
		return nil
	}
	query := r.Q
	if query == nil && !x.Features().LegacySearch {
		query = new(string) // as in a federated search of one query
	}
	begun := time.Now()
	found.Hits, err = h.rerank(x, rerank.Page{Hits: found.Hits, UserContext: r.Personalize.UserContext, Query: query, Until: found.Deadline}, found.More)
	found.Performance = personalized(found.Performance, begun)
	return err
}

// personalizeMerged reranks the page of a federated answer. The service gets the texts of
// all queries.
func (h *Handlers) personalizeMerged(x *routing.Exchange, r *api.FederatedRequest, found *api.FederatedResponse) (err error) {
	p := r.Federation.Personalize
	if p == nil || r.Proxied { // the instance that sent this request reranks
		return nil
	}
	var texts []string
	for i := range r.Queries {
		if q := r.Queries[i].Q; q != nil {
			texts = append(texts, *q)
		}
	}
	query := strings.Join(texts, ", ")
	begun := time.Now()
	found.Hits, err = h.rerank(x, rerank.Page{Hits: found.Hits, UserContext: p.UserContext, Query: &query, Until: found.Deadline}, found.More)
	found.Performance = personalized(found.Performance, begun)
	return err
}

// personalized adds the reranking that began at a time to the steps of a search, if they are
// wanted. It comes before the last step, the total, and counts for it.
func personalized(steps []api.PerformanceStep, begun time.Time) []api.PerformanceStep {
	if len(steps) == 0 {
		return steps
	}
	took := int64(time.Since(begun))
	total := steps[len(steps)-1]
	total.Nanos += took
	return append(steps[:len(steps)-1], api.PerformanceStep{Name: "search > personalization", Nanos: took}, total)
}

// rerank has the hits of an answer reranked. It refuses an answer with more hits than fit
// into one page.
func (h *Handlers) rerank(x *routing.Exchange, p rerank.Page, more api.MoreHits) ([]api.Hit, error) {
	if h.Reranker == nil {
		return p.Hits, noPersonalization()
	}
	if more != nil {
		return p.Hits, apierr.PageTooLargeToRerank(rerank.MaxHits, rerank.MaxBytes)
	}
	x.Metrics().Personalized()
	return h.Reranker.Rerank(x.Context(), p)
}
