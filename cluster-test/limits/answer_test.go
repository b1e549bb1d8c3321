package limits

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// Documents that make a large answer.
const (
	largeDocuments = 48
	largeText      = 1 << 20
)

// newLibrary is a victim with documents of a MiB each. Two of their texts are searched:
// the rest would take the test its time.
func newLibrary(t *testing.T) *victim {
	v := newVictim(t)
	v.write("PATCH", "/indexes/library/settings", map[string]any{"searchableAttributes": []string{"title"}})
	r := rand.New(rand.NewPCG(1, 2))
	words := make([]string, 4096)
	for i := range words {
		words[i] = fmt.Sprintf("w%x", r.Uint32())
	}
	var docs bytes.Buffer
	for i := range largeDocuments {
		var text strings.Builder
		for text.Len() < largeText {
			text.WriteString(words[r.IntN(len(words))])
			text.WriteByte(' ')
		}
		fmt.Fprintf(&docs, `{"id":%d,"title":"a lantern by the harbour","text":%q}`+"\n", i, text.String())
		if docs.Len() > 50<<20 || i == largeDocuments-1 {
			v.write("POST", "/indexes/library/documents", docs.Bytes())
			docs.Reset()
		}
	}
	return v
}

// warm begins the process again and has it read all documents, a few at a time: the
// blocks that the store keeps belong to nobody's answer.
func (v *victim) warm() {
	v.t.Helper()
	v.restart()
	for from := 0; from < largeDocuments; from += 2 {
		a := attack{path: fmt.Sprintf("/indexes/library/search?limit=2&offset=%d", from)}
		if status, _, err := v.send(&a); err != nil || status != 200 {
			v.t.Fatal(status, err)
		}
	}
	v.idle = must(v.Peak())
}

// TestAnAnswerOfHundredsOfMiBTakesGigabytes: answers of any size take at most 64 MiB,
// and have all that was asked for.
func TestAnAnswerOfHundredsOfMiBTakesGigabytes(t *testing.T) {
	v := newLibrary(t)
	const search, many = "/indexes/library/search", "/multi-search"
	all := largeDocuments * largeText
	for _, a := range []struct {
		attack
		bytes int
	}{
		{attack{"all documents of a word", search, []byte(`{"q":"lantern","limit":1000,"showRankingScoreDetails":true}`), false, 200}, all},
		{attack{"all documents with highlights", search, []byte(`{"q":"lantern","limit":40,"attributesToHighlight":["title"]}`), false, 200}, 2 * 40 * largeText},
		{attack{"several searches", many, []byte(`{"queries":[{"indexUid":"library"},{"indexUid":"library","limit":1000},{"indexUid":"things"},{"indexUid":"library","q":"harbour","limit":30}]}`), false, 200}, all + 50*largeText},
		{attack{"merged searches", many, []byte(`{"federation":{"limit":1000},"queries":[{"indexUid":"library"},{"indexUid":"things"},{"indexUid":"library","q":"harbour"}]}`), false, 200}, all},
		{attack{"too many searches", many, list(`{"queries":[`, 200, same(`{"indexUid":"library"}`), `]}`), false, 413}, 0},
	} {
		t.Run(a.name, func(t *testing.T) {
			for n := 1; ; n++ {
				v.warm()
				begin := time.Now()
				status, size, err := v.size(&a.attack)
				took := time.Since(begin)
				taken := v.taken()
				t.Logf("%d: %d MiB in %s, the node took %d MiB", status, size>>20, took.Round(time.Millisecond), taken)
				if err != nil || status != a.want || size < a.bytes {
					t.Fatalf("%d of %d bytes, %v", size, a.bytes, err)
				}
				if taken <= extra+bodyLimit {
					return
				}
				if n == 3 {
					t.Fatal("it does so each time")
				}
			}
		})
	}
}
