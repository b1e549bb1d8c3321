package extremes

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	clustertest "shoal/cluster-test"
	"shoal/cluster-test/rig"
)

func TestMain(m *testing.M) { os.Exit(rig.Main(m)) }

const (
	// soon is how long an answer may take: far more than the 1.5 s of the search
	// cutoff, for machines that do other things too.
	soon = 10 * time.Second
	// most is the memory of the node at the end, in MiB: about twice what was seen.
	most = 2500
)

// node is the one that is asked.
type node struct {
	*clustertest.Node
	t *testing.T
}

// write waits for a change, which has to succeed.
func (n *node) write(what, method, path string, body any) {
	n.t.Helper()
	ctx, cancel := context.WithTimeout(n.t.Context(), time.Minute)
	defer cancel()
	begin := time.Now()
	if err := n.Write(ctx, method, path, body); err != nil {
		n.t.Fatalf("%s: %v", what, err)
	}
	n.t.Logf("%-40s %6d ms", what, time.Since(begin).Milliseconds())
}

// answer is what a search says.
type answer struct {
	Hits  []map[string]json.RawMessage `json:"hits"`
	Total *int                         `json:"estimatedTotalHits"`
	Code  string                       `json:"code"`

	FacetDistribution map[string]map[string]int `json:"facetDistribution"`
}

// search asks an index; status is what is expected.
func (n *node) search(what, index string, status int, query map[string]any) *answer {
	n.t.Helper()
	ctx, cancel := context.WithTimeout(n.t.Context(), time.Minute)
	defer cancel()
	begin := time.Now()
	got, b, err := n.Do(ctx, "POST", "/indexes/"+index+"/search", query)
	took := time.Since(begin)
	if err != nil || got != status {
		n.t.Fatalf("%s: %d %.300s %v", what, got, b, err)
	}
	n.t.Logf("%-40s %6d ms", what, took.Milliseconds())
	if took > soon {
		n.t.Errorf("%s took %s", what, took)
	}
	a := new(answer)
	if err := json.Unmarshal(b, a); err != nil {
		n.t.Fatal(err)
	}
	return a
}

// found checks how many documents a search finds.
func (n *node) found(what, index string, want int, query map[string]any) *answer {
	n.t.Helper()
	a := n.search(what, index, http.StatusOK, query)
	if a.Total == nil {
		n.t.Fatalf("%s: no total", what)
	}
	if *a.Total != want {
		n.t.Errorf("%s: found %d, want %d", what, *a.Total, want)
	}
	return a
}

func TestWhatNoClientShouldSendIsAnsweredSoon(t *testing.T) {
	c := rig.New(t, 1, rig.Shards(4))
	rig.Start(t, c)
	n := &node{c.Nodes[0], t}
	n.words()
	n.fields()
	n.values()
	n.text()
	if peak, err := n.Peak(); err != nil || peak > most {
		t.Errorf("the node took %d MiB (%v)", peak, err)
	}
}

// words: long queries, deep filters, settings of megabytes.
func (n *node) words() {
	var docs bytes.Buffer
	for i := range 5000 {
		fmt.Fprintf(&docs, `{"id":%d,"text":"a lantern by the harbour %d of %d","group":%d}`+"\n", i, i, i%97, i%10)
	}
	n.write("settings", "PATCH", "/indexes/words/settings", map[string]any{"filterableAttributes": []string{"group"}})
	n.write("5,000 documents", "POST", "/indexes/words/documents", docs.Bytes())
	long := strings.Repeat("lantern harbour ", 5000)
	n.found("10,000 words", "words", 5000, map[string]any{"q": long})
	n.search("ten one-letter words", "words", http.StatusOK, map[string]any{"q": "a b c d e f g h i j"})
	n.found("a one-letter prefix", "words", 5000, map[string]any{"q": "l", "showRankingScoreDetails": true, "limit": 1000})
	n.search("nested phrases", "words", http.StatusOK, map[string]any{"q": strings.Repeat(`"`, 2000) + strings.Repeat(`a "b "c`, 500)})
	n.found("a word of 100,000 letters", "words", 0, map[string]any{"q": strings.Repeat("x", 100_000), "matchingStrategy": "all"})
	n.found("page 1,000,000", "words", 5000, map[string]any{"q": "lantern", "offset": 1_000_000_000, "limit": 1_000_000})
	deep := strings.Repeat("(", 2000) + "group = 1" + strings.Repeat(")", 2000)
	if a := n.search("a filter 2,000 deep", "words", http.StatusBadRequest, map[string]any{"filter": deep}); a.Code != "invalid_search_filter" {
		n.t.Errorf("a deep filter: %s", a.Code)
	}
	wide := strings.Repeat("group = 11 OR ", 20_000) + "group = 1"
	n.found("a filter of 20,000 conditions", "words", 500, map[string]any{"filter": wide})
	synonyms := map[string][]string{"quay": {"harbour"}}
	for i := range 60_000 {
		synonyms[fmt.Sprintf("word%dof many", i)] = []string{fmt.Sprintf("other%d", i*7919%60_000), "lantern light"}
	}
	n.write("60,000 synonyms", "PATCH", "/indexes/words/settings", map[string]any{"synonyms": synonyms})
	n.found("a synonym", "words", 5000, map[string]any{"q": "quay"})
	n.write("a document after that", "POST", "/indexes/words/documents", []byte(`{"id":1,"text":"replaced"}`))
}

