package limits

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	clustertest "shoal/cluster-test"
	"shoal/cluster-test/rig"
)

func TestMain(m *testing.M) { os.Exit(rig.Main(m)) }

const (
	masterKey = "the master key of the limits"
	// bodyLimit is the largest body of a search, in MiB; beyond it a request may take
	// extra, and soon is how long it may take to be refused.
	bodyLimit = 4
	extra     = 64
	soon      = 2 * time.Second
	// atWork is how long a request may take that is answered: the cutoff of a search and
	// what comes before and after it.
	atWork = 4 * time.Second
)

// attack is one request that a search key allows.
type attack struct {
	name   string
	path   string // GET when body is nil
	body   []byte
	packed bool // sent gzipped
	want   int
}

// victim is a node with a public search key and a small index.
type victim struct {
	*clustertest.Node
	c   *clustertest.Cluster
	t   *testing.T
	key string
	// idle is the most memory the process had had when it was begun, in MiB.
	idle int
}

func newVictim(t *testing.T, env ...string) *victim {
	c := rig.New(t, 1, append(env, rig.Shards(2), "SHOAL_MASTER_KEY="+masterKey)...)
	rig.Start(t, c)
	v := &victim{Node: c.Nodes[0], c: c, t: t}
	v.Key = masterKey
	v.write("PATCH", "/indexes/things/settings", map[string]any{
		"filterableAttributes": []string{"group", "title", "_geo"}, "sortableAttributes": []string{"group", "_geo"},
	})
	var docs bytes.Buffer
	for i := range 2000 {
		fmt.Fprintf(&docs, `{"id":%d,"title":"a lantern by the harbour %d of %d","group":%d,"_geo":{"lat":%d,"lng":%d}}`+"\n", i, i, i%97, i%10, i%80, i%170)
	}
	v.write("POST", "/indexes/things/documents", docs.Bytes())
	v.key = v.searchKey()
	v.restart()
	return v
}

// restart ends the process and begins it again: what it had taken and given back would
// hide what it takes next.
func (v *victim) restart() {
	v.t.Helper()
	v.Stop()
	err := v.Start(v.c)
	if err == nil {
		err = v.Ready(v.t.Context())
	}
	if err == nil {
		_, _, err = v.Do(v.t.Context(), "POST", "/indexes/things/search", map[string]any{"q": "lantern"})
	}
	if err == nil {
		v.idle, err = v.Peak()
	}
	if err != nil {
		v.t.Fatal(err)
	}
}

// taken is the most memory that the process has had above its idle one, in MiB.
func (v *victim) taken() int {
	v.t.Helper()
	peak, err := v.Peak()
	if err != nil {
		v.t.Fatal(err)
	}
	return peak - v.idle
}

func (v *victim) write(method, path string, body any) {
	v.t.Helper()
	ctx, cancel := context.WithTimeout(v.t.Context(), time.Minute)
	defer cancel()
	if err := v.Write(ctx, method, path, body); err != nil {
		v.t.Fatal(err)
	}
}

// searchKey is the key that a new server has for the public.
func (v *victim) searchKey() string {
	v.t.Helper()
	_, b, err := v.Do(v.t.Context(), "GET", "/keys", nil)
	if err != nil {
		v.t.Fatal(err)
	}
	var keys struct {
		Results []struct {
			Key     string   `json:"key"`
			Actions []string `json:"actions"`
		} `json:"results"`
	}
	if err := json.Unmarshal(b, &keys); err != nil {
		v.t.Fatal(err)
	}
	for _, k := range keys.Results {
		if len(k.Actions) == 1 && k.Actions[0] == "search" {
			return k.Key
		}
	}
	v.t.Fatalf("no search key: %s", b)
	return ""
}

// send sends the attack once and returns the status and the beginning of the answer.
func (v *victim) send(a *attack) (status int, answer string, err error) {
	status, answer, _, err = v.exchange(a)
	return status, answer, err
}

// size sends the attack once and returns the status and the size of the answer.
func (v *victim) size(a *attack) (status, size int, err error) {
	status, _, size, err = v.exchange(a)
	return status, size, err
}

