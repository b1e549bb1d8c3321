package columns

import "testing"

// A word of an index gets columns for as many documents in each of its shards as in one
// shard with all of them, however the shards number their documents.
func TestRareWordsGetColumnsInShardsAsInOne(t *testing.T) {
	for _, c := range []struct {
		what              string
		docs, span, index int
		want              int
	}{
		{"one shard", 60_000, 60_000, 60_000, 32},
		{"one of four shards", 15_000, 15_000, 60_000, 8},
		{"one of four shards, by ordinals", 15_000, 60_000, 60_000, 8},
		{"one of eight shards", 60_000, 60_000, 480_000, 4},
		{"one block of many", 1 << 16, 1 << 16, 5_000_000, 4},
		{"a few documents", 10, 10, 10, 32},
		{"a few changed documents", 100, 60_000, 60_000, 4},
		{"no document", 0, 0, 0, 4},
	} {
		if got := leastDocs(c.docs, c.span, c.index); got != c.want {
			t.Errorf("%s: a word needs %d documents, want %d", c.what, got, c.want)
		}
	}
}
