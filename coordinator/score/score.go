package score

import (
	"shoal/query/filter"
	"shoal/query/rule"
	"shoal/wire"
)

// Rank is a rank of a maximum: the local score is Rank/Max (spec ranking 5.2).
type Rank struct{ Rank, Max uint32 }

// merge joins the rank of an outer rule with that of an inner one. Like in the reference, u32
// arithmetic wraps.
func (r Rank) merge(inner Rank) Rank {
	outer := r.Rank
	if outer > 0 {
		outer--
	}
	return Rank{outer*inner.Max + inner.Rank, r.Max * inner.Max}
}

// Score returns the rank as a number between 0 and 1.
func (r Rank) Score() float64 { return float64(r.Rank) / float64(r.Max) }

// Detail is the judgement of one rule on a document.
type Detail struct {
	Rule rule.Rule
	// Rank belongs to ranked rules. Skipped documents were not ranked because the search was
	// cut off; their rank is 0 of 1.
	Rank    Rank
	Skipped bool
	// Value belongs to Sort rules.
	Value wire.SortValue
	// Point and Distance belong to Geo rules. HasPoint tells whether the document has a place.
	// The point is that of the first document of the bucket.
	Point    filter.GeoPoint
	Distance float64
	HasPoint bool
	// Similarity belongs to Vector rules; HasVector is false for documents without
	// vector, whose similarity counts as 0.
	Similarity float32
	HasVector  bool
	// Pinned: a dynamic search rule put the document at Position. No other member is set.
	Pinned   bool
	Position uint32
	// Weight, above 0, is the factor that dynamic search rules give to the score. Rules are
	// their uids, set when they are shown. No other member is set.
	Weight float64
	Rules  []string
}

// Ranked tells whether the detail takes part in the global score as a rank.
func (d *Detail) Ranked() bool {
	return !d.Pinned && d.Weight == 0 && (d.Skipped || d.Rule.Kind.Ranked())
}

// Details are the details of a hit in rule order. Hits of a bucket share them: do
// not modify.
type Details []Detail

// Weight is the factor for comparisons of the hit's score: 1 unless dynamic search rules scale
// it.
func (ds Details) Weight() float64 {
	if n := len(ds); n > 0 && ds[n-1].Weight > 0 {
		return ds[n-1].Weight
	}
	return 1
}

// Score is the global score: the fold of the ranks in rule order, or the similarity if there is
// a vector detail; 1 without any detail. Scaling does not change it: it stays between 0 and 1.
func (ds Details) Score() float64 {
	r := Rank{1, 1}
	for i := range ds {
		d := &ds[i]
		switch {
		case d.Rule.Kind == rule.Vector && !d.Skipped:
			return float64(d.Similarity)
		case d.Ranked():
			r = r.merge(d.Rank)
		}
	}
	return r.Score()
}
