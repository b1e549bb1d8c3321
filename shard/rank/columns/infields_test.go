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
	"shoal/shard/record"
)

// inRecords returns the documents with a word of a key, and those of them that have one in a
// field.
func inRecords(shard *memshard.Shard, key columns.Key, field uint16) (docs, in docset.Set) {
	var all, some docset.Builder
	for row, tokens := range shard.Records() {
		found, here := false, false
		tokens.Each(func(w []byte, e record.Entry) bool {
			word := string(w)
			if word != key.Text && (!key.Prefix || !strings.HasPrefix(word, key.Text) || key.Last != "" && word > key.Last) {
				return true
			}
			found = true
			for _, o := range e.AppendTo(nil) {
				here = here || o.Field == field
			}
			return true
		})
		if found {
			all.Add(row)
		}
		if here {
			some.Add(row)
		}
	}
	return all.Set(), some.Set()
}

// The word order of a document says in which fields it has a word, with or without column, or a
// word of a prefix range. Few records must be read.
func TestWordOrderTellsTheFieldsOfWords(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 2))
	words := strings.Fields("a ab abc abd b ba bab bb c ca cab d rare rarer sun sunny")
	docs := map[uint32]string{}
	for ord := range uint32(2000) {
		text := func() string {
			out := make([]string, r.IntN(5))
			for i := range out {
				out[i] = words[min(int(r.ExpFloat64()*4), len(words)-1)]
			}
			return strings.Join(out, " ")
		}
		docs[ord] = fmt.Sprintf(`{"t":%q,"u":%q}`, text(), text())
	}
	fields := memindex.Fields(docs)
	shard, err := memshard.New(settings.Default(), fields, docs)
	if err != nil {
		t.Fatal(err)
	}
	var keys []columns.Key
	for _, w := range words {
		keys = append(keys, columns.Key{Text: w}, columns.Key{Text: w, Prefix: true}, columns.Key{Text: w, Prefix: true, Last: w + "b"})
	}
	defer func(most int) { columns.MaxWords = most }(columns.MaxWords)
	for _, columns.MaxWords = range []int{1, 4, 9, 100} {
		c := pairedColumns(t, shard, 0)
		c = c.Without(docset.Of(3, 5, 8))
		asked, unsure := 0, 0
		for _, key := range keys {
			for field := range uint16(len(fields)) {
				docs, want := inRecords(shard, key, field)
				found, unknown := c.InFields(key, func(f uint16) bool { return f == field }, docs, c.Ahead())
				if !found.AndNot(want).Empty() || !want.AndNot(found).AndNot(unknown).Empty() || !unknown.AndNot(docs).Empty() {
					t.Fatalf("%d words with columns, %+v in field %d: found %v, unknown %v, want %v", columns.MaxWords, key, field, found, unknown, want)
				}
				asked, unsure = asked+docs.Len(), unsure+unknown.Len()
			}
		}
		if columns.MaxWords == 9 && unsure*4 > asked || columns.MaxWords == 100 && unsure > asked/100 {
			t.Errorf("%d words with columns: %d of %d records must be read", columns.MaxWords, unsure, asked)
		}
	}
}
