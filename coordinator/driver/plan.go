package driver

import (
	"context"
	"time"

	"shoal/coordinator/score"

	"shoal/query"
	"shoal/query/rule"
	"shoal/wire"
)

// Plan is one search on one index, decided before any shard is asked.
type Plan struct {
	// Keywords is nil for a placeholder search. Without terms the search is a placeholder
	// search on the documents that the negative words leave.
	Keywords *query.Keywords
	Strategy rule.Strategy
	// Rules are the rules of a keyword search. Placeholder are the rules when no term is left.
	Rules       []rule.Rule
	Placeholder []rule.Rule
	// Filter is JSON, nil without one.
	Filter []byte
	// Restricted: only Fields are searched.
	Restricted bool
	Fields     []uint16
	// Vector and Embedder belong to the Vector rule. Shift turns its similarities into scores.
	Vector   []float32
	Embedder string
	Shift    *score.Shift
	// MaxWeight is the greatest weight of a searchable field.
	MaxWeight uint32
	// Infix: words that stand for nothing in the index are looked for inside words.
	Infix bool
	// ByAttribute: two words are near each other when they share a field.
	ByAttribute bool

	// Length is the number of hits wanted, from the first one. Exhaustive asks for exact totals
	// (page mode); MaxTotalHits then bounds the exploration.
	Length       int
	Exhaustive   bool
	MaxTotalHits int
	Threshold    *float64
	// Distinct is the field whose values no two hits may share.
	Distinct    uint16
	HasDistinct bool
	// Deadline ends ranking. The remaining documents are added unranked.
	Deadline time.Time
	// Pins are the documents to pin, the most important first.
	Pins []Pin
	// Scaling, when set, determines the factors for the scores of documents. The driver ranks
	// without it; the caller multiplies when it merges parts.
	Scaling *wire.Scaling
	// Show, when set, is how the first hits are rendered. Sources on other nodes can render
	// ahead.
	Show *wire.RenderOptions
	// Facets, when set, are the facets that the caller will ask for, in the form for few
	// documents. Sources on other nodes can count them ahead.
	Facets *wire.FacetsStep
	// Unscored: the caller does not need the score details of hits.
	Unscored bool
	// Trace, when set, is told the decisions.
	Trace Tracer
	// Words, when set, caches the words of this state of the index. Pinned are the terms of
	// Keywords when all of their words were cached (Recall).
	Words  *Words
	Pinned []query.Term
}

// Hit is one ranked document.
type Hit struct {
	Ordinal uint32
	Source  int // index into the sessions
	// Details are shared by hits of equal score; nil in an Unscored plan.
	Details score.Details
}

// Ranked is the outcome of a search.
type Ranked struct {
	Hits []Hit
	// Total is the number of documents that count as found.
	Total uint64
	// Terms are the pinned terms. Touched are the indexes of those whose typos were looked up,
	// in that order: it determines what counts as a match (Match).
	Terms   []query.Term
	Touched []uint16
	// Negatives are those of Keywords.
	Negatives []query.Negative
	// Degraded: the deadline passed before everything wanted was ranked.
	Degraded bool
	// Keyword tells whether the query had terms.
	Keyword bool
	// Pinned are the pinned documents in scope, the more important ones first. They count as found
	// but are not among the hits (see Placed).
	Pinned []PinnedHit
	// Reached are those to place instead, by position, after MakeRoom or JoinPins.
	Reached []PinnedHit
	// Weights are the weights that Plan.Scaling gives to the documents in scope, Matched those
	// of the universe, both ascending. A list longer than Plan.Scaling allows is incomplete.
	Weights, Matched []float64
}

// Run runs a plan over the sessions of all sources of an index.
func Run(ctx context.Context, sessions []wire.Session, plan *Plan) (*Ranked, error) {
	d := &drive{ctx: ctx, sessions: sessions, plan: plan, out: new(Ranked)}
	if err := d.run(); err != nil {
		return nil, err
	}
	return d.out, nil
}

// drive is the state of one search.
type drive struct {
	ctx      context.Context
	sessions []wire.Session
	plan     *Plan
	out      *Ranked

	terms []query.Term
	costs rule.CostContext
	graph *query.Graph
	rules []rule.Rule
	// universe is the number of documents per shard.
	universe []uint64

	levels  []*level
	details score.Details
	// seen holds the distinct values of the hits so far.
	seen distinctValues
	// dropped: some documents no longer count as found.
	dropped bool
}

func (d *drive) run() error {
	keyword := d.plan.keyword()
	d.rules = d.plan.Placeholder
	if keyword {
		d.out.Keyword, d.rules = true, d.plan.Rules
		if err := d.pinTerms(); err != nil {
			return err
		}
	}
	if err := d.begin(keyword); err != nil {
		return err
	}
	d.traceQuery()
	if err := d.rank(); err != nil {
		return err
	}
	d.out.Terms = d.terms
	if d.plan.Keywords != nil {
		d.out.Negatives = d.plan.Keywords.Negatives
	}
	return d.count()
}

// rank finds the hits once the universe is known.
func (d *drive) rank() error {
	d.seen = newDistinctValues()
	if len(d.rules) == 0 {
		return d.takeInOrder()
	}
	return d.bucketSort()
}

// keyword tells whether the query has terms.
func (p *Plan) keyword() bool { return p.Keywords != nil && len(p.Keywords.Terms) > 0 }

// total sums counts over shards.
func total(counts []uint64) uint64 {
	sum := uint64(0)
	for _, n := range counts {
		sum += n
	}
	return sum
}
