package union_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"shoal/cluster-test/solo"
	"shoal/coordinator/replica"
	"shoal/coordinator/schedule"
	"shoal/wire"
)

// Two shards that are read as one grow past 2^16 rows while searches run. Each search
// sees all documents of some state, and later ones see all documents.
func TestShardsGrowPastABlockDuringSearches(t *testing.T) {
	n := solo.Open(t, 2)
	n.Schedule(schedule.Jobs{})
	if _, err := n.Log.Propose(t.Context(), &wire.Command{Update: &wire.Update{Changes: []wire.Change{{PutValue: wire.ProgramValue(wire.Version)}}}}); err != nil {
		t.Fatal(err)
	}
	n.Settings("docs", `{"searchableAttributes":["t"],"filterableAttributes":["t"],"pagination":{"maxTotalHits":1000000},"searchCutoffMs":600000}`)
	n.Idle()
	documents := 0
	upload := func(count int) {
		var b strings.Builder
		for range count {
			fmt.Fprintf(&b, "{\"id\":%d,\"t\":\"w%d\"}\n", documents, documents%3)
			documents++
		}
		n.Upload("docs", b.String())
		n.Idle()
	}
	rows := func() (least, most uint32) {
		x, ok := n.Log.Catalog().Index("docs")
		if !ok {
			t.Fatal("the index is gone")
		}
		least = 1 << 31
		for i := range x.Shards {
			pinned := replica.PinVersion(x, &x.Shards[i])
			v, err := n.Host.View(t.Context(), &pinned)
			if err != nil {
				t.Fatal(err)
			}
			last, _ := v.Live().Max()
			least, most = min(least, last), max(most, last)
			if err := v.Close(); err != nil {
				t.Fatal(err)
			}
		}
		return least, most
	}
	upload(128_000) // two shards of 64,000, more or less
	if _, most := rows(); most >= 1<<16 {
		t.Fatalf("a shard has rows up to %d already", most)
	}
	united, apart := n.Search(), n.SearchFrom("another node")
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	var searches sync.WaitGroup
	defer searches.Wait()
	defer cancel()
	searches.Go(func() {
		for ctx.Err() == nil {
			if _, err := answer(ctx, united, `{"q":"w1","limit":3,"facets":["t"]}`); err != nil && ctx.Err() == nil {
				t.Error(err)
				return
			}
		}
	})
	for range 4 {
		upload(1_500)
		for _, q := range []string{`{"q":"w1","limit":3,"offset":40000,"facets":["t"]}`, `{"filter":"t = w2","limit":3,"offset":43000}`, `{"q":"w","limit":2,"sort":[]}`} {
			got, err := answer(ctx, united, q)
			if err != nil {
				t.Fatal(err)
			}
			want, err := answer(ctx, apart, q)
			if err != nil {
				t.Fatal(err)
			}
			if got != want {
				t.Fatalf("%s\nas one:     %s\none by one: %s", q, got, want)
			}
		}
	}
	if least, _ := rows(); least < 1<<16 {
		t.Fatalf("a shard has rows up to %d only", least)
	}
	got, err := answer(ctx, united, fmt.Sprintf(`{"hitsPerPage":1,"filter":"t IN [w0, w1, w2]","page":%d,"attributesToRetrieve":["id"]}`, documents))
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf(`{"hits":[{"id":%d}]`, documents-1); !strings.HasPrefix(got, want) || !strings.Contains(got, fmt.Sprintf(`"totalHits":%d`, documents)) {
		t.Fatalf("the last page is %s, want %s", got, want)
	}
}
