package backup

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	clustertest "shoal/cluster-test"
)

// documents are how many the larger index has.
const documents = 900

// fill writes one of everything that a cluster holds.
func fill(t *testing.T, nodes []*clustertest.Node) {
	t.Helper()
	c := &client{t: t, nodes: nodes}
	c.ask("PATCH", "/experimental-features", `{"dynamicSearchRules":true,"chatCompletions":true,"network":true,"containsFilter":true}`)
	c.write("POST", "/indexes", `{"uid":"films","primaryKey":"id"}`)
	c.write("PATCH", "/indexes/films/settings", `{"filterableAttributes":["year","genres","_geo"],"sortableAttributes":["year","_geo"],
		"synonyms":{"movie":["film"]},"stopWords":["the"],"typoTolerance":{"minWordSizeForTypos":{"oneTypo":4}},"pagination":{"maxTotalHits":5000},
		"embedders":{"own":{"source":"userProvided","dimensions":3}},"localizedAttributes":[{"attributePatterns":["title"],"locales":["eng"]}]}`)
	for part := range 3 {
		c.write("POST", "/indexes/films/documents", films(part*documents/3, documents/3))
	}
	c.write("PUT", "/indexes/films/documents", []byte(`{"id":7,"year":1901,"extra":{"deep":[1,{"er":null}]}}`+"\n"))
	c.write("POST", "/indexes/films/documents/delete-batch", `[11,12,13]`)
	c.write("POST", "/indexes/books/documents", []byte(`{"isbn_id":"a-1","title":"Cloud Atlas","big":12345678901234567890,"real":1.50}`+"\n"))
	c.write("POST", "/indexes", `{"uid":"empty"}`)
	// Settings that the reference does not have.
	c.write("PATCH", "/indexes/shirts/settings", `{"filterableAttributes":["until",{"attributePatterns":["variants","variants.*"],"features":{"facetSearch":true,"filter":{"equality":true,"comparison":true},"sameObject":true}}],"expiryAttribute":"until"}`)
	c.write("POST", "/indexes/shirts/documents", []byte(`{"id":1,"variants":[{"color":"red","size":42},{"color":"blue","size":40}]}`+"\n"+`{"id":2,"until":4000000000,"variants":[{"color":"red","size":40},{"color":"blue","size":42}]}`+"\n"))
	// Given vectors outlive the dimensions of their embedder; a file must bring them.
	c.write("POST", "/indexes/aged/documents", []byte(`{"id":1,"title":"old","_vectors":{"own":[1,2]}}`+"\n"))
	for _, dimensions := range []int{2, 3} {
		c.write("PATCH", "/indexes/aged/settings", fmt.Sprintf(`{"embedders":{"own":{"source":"userProvided","dimensions":%d}}}`, dimensions))
	}
	failed := c.enqueue("POST", "/indexes/films/documents", `[{"title":"no id"}]`)
	if err := c.wait(failed); err == nil {
		t.Fatal("a document without id was added")
	}
	c.ask("POST", "/keys", `{"uid":"6062abda-a5aa-4414-ac91-ecd7944c0f8d","name":"films","actions":["search","documents.*"],"indexes":["films","b*"],"expiresAt":"2099-01-02T03:04:05Z"}`)
	c.ask("POST", "/keys", `{"description":"for ever","actions":["*"],"indexes":["*"],"expiresAt":null}`)
	c.ask("POST", "/webhooks", `{"url":"http://127.0.0.1:9/hook","headers":{"authorization":"secret"}}`)
	c.ask("PATCH", "/chats/desk/settings", `{"source":"openAi","apiKey":"abcdefghijklmnop"}`)
	c.ask("PUT", "/cluster/aliases/pictures", `{"index":"films"}`)
	c.ask("PUT", "/cluster/aliases/prose", `{"index":"books"}`)
	c.ask("PATCH", "/network", `{"remotes":{"far":{"url":"http://127.0.0.1:9","searchApiKey":"x"}}}`)
	c.write("PATCH", "/dynamic-search-rules/first", `{"description":"pins one","conditions":{"query":{"words":"river"}},"actions":[{"selector":{"indexUid":"films","id":"42"},"action":{"type":"pin","position":0}}]}`)
}

// films are n documents as NDJSON.
func films(first, n int) []byte {
	adjectives := strings.Fields("quiet golden broken distant hidden silver burning frozen endless little")
	nouns := strings.Fields("river mountain garden letter winter station island mirror journey castle")
	genres := strings.Fields("drama comedy thriller western musical")
	var b bytes.Buffer
	for i := first; i < first+n; i++ {
		fmt.Fprintf(&b, `{"id":%d,"title":"The %s %s","overview":"A %s story about a %s and the %s","year":%d,"genres":["%s","%s"],"_geo":{"lat":%d,"lng":%d},"_vectors":{"own":[%d,%d,1]}}`+"\n",
			i, adjectives[i%10], nouns[i/10%10], adjectives[i/7%10], nouns[i/3%10], nouns[i%7], 1900+i%120, genres[i%5], genres[i/5%5], i%80, i%170, i%13, i%17)
	}
	return b.Bytes()
}