// fields: a document of 60,000 fields, and settings that name half of them.
func (n *node) fields() {
	names := make([]string, 60_000)
	document := map[string]any{"id": 1}
	for i := range names {
		names[i] = fmt.Sprintf("a field with a rather long name %d", i)
		document[names[i]] = i
	}
	n.write("60,000 fields", "POST", "/indexes/fields/documents", []any{document})
	a := n.found("all of them highlighted", "fields", 1, map[string]any{"q": "59999", "attributesToHighlight": []string{"*"}})
	if formatted := string(a.Hits[0]["_formatted"]); !strings.Contains(formatted, `"`+names[59_999]+`":"<em>59999</em>"`) {
		n.t.Errorf("the last field is not highlighted: %.100s", formatted)
	}
	half := names[:30_000]
	n.write("half of them in settings", "PATCH", "/indexes/fields/settings", map[string]any{
		"searchableAttributes": half, "displayedAttributes": half, "filterableAttributes": half, "sortableAttributes": half,
	})
	n.found("a field that is not searched now", "fields", 0, map[string]any{"q": `"59999"`})
	a = n.found("30,000 facets", "fields", 1, map[string]any{"q": "29999", "facets": []string{"*"}, "attributesToSearchOn": half})
	if len(a.FacetDistribution) != len(half) {
		n.t.Errorf("%d facets", len(a.FacetDistribution))
	}
	n.write("a document after that", "POST", "/indexes/fields/documents", []any{map[string]any{"id": 2, names[5]: 1}})
	ctx, cancel := context.WithTimeout(n.t.Context(), time.Minute)
	defer cancel()
	more := map[string]any{"id": 3}
	for i := range 6000 {
		more[fmt.Sprint("one more ", i)] = i
	}
	err := n.Write(ctx, "POST", "/indexes/fields/documents", []any{more})
	if err == nil || !strings.Contains(err.Error(), "A document cannot contain more than 65,535 fields.") {
		n.t.Errorf("66,000 fields: %v", err)
	}
}

// values: a facet of a million.
func (n *node) values() {
	n.write("settings", "PATCH", "/indexes/values/settings", map[string]any{"filterableAttributes": []string{"v"}})
	var docs bytes.Buffer
	for i := range 100_000 {
		fmt.Fprintf(&docs, `{"id":%d,"v":[`, i)
		for k := range 10 {
			if k > 0 {
				docs.WriteByte(',')
			}
			fmt.Fprint(&docs, i*10+k)
		}
		docs.WriteString("]}\n")
	}
	n.write("a million values", "POST", "/indexes/values/documents", docs.Bytes())
	a := n.found("their distribution", "values", 100_000, map[string]any{"facets": []string{"v"}})
	if len(a.FacetDistribution["v"]) != 100 {
		n.t.Errorf("%d values are listed", len(a.FacetDistribution["v"]))
	}
	n.found("half of them", "values", 50_000, map[string]any{"filter": "v >= 500000", "distinct": "v"})
}

// text: a document of 10 MiB.
func (n *node) text() {
	var b strings.Builder
	for i := 0; b.Len() < 10<<20; i++ {
		fmt.Fprintf(&b, "w%d ", i)
	}
	n.write("a document of 10 MiB", "POST", "/indexes/text/documents", []any{map[string]any{"id": 1, "text": b.String()}})
	n.found("its highlight", "text", 1, map[string]any{
		"q": "w60000", "attributesToRetrieve": []string{"id"}, "attributesToHighlight": []string{"text"}, "attributesToCrop": []string{"text"},
	})
}
