package columns_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"shoal/api/settings"
	"shoal/shard/docset"
	"shoal/shard/memindex"
	"shoal/shard/memshard"
	"shoal/shard/rank/columns"
)

// pairedColumns are the columns of a shard with at most `paired` paired words.
func pairedColumns(t *testing.T, shard *memshard.Shard, paired int) *columns.Columns {
	t.Helper()
	defer func(least, most int) { columns.MinDocs, columns.MaxPaired = least, most }(columns.MinDocs, columns.MaxPaired)
	columns.MinDocs, columns.MaxPaired = 1, paired
	docs := shard.Live().Block(0)
	b, err := memshard.BuildBlock(t.Context(), shard, 0, docs, columns.NewPieceCache(1<<20), false)
	if err != nil {
		t.Fatal(err)
	}
	var none *columns.Columns
	return none.With(b, docs, docs)
}

// The listed pairs of a file equal those found in the word order of each document.
func TestListedPairsEqualThoseInWordOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	words := strings.Fields("a b c d e f g h rare")
	docs := map[uint32]string{}
	for ord := range uint32(9000) {
		text := make([]string, 1+r.IntN(6))
		for i := range text {
			text[i] = words[min(int(r.ExpFloat64()*2), len(words)-1)]
			if r.IntN(9) == 0 {
				text[i] += "." // the next word is not a neighbour
			}
		}
		docs[ord] = fmt.Sprintf(`{"t":%q,"u":%q}`, strings.Join(text, " "), text[0]+" a b")
	}
	shard, err := memshard.New(settings.Default(), memindex.Fields(docs), docs)
	if err != nil {
		t.Fatal(err)
	}
	plain, all := pairedColumns(t, shard, 0), shard.Live()
	large := 0
	for _, paired := range []int{1, 4, 100} {
		listed := pairedColumns(t, shard, paired)
		for _, left := range words {
			for _, right := range words {
				var odd docset.Builder
				for ord := range uint32(9000) {
					if ord%3 != 0 {
						odd.Add(ord)
					}
				}
				for _, set := range []docset.Set{all, odd.Set(), docset.Of(7), {}} {
					k := columns.Pair{Left: left, Right: right}
					side, unknown := listed.SideBySide(k, set)
					want, rest := plain.SideBySide(k, set)
					if !side.Equal(want) || !unknown.Equal(rest) {
						t.Fatalf("%d paired words, %v of %d documents: %d and %d, want %d and %d", paired, k, set.Len(), side.Len(), unknown.Len(), want.Len(), rest.Len())
					}
					if side.Len() > 4096 {
						large++
					}
				}
			}
		}
		if listed.Faulty() {
			t.Fatal("a fault was found")
		}
	}
	if large == 0 {
		t.Error("no pair has more documents than a list: the test means less than it says")
	}
}