func (v *victim) exchange(a *attack) (status int, answer string, size int, err error) {
	method, body := "POST", a.body
	if body == nil {
		method = "GET"
	}
	if a.packed {
		body = pack(body)
	}
	ctx, cancel := context.WithTimeout(v.t.Context(), time.Minute)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, "http://"+v.HTTP+a.path, bytes.NewReader(body))
	if err != nil {
		return 0, "", 0, err
	}
	req.Header.Set("Authorization", "Bearer "+v.key)
	if a.body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if a.packed {
		req.Header.Set("Content-Encoding", "gzip")
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, "", 0, err
	}
	defer res.Body.Close()
	head, err := io.ReadAll(io.LimitReader(res.Body, 200))
	if err == nil {
		var rest int64
		rest, err = io.Copy(io.Discard, res.Body)
		size = len(head) + int(rest)
	}
	return res.StatusCode, string(head), size, err
}

func pack(b []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, _ = w.Write(b) // memory takes everything
	_ = w.Close()
	return out.Bytes()
}

// list is head, n pieces with commas between, and tail.
func list(head string, n int, piece func(i int) string, tail string) []byte {
	b := []byte(head)
	for i := range n {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, piece(i)...)
	}
	return append(b, tail...)
}

func same(s string) func(int) string { return func(int) string { return s } }

func numbered(format string) func(int) string {
	return func(i int) string { return fmt.Sprintf(format, i) }
}

func text(member, value string) []byte {
	return []byte(`{"` + member + `":` + string(must(json.Marshal(value))) + `}`)
}

func must[V any](v V, err error) V {
	if err != nil {
		panic(err)
	}
	return v
}

func fill(piece string, mib float64) string {
	return strings.Repeat(piece, int(mib*(1<<20))/len(piece))
}

