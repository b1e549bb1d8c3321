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
	// Keywords is nil for a placeholder search; without terms it is one on the
	// universe its negative words leave.
	Keywords *query.Keywords
	Strategy rule.Strategy
	// Rules are the rules of a keyword search; Placeholder those that are used when
	// no term is left.
	Rules       []rule.Rule
	Placeholder []rule.Rule
	// Filter is JSON, nil without one.
	Filter []byte
	// Restricted: only Fields are searched.
	Restricted bool
	Fields     []uint16
	// Vector and Embedder belong to the Vector rule, Shift makes scores of its
	// similarities.
	Vector   []float32
	Embedder string
	Shift    *score.Shift
	// MaxWeight is the greatest weight of a searchable field.
	MaxWeight uint32
	// ByAttribute: words are near each other when they share a field.
	ByAttribute bool

	// Length is the number of hits wanted, from the first one. Exhaustive asks for
	// exact totals (page mode); MaxTotalHits then bounds the exploration.
	Length       int
	Exhaustive   bool
	MaxTotalHits int
	Threshold    *float64
	// Distinct is the field whose values no two hits may share.
	Distinct    uint16
	HasDistinct bool
	// Deadline ends ranking: what is left is added unranked.
	Deadline time.Time
	// Pins are the documents to pin, those that matter most first.
	Pins []Pin
	// Scaling, when set, says what the scores of documents are multiplied by. The driver
	// ranks without it: who merges the parts multiplies.
	Scaling *wire.Scaling
	// Show, when set, is how the hits are rendered that come first: sources of other
	// nodes can do it ahead.
	Show *wire.RenderOptions
	// Facets, when set, are the facets that are asked for in the end, in the form for few
	// documents: sources of other nodes can count them ahead.
	Facets *wire.FacetsStep
	// Unscored: nobody wants to know why hits come where they do.
	Unscored bool
	// Trace, when set, is told what is decided.
	Trace Tracer
	// Words, when set, is what is kept of the words of this state of the index. Pinned are
	// the terms of Keywords when all of their words are kept (Recall).
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
	// Terms are the pinned terms. Touched are the indexes of those whose typos were
	// looked up, in that order: what counts as a match depends on it (Match).
	Terms   []query.Term
	Touched []uint16
	// Degraded: the deadline struck before everything wanted was ranked.
	Degraded bool
	// Keyword tells whether the query had terms.
	Keyword bool
	// Pinned are the pinned documents in scope, by position: they count as found
	// but are not among the hits (see Placed).
	Pinned []PinnedHit
	// Weights are the weights that Plan.Scaling gives to the documents in scope, Matched
	// those of the universe; ascending. More than it allows of Weights stand for any number.
	Weights, Matched []float64
}

// Run runs a plan over the sessions of all shards of an index.
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
	// dropped: some documents stopped to count as found.
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

// total sums a number over shards.
func total(counts []uint64) uint64 {
	sum := uint64(0)
	for _, n := range counts {
		sum += n
	}
	return sum
}
