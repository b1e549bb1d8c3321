package rank

import (
	"context"

	"shoal/shard/docset"
	"shoal/shard/facet"
	"shoal/shard/rank/byattribute"
	"shoal/shard/rank/scope"
	"shoal/wire"
)

// Ranker answers the steps of one search on one shard. Not safe for concurrent use. The
// caller must Close it.
type Ranker struct {
	scope.Scope
	filter scope.Filter
	// facets and its columns are nil without WithFacets.
	facets  facet.Index
	columns *facet.Columns

	begun bool
	// universe is ranked. dead are documents of it that no longer count as found.
	universe docset.Set
	dead     docset.Set
	// pinned documents are outside of the universe but count as found.
	pinned docset.Set
	// parts divides the scope by the weights of sets; nil unless scores are scaled.
	parts  []weighed
	sets   []docset.Set
	levels []*scope.Level
	// pairs are those requested by proximity byAttribute; nil before. negatives are
	// excluded phrases.
	pairs     *byattribute.Pairs
	negatives [][]string
}

// New returns the ranker of a search on one state of a shard. filter evaluates the
// filters of the request.
func New(ix scope.Index, filter scope.Filter) *Ranker {
	return &Ranker{Scope: scope.New(ix), filter: filter}
}

// WithVectors enables steps about vectors, which otherwise fail with ErrOrder. It
// returns the ranker.
func (s *Ranker) WithVectors(v scope.Vectors) *Ranker {
	s.Vectors = v
	return s
}

// WithFacets lets columns of facets answer steps about distinct values. It returns the
// ranker.
func (s *Ranker) WithFacets(ix facet.Index, columns *facet.Columns) *Ranker {
	s.facets, s.columns = ix, columns
	return s
}

// Step answers one step of the driver.
func (s *Ranker) Step(ctx context.Context, step *wire.SearchStep) (*wire.SearchReply, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	switch {
	case step.Vocabulary != nil:
		r, err := s.vocabulary(step.Vocabulary)
		return &wire.SearchReply{Vocabulary: r}, err
	case step.Pairs != nil:
		r, err := s.countPairs(ctx, step.Pairs)
		return &wire.SearchReply{Pairs: r}, err
	case step.Begin != nil:
		r, err := s.begin(ctx, step.Begin)
		return &wire.SearchReply{Universe: r}, err
	}
	if !s.begun {
		return nil, scope.ErrOrder
	}
	switch {
	case step.Frequency != nil:
		r, err := s.frequency(step.Frequency)
		return &wire.SearchReply{Frequency: r}, err
	case step.Universe != nil:
		r, err := s.reduce(&step.Universe.Graph)
		return &wire.SearchReply{Universe: r}, err
	case step.Buckets != nil:
		r, err := s.buckets(ctx, step.Buckets)
		return &wire.SearchReply{Buckets: r}, err
	case step.SharedField != nil:
		r, err := s.sharedField(ctx, step.SharedField)
		return &wire.SearchReply{SharedField: r}, err
	case step.Take != nil:
		r, err := s.take(ctx, step.Take)
		return &wire.SearchReply{Take: r}, err
	case step.Top != nil:
		r, err := s.top(ctx, step.Top)
		return &wire.SearchReply{Top: r}, err
	case step.Drop != nil:
		return &wire.SearchReply{}, s.drop(step.Drop)
	case step.Exclude != nil:
		return &wire.SearchReply{}, s.exclude(ctx, step.Exclude)
	case step.Candidates != nil:
		r, err := s.candidates(ctx, step.Candidates)
		return &wire.SearchReply{Candidates: r}, err
	case step.Narrow != nil:
		s.narrow(step.Narrow)
		return &wire.SearchReply{}, nil
	case step.Values != nil:
		values, err := s.distinctValues(s.Index.Order().Rows(step.Values.Ordinals), step.Values.Field)
		return &wire.SearchReply{Values: &wire.ValuesReply{Values: values}}, err
	case step.Target != nil:
		r, err := s.targetOf(ctx, step.Target)
		return &wire.SearchReply{Target: r}, err
	case step.Nearest != nil:
		r, err := s.nearest(ctx, step.Nearest)
		return &wire.SearchReply{Nearest: r}, err
	case step.Held != nil:
		return &wire.SearchReply{Held: s.held(step.Held)}, nil
	case step.FieldValues != nil:
		r, err := s.fieldValues(step.FieldValues)
		return &wire.SearchReply{FieldValues: r}, err
	}
	return nil, scope.ErrOrder
}

// Universe returns the documents being ranked.
func (s *Ranker) Universe() docset.Set { return s.universe }

// Found returns the candidates: the documents of the universe that facets and totals
// count.
func (s *Ranker) Found() docset.Set { return s.universe.AndNot(s.dead) }
