package search_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"
	"time"

	"shoal/api"
	"shoal/cluster-test/solo"
	"shoal/coordinator"
	"shoal/coordinator/admin"
	"shoal/coordinator/schedule"
	"shoal/coordinator/search"
	"shoal/wire"
)

// shop has 50,000 products of 500 brands in one shard, with a name of five words and a part number.
// It returns some of the words and all part numbers.
func shop(b *testing.B) (n *solo.Node, texts, parts []string) {
	b.Helper()
	r := rand.New(rand.NewPCG(5, 6))
	var words []string
	for range 3000 {
		word := make([]byte, 4+r.IntN(7))
		for i := range word {
			word[i] = "etaoinshrdlucmfw"[r.IntN(16)]
		}
		words = append(words, string(word))
	}
	word := func() string { return words[int(r.ExpFloat64()*300)%len(words)] }
	var docs strings.Builder
	for id := range 50_000 {
		parts = append(parts, fmt.Sprintf("%013x", r.Uint64()>>12))
		fmt.Fprintf(&docs, `{"id":%d,"title":"%s %s %s %s %s","brand":"b%d","price":%d,"sku":%q}`+"\n", id, word(), word(), word(), word(), word(), r.IntN(500), r.IntN(10_000), parts[id])
	}
	for range 64 {
		texts = append(texts, word())
	}
	n = today(b)
	n.Settings("docs", `{"searchableAttributes":["title","sku"],"filterableAttributes":["brand"],"sortableAttributes":["price"]}`)
	n.Upload("docs", docs.String())
	n.Idle()
	return n, texts, parts
}

// today is a node whose log has the version of this program, without which it refuses what is new.
func today(b *testing.B) *solo.Node {
	b.Helper()
	n := solo.Open(b, 1)
	n.Schedule(schedule.Jobs{})
	self := &wire.Node{ID: solo.Self, Data: true, Voter: true, Version: wire.Version}
	if _, err := coordinator.Propose(b.Context(), n.Log, &wire.Update{Changes: []wire.Change{{PutNode: self}}}); err != nil {
		b.Fatal(err)
	}
	n.Until("the version of the log", func() bool { return n.Log.Catalog().Spoken() == wire.Version })
	return n
}

// cost measures a search by its time and CPU. Its text changes from one to the next; what is
// searched for again is remembered.
func cost(b *testing.B, name string, s *search.Search, uid string, texts []string, body string) {
	b.Helper()
	b.Run(name, func(b *testing.B) {
		hits := 0
		once := func(i int) {
			r := api.NewSearchRequest()
			if err := json.Unmarshal([]byte(body), r); err != nil {
				b.Fatal(err)
			}
			if len(texts) > 0 {
				r.Q = &texts[i%len(texts)]
			}
			answer, err := s.Search(b.Context(), uid, r)
			if err != nil {
				b.Fatal(err)
			}
			hits = len(answer.Hits)
		}
		for i := range 256 {
			once(i)
		}
		before := cpuOf()
		for i := 256; b.Loop(); i++ {
			once(i)
		}
		b.ReportMetric(float64((cpuOf()-before).Microseconds())/float64(b.N), "cpu-µs/op")
		b.ReportMetric(float64(hits), "hits")
	})
}

func cpuOf() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkGroups: a page of ten groups beside the same page by distinct alone (docs/adr/0042).
func BenchmarkGroups(b *testing.B) {
	n, texts, _ := shop(b)
	s := n.Search()
	cost(b, "distinct", s, "docs", texts, `{"limit":10,"distinct":"brand"}`)
	for _, most := range []int{1, 3, 10} {
		cost(b, fmt.Sprintf("hitsPerGroup %d", most), s, "docs", texts, fmt.Sprintf(`{"limit":10,"distinct":"brand","hitsPerGroup":%d}`, most))
	}
}

// BenchmarkRandomSort: a random order beside an attribute and the order of listings, without words,
// over all documents (docs/adr/0037).
func BenchmarkRandomSort(b *testing.B) {
	n, _, _ := shop(b)
	s := n.Search()
	cost(b, "none", s, "docs", nil, `{"limit":20}`)
	cost(b, "price", s, "docs", nil, `{"limit":20,"sort":["price:asc"]}`)
	cost(b, "random", s, "docs", nil, `{"limit":20,"sort":["_random(7)"]}`)
	cost(b, "random, offset 900", s, "docs", nil, `{"limit":20,"offset":900,"sort":["_random(7)"]}`)
}

