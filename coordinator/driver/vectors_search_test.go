package driver_test

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"shoal/coordinator/score"

	"shoal/api/settings"
	"shoal/coordinator/driver"
	"shoal/query/rule"
	"shoal/shard/docset"
	"shoal/shard/rank"
	"shoal/shard/record"
	"shoal/shard/vector"
	"shoal/wire"
)

// vectorFake holds the vectors of a shard's documents.
type vectorFake map[uint32][][]float32

func (v vectorFake) Row(id string) (uint32, bool, error) {
	var ord uint32
	_, err := fmt.Sscan(id, &ord)
	_, ok := v[ord]
	return ord, ok && err == nil, nil
}

func (v vectorFake) StoreVectors(_ string, ord uint32) (out []wire.StoreVector, err error) {
	for i, x := range v[ord] {
		out = append(out, wire.StoreVector{Store: i, Vector: x})
	}
	return out, nil
}

func (v vectorFake) Nearest(_ context.Context, _ string, store int, target []float32, among docset.Set, k int) ([]vector.Neighbour, bool, error) {
	var out []vector.Neighbour
	for ord, list := range v {
		if d, ok := nearest(list, store, target); ok && among.Contains(ord) {
			out = append(out, vector.Neighbour{Row: ord, Distance: d})
		}
	}
	slices.SortFunc(out, func(a, b vector.Neighbour) int {
		return cmp.Or(cmp.Compare(a.Distance, b.Distance), cmp.Compare(a.Row, b.Row))
	})
	return out[:min(k, len(out))], len(out) <= k, nil
}

func nearest(list [][]float32, store int, target []float32) (best float32, ok bool) {
	for i, x := range list {
		if store != vector.AnyStore && i != store {
			continue
		}
		if d := record.Distance(record.Dot(x, target), record.Norm(x), record.Norm(target)); !ok || d < best {
			best, ok = d, true
		}
	}
	return best, ok
}

// vectorCorpus is an index whose documents have vectors.
type vectorCorpus struct {
	*corpus
	vectors map[uint32][][]float32
}

func (c *vectorCorpus) sessions(t testing.TB) []wire.Session {
	parts := make([]vectorFake, len(c.shards))
	for i := range parts {
		parts[i] = vectorFake{}
	}
	for ord := range c.docs {
		parts[int(ord)%len(parts)][ord] = c.vectors[ord]
	}
	var sessions []wire.Session
	for i, f := range c.shards {
		s := rank.New(f, func(context.Context, []byte) (docset.Set, error) { return docset.Set{}, nil }).WithVectors(parts[i])
		t.Cleanup(func() { _ = s.Close() })
		sessions = append(sessions, s)
	}
	return sessions
}

func (c *vectorCorpus) semantic(target []float32, shift *score.Shift, o options) *driver.Ranked {
	c.t.Helper()
	p := c.plan("", o)
	p.Placeholder = rule.NewRules(c.settings, rule.Semantic, o.strategy, o.sort, rule.Rule{Kind: rule.Vector})
	p.Vector, p.Embedder, p.Shift = target, "e", shift
	r, err := driver.Run(context.Background(), c.sessions(c.t), p)
	if err != nil {
		c.t.Fatal(err)
	}
	return r
}

func scores(r *driver.Ranked) string {
	var out []string
	for _, h := range r.Hits {
		out = append(out, fmt.Sprintf("%d:%v", h.Ordinal, h.Details.Score()))
	}
	return strings.Join(out, " ")
}

// TestVectorScores is C16 of the specification.
func TestVectorScores(t *testing.T) {
	vectors := map[uint32][][]float32{1: {{1, 0}}, 2: {{0.6, 0.8}}, 3: {{0, 1}}, 4: nil, 5: {{0, 1}, {-1, 0}}}
	for _, shards := range []int{1, 3} {
		c := &vectorCorpus{newCorpus(t, settings.Default(), texts("a", "b", "c", "d", "e"), shards), vectors}
		r := c.semantic([]float32{1, 0}, nil, options{limit: 20})
		if got, want := scores(r), "1:1 2:0.800000011920929 3:0.5 5:0.5 4:0"; got != want || r.Total != 5 {
			t.Errorf("%d shards: %s, total %d, want %s", shards, got, r.Total, want)
		}
		if got := string(r.Hits[4].Details.AppendJSON(nil, c.settings)); got != `{"vectorSort":{"order":0,"similarity":null}}` {
			t.Errorf("details of a document without vector: %s", got)
		}
		r = c.semantic([]float32{1, 0}, &score.Shift{Mean: 0.7, Sigma: 0.3}, options{limit: 20})
		if got, want := scores(r), "1:0.8999999761581421 2:0.6333333253860474 3:0.23333334922790527 5:0.23333334922790527 4:0"; got != want {
			t.Errorf("%d shards: %s, want %s", shards, got, want)
		}
	}
	// The fourth part of C16: quantized vectors.
	signs := func(v ...float32) []uint64 { return record.AppendBits(nil, v) }
	target := signs(1, 0)
	for want, v := range map[float32][]uint64{1: signs(1, 0), 0.984375: signs(0.6, 0.8), 0.96875: signs(0, 1)} {
		if got := 1 - record.Hamming(v, target); got != want {
			t.Errorf("quantized similarity %v, want %v", got, want)
		}
	}
}

