package listing

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"shoal/api/jsonvalue"
	"shoal/api/settings"
	"shoal/query/filter"
	"shoal/shard/memindex"
	"shoal/shard/render"
	"shoal/wire"
)

// shardOf adds vectors to a shard in memory.
type shardOf struct {
	*memindex.Index
	vectors map[uint32][]render.Embedding
}

func (s shardOf) Embeddings(ord uint32) ([]render.Embedding, error) { return s.vectors[ord], nil }

func (s shardOf) StoredEmbeddings(uint32) ([]byte, error) { return nil, nil }

func build(docs map[uint32]string, sortable ...string) shardOf {
	s := settings.Default()
	s.Filterable = memindex.Plain(sortable...)
	s.Sortable = sortable
	return shardOf{Index: memindex.New(s, memindex.Fields(docs), docs)}
}

var mixed = map[uint32]string{
	0: `{"id":"a","n":10}`,
	1: `{"id":"b","n":2}`,
	2: `{"id":"c","n":[1.5,100]}`,
	3: `{"id":"d","n":"10"}`,
	4: `{"id":"e","n":null}`,
	5: `{"id":"f"}`,
	9: `{"id":"g","n":[3,"z"]}`,
}

func ids(t *testing.T, ix Index, r wire.ListRequest) string {
	t.Helper()
	reply, err := List(t.Context(), ix, &r)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, d := range reply.Documents {
		v, err := jsonvalue.Parse(d.JSON)
		if err != nil {
			t.Fatal(err)
		}
		id := v.Get("id")
		out = append(out, id.String())
	}
	return fmt.Sprint(reply.Total, " ", strings.Join(out, ""))
}

func TestList(t *testing.T) {
	ix := build(mixed, "n")
	for _, c := range []struct {
		want string
		r    wire.ListRequest
	}{
		{"7 abcdefg", wire.ListRequest{Limit: 20}},
		{"7 cd", wire.ListRequest{Offset: 2, Limit: 2}},
		{"7 ", wire.ListRequest{Offset: 7, Limit: 2}},
		{"7 ", wire.ListRequest{Limit: 0}},
		{"7 g", wire.ListRequest{Offset: 6, Limit: 1 << 62}},
		{"7 cbgadef", wire.ListRequest{Limit: 20, Sort: []string{"n:asc"}}},
		{"7 cagbdef", wire.ListRequest{Limit: 20, Sort: []string{"n:desc"}}},
		{"7 ag", wire.ListRequest{Offset: 1, Limit: 2, Sort: []string{"n:desc"}}},
		{"7 abcdefg", wire.ListRequest{Limit: 20, Sort: []string{"unseen:desc"}}},
		{"2 be", wire.ListRequest{Limit: 20, HasIDs: true, IDs: []string{"e", "nope", "b", "e"}}},
		{"0 ", wire.ListRequest{Limit: 20, HasIDs: true}},
		{"3 ac", wire.ListRequest{Limit: 2, Filter: []byte(`["n = 10 OR n = 100"]`)}},
		{"1 c", wire.ListRequest{Limit: 2, Filter: []byte(`"n = 100"`), HasIDs: true, IDs: []string{"a", "c"}}},
		{"3 ", wire.ListRequest{Limit: 2, Filter: []byte(`"n = 10 OR n = 100"`), CountOnly: true}},
	} {
		if got := ids(t, ix, c.r); got != c.want {
			t.Errorf("%+v: got %q, want %q", c.r, got, c.want)
		}
	}
	if _, err := List(t.Context(), ix, &wire.ListRequest{Limit: 1, Filter: []byte(`"x = 1"`)}); err == nil || !strings.HasPrefix(err.Error(), "Attribute `x` is not filterable.") {
		t.Error(err)
	}
}

