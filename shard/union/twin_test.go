package union_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/cluster-test/solo"
	"shoal/coordinator/replica"
	"shoal/coordinator/schedule"
	"shoal/shard/lexicon"
	"shoal/wire"
)

// random creates documents and searches with few different words and values.
type random struct{ *rand.Rand }

var vocabulary = strings.Fields("sun flower sunflower flowers flawer sunny sum the cat cats cut new york newyork hello helo hallo red bird redbird a ab abc")

func (r random) pick(list ...string) string { return list[r.IntN(len(list))] }

func (r random) text(most int) string {
	words := make([]string, 1+r.IntN(most))
	for i := range words {
		words[i] = r.pick(vocabulary...)
	}
	return strings.Join(words, " ")
}

func (r random) document(id int) string {
	parts := []string{fmt.Sprintf(`"id":%d,"title":%q`, id, r.text(4))}
	if r.IntN(3) > 0 {
		parts = append(parts, fmt.Sprintf(`"body":%q`, r.text(12)))
	}
	if r.IntN(3) > 0 {
		parts = append(parts, fmt.Sprintf(`"n":[%d,"%s"]`, r.IntN(5), r.pick("x", "Y", "y")))
	}
	if r.IntN(3) > 0 {
		parts = append(parts, fmt.Sprintf(`"color":["%s","%s"]`, r.pick("red", "Red", "green"), r.pick("blue", "green", "10")))
	}
	if r.IntN(3) > 0 {
		parts = append(parts, fmt.Sprintf(`"_geo":{"lat":%d,"lng":%d}`, r.IntN(4), r.IntN(4)))
	}
	if r.IntN(3) > 0 {
		parts = append(parts, fmt.Sprintf(`"_vectors":{"e":[%d,%d]}`, 1+r.IntN(3), r.IntN(3)))
	}
	if r.IntN(3) > 0 {
		var variants []string
		for range r.IntN(4) {
			variants = append(variants, fmt.Sprintf(`{"color":"%s","size":%d,"shops":[{"name":"%s","left":%d}]}`, r.pick("red", "Red", "green"), r.IntN(4), r.pick("x", "y"), r.IntN(2)))
		}
		parts = append(parts, `"variants":[`+strings.Join(variants, ",")+"]")
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func (r random) search() string {
	q := map[string]any{"limit": 1 + r.IntN(30), "showRankingScoreDetails": true}
	if r.IntN(6) > 0 {
		q["q"] = r.pick("", r.text(3), `"`+r.text(2)+`"`, r.text(2)+" -"+r.text(1), r.text(1)[:1], "flowr", "sunflowers bird")
	}
	if r.IntN(3) == 0 {
		q["filter"] = r.pick("n > 1", "n = 2 OR color = red", "NOT n EXISTS", "color IN [green, blue]", "n 1 TO 3", `color CONTAINS "e"`, "_geoRadius(1,1,150000)",
			"color STARTS WITH r", "n IS EMPTY", "_vectors EXISTS", "_vectors.e.userProvided EXISTS", "id < 20", "variants.{color = red AND size = 2}", "variants.{size > 1 AND NOT color = red}", "variants.{size 1 TO 2 AND shops.{name = x AND left = 1}}",
			"NOT variants.{color IN [green] OR size < 2}", "_geoBoundingBox([2,2],[0,0])")
	}
	if r.IntN(3) == 0 {
		q["sort"] = []string{r.pick("n:asc", "n:desc", "color:asc", "color:desc", "_geoPoint(1,1):asc", "id:desc")}
	}
	if r.IntN(3) == 0 {
		q["facets"] = []string{r.pick("*", "n", "color", "variants.size")}
	}
	if r.IntN(6) == 0 {
		q["distinct"] = r.pick("color", "n")
		if r.IntN(2) == 0 {
			q["hitsPerGroup"] = 2 + r.IntN(3)
		}
	}
	if r.IntN(5) == 0 {
		q["matchingStrategy"] = r.pick("all", "frequency", "last")
	}
	if r.IntN(5) == 0 {
		q["attributesToHighlight"], q["showMatchesPosition"] = []string{"*"}, true
	}
	if r.IntN(5) == 0 {
		q["attributesToSearchOn"] = []string{"title"}
	}
	if r.IntN(6) == 0 {
		q["vector"], q["hybrid"] = []int{1, 2}, map[string]any{"embedder": "e", "semanticRatio": r.Float32()}
	}
	if r.IntN(8) == 0 {
		q["retrieveVectors"] = true
	}
	if r.IntN(6) == 0 {
		q["hitsPerPage"] = 5
		q["page"] = 1 + r.IntN(3)
		delete(q, "limit")
	}
	b, err := json.Marshal(q)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// searcher is one way to search.
type searcher interface {
	Search(ctx context.Context, uid string, r *api.SearchRequest) (*api.SearchResponse, error)
}

// answer is what a client sees of a search, except the time it took.
func answer(ctx context.Context, s searcher, body string) (string, error) {
	r := api.NewSearchRequest()
	if err := json.Unmarshal([]byte(body), r); err != nil { // the members have the same names
		return "", err
	}
	a, err := s.Search(ctx, "docs", r)
	var client *apierr.Error
	if errors.As(err, &client) {
		return client.Error(), nil
	}
	if err != nil {
		return "", err
	}
	a.ProcessingTimeMs = 0
	return string(a.AppendJSON(nil, &api.Envelope{})), nil
}

// Whatever happens to an index, and while other searches run, a search of all shards at
// once gives the bytes that the driver computes from the answers of each shard, and
// those of an index with one shard.
func TestUnitedShardsAnswerLikeSingleOnes(t *testing.T) {
	for seed := range uint64(4) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) { live(t, random{rand.New(rand.NewPCG(seed, 15))}, seed%2 == 0) })
	}
}

