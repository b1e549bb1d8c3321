package driver

import (
	"slices"

	"shoal/wire"
)

// distinctValues is a set of values of the distinct field.
type distinctValues struct {
	numbers map[float64]struct{}
	strings map[string]struct{}
}

func newDistinctValues() distinctValues {
	return distinctValues{make(map[float64]struct{}), make(map[string]struct{})}
}

// sharesWith tells whether a document has one of the values.
func (v distinctValues) sharesWith(doc *wire.DistinctValues) bool {
	for _, n := range doc.Numbers {
		if _, ok := v.numbers[n]; ok {
			return true
		}
	}
	for _, s := range doc.Strings {
		if _, ok := v.strings[s]; ok {
			return true
		}
	}
	return false
}

// add adds the values of a document, and appends them to fresh.
func (v distinctValues) add(doc *wire.DistinctValues, fresh *wire.DistinctValues) {
	for _, n := range doc.Numbers {
		v.numbers[n] = struct{}{}
		fresh.Numbers = append(fresh.Numbers, n)
	}
	for _, s := range doc.Strings {
		v.strings[s] = struct{}{}
		fresh.Strings = append(fresh.Strings, s)
	}
}

// addDistinct walks the documents of a bucket in order and keeps those that share no value with
// one kept before. Then it excludes every document of the index that shares a value with a kept
// one (spec ranking 6.1).
func (d *drive) addDistinct(at int, g *group) error {
	lists := make([][]uint32, len(d.sessions))
	values := make([][]wire.DistinctValues, len(d.sessions))
	err := d.askOf(func(i int) bool { return g.hi[i] > g.lo[i] }, func(i int) *wire.SearchStep {
		return &wire.SearchStep{Take: &wire.TakeStep{
			Level: at, Lo: g.lo[i], Hi: g.hi[i], Limit: wire.AllItems, Distinct: d.plan.Distinct, HasDistinct: true,
		}}
	}, func(i int, r *wire.SearchReply) error {
		lists[i], values[i] = r.Take.Ordinals, r.Take.Values
		return nil
	})
	if err != nil {
		return err
	}
	return d.keep(mergeOrdinals(lists, wire.AllItems), values, wire.AllItems)
}

// exclude tells the shards the values of newly kept documents, and forgets the buckets that
// they had prepared.
func (d *drive) exclude(fresh wire.DistinctValues, kept []located) error {
	if len(fresh.Numbers) == 0 && len(fresh.Strings) == 0 {
		return nil
	}
	d.dropped = true
	return d.ask(func(i int) *wire.SearchStep {
		step := &wire.ExcludeStep{Field: d.plan.Distinct, Values: fresh, Consumed: []int{}}
		for _, doc := range kept {
			if doc.shard == i {
				step.Keep = append(step.Keep, doc.ord)
			}
		}
		for _, l := range d.levels {
			s := &l.shards[i]
			if !s.started {
				break
			}
			step.Consumed = append(step.Consumed, s.used)
			s.items, s.stream, s.asked, s.used, s.more = nil, nil, nil, 0, true
		}
		return &wire.SearchStep{Exclude: step}
	}, done)
}

// walkDistinct answers a search without rules. It walks the documents in order until enough are
// kept. A kept document excludes later ones that share a value.
func (d *drive) walkDistinct() error {
	from := uint32(0)
	for more := true; more && len(d.out.Hits) < d.plan.Length; {
		limit := 2*(d.plan.Length-len(d.out.Hits)) + 16
		lists := make([][]uint32, len(d.sessions))
		values := make([][]wire.DistinctValues, len(d.sessions))
		cut := make([]bool, len(d.sessions))
		err := d.askOf(func(i int) bool { return d.universe[i] > 0 }, func(int) *wire.SearchStep {
			return &wire.SearchStep{Take: &wire.TakeStep{
				Level: wire.WholeUniverse, From: from, Limit: limit, Distinct: d.plan.Distinct, HasDistinct: true,
			}}
		}, func(i int, r *wire.SearchReply) error {
			lists[i], values[i] = r.Take.Ordinals, r.Take.Values
			cut[i] = r.Take.Count > uint64(len(r.Take.Ordinals))
			return nil
		})
		if err != nil {
			return err
		}
		docs := mergeOrdinals(lists, wire.AllItems)
		docs, from, more = complete(docs, lists, cut)
		if err := d.keep(docs, values, d.plan.Length-len(d.out.Hits)); err != nil {
			return err
		}
	}
	return nil
}

