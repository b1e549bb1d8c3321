package driver_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"shoal/api/settings"
	"shoal/query/rule"
	"shoal/shard/rank/columns"
	"shoal/shard/rank/scope"
	"shoal/shard/rank/topk"
)

// Documents with the same costs come in the order of their ordinals, whatever rows they have:
// with a page that is full of equal ones, too.
func TestEqualDocumentsComeByOrdinal(t *testing.T) {
	group, small, least, share := topk.GroupDocs, topk.SmallCell, columns.MinDocs, scope.SortShare
	defer func() { topk.GroupDocs, topk.SmallCell, columns.MinDocs, scope.SortShare = group, small, least, share }()
	columns.MinDocs, scope.SortShare = 1, 0
	for seed := range uint64(rounds(60, 10)) {
		r := random{rand.New(rand.NewPCG(seed, 9))}
		topk.GroupDocs, topk.SmallCell = 1+r.IntN(60), 1+r.IntN(60)
		stride := []uint32{1, 1009, 8009}[r.IntN(3)]
		docs := map[uint32]string{0: `{"title":"sun flower","n":1}`}
		for i := range uint32(240) {
			docs[i*stride] = fmt.Sprintf(`{"title":%q,"body":%q,"n":%d}`, r.pick("sun flower", "sun flower", "flower sun", "sun cat flower"), r.pick("sun", "sun", "cat", "rare"+fmt.Sprint(i)), r.IntN(2))
		}
		perm := r.Perm(240)
		rows := func(ordinal uint32) uint32 { return uint32(perm[ordinal/stride]) * stride }
		s := settings.Default()
		for _, shards := range []int{1, 3} {
			want, got := newCorpus(t, s, docs, shards), newCorpusByRow(t, s, docs, shards, rows)
			r.columns(t, want)
			r.columns(t, got)
			for _, q := range []string{"sun", "sun flower", "flower cat", "su", "sun flower cat", "rare7", ""} {
				o := options{query: q, limit: 1 + r.IntN(12), strategy: rule.Strategy(r.IntN(3))}
				if r.IntN(4) == 0 {
					o.sort = []rule.Rule{{Kind: rule.Sort, Field: "n", Desc: r.IntN(2) == 0}}
				}
				if got, want := got.show(got.search(q, o)), want.show(want.search(q, o)); got != want {
					t.Fatalf("seed %d, %d shards, query %q, options %+v\ngot:\n%swant:\n%s", seed, shards, q, o, got, want)
				}
			}
		}
	}
}