// live is the life of an index whose shards number their documents without gaps, or not.
func live(t *testing.T, r random, rows bool) {
	n, one := solo.Open(t, 4), solo.Open(t, 1)
	n.Schedule(schedule.Jobs{})
	one.Schedule(schedule.Jobs{})
	version := wire.Version
	if !rows {
		version = wire.RowsSince - 1
	}
	program := wire.ProgramValue(version)
	for _, n := range []*solo.Node{n, one} {
		if _, err := n.Log.Propose(t.Context(), &wire.Command{Update: &wire.Update{Changes: []wire.Change{{PutValue: program}}}}); err != nil {
			t.Fatal(err)
		}
	}
	both := func(do func(*solo.Node)) {
		for _, n := range []*solo.Node{n, one} {
			do(n)
			n.Idle()
		}
	}
	settings := `{"filterableAttributes":["n","color","_geo","id",{"attributePatterns":["variants","variants.*"],"features":{"facetSearch":true,"filter":{"equality":true,"comparison":true},"sameObject":true}}],"sortableAttributes":["n","color","_geo","id"],"embedders":{"e":{"source":"userProvided","dimensions":2}}}`
	first := r.document(0)
	both(func(n *solo.Node) { n.Settings("docs", settings); n.Upload("docs", first) })
	united, apart, single := n.Search(), n.SearchFrom("another node"), one.Search()
	queries := make([]string, 40)
	for i := range queries {
		queries[i] = r.search()
	}
	stop := busy(t, united, queries)
	defer stop()
	for round := range 18 {
		both(change(r, round))
		checkUnion(t, n, rows)
		for range 25 {
			q := r.search()
			if r.IntN(2) == 0 {
				q = r.pick(queries...)
			}
			got, err := answer(t.Context(), united, q)
			want, err2 := answer(t.Context(), apart, q)
			alone, err3 := answer(t.Context(), single, q)
			if err := errors.Join(err, err2, err3); err != nil {
				t.Fatalf("round %d: %s: %v", round, q, err)
			}
			if got != want {
				t.Fatalf("round %d: %s\nas one:     %s\none by one: %s", round, q, got, want)
			}
			if got != alone {
				t.Fatalf("round %d: %s\nfour shards: %s\none shard:   %s", round, q, got, alone)
			}
		}
	}
}

