package search

import (
	"context"

	"shoal/coordinator/score"

	"shoal/api"
	"shoal/query"
)

// Explanation is an answer with the decisions that led to it. After the search nobody else
// holds its terms and graphs.
type Explanation struct {
	Answer *api.SearchResponse
	// Shards is the number of shards of the index.
	Shards int
	// Terms are the terms of the query as the index knows them. Graph tells how they may be
	// combined (nil without terms). Documents is the number of matching documents.
	Terms     []query.Term
	Graph     *query.Graph
	Documents uint64
	// Buckets are the buckets in the order in which they were found. A bucket is followed by
	// those that the next rule makes of it.
	Buckets []ExplainedBucket
}

// ExplainedBucket is a bucket of documents that one rule declared equal.
type ExplainedBucket struct {
	// Level is the number of rules above.
	Level     int
	Detail    score.Detail
	Documents uint64
	// Graph is the rest of the graph inside the bucket.
	Graph *query.Graph
}

// Query implements driver.Tracer.
func (e *Explanation) Query(terms []query.Term, graph *query.Graph, documents uint64) {
	e.Terms, e.Graph, e.Documents = terms, graph, documents
}

// Bucket implements driver.Tracer.
func (e *Explanation) Bucket(level int, detail *score.Detail, documents uint64, graph *query.Graph) {
	e.Buckets = append(e.Buckets, ExplainedBucket{level, *detail, documents, graph})
}

// Explain answers one search like Search and tells the decisions. The answer holds only the
// hits that fit into AnswerRoom. It costs more than Search, because rules are asked one after
// the other.
func (s *Search) Explain(ctx context.Context, uid string, r *api.SearchRequest) (*Explanation, error) {
	var e *Explanation
	err := s.Attempt(ctx, func(cut *Attempt) (err error) {
		e = new(Explanation)
		plan, err := cut.planned(ctx, uid, r)
		if err != nil {
			return err
		}
		e.Shards = len(plan.Index.Shards)
		plan.Drive.Trace = e
		ranking, err := cut.Rank(ctx, plan)
		if err != nil {
			return err
		}
		defer ranking.Close()
		e.Answer, err = ranking.respond(ctx, AnswerRoom)
		return err
	})
	return e, err
}
