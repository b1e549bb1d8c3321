package admin

import (
	"fmt"
	"testing"

	"shoal/api"
	"shoal/coordinator/coordtest"
	"shoal/wire"
)

// BenchmarkStatsOfTenThousandIndexes measures GET /stats of many small indexes, without HTTP.
func BenchmarkStatsOfTenThousandIndexes(b *testing.B) {
	log := coordtest.NewMetaLog()
	for i := range 10_000 {
		x := &wire.Index{ID: uint32(i + 1), UID: fmt.Sprintf("tenant-%05d", i), Stats: []wire.ShardStats{{Documents: 3}}}
		for _, name := range []string{"group", "id", "title"} {
			x.Stats[0].Fields = append(x.Stats[0].Fields, wire.FieldCount{Field: name, Count: 3})
		}
		log.State.AllIndexes = append(log.State.AllIndexes, x)
	}
	s := NewStats(log, nil)
	var buf []byte
	b.ReportAllocs()
	for b.Loop() {
		got, err := s.Stats(b.Context(), nil)
		if err != nil {
			b.Fatal(err)
		}
		buf = got.AppendJSON(buf[:0], api.StatsForm{})
	}
}

func TestStatsAddTheFieldsOfAllShards(t *testing.T) {
	count := func(name string, n uint64) wire.FieldCount { return wire.FieldCount{Field: name, Count: n} }
	got := fieldDistribution([]wire.ShardStats{
		{Fields: []wire.FieldCount{count("b", 2), count("a", 1), count("gone", 0)}},
		{},
		{Fields: []wire.FieldCount{count("a", 4), count("c", 1)}},
	})
	if want := "[{a 5} {b 2} {c 1}]"; fmt.Sprint(got) != want {
		t.Errorf("%v instead of %s", got, want)
	}
}
