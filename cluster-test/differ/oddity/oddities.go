package oddity

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"

	"shoal/cluster-test/life"
)

// Oddities add to a life what indexes seldom see.
type Oddities struct {
	r     *rand.Rand
	after life.Request // follows the requests that were just made
	// master is the master key of both servers, which the values of keys are made from; "" if
	// they have none.
	master string
}

// New makes the oddities of a life. master is the master key of both servers, "" if they have none.
func New(seed uint64, master string) *Oddities {
	return &Oddities{r: rand.New(rand.NewPCG(seed, 3)), master: master}
}

// Pending tells whether Next makes the request that follows the last ones.
func (o *Oddities) Pending() bool { return o.after.Path != "" }

// KeyUIDs are the keys that a life may make.
var KeyUIDs = []string{"3b0f7a0e-6a52-4b0e-9f4e-1d2c3b4a5968", "7f3d2a10-91c4-4f0a-8f6e-5a4b3c2d1e0f"}

// scalars are values without members, as they are written.
var scalars = []string{
	"null", "true", "false", "0", "-0", "-0.0", "1", "-1", "1.0", "0.1", "1e3", "1E-3", "1e308", "-1e-308", "5e-324", "9007199254740993", "18446744073709551615", "-9223372036854775808",
	"123456789012345678901234567890", `""`, `" "`, `"a"`, `"A"`, `"\u00e9"`, `"e\u0301"`, `"stra\u00dfe"`, `"\ud83d\ude00"`, `"日本語 のテキスト"`, `"한국어"`, `"العربية"`, `"שלום"`, `"\t\n"`, `"10"`, `"1e3"`, `"-0"`,
	`"true"`, `"null"`, `"a.b"`, `"the quick brown fox"`, `"don't, can't; won't!"`, `"2021-01-01T00:00:00Z"`, `"\u0000"`, `"<b>&amp;</b>"`,
}

var members = []string{"title", "genre", "tags", "year", "price", "nested", "nested.a", "a.b.c", "", " ", "é", "mixed", "$x", "_geo", "_vectors", "_geojson"}

func (o *Oddities) scalar() string { return scalars[o.r.IntN(len(scalars))] }

// value is any JSON.
func (o *Oddities) value(depth int) string {
	switch n := o.r.IntN(10); {
	case depth == 0 || n < 6:
		return o.scalar()
	case n < 8:
		list := make([]string, o.r.IntN(4))
		for i := range list {
			list[i] = o.value(depth - 1)
		}
		return "[" + strings.Join(list, ",") + "]"
	}
	return o.object(depth-1, o.r.IntN(4), "")
}

// object has a number of members beside the given ones; a name may come twice.
func (o *Oddities) object(depth, n int, first string) string {
	list := []string{}
	if first != "" {
		list = append(list, first)
	}
	for range n {
		name, err := json.Marshal(members[o.r.IntN(len(members))])
		if err != nil {
			panic(err) // our own names
		}
		below := depth
		if string(name) == `""` { // its members have other names on purpose
			below = 0
		}
		list = append(list, string(name)+":"+o.value(below))
	}
	return "{" + strings.Join(list, ",") + "}"
}

// Next makes a request, or a few that belong together, beside those of the life.
func (o *Oddities) Next() []life.Request {
	if r := o.after; r.Path != "" {
		o.after = life.Request{}
		return []life.Request{r}
	}
	if o.master != "" && o.Chance(15) {
		return o.guarded()
	}
	if o.Chance(30) {
		return []life.Request{o.one()}
	}
	topics := []func() []life.Request{
		o.texts, o.wording, o.wording, o.wordSettings, o.nameSettings, o.nameQueries, o.nameQueries, o.shapes, o.around, o.crowd, o.chores, o.written, o.functions, o.several, o.several,
		o.toggles, o.rules, o.rules, o.foreign, o.foreign, o.addresses, o.addresses,
	}
	return oneOf(o, topics)()
}

func (o *Oddities) one() life.Request {
	index := []string{"alpha", "beta", "gamma", "delta"}[o.r.IntN(4)]
	at := "/indexes/" + index
	raw := func(text string) json.RawMessage { return json.RawMessage(text) }
	switch n := o.r.IntN(100); {
	case n < 45:
		id := fmt.Sprint(o.r.IntN(40))
		if o.r.IntN(8) == 0 {
			id = o.scalar()
		}
		docs := make([]string, 1+o.r.IntN(3))
		for i := range docs {
			docs[i] = o.object(3, o.r.IntN(6), `"id":`+id)
		}
		method := []string{"POST", "PUT"}[o.r.IntN(2)]
		return life.Request{Method: method, Path: at + "/documents", Body: raw("[" + strings.Join(docs, ",") + "]"), Write: true}
	case n < 60:
		filter := []string{"title", "genre", "year", "price", "nested.a", "mixed"}[o.r.IntN(6)] + []string{" = ", " != ", " > ", " < ", " >= ", " <= "}[o.r.IntN(6)] + strings.ReplaceAll(o.scalar(), `\`, "")
		body, err := json.Marshal(map[string]any{"filter": filter, "limit": 30, "facets": []string{"*"}, "showRankingScoreDetails": true})
		if err != nil {
			panic(err) // our own values
		}
		return life.Request{Method: "POST", Path: at + "/search", Body: json.RawMessage(body)}
	case n < 75:
		// Any value for any parameter.
		parameter := []string{"q", "limit", "offset", "page", "hitsPerPage", "filter", "sort", "facets", "distinct", "attributesToRetrieve", "attributesToCrop", "cropLength", "cropMarker", "attributesToHighlight",
			"highlightPreTag", "showMatchesPosition", "showRankingScore", "matchingStrategy", "attributesToSearchOn", "rankingScoreThreshold", "locales", "hybrid", "vector", "retrieveVectors", "none"}[o.r.IntN(25)]
		return life.Request{Method: "POST", Path: at + "/search", Body: raw(`{"` + parameter + `":` + o.value(2) + `}`)}
	case n < 83:
		// Not searchCutoffMs: what a search cut off shows is a matter of milliseconds.
		setting := []string{"rankingRules", "searchableAttributes", "displayedAttributes", "filterableAttributes", "sortableAttributes", "stopWords", "synonyms", "distinctAttribute", "typoTolerance", "faceting", "pagination",
			"dictionary", "separatorTokens", "proximityPrecision", "prefixSearch", "localizedAttributes"}[o.r.IntN(16)]
		return life.Request{Method: "PATCH", Path: at + "/settings", Body: raw(`{"` + setting + `":` + o.value(2) + `}`), Write: true}
	case n < 88:
		uid := KeyUIDs[o.r.IntN(2)]
		return life.Request{Method: "POST", Path: "/keys", Body: raw(`{"uid":"` + uid + `","actions":["search"],"indexes":["*"],"expiresAt":null,"name":` + o.value(1) + `}`)}
	case n < 92:
		return life.Request{Method: []string{"GET", "DELETE"}[o.r.IntN(2)], Path: "/keys/" + KeyUIDs[o.r.IntN(2)]}
	case n < 95:
		return life.Request{Method: "PATCH", Path: "/keys/" + KeyUIDs[o.r.IntN(2)], Body: raw(`{"description":` + o.value(1) + `}`)}
	case n < 97:
		return life.Request{Method: "POST", Path: "/dumps", Write: true}
	}
	return life.Request{Method: "GET", Path: at + "/documents?limit=1000&fields=" + members[o.r.IntN(8)]}
}
