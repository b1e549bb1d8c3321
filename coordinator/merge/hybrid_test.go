package merge

import (
	"fmt"
	"strings"
	"testing"

	"shoal/coordinator/score"

	"shoal/coordinator/driver"
	"shoal/query/rule"
	"shoal/wire"
)

func similar(ord uint32, similarity float32, more ...score.Detail) driver.Hit {
	d := score.Detail{Rule: rule.Rule{Kind: rule.Vector}, HasVector: true, Similarity: similarity}
	return driver.Hit{Ordinal: ord, Details: append(score.Details{d}, more...)}
}

func worded(ord, rank uint32, more ...score.Detail) driver.Hit {
	d := score.Detail{Rule: rule.Rule{Kind: rule.Words}, Rank: score.Rank{Rank: rank, Max: 100}}
	return driver.Hit{Ordinal: ord, Details: append(score.Details{d}, more...)}
}

func sorted(n float64, desc bool) score.Detail {
	return score.Detail{Rule: rule.Rule{Kind: rule.Sort, Desc: desc}, Value: wire.SortValue{Kind: wire.SortNumber, Number: n}}
}

func away(metres float64, desc bool) score.Detail {
	return score.Detail{Rule: rule.Rule{Kind: rule.Geo, Desc: desc}, HasPoint: true, Distance: metres}
}

func TestMergeHybrid(t *testing.T) {
	for name, c := range map[string]struct {
		semantic, keyword []driver.Hit
		ratio             float32
		want              string
	}{
		"half":             {[]driver.Hit{similar(1, 0.9), similar(2, 0.4)}, []driver.Hit{worded(3, 95), worded(4, 30)}, 0.5, "3 1 2 4"},
		"mostly semantic":  {[]driver.Hit{similar(1, 0.5), similar(2, 0.4)}, []driver.Hit{worded(3, 95)}, 0.9, "1 2 3"},
		"semantic wins":    {[]driver.Hit{similar(1, 0.5)}, []driver.Hit{worded(3, 50)}, 0.5, "1 3"},
		"no second place":  {[]driver.Hit{similar(1, 0.5), similar(2, 0.4)}, []driver.Hit{worded(2, 95), worded(1, 90)}, 0.5, "2 1"},
		"as they come":     {[]driver.Hit{similar(1, 0.1), similar(2, 0.9)}, []driver.Hit{worded(3, 5), worded(4, 80)}, 0.5, "1 2 3 4"},
		"no vector":        {[]driver.Hit{similar(1, 0)}, []driver.Hit{worded(3, 1)}, 0.5, "3 1"},
		"sorted first":     {[]driver.Hit{{Ordinal: 1, Details: score.Details{sorted(2, false)}}}, []driver.Hit{{Ordinal: 3, Details: score.Details{sorted(1, false)}}}, 0.5, "3 1"},
		"sorted last":      {[]driver.Hit{similar(1, 0.5, sorted(1, true))}, []driver.Hit{worded(3, 50, sorted(2, true))}, 0.5, "3 1"},
		"score over sort":  {[]driver.Hit{similar(1, 0.1)}, []driver.Hit{{Ordinal: 3, Details: score.Details{sorted(1, false)}}}, 0.5, "1 3"},
		"zero under sort":  {[]driver.Hit{similar(1, 0)}, []driver.Hit{{Ordinal: 3, Details: score.Details{sorted(1, false)}}}, 0.5, "3 1"},
		"longer wins":      {[]driver.Hit{similar(1, 0.5)}, []driver.Hit{worded(3, 50, sorted(2, true))}, 0.5, "3 1"},
		"near first":       {[]driver.Hit{similar(1, 0.5, away(9, false))}, []driver.Hit{worded(3, 50, away(2, false))}, 0.5, "3 1"},
		"far first":        {[]driver.Hit{similar(1, 0.5, away(2, true))}, []driver.Hit{worded(3, 50, away(9, true))}, 0.5, "3 1"},
		"only one of them": {nil, []driver.Hit{worded(3, 50)}, 0.5, "3"},
	} {
		seen := map[uint32]bool{}
		got := MergeHybrid(c.semantic, c.keyword, c.ratio, func(h *driver.Hit) bool {
			again := seen[h.Ordinal]
			seen[h.Ordinal] = true
			return !again
		}, 10)
		var order []string
		for _, h := range got {
			order = append(order, fmt.Sprint(h.Ordinal))
		}
		if strings.Join(order, " ") != c.want {
			t.Errorf("%s: %v, want %s", name, order, c.want)
		}
	}
	if got := MergeHybrid([]driver.Hit{similar(1, 1), similar(2, 1)}, nil, 0.5, func(*driver.Hit) bool { return true }, 1); len(got) != 1 {
		t.Errorf("%d hits, one was wanted", len(got))
	}
}

// A scaled hit of a placeholder search comes before or after hits that are not scaled, as its
// weight says.
func TestScaledScoresDecideWhereNoRuleJudgesRelevancy(t *testing.T) {
	plain := Values(nil, 1)
	for weight, want := range map[float64]int{0.5: -1, 2: 1} {
		scaled := Values(score.Details{{Weight: weight}}, 1)
		if got := Compare(scaled, plain, weight, 1); got != want {
			t.Errorf("weight %v: %d", weight, got)
		}
	}
}
