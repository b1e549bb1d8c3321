package driver_test

import (
	"fmt"
	"testing"

	"shoal/api/settings"
	"shoal/query/rule"
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
