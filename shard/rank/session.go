package rank

import (
	"context"
	"errors"

	"shoal/query"
	"shoal/query/rule"
	"shoal/shard/docset"
	"shoal/shard/vector"
	"shoal/wire"
)

// ErrOrder reports a step that came before the one it depends on, or that names
// a level or an item that does not exist: a fault of the driver.
var ErrOrder = errors.New("rank: step out of order")

// Session is one search on one shard. Not safe for concurrent use; Close it.
type Session struct {
	ix     Index
	schema *Schema
	filter Filter
	reader TokenReader
	// vectors compares documents with target, the vector of the search; near are
	// the distances of the universe once they are known.
	vectors  Vectors
	embedder string
	target   []float32
	near     []vector.Neighbour

	terms      []query.Term
	costs      rule.CostContext
	restricted bool
	// fields tells for each field whether attributesToSearchOn lets it be searched;
	// nil when all are. anyField and tolerantField are the same as sets of columns,
	// without exact fields in the latter; coarse tells that they cannot hold it.
	fields                  []bool
	anyField, tolerantField uint32
	coarse                  bool

	scope docset.Set // documents that can matter: filter without negatives
	begun bool
	// universe is ranked; dead are documents of it that no longer count as found.
	universe docset.Set
	dead     docset.Set
	// pinned were taken out of the universe but count as found.
	pinned docset.Set
	levels []*level

	leafs    map[query.Ref]docset.Set
	words    map[string]docset.Set
	tolerant map[string]docset.Set
	lists    map[listKey][]docset.Set
	unions   map[listKey]docset.Set // typoUnion
	phrases  map[string]docset.Set
	table    *table
	// seen are the pairs that proximity byAttribute asked for; nil before. negatives
	// are the phrases that are not wanted.
	seen      *firstPairs
	negatives [][]string
}

// listKey names one typo list of a term.
type listKey struct {
	term  uint16
	group query.Subset
}

// New opens a session on one state of a shard. filter evaluates the filters of
// the request.
func New(ix Index, filter Filter) *Session {
	return &Session{
		ix: ix, schema: ix.Schema(), filter: filter,
		leafs: make(map[query.Ref]docset.Set), words: make(map[string]docset.Set),
	}
}

// WithVectors lets the session compare vectors; without, steps about them are
// out of order. It returns the session.
func (s *Session) WithVectors(v Vectors) *Session {
	s.vectors = v
	return s
}

// Close releases the session. It is idempotent.
func (s *Session) Close() error {
	if s.reader == nil {
		return nil
	}
	r := s.reader
	s.reader = nil
	return r.Close()
}

// Step answers one step of the driver.
func (s *Session) Step(ctx context.Context, step *wire.SearchStep) (*wire.SearchReply, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	switch {
	case step.Vocabulary != nil:
		r, err := s.vocabulary(step.Vocabulary)
		return &wire.SearchReply{Vocabulary: r}, err
	case step.Pairs != nil:
		r, err := s.pairs(ctx, step.Pairs)
		return &wire.SearchReply{Pairs: r}, err
	case step.Begin != nil:
		r, err := s.begin(step.Begin)
		return &wire.SearchReply{Universe: r}, err
	}
	if !s.begun {
		return nil, ErrOrder
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
		r, err := s.nearStep(ctx, step.SharedField)
		return &wire.SearchReply{SharedField: r}, err
	case step.Take != nil:
		r, err := s.take(step.Take)
		return &wire.SearchReply{Take: r}, err
	case step.Top != nil:
		r, err := s.top(ctx, step.Top)
		return &wire.SearchReply{Top: r}, err
	case step.Drop != nil:
		return &wire.SearchReply{}, s.drop(step.Drop)
	case step.Exclude != nil:
		return &wire.SearchReply{}, s.exclude(step.Exclude)
	case step.Candidates != nil:
		r, err := s.candidates(step.Candidates)
		return &wire.SearchReply{Candidates: r}, err
	case step.Narrow != nil:
		s.narrow(step.Narrow)
		return &wire.SearchReply{}, nil
	case step.Values != nil:
		values, err := s.distinctValues(step.Values.Ordinals, step.Values.Field)
		return &wire.SearchReply{Values: &wire.ValuesReply{Values: values}}, err
	case step.Target != nil:
		r, err := s.targetOf(step.Target)
		return &wire.SearchReply{Target: r}, err
	case step.Nearest != nil:
		r, err := s.nearest(ctx, step.Nearest)
		return &wire.SearchReply{Nearest: r}, err
	case step.FieldValues != nil:
		r, err := s.fieldValues(step.FieldValues)
		return &wire.SearchReply{FieldValues: r}, err
	}
	return nil, ErrOrder
}

// tokens returns the session's reader of token records.
func (s *Session) tokens() TokenReader {
	if s.reader == nil {
		s.reader = s.ix.Tokens()
	}
	return s.reader
}

// Universe returns the documents being ranked, and Found those of them that
// still count as found: the base of facets.
func (s *Session) Universe() docset.Set { return s.universe }

// Found returns the candidates: what facets and totals count.
func (s *Session) Found() docset.Set { return s.universe.AndNot(s.dead) }
