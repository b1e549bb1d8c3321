package coordtest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"testing"

	"shoal/api/apierr"
	"shoal/api/settings"
	"shoal/coordinator"
	"shoal/query/filter"
	"shoal/wire"
)

// ListShards lists documents {ordinal: n}, which it distributes to shards by ordinal. Each
// shard is on the nodes "a" (always behind) and "b".
type ListShards struct {
	coordinator.Shards
	mu     sync.Mutex
	Values map[uint32]int
	count  int // of shards
	Asked  []string
	Gone   int // calls that answer ErrGone before the first success
	Refuse *apierr.Error
}

func (f *ListShards) Suspect(wire.NodeID) bool { return false }

func (f *ListShards) List(_ context.Context, node wire.NodeID, r *wire.ListRequest) (*wire.ListReply, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.Asked = append(f.Asked, string(node))
	if node == "a" {
		return nil, wire.ErrBehind
	}
	if f.Gone > 0 {
		f.Gone--
		return nil, wire.ErrGone
	}
	if f.Refuse != nil {
		return nil, f.Refuse
	}
	by, _ := filter.ParseSort(r.Sort)
	reply := &wire.ListReply{}
	for ord, n := range f.Values {
		if int(ord)%f.count != int(r.Index.Key.Shard) || r.HasIDs && !slices.Contains(r.IDs, fmt.Sprint(ord)) || r.HasOrdinals && !slices.Contains(r.Ordinals, ord) {
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

// NewListLog returns a log with the index x, whose n shards list the given documents.
func NewListLog(t *testing.T, n int, shards *ListShards) *Log {
	t.Helper()
	s := settings.Default()
	s.Sortable = []string{"n"}
	s.Filterable = []settings.FilterableRule{{Patterns: []string{"n"}, Equality: true, Comparison: true, Plain: true}}
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
	log := NewLog("a")
	log.State.ByID[1] = x
	shards.count = n
	return log
}

// NewForeignLog returns a log with the index x of n documents, whose shards are returned too, and
// the index books, whose foreign key author leads to x and whose foreign key lost leads nowhere.
func NewForeignLog(t *testing.T, n int) (log *Log, shards *ListShards, books *wire.Index) {
	t.Helper()
	values := make(map[uint32]int, n)
	for i := range n {
		values[uint32(i)] = i
	}
	shards = &ListShards{Values: values}
	log = NewListLog(t, 1, shards)
	key := "id"
	log.State.ByID[1].PrimaryKey = &key
	books = &wire.Index{ID: 2, UID: "books", Settings: []byte(`{"foreignKeys":[{"foreignIndexUid":"x","fieldName":"author"},{"foreignIndexUid":"gone","fieldName":"lost"}]}`)}
	log.State.ByID[2] = books
	return log, shards, books
}
