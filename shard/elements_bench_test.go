package shard

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"shoal/api/apierr"
	"shoal/api/settings"
	"shoal/query/filter"
	"shoal/shard/docset"
	evaluate "shoal/shard/filter"
	"shoal/shard/version"
	"shoal/wire"
)

// shirts imports 100,000 documents of ten variants into a shard, indexed by a rule, and
// returns the keys that have to be read then.
func shirts(b *testing.B, rule settings.FilterableRule) *version.View {
	b.Helper()
	h := benchHost(b)
	b.Cleanup(func() {
		if err := h.Close(); err != nil {
			b.Error(err)
		}
	})
	importShirts(b, h, rule)
	v := viewOfShirts(b, h)
	b.Cleanup(func() {
		if err := v.Close(); err != nil {
			b.Error(err)
		}
	})
	return v
}

func viewOfShirts(b *testing.B, h *Host) *version.View {
	b.Helper()
	v, err := h.View(context.Background(), &wire.PinnedIndex{Key: testKey, Version: 1, DeltaID: "d"})
	if err != nil {
		b.Fatal(err)
	}
	return v
}

func importShirts(b *testing.B, h *Host, rule settings.FilterableRule) {
	b.Helper()
	s := settings.Default()
	s.Filterable, s.SearchableAttributes = append(plainRules("id"), rule), []string{"title"}
	r := rand.New(rand.NewPCG(1, 2))
	colors := []string{"red", "green", "blue", "black", "white", "brown", "pink", "grey", "gold", "lime"}
	docs := make([]string, 100_000)
	for i := range docs {
		var variants []string
		for range 10 {
			variants = append(variants, fmt.Sprintf(`{"color":%q,"size":%d,"price":%d.%02d}`, colors[r.IntN(10)], 36+r.IntN(10), r.IntN(100), r.IntN(100)))
		}
		docs[i] = fmt.Sprintf(`{"id":%d,"title":"shirt","variants":[%s]}`, i, strings.Join(variants, ","))
	}
	req := &wire.BuildRequest{
		Key: testKey, UID: "shirts", SlotHi: wire.Slots, Term: 1, DeltaID: "d", PrimaryKey: "id", Settings: marshalSettings(s), OldSettings: marshalSettings(s),
		Fields: []string{"id", "title", "variants", "variants.color", "variants.size", "variants.price"},
		Ops:    []wire.Op{{Kind: wire.OpReplace, Task: 1, Payload: payloadOf(b, docs...)}},
	}
	before := cpuTime()
	if reply, err := h.Build(context.Background(), req); err != nil || reply.Err != nil {
		b.Fatal(err, reply)
	}
	cpu := cpuTime() - before
	x := &wire.Index{ID: testKey.IndexID, Version: 1, Shards: []wire.Shard{{Number: testKey.Shard, SlotHi: wire.Slots, Deltas: []wire.Delta{{Version: 1, ID: "d"}}}}}
	if _, err := h.Publish(x, testKey.Shard); err != nil {
		b.Fatal(err)
	}
	b.Logf("import took %.1f s of CPU", cpu.Seconds())
}

// BenchmarkSameObject compares two conditions with the same two in braces, once what they
// read is kept, by the CPU they take.
func BenchmarkSameObject(b *testing.B) {
	flat := objectRule("variants")
	flat.SameObject = false
	shirts(b, flat)
	v := shirts(b, objectRule("variants"))
	for _, text := range []string{
		"variants.color = red AND variants.size = 42", "variants.{color = red AND size = 42}",
		"variants.color = red AND variants.price < 10", "variants.{color = red AND price < 10}",
		"id = 77 AND variants.price < 10", "id = 77 AND variants.{color EXISTS AND price < 10}",
	} {
		f, fault := filter.ParseFilterText(text)
		if fault != nil {
			b.Fatal(fault)
		}
		b.Run(text, func(b *testing.B) {
			var set docset.Set
			var err error
			before := cpuTime()
			for b.Loop() {
				if set, err = evaluate.Evaluate(b.Context(), v, f, apierr.CodeInvalidSearchFilter); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64((cpuTime()-before).Microseconds())/float64(b.N), "cpu-µs/op")
			b.ReportMetric(float64(set.Len()), "documents")
		})
	}
}
