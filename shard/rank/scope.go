package rank

import (
	"errors"

	"shoal/query"
	"shoal/query/rule"
	"shoal/shard/docset"
	"shoal/shard/record"
	"shoal/shard/vector"
)

// ErrOrder reports a step that came before the one it depends on, or that names
// a level or an item that does not exist: a fault of the driver.
var ErrOrder = errors.New("rank: step out of order")

// Scope is what all rules share of one search on one shard: the state that is
// searched, the terms that the driver pinned, the documents that can matter, and what
// was found about them so far. Not safe for concurrent use; Close it.
type Scope struct {
	ix     Index
	schema *Schema
	reader record.TokenReader
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

	docs docset.Set // documents that can matter: filter without negatives

	leafs    map[query.Ref]docset.Set
	words    map[string]docset.Set
	tolerant map[string]docset.Set
	lists    map[listKey][]docset.Set
	unions   map[listKey]docset.Set // typoUnion
	phrases  map[string]docset.Set
	table    *table
}

// listKey names one typo list of a term.
type listKey struct {
	term  uint16
	group query.Subset
}

// newScope begins a search on one state of a shard.
func newScope(ix Index) Scope {
	return Scope{
		ix: ix, schema: ix.Schema(),
		leafs: make(map[query.Ref]docset.Set), words: make(map[string]docset.Set),
	}
}

// Close releases the scope. It is idempotent.
func (s *Scope) Close() error {
	if s.reader == nil {
		return nil
	}
	r := s.reader
	s.reader = nil
	return r.Close()
}

// tokens returns the session's reader of token records.
func (s *Scope) tokens() record.TokenReader {
	if s.reader == nil {
		s.reader = s.ix.Tokens()
	}
	return s.reader
}