// slowVectors compares until the time of the search is up.
type slowVectors struct{ vectorFake }

func (v slowVectors) Nearest(ctx context.Context, e string, store int, target []float32, among docset.Set, k int) ([]vector.Neighbour, bool, error) {
	time.Sleep(30 * time.Millisecond)
	return v.vectorFake.Nearest(ctx, e, store, target, among, k)
}

// Once vectors are compared, the documents are in order although the time is up.
func TestComparedVectorsAreOrderedAfterTheDeadline(t *testing.T) {
	c := &vectorCorpus{corpus: newCorpus(t, settings.Default(), texts("a", "b", "c"), 1)}
	s := rank.New(c.shards[0], nil).WithVectors(slowVectors{vectorFake{1: {{0, 1}}, 2: {{1, 1}}, 3: {{1, 0}}}})
	defer func() { _ = s.Close() }()
	p := c.plan("", options{limit: 3})
	p.Placeholder = []rule.Rule{{Kind: rule.Vector}}
	p.Vector, p.Embedder, p.Deadline = []float32{1, 0}, "e", time.Now().Add(10*time.Millisecond)
	r, err := driver.Run(context.Background(), []wire.Session{s}, p)
	if err != nil || order(r) != "3 2 1" {
		t.Fatalf("%v %s", err, order(r))
	}
}

func TestNearestByStore(t *testing.T) {
	vectors := map[uint32][][]float32{1: {{1, 0}}, 2: {{0.6, 0.8}}, 3: {{0, 1}}, 4: nil, 5: {{0, 1}, {-1, 0}}}
	c := &vectorCorpus{newCorpus(t, settings.Default(), texts("a", "b", "c", "d", "e"), 1), vectors}
	s := c.sessions(t)[0]
	step := func(st *wire.SearchStep) *wire.SearchReply {
		t.Helper()
		r, err := s.Step(context.Background(), st)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	step(&wire.SearchStep{Begin: &wire.BeginStep{}})
	target := step(&wire.SearchStep{Target: &wire.TargetStep{ID: "5", Embedder: "e"}}).Target
	if !target.Found || len(target.Vectors) != 2 {
		t.Fatalf("target %+v", target)
	}
	near := step(&wire.SearchStep{Nearest: &wire.NearestStep{Vectors: target.Vectors, Limit: 2, Except: 5, HasExcept: true}}).Nearest
	if got := fmt.Sprint(near.Lists); got != "[[{3 {0 0} 0} {2 {0 0} 0.099999994}] []]" && len(near.Lists[1]) != 0 {
		t.Fatalf("neighbours %s", got)
	}
	if r := step(&wire.SearchStep{Target: &wire.TargetStep{ID: "5", Filter: []byte("x")}}).Target; r.Found {
		t.Fatal("a document outside of the filter was found")
	}
	if _, err := rank.New(c.shards[0], nil).Step(context.Background(), &wire.SearchStep{Target: &wire.TargetStep{}}); err == nil {
		t.Fatal("a step before begin was answered")
	}
}

// TestVectorsAgainstTwin compares with sorting everything, on 1, 2 and 5 shards.
func TestVectorsAgainstTwin(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 3))
	for range 60 {
		docs, vectors := map[uint32]string{}, map[uint32][][]float32{}
		for i := range 3 + rng.IntN(60) {
			ord := uint32(i)
			docs[ord] = fmt.Sprintf(`{"n":%d,"d":%d}`, rng.IntN(4), rng.IntN(12))
			for range rng.IntN(3) {
				vectors[ord] = append(vectors[ord], []float32{float32(rng.IntN(3)), float32(rng.IntN(3) - 1)})
			}
		}
		settings := settings.Default()
		rules := [][]string{{"words"}, {"words", "n:asc"}, {"n:desc", "words"}, {"typo", "n:desc", "words"}}[rng.IntN(4)]
		settings.RankingRules = rules
		target := []float32{1, float32(rng.IntN(2))}
		o := options{limit: 1 + rng.IntN(20)}
		switch rng.IntN(4) {
		case 0:
			o.threshold = 0.6
		case 1:
			o.distinct = "d"
		}
		var first string
		for _, shards := range []int{1, 2, 5} {
			c := &vectorCorpus{newCorpus(t, settings, docs, shards), vectors}
			r := c.semantic(target, nil, o)
			got := c.show(r)
			if shards == 1 {
				first = got
				if want := c.twin(target, rules, o); order(r) != want {
					t.Fatalf("%v %+v: %s, want %s\n%s", rules, o, order(r), want, got)
				}
			} else if got != first {
				t.Fatalf("%v %+v: %d shards:\n%s\none shard:\n%s", rules, o, shards, got, first)
			}
		}
	}
}