// complete cuts a merged list after the last ordinal up to which every shard's list is
// complete, and returns where to continue.
func complete(docs []located, lists [][]uint32, cut []bool) (known []located, from uint32, more bool) {
	last := ^uint32(0)
	for i, l := range lists {
		if cut[i] {
			last, more = min(last, l[len(l)-1]), true
		}
	}
	if !more {
		return docs, 0, false
	}
	n, _ := slices.BinarySearchFunc(docs, last, func(doc located, ord uint32) int { return int(int64(doc.ord) - int64(ord)) })
	return docs[:n+1], last + 1, true
}

// keep emits documents that share no value with one kept before, in order, at most so many.
func (d *drive) keep(docs []located, values [][]wire.DistinctValues, most int) error {
	var fresh wire.DistinctValues
	var kept []located
	for _, doc := range docs {
		if len(kept) >= most {
			break
		}
		v := &values[doc.shard][doc.index]
		if !d.seen.sharesWith(v) {
			d.seen.add(v, &fresh)
			kept = append(kept, doc)
		}
	}
	d.emit(kept)
	return d.exclude(fresh, kept)
}

// count determines the total: the universe without documents that were excluded or scored too
// low. With exact totals and a distinct field it is the number of distinct values (spec ranking
// 6.2), but not for rankings by vector.
func (d *drive) count() error {
	if d.plan.Exhaustive && d.plan.HasDistinct && d.plan.Vector == nil {
		return d.countDistinct()
	}
	err := d.countRanked()
	d.out.Total += uint64(len(d.out.Pinned))
	return err
}

func (d *drive) countRanked() error {
	d.out.Total = total(d.universe)
	if !d.dropped {
		return nil
	}
	replies, err := d.all(&wire.SearchStep{Candidates: &wire.CandidatesStep{}})
	if err != nil {
		return err
	}
	d.out.Total = 0
	for _, r := range replies {
		d.out.Total += r.Candidates.Count
	}
	return nil
}

// countDistinct walks all candidates and pinned documents in order. Only the kept ones remain
// candidates, so that facets count just these.
func (d *drive) countDistinct() error {
	step := &wire.CandidatesStep{Distinct: d.plan.Distinct, HasDistinct: true}
	replies, err := d.all(&wire.SearchStep{Candidates: step})
	if err != nil {
		return err
	}
	lists := make([][]uint32, len(replies))
	for i, r := range replies {
		lists[i] = r.Candidates.Ordinals
	}
	seen := newDistinctValues()
	kept := make([][]uint32, len(replies))
	var fresh wire.DistinctValues
	for _, doc := range mergeOrdinals(lists, wire.AllItems) {
		v := &replies[doc.shard].Candidates.Values[doc.index]
		if !seen.sharesWith(v) {
			seen.add(v, &fresh)
			kept[doc.shard] = append(kept[doc.shard], doc.ord)
			d.out.Total++
		}
	}
	for i := range d.out.Pinned {
		p := &d.out.Pinned[i]
		_, p.Counted = slices.BinarySearch(kept[p.Source], p.Ordinal)
	}
	return d.ask(func(i int) *wire.SearchStep {
		return &wire.SearchStep{Narrow: &wire.NarrowStep{Ordinals: kept[i]}}
	}, done)
}