// attacks are the most expensive requests of every route that a search key opens.
func attacks() []attack {
	const search, many, facet, similar = "/indexes/things/search", "/multi-search", "/indexes/things/facet-search", "/indexes/things/similar"
	most := 200_000 // values, of about 230,000 that a body may have
	return []attack{
		{"204 KiB of gzip: empty arrays", search, list(`{"q":"lantern","x":[`, 33_000_000, same("[]"), `]}`), true, 413},
		{"a body of 100 MB of blanks", search, []byte("{" + strings.Repeat(" ", 99_000_000) + "}"), true, 413},
		{"empty arrays in 4 MiB", search, list(`{"x":[`, 1_300_000, same("[]"), `]}`), false, 413},
		{"numbers in 4 MiB", many, list(`{"queries":[`, 2_000_000, same("1"), `]}`), false, 413},
		{"200,000 unknown values", search, list(`{"x":[`, most, same("[]"), `]}`), false, 400},
		{"100,000 members", search, list(`{"filter":{`, 100_000, numbered(`"m%d":1`), `}}`), false, 400},
		{"an unknown name of 3.5 MiB", search, []byte(`{"` + fill("a", 3.5) + `":1}`), false, 400},
		{"an unknown name of 3.5 MiB in CJK", search, []byte(`{"` + fill("海", 3.5) + `":1}`), false, 400},
		{"100,000 queries", many, list(`{"queries":[`, 100_000, same(`{"indexUid":"things"}`), `]}`), true, 413},
		{"1,000 queries", many, list(`{"queries":[`, 1000, same(`{"indexUid":"things","q":"lantern","limit":1}`), `]}`), false, 200},
		{"500 federated queries", many, list(`{"federation":{},"queries":[`, 500, same(`{"indexUid":"things","q":"lantern"}`), `]}`), false, 200},
		{"facets of 100,000 indexes", many, list(`{"queries":[],"federation":{"facetsByIndex":{`, 100_000, numbered(`"i%d":[]`), `}}}`), false, 400},

		{"words of 3.5 MiB", search, text("q", fill("lantern harbour ", 3.5)), false, 200},
		{"a word of 3.5 MiB", search, text("q", fill("x", 3.5)), false, 200},
		{"a sentence of 3.5 MiB in Chinese", search, text("q", fill("海边的灯笼", 3.5)), false, 200},
		{"a word of 3.5 MiB in Thai", search, text("q", fill("โคมไฟ", 3.5)), false, 200},
		{"a German compound of 3.5 MiB", search, []byte(`{"locales":["deu"],"q":"` + fill("hafenlaterne", 3.5) + `"}`), false, 200},
		{"phrases of 2.5 MiB", search, text("q", fill(`"a" `, 2.5)), false, 200},
		{"negations of 3.5 MiB", search, text("q", fill(`-a `, 3.5)), false, 200},
		{"a phrase of 3.5 MiB", search, text("q", `"`+fill(`lantern harbour `, 3.5)+`"`), false, 200},
		{"combining marks of 3.5 MiB", search, text("q", fill("e\u0301\u0327", 3.5)), false, 200},

		{"a filter of 280,000 conditions", search, text("filter", fill("group = 1 OR ", 3.5)+"group = 1"), false, 400},
		{"a filter of 24,000 conditions", search, text("filter", strings.Repeat("group = 1 OR ", 24_000)+"group = 1"), false, 200},
		{"200,000 filters", search, list(`{"filter":[[`, most, same(`"group=1"`), `]]}`), false, 400},
		{"25,000 filters", search, list(`{"filter":[[`, 25_000, same(`"group=1"`), `]]}`), false, 200},
		{"a list of 500,000 values", search, text("filter", "group IN ["+fill("123456,", 3.5)+"1]"), false, 400},
		{"a list of 49,000 values", search, list(`{"filter":"id IN [`, 49_000, numbered("%d"), `]"}`), false, 400},
		{"a list of 49,000 values of a facet", search, list(`{"filter":"group IN [`, 49_000, numbered("%d"), `]"}`), false, 200},
		{"a filter 1,500,000 deep", search, text("filter", fill("(", 1.5)+"group = 1"+fill(")", 1.5)), false, 400},
		{"a filter negated 900,000 times", search, text("filter", fill("NOT ", 3.5)+"group = 1"), false, 400},
		{"a wrong filter of 3.5 MiB", search, text("filter", fill("group = ", 3.5)), false, 400},
		{"a quote without end of 3.5 MiB", search, text("filter", `group = "`+fill("a", 3.5)), false, 400},
		{"a value of 3.5 MiB", search, text("filter", `title = "`+fill("a", 3.5)+`"`), false, 200},
		{"a polygon of 300,000 corners", search, text("filter", "_geoPolygon("+fill("[1.5, 2.5], ", 3.5)+"[1,2])"), false, 400},
		{"a polygon of 4,900 corners", search, text("filter", "_geoPolygon("+strings.Repeat("[1.5, 2.5], ", 4900)+"[1,2])"), false, 0},
		{"a filter of arrays 100 deep", search, []byte(`{"filter":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}`), false, 400},

		{"200,000 attributes to retrieve", search, list(`{"attributesToRetrieve":[`, most, numbered(`"attribute%d"`), `]}`), false, 200},
		{"200,000 attributes to highlight", search, list(`{"q":"lantern","attributesToHighlight":[`, most, numbered(`"attribute%d"`), `]}`), false, 200},
		{"200,000 attributes to crop", search, list(`{"q":"lantern","attributesToCrop":[`, most, numbered(`"attribute%d"`), `]}`), false, 200},
		{"200,000 attributes to search on", search, list(`{"q":"lantern","attributesToSearchOn":[`, most, same(`"title"`), `]}`), false, 200},
		{"200,000 unknown attributes to search on", search, list(`{"q":"lantern","attributesToSearchOn":[`, most, numbered(`"attribute%d"`), `]}`), false, 200},
		{"200,000 facets", search, list(`{"facets":[`, most, same(`"group"`), `]}`), false, 0},
		{"200,000 unknown facets", search, list(`{"facets":[`, most, numbered(`"facet%d"`), `]}`), false, 400},
		{"200,000 sorts", search, list(`{"sort":[`, most, same(`"group:asc"`), `]}`), false, 400},
		{"1,000 sorts", search, list(`{"sort":[`, 1000, same(`"_geoPoint(1,2):asc"`), `]}`), false, 200},
		{"150,000 sorts by points", search, list(`{"sort":[`, 150_000, same(`"_geoPoint(1,2):asc"`), `]}`), false, 400},
		{"200,000 locales", search, list(`{"q":"lantern","locales":[`, most, same(`"deu"`), `]}`), false, 0},
		{"200,000 dimensions", search, list(`{"hybrid":{"embedder":"e"},"vector":[`, most, same(`0.125`), `]}`), false, 400},
		{"tags of 3.5 MiB", search, []byte(`{"q":"lantern","limit":1000,"attributesToHighlight":["*"],"highlightPreTag":"` + fill("a", 3.5) + `"}`), false, 400},
		{"a crop marker of 3.5 MiB", search, []byte(`{"q":"lantern","limit":1000,"attributesToCrop":["title"],"cropLength":1,"cropMarker":"` + fill("a", 3.5) + `"}`), false, 400},
		{"tags of 1 KiB", search, []byte(`{"q":"a l b h o","limit":1000,"attributesToHighlight":["*"],"highlightPreTag":"` + strings.Repeat("a", 1024) + `"}`), false, 200},
		{"media of 3.5 MiB", search, []byte(`{"media":{"a":"` + fill("a", 3.5) + `"}}`), false, 400},
		{"a matching strategy of 3.5 MiB", search, text("matchingStrategy", fill("a", 3.5)), false, 400},
		{"a distinct attribute of 3.5 MiB", search, text("distinct", fill("a", 3.5)), false, 400},

		{"a facet query of 3.5 MiB", facet, []byte(`{"facetName":"title","facetQuery":"` + fill("lantern ", 3.5) + `"}`), false, 200},
		{"200,000 ignored values", facet, list(`{"facetName":"title","x":[`, most, same("[]"), `]}`), false, 200},
		{"a facet name of 3.5 MiB", facet, text("facetName", fill("a", 3.5)), false, 400},
		{"a similar id of 3.5 MiB", similar, []byte(`{"embedder":"e","id":"` + fill("a", 3.5) + `"}`), false, 400},
		{"a similar id of 200,000 values", similar, list(`{"embedder":"e","id":[`, most, same("1"), `]}`), false, 400},

		{"a query string of 100 KiB: parameters", search + "?" + strings.Repeat("a&", 50_000), nil, false, 400},
		{"a query string of 100 KiB: attributes", search + "?attributesToRetrieve=" + strings.Repeat("a,", 50_000), nil, false, 200},
		{"a query string of 100 KiB: values", search + "?filter=" + url.QueryEscape("["+strings.Repeat("[],", 10_000)+"[]]"), nil, false, 200},
		{"a query string of 1 MiB", search + "?q=" + strings.Repeat("a", 1<<20), nil, false, 431},
	}
}

