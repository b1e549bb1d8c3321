package scope

import (
	"errors"

	"shoal/query"
	"shoal/query/rule"
	"shoal/shard/docset"
	"shoal/shard/record"
	"shoal/shard/vector"
)

// ErrOrder reports a step that came before one it depends on, or that names a level or
// an item that does not exist. It is a fault of the driver.
var ErrOrder = errors.New("rank: step out of order")

// Scope is what all rules share in one search on one shard: the state, the terms that
// the driver pinned, the relevant documents, and intermediate results. Not safe for
// concurrent use. The caller must Close it.
type Scope struct {
	Index  Index
	Schema *Schema
	reader record.TokenReader
	// Vectors compares documents with Target, the vector of the search. Near are the
	// nearest documents of the universe found so far. NearAll means that no others have
	// vectors.
	Vectors  Vectors
	Embedder string
	Target   []float32
	Near     []vector.Neighbour
	NearAll  bool

	Terms      []query.Term
	Costs      rule.CostContext
	Restricted bool
	// fields marks the fields that attributesToSearchOn allows; nil allows all.
	// anyField and tolerantField are the same as masks of columns; tolerantField lacks
	// exact fields. coarse means that the masks cannot represent the fields.
	fields                  []bool
	anyField, tolerantField uint32
	coarse                  bool

	Docs docset.Set // documents that can matter: those of the filter without negatives

	leafs    map[query.Ref]docset.Set
	words    map[string]docset.Set
	tolerant map[string]docset.Set
	lists    map[listKey][]docset.Set
	unions   map[listKey]docset.Set // typoUnion
	phrases  map[string]docset.Set
	table    *Features
}

// listKey identifies one typo list of a term.
type listKey struct {
	term  uint16
	group query.Subset
}

// New begins a search on one state of a shard.
func New(ix Index) Scope {
	return Scope{
		Index: ix, Schema: ix.Schema(),
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

// Tokens returns the reader of token records. Close closes it.
func (s *Scope) Tokens() record.TokenReader {
	if s.reader == nil {
		s.reader = s.Index.Tokens()
	}
	return s.reader
}