// questions are searches by path.
func questions() map[string]string {
	out := map[string]string{}
	for _, q := range []string{
		`{"q":"river","facets":["*"],"showRankingScore":true,"attributesToHighlight":["*"]}`,
		`{"q":"quiet gardn","limit":50}`, `{"q":"movie"}`, `{"q":"\"golden river\""}`, `{"q":"brok","filter":"year > 1950 AND genres = drama","sort":["year:desc"]}`,
		`{"filter":"_geoRadius(10,10,900000)","sort":["_geoPoint(10,10):asc"],"limit":40}`, `{"q":"castle -winter","page":3,"hitsPerPage":7}`,
		`{"vector":[1,2,3],"hybrid":{"embedder":"own","semanticRatio":1},"retrieveVectors":true}`, `{"q":"winter","vector":[3,0,1],"hybrid":{"embedder":"own"},"showRankingScore":true}`,
		`{"q":"winter","matchingStrategy":"all","attributesToCrop":["overview:3"]}`, `{"q":"","facets":["genres","year"],"limit":0}`, `{"filter":"genres CONTAINS ill","limit":5}`,
	} {
		out["/indexes/films/search "+q] = q
	}
	out["/indexes/books/search"] = `{"q":"clouds atlas"}`
	out["/indexes/prose/search"] = `{"q":"clouds atlas"}`
	out["/indexes/shirts/search"] = `{"filter":"variants.{color = red AND size = 42}"}`
	out["/indexes/films/similar"] = `{"id":42,"embedder":"own","limit":10}`
	out["/indexes/films/facet-search"] = `{"facetName":"genres","facetQuery":"th"}`
	out["/multi-search"] = `{"federation":{"limit":30},"queries":[{"indexUid":"films","q":"letter"},{"indexUid":"books","q":"atlas"}]}`
	return out
}

// state is what a client sees of a cluster: answers by a name for each.
type state map[string]string

// look asks for everything; tasks before the limit only, as the way into the file
// is a task itself.
func look(t *testing.T, nodes []*clustertest.Node, limit uint32) state {
	t.Helper()
	c := &client{t: t, nodes: nodes}
	s := state{}
	get := func(path string) { s[path] = string(c.ask("GET", path, nil)) }
	for _, path := range []string{"/keys?limit=100", "/experimental-features", "/webhooks", "/network", "/indexes", "/chats", "/chats/desk/settings", "/dynamic-search-rules/first", "/cluster/aliases"} {
		get(path)
	}
	for _, uid := range []string{"films", "books", "empty", "aged", "shirts"} {
		get("/indexes/" + uid + "/settings")
		get("/indexes/" + uid + "/documents?retrieveVectors=true&limit=100000")
	}
	for _, uid := range []string{"films", "books", "empty"} { // not aged: vectors that do not show count, but are not dumped
		s["stats of "+uid] = figures(t, c.ask("GET", "/indexes/"+uid+"/stats", nil))
	}
	s["tasks"] = queue(t, c.ask("GET", "/tasks?limit=10000", nil), limit)
	for name, body := range questions() {
		path, _, _ := strings.Cut(name, " ")
		s[name] = string(clustertest.Mask(c.ask("POST", path, body)))
	}
	return s
}

// figures leaves the sizes of stores out.
func figures(t *testing.T, stats []byte) string {
	t.Helper()
	var f struct {
		NumberOfDocuments, NumberOfEmbeddedDocuments, NumberOfEmbeddings int
		FieldDistribution                                                map[string]int
	}
	if err := json.Unmarshal(stats, &f); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%+v", f)
}

// queue lists the tasks below a uid, one a line.
func queue(t *testing.T, page []byte, limit uint32) string {
	t.Helper()
	var list struct{ Results []json.RawMessage }
	if err := json.Unmarshal(page, &list); err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, raw := range list.Results {
		var task struct{ UID uint32 }
		if err := json.Unmarshal(raw, &task); err != nil {
			t.Fatal(err)
		}
		if task.UID < limit {
			out = append(out, string(raw))
		}
	}
	return strings.Join(out, "\n")
}

// equal fails for every answer that changed, and logs what it compared.
func equal(t *testing.T, what string, before, after state) {
	t.Helper()
	for name, want := range before {
		if got := after[name]; got != want {
			at := 0
			for at < min(len(got), len(want)) && got[at] == want[at] {
				at++
			}
			from := max(0, at-80)
			t.Errorf("%s: %s differs at byte %d:\nbefore ...%.300s\nafter  ...%.300s", what, name, at, want[min(from, len(want)):], got[min(from, len(got)):])
		}
	}
	t.Logf("%s: %d answers equal: %d documents, %d tasks, %d searches, settings of 5 indexes, keys, webhooks, network, features, chats, rules",
		what, len(before), strings.Count(before["/indexes/films/documents?retrieveVectors=true&limit=100000"], `"title"`)+2,
		strings.Count(before["tasks"], "\n")+1, len(questions()))
}