// TestABodySentWithASearchKeyTakesGigabytes: what a public key may send is refused,
// or answered, within 2 s, and takes at most 64 MiB beyond the size of a body.
func TestABodySentWithASearchKeyTakesGigabytes(t *testing.T) {
	v := newVictim(t)
	for _, a := range attacks() {
		t.Run(a.name, func(t *testing.T) {
			// The best of three counts: on a machine that does other things too the
			// collector of garbage comes late.
			for n := 1; ; n++ {
				faults := v.try(&a)
				if v.taken() > extra/4 {
					v.restart()
				}
				if len(faults) == 0 {
					return
				}
				t.Log(faults)
				if n == 3 {
					t.Fatal("it does so each time")
				}
			}
		})
	}
}

// try sends the attack once and tells what was wrong with the answer or its cost.
func (v *victim) try(a *attack) (faults []string) {
	v.t.Helper()
	begin := time.Now()
	status, answer, err := v.send(a)
	took := time.Since(begin)
	if err != nil {
		return []string{err.Error()}
	}
	if a.want != 0 && status != a.want {
		faults = append(faults, fmt.Sprintf("%d, want %d: %.200s", status, a.want, answer))
	}
	if took > atWork || status != http.StatusOK && took > soon {
		faults = append(faults, fmt.Sprintf("%d took %s", status, took))
	}
	if taken := v.taken(); taken > extra+bodyLimit {
		faults = append(faults, fmt.Sprintf("the node took %d MiB", taken))
	}
	return faults
}