// twin ranks by sorting: numbers and distances in the order of the rules, ties by ordinal. It
// looks for as many documents at a time as are wanted: those that a distinct one excludes stay in
// their portion, and equal distances are split where it ends.
func (c *vectorCorpus) twin(target []float32, rules []string, o options) string {
	type doc struct {
		ord      uint32
		n, d     int
		distance float32
		has      bool
	}
	var docs []doc
	for ord, text := range c.docs {
		x := doc{ord: ord}
		_, _ = fmt.Sscanf(text, `{"n":%d,"d":%d}`, &x.n, &x.d)
		x.distance, x.has = nearest(c.vectors[ord], vector.AnyStore, target)
		docs = append(docs, x)
	}
	byDistance := func(a, b doc) int {
		if a.has != b.has {
			if a.has {
				return -1
			}
			return 1
		}
		return cmp.Compare(a.distance, b.distance)
	}
	sortOf := func(a, b doc) int {
		if slices.Contains(rules, "n:asc") {
			return cmp.Compare(a.n, b.n)
		}
		return cmp.Compare(b.n, a.n)
	}
	sortFirst := strings.HasPrefix(rules[0], "n:")
	bySort := func(a, b doc) int {
		if len(rules) == 1 {
			return 0
		}
		return sortOf(a, b)
	}
	slices.SortFunc(docs, func(a, b doc) int { return cmp.Compare(a.ord, b.ord) })
	slices.SortStableFunc(docs, byDistance)
	if sortFirst {
		slices.SortStableFunc(docs, bySort)
	}
	var out []string
	taken := map[int]bool{}
	for len(docs) > 0 {
		n := len(docs)
		if !sortFirst && docs[0].has {
			// As many of those that are left as are wanted, and have a vector.
			n = min(o.limit, n)
			for !docs[n-1].has {
				n--
			}
		}
		portion := docs[:n]
		docs = docs[n:]
		if !sortFirst {
			slices.SortStableFunc(portion, func(a, b doc) int { return cmp.Or(byDistance(a, b), bySort(a, b)) })
		}
		for _, x := range portion {
			score := 1 - float64(x.distance)
			if !x.has {
				score = 0
			}
			if o.threshold > 0 && score < o.threshold || o.distinct != "" && taken[x.d] || len(out) == o.limit {
				continue
			}
			taken[x.d] = true
			out = append(out, fmt.Sprint(x.ord))
		}
		if o.distinct != "" {
			docs = slices.DeleteFunc(docs, func(x doc) bool { return taken[x.d] })
		}
	}
	return strings.Join(out, " ")
}

// Without wanted hits all documents count as having no vector, so that a threshold leaves none.
// Exact totals count documents, not distinct values.
func TestRankingsByVectorLookForAsManyNeighboursAsAreWanted(t *testing.T) {
	vectors := map[uint32][][]float32{1: {{1, 0}}, 2: {{1, 0}}, 3: {{0, 1}}, 4: nil}
	docs := map[uint32]string{1: `{"g":"x"}`, 2: `{"g":"y"}`, 3: `{"g":"x"}`, 4: `{"g":"y"}`}
	for _, c := range []struct {
		name string
		o    options
		want uint64
	}{
		{"all", options{limit: 20, exhaustive: true}, 4},
		{"one value each", options{limit: 20, exhaustive: true, distinct: "g"}, 2},
		{"as far as the page goes", options{limit: 1, exhaustive: true, distinct: "g"}, 3},
		{"good ones", options{limit: 20, exhaustive: true, threshold: 0.6}, 2},
		{"no page", options{exhaustive: true}, 4},
		{"no page, with a distinct field", options{exhaustive: true, distinct: "g"}, 4},
		{"no page, good ones", options{exhaustive: true, threshold: 0.6}, 0},
	} {
		for _, shards := range []int{1, 3} {
			v := &vectorCorpus{newCorpus(t, settings.Default(), docs, shards), vectors}
			if r := v.semantic([]float32{1, 0}, nil, c.o); r.Total != c.want {
				t.Errorf("%s, %d shards: total %d, want %d", c.name, shards, r.Total, c.want)
			}
		}
	}
}