// BenchmarkQueryRules: the rules of a query beside those of the index (docs/adr/0038).
func BenchmarkQueryRules(b *testing.B) {
	n, texts, _ := shop(b)
	s := n.Search()
	cost(b, "those of the index", s, "docs", texts, `{"limit":20,"sort":["price:asc"]}`)
	cost(b, "the same in the query", s, "docs", texts, `{"limit":20,"sort":["price:asc"],"rankingRules":["words","typo","proximity","attributeRank","sort","wordPosition","exactness"]}`)
	cost(b, "sort before all", s, "docs", texts, `{"limit":20,"sort":["price:asc"],"rankingRules":["sort","words","typo","proximity","attribute","exactness"]}`)
}

// BenchmarkInside: words, parts of part numbers, and words that are nowhere, without and with
// searches inside words (docs/adr/0047).
func BenchmarkInside(b *testing.B) {
	n, texts, parts := shop(b)
	s := n.Search()
	var inside, nowhere []string
	for i := range parts { // all different: nothing is remembered of them
		inside = append(inside, parts[i][3:11])
		nowhere = append(nowhere, fmt.Sprintf("zq%05dzq", i))
	}
	for _, setting := range []string{`[]`, `["sku"]`} {
		n.Settings("docs", `{"typoTolerance":{"infixOnAttributes":`+setting+`}}`)
		n.Idle()
		cost(b, setting+" words", s, "docs", texts, `{"limit":20}`)
		cost(b, setting+" parts", s, "docs", inside, `{"limit":20}`)
		cost(b, setting+" nowhere", s, "docs", nowhere, `{"limit":20}`)
	}
}

// BenchmarkAlias: what an alias adds to a request, with 1,000 of them (docs/adr/0017).
func BenchmarkAlias(b *testing.B) {
	n := today(b)
	n.Upload("docs", `{"id":1}`)
	n.Idle()
	aliases := admin.NewAliases(n.Log)
	for i := range 1000 {
		if _, err := aliases.Turn(b.Context(), fmt.Sprintf("a%05d", i), "docs", nil); err != nil {
			b.Fatal(err)
		}
	}
	catalog := n.Log.Catalog()
	for name, uid := range map[string]string{"uid": "docs", "alias": "a00500", "neither": "a99999"} {
		b.Run("the name alone, "+name, func(b *testing.B) {
			for b.Loop() {
				if _, ok := coordinator.Named(catalog, uid); ok == (name == "neither") {
					b.Fatal(uid)
				}
			}
		})
	}
	s := n.Search()
	cost(b, "search by uid", s, "docs", nil, `{}`)
	cost(b, "search by alias", s, "a00500", nil, `{}`)
	b.Run("turn", func(b *testing.B) {
		for b.Loop() {
			if _, err := aliases.Turn(b.Context(), "a00500", "docs", nil); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkExpiry: what the leader counts every 10 s for an index, with none of its 50,000 documents
// expired and with all (docs/adr/0043).
func BenchmarkExpiry(b *testing.B) {
	n, _, _ := shop(b)
	n.Settings("docs", `{"filterableAttributes":["brand","price"]}`)
	n.Idle()
	for name, until := range map[string]string{"none": "9e-9", "a few": "9", "all": "10000"} {
		b.Run(name, func(b *testing.B) {
			before, total := cpuOf(), uint64(0)
			for b.Loop() {
				page, err := n.Documents.Documents(b.Context(), "docs", &api.DocumentsRequest{Filter: []byte(`"\"price\" \"9e-9\" TO \"` + until + `\""`)})
				if err != nil {
					b.Fatal(err)
				}
				total = page.Total
			}
			b.ReportMetric(float64((cpuOf()-before).Microseconds())/float64(b.N), "cpu-µs/op")
			b.ReportMetric(float64(total), "documents")
		})
	}
}