// busy searches until stop is called.
func busy(t *testing.T, s searcher, queries []string) (stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := 0; ctx.Err() == nil; i++ {
			if _, err := answer(ctx, s, queries[i%len(queries)]); err != nil && ctx.Err() == nil {
				t.Errorf("%s: %v", queries[i%len(queries)], err)
				return
			}
		}
	})
	return func() { cancel(); wg.Wait() }
}

// change returns something to do to the index.
func change(r random, round int) func(*solo.Node) {
	switch {
	case round%9 == 8:
		settings := r.pick(`{"rankingRules":["words","typo","proximity","attribute","sort","exactness"]}`, `{"rankingRules":["sort","words","attribute","n:desc"]}`,
			`{"searchableAttributes":["body","title"]}`, `{"searchableAttributes":["*"]}`, `{"proximityPrecision":"byAttribute"}`, `{"proximityPrecision":"byWord"}`,
			`{"stopWords":["the"]}`, `{"typoTolerance":{"disableOnAttributes":["title"]}}`, `{"typoTolerance":{"disableOnAttributes":[]}}`, `{"typoTolerance":{"infixOnAttributes":["body","title"]}}`, `{"pagination":{"maxTotalHits":20}}`)
		return func(n *solo.Node) { n.Settings("docs", settings) }
	case round%5 == 4:
		ids := make([]string, 1+r.IntN(10))
		for i := range ids {
			ids[i] = fmt.Sprint(r.IntN(80))
		}
		return func(n *solo.Node) { n.Delete("docs", ids...) }
	default:
		var docs []string
		for range 1 + r.IntN(12) {
			docs = append(docs, r.document(r.IntN(80)))
		}
		return func(n *solo.Node) { n.Upload("docs", strings.Join(docs, "\n")) }
	}
}

// checkUnion compares the incrementally updated state of all shards with the states of
// the single shards.
func checkUnion(t *testing.T, n *solo.Node, rows bool) {
	t.Helper()
	x, ok := n.Log.Catalog().Index("docs")
	if !ok {
		t.Fatal("the index is gone")
	}
	first := replica.PinVersion(x, &x.Shards[0])
	var others []wire.PinnedShard
	var words, exact []*lexicon.Dictionary
	documents := 0
	for i := range x.Shards {
		pinned := replica.PinVersion(x, &x.Shards[i])
		if i > 0 {
			others = append(others, wire.PinnedShard{Shard: pinned.Key.Shard, DeltaID: pinned.DeltaID})
		}
		v, err := n.Host.View(t.Context(), &pinned)
		if err != nil {
			t.Fatal(err)
		}
		own, ownExact, err := v.Dictionaries()
		if err != nil {
			t.Fatal(err)
		}
		words, exact = append(words, own), append(exact, ownExact)
		documents += v.Live().Len()
		if v.State().Rows != rows {
			t.Fatalf("shard %d numbers its documents without gaps: %v", i, !rows)
		}
		if err := v.Close(); err != nil {
			t.Fatal(err)
		}
	}
	all, err := n.Host.United(t.Context(), &first, others)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := errors.Join(all.Close(), all.Close()); err != nil {
			t.Error(err)
		}
	}()
	if all.Live().Len() != documents {
		t.Fatalf("%d documents together, %d one by one", all.Live().Len(), documents)
	}
	allWords, allExact, err := all.Dictionaries()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		got  *lexicon.Dictionary
		each []*lexicon.Dictionary
	}{{"words", allWords, words}, {"exact words", allExact, exact}} {
		want := map[string]uint32{}
		for _, d := range c.each {
			for w, n := range d.All() {
				want[w] += n
			}
		}
		got := maps.Collect(c.got.All())
		if !maps.Equal(got, want) {
			t.Fatalf("%s together %v, one by one %v", c.name, slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
		}
	}
}
