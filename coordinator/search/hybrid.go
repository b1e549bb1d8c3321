package search

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"shoal/coordinator/score"

	"github.com/RoaringBitmap/roaring/v2"

	"shoal/api/apierr"
	"shoal/coordinator/driver"
	"shoal/coordinator/merge"
	"shoal/coordinator/search/sources"
	"shoal/query/rule"
	"shoal/wire"
	"shoal/wire/span"
)

const (
	// goodEnough is the weighted keyword score above which no vectors are compared (spec
	// ranking 8.4).
	goodEnough = 0.45
	// embedTime and hybridEmbedTime bound the embedding of a query.
	embedTime       = 10 * time.Second
	hybridEmbedTime = 3 * time.Second
)

// rankByKind ranks by keywords, by vectors, or by both.
func (c *Attempt) rankByKind(ctx context.Context, p *Plan) (*Ranking, error) {
	switch {
	case p.semantic == nil:
		return c.rankBy(ctx, p, p.Drive)
	case p.Kind == rule.Semantic:
		return c.rankByVector(ctx, p, p.semantic.vector)
	}
	return c.rankHybrid(ctx, p)
}

// embed returns the vector of a search. Errors: *apierr.Error when the query cannot be
// embedded.
func (c *Attempt) embed(ctx context.Context, p *Plan, limit time.Duration) ([]float32, error) {
	if v := p.semantic.vector; v != nil {
		return v, nil
	}
	ctx, s := span.Start(ctx, "embed")
	defer s.End()
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return c.Search.embedder.Query(ctx, p.semantic.embedder, p.Request.Q, p.Request.Media)
}

// embedSemantic embeds the query of a purely semantic search. Like the reference it refuses a
// query that cannot be embedded before it looks at the settings of the index.
func (c *Attempt) embedSemantic(ctx context.Context, p *Plan) (err error) {
	if p.Kind == rule.Semantic {
		p.semantic.vector, err = c.embed(ctx, p, embedTime)
	}
	return err
}

// rankByVector runs the vector side. Its time begins now, so that embedding does not count.
func (c *Attempt) rankByVector(ctx context.Context, p *Plan, vector []float32) (*Ranking, error) {
	drive := p.semantic.drive
	drive.Vector, drive.Deadline = vector, time.Now().Add(p.cutoff)
	r, err := c.rankBy(ctx, p, drive)
	if err == nil {
		r.Vector = vector
	}
	return r, err
}

// rankHybrid ranks by keywords. Unless that is good enough, it also ranks by vectors and merges
// the two lists (spec ranking 8.4).
func (c *Attempt) rankHybrid(ctx context.Context, p *Plan) (*Ranking, error) {
	keyword, err := c.rankBy(ctx, p, p.Drive)
	if err != nil || p.keywordsSuffice(keyword) {
		return keyword, err
	}
	vector, err := c.embed(ctx, p, hybridEmbedTime)
	if err != nil {
		var refused *apierr.Error
		if errors.As(err, &refused) {
			return keyword, nil // without a vector the keyword hits are the answer
		}
		keyword.Close()
		return nil, err
	}
	semantic, err := c.rankByVector(ctx, p, vector)
	if err == nil {
		if err = semantic.join(ctx, keyword); err != nil {
			semantic.Close()
		}
	}
	keyword.Close()
	if err != nil {
		return nil, err
	}
	return semantic, nil
}

// keywordsSuffice tells whether the keyword search found as many hits as were wanted, pinned ones
// among them, and all are good. A pinned one has the best score.
func (p *Plan) keywordsSuffice(r *Ranking) bool {
	weight := float64(1 - p.semantic.ratio)
	pins := r.Ranked.Reached
	if len(pins)+len(r.Ranked.Hits) < p.Drive.Length || len(pins) > 0 && weight < goodEnough {
		return false
	}
	for i := range r.Ranked.Hits {
		if r.Ranked.Hits[i].Details.Score()*weight < goodEnough {
			return false
		}
	}
	return true
}

// join merges the hits of the keyword search into those of r, the semantic one. A document that
// either search found counts as found. Highlights come from the words of the keyword search.
func (r *Ranking) join(ctx context.Context, keyword *Ranking) error {
	p := r.Plan
	reached := driver.JoinPins(keyword.Ranked, r.Ranked)
	unreached := slices.DeleteFunc(slices.Clone(r.Ranked.Pinned), func(p driver.PinnedHit) bool { return driver.Contains(reached, p) })
	all := slices.Concat(r.Ranked.Hits, keyword.Ranked.Hits)
	for i := range unreached {
		all = append(all, unreached[i].Hit)
	}
	values, err := r.valuesOf(ctx, all)
	if err != nil {
		return err
	}
	seen := map[uint64]bool{}
	taken := DistinctKeys{}
	var fresh wire.DistinctValues
	keep := func(h *driver.Hit) bool {
		document := DocumentOf(h)
		if seen[document] {
			return false
		}
		seen[document] = true
		return taken.keepValues(values[document], &fresh)
	}
	merged := merge.MergeHybrid(r.Ranked.Hits, keyword.Ranked.Hits, p.semantic.ratio, keep, p.Drive.Length)
	joined := &driver.Ranked{
		Hits: merged, Total: r.Ranked.Total, Terms: keyword.Ranked.Terms, Touched: keyword.Ranked.Touched, Negatives: keyword.Ranked.Negatives,
		Degraded: r.Ranked.Degraded || keyword.Ranked.Degraded, Keyword: keyword.Ranked.Keyword,
		Pinned: r.Ranked.Pinned, Reached: reached,
		Weights: r.Ranked.Weights, Matched: r.Ranked.Matched,
	}
	joined.MakeRoom(p.Drive.Length)
	if p.Drive.Threshold != nil || p.Drive.HasDistinct {
		pins, behind := joined.Pinned, []driver.Hit(nil)
		if p.Drive.HasDistinct { // of the pins and hits of both lists only those that are shown are counted
			unreached = slices.DeleteFunc(unreached, func(p driver.PinnedHit) bool { return taken.has(keysOf(values[DocumentOf(&p.Hit)])) })
			pins, behind = append(unreached, joined.Reached...), merged[len(joined.Hits):]
			for i := range joined.Pinned {
				joined.Pinned[i].Counted = driver.Contains(pins, joined.Pinned[i])
			}
		}
		if joined.Total, err = r.uniteFound(ctx, []*Ranking{r, keyword}, joined.Hits, behind, pins, fresh); err != nil {
			return err
		}
	}
	r.Ranked, r.Hits, r.Total = joined, joined.Hits, joined.Total
	return nil
}

