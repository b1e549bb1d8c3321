package merge

import (
	"cmp"
	"math"
	"slices"

	"shoal/coordinator/score"

	"shoal/query/rule"
	"shoal/wire"
)

// ValueKind is the kind of a Value.
type ValueKind uint8

// The kinds. A vector similarity compares with a score.
const (
	ScoreValue ValueKind = iota
	VectorValue
	SortValue
	GeoValue
)

// Value is one thing by which two hits are compared: a run of rank-type rules folded into one
// score, or one sort rule (spec search-api 5.6). Scores already include the weight of the
// query.
type Value struct {
	Kind  ValueKind
	Score float64
	Desc  bool // Sort and Geo
	Sort  wire.SortValue
	// Distance is in metres; HasDistance is false for documents without place.
	Distance    float64
	HasDistance bool
	// Implied: no rule judged relevancy, but dynamic search rules scale it.
	Implied bool
}

// Values turns the details of a hit into the values for comparison. weight is that of the
// query. Scores are multiplied by it and by the weight of dynamic search rules.
func Values(details score.Details, weight float64) []Value {
	var out []Value
	weight *= details.Weight()
	run := score.Details(nil)
	flush := func() {
		if len(run) > 0 {
			out = append(out, Value{Kind: ScoreValue, Score: run.Score() * weight})
			run = nil
		}
	}
	for i := range details {
		d := &details[i]
		if d.Weight > 0 {
			continue
		}
		if d.Ranked() {
			run = append(run, *d)
			continue
		}
		flush()
		switch d.Rule.Kind {
		case rule.Sort, rule.Random:
			out = append(out, Value{Kind: SortValue, Desc: d.Rule.Desc, Sort: d.Value})
		case rule.Geo:
			out = append(out, Value{Kind: GeoValue, Desc: d.Rule.Desc, Distance: d.Distance, HasDistance: d.HasPoint})
		case rule.Vector:
			out = append(out, Value{Kind: VectorValue, Score: float64(d.Similarity) * weight})
		}
	}
	flush()
	if last := len(details) - 1; last >= 0 && details[last].Weight > 0 && !slices.ContainsFunc(out, isScore) {
		// No rule judged relevancy. It counts as 1, times the weight.
		out = append(out, Value{Kind: ScoreValue, Score: weight, Implied: true})
	}
	return out
}

func isScore(v Value) bool { return v.Kind <= VectorValue }

// epsilon is the difference up to which two scores count as equal.
const epsilon = 0x1p-52

// Compare is positive when a is the better hit. globalA and globalB are the weighted global
// scores, which decide between values of different kinds.
func Compare(a, b []Value, globalA, globalB float64) int {
	for i := range min(len(a), len(b)) {
		c, comparable := compareValue(&a[i], &b[i])
		if !comparable {
			return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(globalA, globalB))
		}
		if c != 0 {
			return c
		}
	}
	if implied(a) != implied(b) {
		return cmp.Compare(globalA, globalB)
	}
	return cmp.Compare(len(a), len(b))
}

// implied tells whether a hit has an implied score, which other hits of the same rules may
// lack.
func implied(values []Value) bool { return len(values) > 0 && values[len(values)-1].Implied }

func compareValue(a, b *Value) (c int, comparable bool) {
	switch {
	case a.Kind <= VectorValue && b.Kind <= VectorValue:
		if math.Abs(a.Score-b.Score) <= epsilon {
			return 0, true
		}
		return cmp.Compare(a.Score, b.Score), true
	case a.Kind == SortValue && b.Kind == SortValue && a.Desc == b.Desc:
		return -wire.CompareSort(a.Sort, b.Sort, a.Desc), true
	case a.Kind == GeoValue && b.Kind == GeoValue && a.Desc == b.Desc:
		return compareDistance(a, b), true
	}
	return 0, false
}

// compareDistance prefers the larger distance whatever the direction, as the reference does
// between lists (a defect that clients see).
func compareDistance(a, b *Value) int {
	switch {
	case !a.HasDistance || !b.HasDistance:
		return boolean(a.HasDistance) - boolean(b.HasDistance)
	case math.Abs(a.Distance-b.Distance) <= epsilon:
		return 0
	}
	return cmp.Compare(a.Distance, b.Distance)
}

func boolean(b bool) int {
	if b {
		return 1
	}
	return 0
}
