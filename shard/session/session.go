package session

import (
	"context"
	"errors"

	"shoal/api/apierr"
	"shoal/shard/facet"
	"shoal/shard/filter"
	"shoal/shard/rank"
	"shoal/shard/rank/scope"
	"shoal/wire"
)

// Index is one immutable state of a shard.
type Index interface {
	scope.Index
	facet.Index
	filter.Index
	scope.Vectors
	// FacetColumns caches facets that are counted often in this state; nil caches
	// nothing.
	FacetColumns() *facet.Columns
	// Render renders documents of the page.
	Render(step *wire.FetchStep) (*wire.FetchReply, error)
	// Close releases the state.
	Close() error
}

// Session answers the steps of one search. Not safe for concurrent use. The caller must
// Close it.
type Session struct {
	ix   Index
	rank *rank.Ranker
}

var _ wire.Session = (*Session)(nil)

// New opens a session on a state of a shard. The session closes the state.
func New(ix Index) *Session {
	ranker := rank.New(ix, filter.Evaluator(ix, apierr.CodeInvalidSearchFilter))
	return &Session{ix: ix, rank: ranker.WithVectors(ix).WithFacets(ix, ix.FacetColumns())}
}

// Close releases the session and the state. It is idempotent.
func (s *Session) Close() error { return errors.Join(s.rank.Close(), s.ix.Close()) }

// Step answers one step of the driver.
func (s *Session) Step(ctx context.Context, step *wire.SearchStep) (*wire.SearchReply, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	switch {
	case step.Fetch != nil:
		r, err := s.ix.Render(step.Fetch)
		return &wire.SearchReply{Fetch: r}, err
	case step.Facets != nil:
		r, err := facet.Count(ctx, s.ix, s.ix.FacetColumns(), s.rank.Counted(), step.Facets)
		return &wire.SearchReply{Facets: r}, err
	case step.FacetLabels != nil:
		r, err := facet.Labels(ctx, s.ix, s.ix.FacetColumns(), s.rank.Counted(), step.FacetLabels)
		return &wire.SearchReply{FacetLabels: r}, err
	case step.FacetSearch != nil:
		r, err := facet.Search(ctx, s.ix, s.ix.FacetColumns(), s.rank.Counted(), step.FacetSearch)
		return &wire.SearchReply{FacetSearch: r}, err
	}
	return s.rank.Step(ctx, step)
}
