package driver_test

import (
	"context"
	"fmt"
	"testing"

	"shoal/api/settings"
	"shoal/coordinator/driver"
	"shoal/query/rule"
	"shoal/shard/docset"
	"shoal/shard/rank"
	"shoal/shard/rank/scope"
	"shoal/shard/record"
	"shoal/wire"
)

// Without rules documents come in ordinal order. Those that share a value with an earlier one
// are skipped, however many they are.
func TestDistinctDocumentsAreFoundBehindManyDuplicates(t *testing.T) {
	docs := map[uint32]string{}
	for ord := uint32(1); ord <= 400; ord++ {
		value := "same"
		if ord > 390 {
			value = fmt.Sprint("v", ord)
		}
		docs[ord] = fmt.Sprintf(`{"t":"x","d":%q}`, value)
	}
	for shards := 1; shards <= 4; shards++ {
		c := newCorpus(t, settings.Default(), docs, shards)
		if got := order(c.search("", options{limit: 5, distinct: "d"})); got != "1 391 392 393 394" {
			t.Errorf("%d shards: %s", shards, got)
		}
	}
}

// valueCounter is an index without sort columns that counts the value records that are read.
type valueCounter struct {
	scope.Index
	reads *int
}

func (c valueCounter) Values(row uint32) (record.Values, bool, error) {
	*c.reads++
	return c.Index.Values(row)
}

func (valueCounter) Memo() *scope.Memo { return nil }

// The documents that are left were sorted anew after each hit.
func TestADistinctSearchSortsItsDocumentsOnce(t *testing.T) {
	const groups, each = 100, 4
	docs := map[uint32]string{}
	for i := range uint32(groups * each) {
		docs[i] = fmt.Sprintf(`{"n":%d,"d":"g%d"}`, i*7919%(groups*each), i/each)
	}
	c := newCorpus(t, settings.Default(), docs, 1)
	o := options{limit: 20, distinct: "d", sort: []rule.Rule{{Kind: rule.Sort, Field: "n"}}}
	want := newTwin(c, o).run()
	if got := c.show(c.search("", o)); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	reads := 0
	r := rank.New(valueCounter{c.shards[0], &reads}, func(context.Context, []byte) (docset.Set, error) { return docset.Set{}, nil })
	if _, err := driver.Run(t.Context(), []wire.Session{r}, c.plan("", o)); err != nil {
		t.Fatal(err)
	}
	if most := 2 * groups * each; reads > most {
		t.Errorf("%d value records were read, want %d or fewer", reads, most)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
}

// A geo bucket holds the documents within a metre of the distance of its first one. The next
// rule orders them.
func TestPlacesAMetreApartAreOneBucket(t *testing.T) {
	// A metre is 0.000009 degrees of latitude.
	docs := map[uint32]string{
		1: `{"n":3,"_geo":{"lat":0.0010000,"lng":0}}`,
		2: `{"n":2,"_geo":{"lat":0.0010080,"lng":0}}`,
		3: `{"n":1,"_geo":{"lat":0.0010100,"lng":0}}`,
		4: `{"n":0}`,
	}
	by := []rule.Rule{{Kind: rule.Geo}, {Kind: rule.Sort, Field: "n"}}
	for shards := 1; shards <= 3; shards++ {
		s := settings.Default()
		c := newCorpus(t, s, docs, shards)
		if got := order(c.search("", options{limit: 5, sort: by})); got != "2 1 3 4" {
			t.Errorf("%d shards: %s", shards, got)
		}
	}
}
