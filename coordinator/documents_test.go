package coordinator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"shoal/api"
	"shoal/query"
	"shoal/wire"
)

// listShards answers lists over documents {ordinal: n}, dealt out to shards by
// ordinal, each on the nodes "a" (always behind) and "b".
type listShards struct {
	Shards
	mu     sync.Mutex
	values map[uint32]int
	shards int
	asked  []string
	gone   int // calls that answer ErrGone before the first good one
	refuse *api.Error
}

func (f *listShards) Suspect(wire.NodeID) bool { return false }

func (f *listShards) List(_ context.Context, node wire.NodeID, r *wire.ListRequest) (*wire.ListReply, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked = append(f.asked, string(node))
	if node == "a" {
		return nil, wire.ErrBehind
	}
	if f.gone > 0 {
		f.gone--
		return nil, wire.ErrGone
	}
	if f.refuse != nil {
		return nil, f.refuse
	}
	by, _ := query.ParseSort(r.Sort)
	reply := &wire.ListReply{}
	for ord, n := range f.values {
		if int(ord)%f.shards != int(r.Index.Key.Shard) || r.HasIDs && !slices.Contains(r.IDs, fmt.Sprint(ord)) || r.HasOrdinals && !slices.Contains(r.Ordinals, ord) {
			continue
		}
		doc := wire.Document{Ordinal: ord}
		for range by {
			doc.Keys = append(doc.Keys, wire.SortValue{Number: float64(n)})
		}
		if !r.KeysOnly {
			doc.JSON = fmt.Appendf(nil, `{"id":%d,"n":%d}`, ord, n)
		}
		reply.Documents = append(reply.Documents, doc)
	}
	reply.Total = uint64(len(reply.Documents))
	wire.ArrangeDocuments(reply.Documents, by)
	if r.CountOnly {
		reply.Documents = nil
	}
	reply.Documents = reply.Documents[min(r.Offset, len(reply.Documents)):]
	if !r.HasOrdinals {
		reply.Documents = reply.Documents[:min(r.Limit, len(reply.Documents))]
	}
	return reply, nil
}

func listingOver(t *testing.T, n int, shards *listShards) *Documents {
	t.Helper()
	s := api.DefaultSettings()
	s.Sortable = []string{"n"}
	s.Filterable = []api.FilterableRule{{Patterns: []string{"n"}, Equality: true, Comparison: true, Plain: true}}
	raw, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	x := &wire.Index{ID: 1, UID: "x", Version: 5, Settings: raw, Fields: []string{"id", "n"}}
	for i := range n {
		x.Shards = append(x.Shards, wire.Shard{
			Number: uint16(i), SlotLo: uint32(i * wire.Slots / n), SlotHi: uint32((i + 1) * wire.Slots / n),
			Replicas: []wire.Replica{{Node: "b", State: wire.InSync}, {Node: "c", State: wire.Copying}, {Node: "a", State: wire.InSync}},
		})
	}
	log := newFakeLog("a")
	log.catalog.indexes[1] = x
	shards.shards = n
	return NewDocuments(log, shards, "a", NewFeatures(log, api.Features{}))
}

func TestDocumentsOverShards(t *testing.T) {
	values := map[uint32]int{0: 5, 1: 3, 2: 5, 3: 1, 7: 3, 8: 9}
	for n := 1; n <= 3; n++ {
		d := listingOver(t, n, &listShards{values: values})
		for _, c := range []struct {
			want string
			r    api.DocumentsRequest
		}{
			{"6: 0 1 2 3 7 8", api.DocumentsRequest{Limit: 20}},
			{"6: 2 3", api.DocumentsRequest{Offset: 2, Limit: 2}},
			{"6:", api.DocumentsRequest{Offset: 1 << 63, Limit: 1 << 63}},
			{"6:", api.DocumentsRequest{}},
			{"6: 3 1 7 0 2 8", api.DocumentsRequest{Limit: 20, Sort: []string{"n:asc"}}},
			{"6: 0 2", api.DocumentsRequest{Offset: 1, Limit: 2, Sort: []string{"n:desc"}}},
			{"2: 1 8", api.DocumentsRequest{Limit: 2, IDs: []string{"8", "1", "6"}}},
		} {
			page, err := d.Documents(context.Background(), "x", &c.r)
			if err != nil {
				t.Fatal(err)
			}
			got := fmt.Sprint(page.Total, ":")
			for _, doc := range page.Documents {
				got += " " + strings.TrimPrefix(strings.Split(string(doc), ",")[0], `{"id":`)
			}
			if got != c.want {
				t.Errorf("%d shards, %+v: got %q, want %q", n, c.r, got, c.want)
			}
		}
	}
}

func TestDocumentsErrors(t *testing.T) {
	evaluation := api.NewError(api.CodeInvalidDocumentFilter, "evaluation")
	d := listingOver(t, 2, &listShards{refuse: evaluation})
	for _, c := range []struct {
		uid, starts string
		r           api.DocumentsRequest
	}{
		{"none", "Invalid syntax for the sort parameter", api.DocumentsRequest{Sort: []string{"n"}, Filter: []byte(`"n ="`)}},
		{"none", "Index `none` not found.", api.DocumentsRequest{Filter: []byte(`"n ="`)}},
		{"x", "Was expecting a value", api.DocumentsRequest{Filter: []byte(`"n ="`), Sort: []string{"z:asc"}}},
		{"x", "Using `CONTAINS` in a filter requires", api.DocumentsRequest{Filter: []byte(`"n CONTAINS 1"`)}},
		{"x", "Attribute `z` is not filterable.", api.DocumentsRequest{Filter: []byte(`"z = 1"`), Sort: []string{"z:asc"}}},
		{"x", "evaluation", api.DocumentsRequest{Filter: []byte(`"n = 1"`), Sort: []string{"z:asc"}}},
		{"x", "Attribute `z` is not sortable. Available sortable attributes are: `n`.", api.DocumentsRequest{Sort: []string{"z:asc"}}},
		{"x", "Attribute `_geo` is not sortable.", api.DocumentsRequest{Sort: []string{"_geoPoint(1,2):asc"}}},
	} {
		_, err := d.Documents(context.Background(), c.uid, &c.r)
		if err == nil || !strings.HasPrefix(err.Error(), c.starts) {
			t.Errorf("%+v: %v", c.r, err)
		}
	}
}

func TestDocumentFailsOver(t *testing.T) {
	shards := &listShards{values: map[uint32]int{3: 1}}
	d := listingOver(t, 1, shards)
	doc, err := d.Document(context.Background(), "x", "3", nil, false)
	if err != nil || string(doc) != `{"id":3,"n":1}` || !slices.Equal(shards.asked, []string{"a", "b"}) {
		t.Errorf("%s %v %v", doc, err, shards.asked)
	}
	shards.gone = 1
	if _, err := d.Document(context.Background(), "x", "3", nil, false); err != nil {
		t.Errorf("one version gone: %v", err)
	}
	shards.gone = 2
	if _, err := d.Document(context.Background(), "x", "3", nil, false); !errors.Is(err, wire.ErrGone) {
		t.Errorf("two versions gone: %v", err)
	}
	if _, err := d.Document(context.Background(), "x", "4", nil, false); err == nil || err.Error() != "Document `4` not found." {
		t.Error(err)
	}
}