func TestRender(t *testing.T) {
	ix := build(map[uint32]string{
		3: `{"id":"a","n":1e2,"_vectors":{"other":[1,2],"m":[9]}}`,
		4: `{"id":"b"}`,
	}, "n")
	ix.vectors = map[uint32][]render.Embedding{3: {{Name: "m", Vectors: [][]float32{{0.1, 1}}, Regenerate: true}}}
	for _, c := range []struct {
		r    wire.ListRequest
		want string
	}{
		{wire.ListRequest{}, `{"id":"a","n":100.0}{"id":"b"}`},
		{wire.ListRequest{RetrieveVectors: true}, `{"id":"a","n":100.0,"_vectors":{"other":[1,2],"m":{"embeddings":[[0.10000000149011612,1.0]],"regenerate":true}}}{"id":"b","_vectors":{}}`},
		{wire.ListRequest{HasFields: true, Fields: []string{"n", "_vectors"}}, `{"n":100.0}{}`},
		{wire.ListRequest{HasFields: true, RetrieveVectors: true}, `{"_vectors":{"m":{"embeddings":[[0.10000000149011612,1.0]],"regenerate":true}}}{"_vectors":{}}`},
		{wire.ListRequest{HasOrdinals: true, Ordinals: []uint32{4, 77, 3}}, `{"id":"b"}{"id":"a","n":100.0}`},
	} {
		c.r.Limit = 10
		reply, err := List(t.Context(), ix, &c.r)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, d := range reply.Documents {
			got += string(d.JSON)
		}
		if got != c.want {
			t.Errorf("%+v:\n got %s\nwant %s", c.r, got, c.want)
		}
	}
}

// TestListingsAreTheSameOnAnyShards sorts random documents on one shard and on three, whose keys are
// merged, page by page.
func TestListingsAreTheSameOnAnyShards(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 3))
	defer func(n int) { smallGroup = n }(smallGroup)
	for range 60 {
		docs := map[uint32]string{}
		for len(docs) < 5+r.IntN(120) {
			doc := fmt.Sprintf(`{"a":%s,"b":%d`, []string{"1", "2", `"x"`, `"y"`, "null", `[3,"x"]`, `[0,5]`}[r.IntN(7)], r.IntN(3))
			if r.IntN(4) > 0 {
				// Steps of about a metre, so that buckets chain.
				doc += fmt.Sprintf(`,"_geo":{"lat":%.6f,"lng":2}`, 48+float64(r.IntN(30))*0.000004)
			}
			docs[r.Uint32N(1000)] = doc + "}"
		}
		s := settings.Default()
		fields := memindex.Fields(docs)
		whole := shardOf{Index: memindex.New(s, fields, docs)}
		var parts []shardOf
		for _, p := range memindex.Split(s, docs, 3) {
			parts = append(parts, shardOf{Index: p})
		}
		elements := []string{"a:asc", "a:desc", "b:asc", "b:desc", "_geoPoint(48,2):asc", "_geoPoint(48.0001,2):desc"}
		for range 10 {
			var sort []string
			for range 1 + r.IntN(3) {
				sort = append(sort, elements[r.IntN(len(elements))])
			}
			by, fault := filter.ParseSort(sort)
			if fault != nil {
				t.Fatal(fault)
			}
			by = wire.EffectiveSort(by, fields)
			n := 1 + r.IntN(len(docs))
			smallGroup = len(docs) // every document is looked up
			want := ordinals(t, whole, sort, len(docs))[:n]
			smallGroup = r.IntN(4)
			from := r.IntN(n)
			if got := shown(t, whole, sort, from, n); !slices.Equal(got, want[from:]) {
				t.Fatalf("%v: %d to %d: got %v, want %v", sort, from, n, got, want[from:])
			}
			if got := ordinals(t, whole, sort, n)[:n]; !slices.Equal(got, want) {
				t.Fatalf("%v: first %d: got %v, want %v", sort, n, got, want)
			}
			var all []wire.Document
			for _, p := range parts {
				reply, err := List(t.Context(), p, &wire.ListRequest{Sort: sort, Limit: n, KeysOnly: true})
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, reply.Documents...)
			}
			wire.ArrangeDocuments(all, by)
			var got []uint32
			for _, d := range all[:n] {
				got = append(got, d.Ordinal)
			}
			if !slices.Equal(got, want) {
				t.Fatalf("%v: first %d over shards: got %v, want %v\n%v", sort, n, got, want, docs)
			}
		}
	}
}

// shown returns the ordinals of a page.
func shown(t *testing.T, ix Index, sort []string, from, to int) (out []uint32) {
	t.Helper()
	reply, err := List(t.Context(), ix, &wire.ListRequest{Sort: sort, Offset: from, Limit: to - from})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range reply.Documents {
		out = append(out, d.Ordinal)
	}
	return out
}

func ordinals(t *testing.T, ix Index, sort []string, limit int) []uint32 {
	t.Helper()
	reply, err := List(t.Context(), ix, &wire.ListRequest{Sort: sort, Limit: limit, KeysOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	var out []uint32
	for _, d := range reply.Documents {
		out = append(out, d.Ordinal)
	}
	return out
}