// valuesOf reads the values of the distinct field for hits; nil without such a field.
func (r *Ranking) valuesOf(ctx context.Context, all []driver.Hit) (map[uint64]*wire.DistinctValues, error) {
	if !r.Plan.Drive.HasDistinct {
		return nil, nil
	}
	ordinals, place := r.BySource(all)
	replies := make([][]wire.DistinctValues, len(ordinals))
	err := r.Sources.Each(ctx, func(i int) bool { return len(ordinals[i]) > 0 }, func(ctx context.Context, i int, s wire.Session) error {
		step := &wire.ValuesStep{Field: r.Plan.Drive.Distinct, Ordinals: ordinals[i]}
		reply, err := s.Step(ctx, &wire.SearchStep{Values: step})
		if err == nil {
			replies[i] = reply.Values.Values
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	out := make(map[uint64]*wire.DistinctValues, len(all))
	for i := range all {
		out[DocumentOf(&all[i])] = &replies[all[i].Source][place[i]]
	}
	return out, nil
}

// uniteFound sets the candidates of r to those of all searches, minus hits behind the page and the
// documents that share a distinct value with a hit, and pins, and counts them.
func (r *Ranking) uniteFound(ctx context.Context, searches []*Ranking, hits, behind []driver.Hit, pins []driver.PinnedHit, values wire.DistinctValues) (uint64, error) {
	found := make([]*roaring.Bitmap, len(r.Sources))
	for i := range found {
		found[i] = roaring.New()
	}
	for _, side := range searches {
		lists, err := side.Found(ctx)
		if err != nil {
			return 0, err
		}
		for i, list := range lists {
			found[i].AddMany(list)
		}
	}
	for i := range behind {
		found[behind[i].Source].Remove(behind[i].Ordinal)
	}
	for _, p := range pins {
		found[p.Source].Add(p.Ordinal)
	}
	kept, _ := r.BySource(hits)
	total, err := r.countCandidates(ctx, func(ctx context.Context, i int, s wire.Session) error {
		if _, err := s.Step(ctx, &wire.SearchStep{Narrow: &wire.NarrowStep{Ordinals: found[i].ToArray()}}); err != nil {
			return err
		}
		if !r.Plan.Drive.HasDistinct {
			return nil
		}
		exclude := &wire.ExcludeStep{Field: r.Plan.Drive.Distinct, Values: values, Keep: kept[i], Consumed: []int{}}
		_, err := s.Step(ctx, &wire.SearchStep{Exclude: exclude})
		return err
	})
	return total + uint64(len(pins)), err
}

// countCandidates calls finish for every source, which finishes its candidates, and returns
// their sum.
func (r *Ranking) countCandidates(ctx context.Context, finish func(ctx context.Context, source int, s wire.Session) error) (uint64, error) {
	counts := make([]uint64, len(r.Sources))
	err := r.Sources.Each(ctx, sources.Every, func(ctx context.Context, i int, s wire.Session) error {
		if err := finish(ctx, i, s); err != nil {
			return err
		}
		reply, err := s.Step(ctx, &wire.SearchStep{Candidates: &wire.CandidatesStep{}})
		if err == nil {
			counts[i] = reply.Candidates.Count
		}
		return err
	})
	total := uint64(0)
	for _, n := range counts {
		total += n
	}
	return total, err
}

// semanticHits counts the hits that were ranked by vectors; nil for searches that compare no
// vectors.
func (p *Plan) semanticHits(hits []driver.Hit) *uint64 {
	if p.semantic == nil {
		return nil
	}
	n := uint64(0)
	for i := range hits {
		if slices.ContainsFunc(hits[i].Details, func(d score.Detail) bool { return d.Rule.Kind == rule.Vector && !d.Skipped }) {
			n++
		}
	}
	return &n
}

// keepValues is Keep for the values of a distinct field. It appends the values of a kept
// document to fresh. A document without values is always kept.
func (d DistinctKeys) keepValues(v *wire.DistinctValues, fresh *wire.DistinctValues) bool {
	if !d.Keep(keysOf(v)) {
		return false
	}
	if v != nil {
		fresh.Numbers = append(fresh.Numbers, v.Numbers...)
		fresh.Strings = append(fresh.Strings, v.Strings...)
	}
	return true
}

// keysOf are keys for the values of a document; nil has none.
func keysOf(v *wire.DistinctValues) []string {
	if v == nil {
		return nil
	}
	keys := make([]string, 0, len(v.Numbers)+len(v.Strings))
	for _, n := range v.Numbers {
		keys = append(keys, "n"+strconv.FormatFloat(n, 'g', -1, 64))
	}
	for _, s := range v.Strings {
		keys = append(keys, "s"+s)
	}
	return keys
}
