package life

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/url"
	"strings"
)

// World makes the stream of requests. It keeps a rough model of what exists, so
// that most requests hit something; that the model may be wrong does not matter.
type World struct {
	r       *rand.Rand
	indexes map[string]*place
	aliases map[string]string // to indexes
	avoid   map[int]bool      // ids that requests must not name now
	after   Request           // follows the requests that were just made
	// Additions: requests use what the reference does not have.
	Additions bool
}

// place is what the model knows of one index.
type place struct {
	ids map[int]bool
}

var names = []string{"alpha", "beta", "gamma", "delta"}

// New returns the world of a seed.
func New(seed uint64) *World {
	return &World{r: rand.New(rand.NewPCG(seed, 1)), indexes: map[string]*place{}, aliases: map[string]string{}}
}

func (w *World) chance(percent int) bool { return w.r.IntN(100) < percent }

func pick[T any](w *World, list []T) T { return list[w.r.IntN(len(list))] }

// some takes up to n different entries in random order.
func some[T any](w *World, list []T, n int) []T {
	out := make([]T, 0, n)
	for _, i := range w.r.Perm(len(list))[:min(n, len(list))] {
		out = append(out, list[i])
	}
	return out
}

// index names an index that exists, now and then any other.
func (w *World) index() string {
	if w.chance(3) || len(w.indexes) == 0 {
		return pick(w, names)
	}
	if p := w.indexes[names[0]]; p != nil && w.chance(50) {
		return names[0] // it began with many documents
	}
	for _, k := range w.r.Perm(len(names)) {
		if w.indexes[names[k]] != nil {
			return names[k]
		}
	}
	return names[0]
}

func (w *World) at(uid string) *place {
	p := w.indexes[uid]
	if p == nil {
		p = &place{ids: map[int]bool{}}
		w.indexes[uid] = p
	}
	return p
}

// Found makes the first index with many documents.
func (w *World) Found(documents int) []Request {
	p := w.at(names[0])
	var b strings.Builder
	for id := range documents {
		p.ids[id] = true
		b.Write(encode(w.document(id)))
		b.WriteByte('\n')
	}
	return []Request{
		w.send("PATCH", "/experimental-features", map[string]any{"editDocumentsByFunction": true}, false),
		w.send("POST", "/indexes", map[string]any{"uid": names[0], "primaryKey": "id"}, true),
		w.wide(names[0]),
		{Method: "POST", Path: "/indexes/" + names[0] + "/documents", Body: []byte(b.String()), Write: true},
	}
}

// refill gives an index documents again after most were deleted.
func (w *World) refill(uid string) Request {
	p := w.at(uid)
	var b []byte
	for range 400 {
		id := w.r.IntN(1500)
		p.ids[id] = true
		b = append(append(b, encode(w.document(id))...), '\n')
	}
	return Request{Method: "POST", Path: "/indexes/" + uid + "/documents", Body: b, Write: true}
}

// wide lets most filters and sorts pass.
func (w *World) wide(uid string) Request {
	filterable := []any{"id", "genre", "tags", "year", "price", "mixed", "nested", "_geo", "code", "missing"}
	if w.Additions {
		filterable[6] = objects
	}
	body := map[string]any{
		"filterableAttributes": filterable,
		"sortableAttributes":   []string{"id", "year", "price", "title", "mixed", "genre", "_geo"},
		"searchCutoffMs":       60_000, // on a busy machine a search cut off shows less
		"embedders": map[string]any{
			"flat": map[string]any{"source": "userProvided", "dimensions": dimensions},
			"deep": map[string]any{"source": "userProvided", "dimensions": dimensions},
		},
	}
	if w.Additions {
		body["typoTolerance"] = map[string]any{"infixOnAttributes": some(w, []string{"title", "overview", "tags", "nested"}, w.r.IntN(4))}
	}
	return w.send("PATCH", "/indexes/"+uid+"/settings", body, true)
}

// Closing looks at everything once more.
func (w *World) Closing() []Request { return Everything() }

// Everything reads all that indexes hold.
func Everything() []Request {
	out := []Request{{Method: "GET", Path: "/indexes?limit=100"}, {Method: "GET", Path: "/stats"}}
	for _, n := range names {
		out = append(out,
			Request{Method: "GET", Path: "/indexes/" + n + "/settings"},
			Request{Method: "GET", Path: "/indexes/" + n + "/stats"},
			Request{Method: "GET", Path: "/indexes/" + n + "/documents?limit=10000"},
			Request{Method: "POST", Path: "/indexes/" + n + "/search", Body: json.RawMessage(`{"limit":1000}`)})
	}
	return out
}

func (w *World) send(method, path string, body any, write bool) Request {
	r := Request{Method: method, Path: path, Write: write}
	if body != nil {
		r.Body = json.RawMessage(encode(body))
	}
	return r
}

// encode is JSON with sorted member names: the same bytes for the same seed.
func encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("a request cannot be encoded: %v", err)) // our own values only
	}
	return b
}

// Next makes the next Request, or a few that belong together.
func (w *World) Next() []Request {
	if r := w.after; r.Path != "" {
		w.after = Request{}
		return []Request{r}
	}
	if !w.Additions {
		return w.next()
	}
	if w.chance(4) {
		return []Request{w.alias()}
	}
	return w.byAlias(w.next())
}

func (w *World) next() []Request {
	uid := w.index()
	kind := w.r.IntN(1000)
	if p := w.indexes[uid]; p != nil && len(p.ids) < 100 && w.chance(5) {
		return []Request{w.refill(uid)}
	}
	if kind >= 700 && kind < 910 {
		// The order of documents shows their ordinals.
		w.after = w.send("GET", "/indexes/"+uid+"/documents?limit=10000&fields=id", nil, false)
	}
	switch d := kind; {
	case d < 640:
		return []Request{w.search(uid)}
	case d < 700:
		return []Request{w.read(uid)}
	case d < 800:
		return []Request{w.addition(uid, false)}
	case d < 850:
		return w.burst(uid)
	case d < 910:
		return []Request{w.deletion(uid)}
	case d < 950:
		return []Request{w.settings(uid)}
	case d < 980:
		return []Request{w.wide(uid)}
	default:
		return []Request{w.indexChange(uid)}
	}
}

// read asks for documents, statistics and settings.
func (w *World) read(uid string) Request {
	at := "/indexes/" + uid
	switch w.r.IntN(11) {
	case 8:
		return w.tasks()
	case 9:
		return w.send("GET", "/stats", nil, false)
	case 10:
		return w.send("GET", fmt.Sprintf("%s/documents?%s&limit=%d&retrieveVectors=%t", at,
			url.Values{"filter": {w.filter(1)}, "sort": {strings.Join(w.sort(), ",")}}.Encode(), w.r.IntN(30), w.chance(40)), nil, false)
	case 0:
		return w.send("GET", at+"/settings", nil, false)
	case 1:
		return w.send("GET", at+"/stats", nil, false)
	case 2:
		return w.send("GET", fmt.Sprintf("%s/documents/%d", at, w.id(uid)), nil, false)
	case 3:
		return w.send("GET", fmt.Sprintf("%s/documents?limit=%d&offset=%d", at, w.r.IntN(60), w.r.IntN(200)), nil, false)
	case 4:
		return w.send("POST", at+"/fields", map[string]any{"limit": 50}, false)
	}
	q := map[string]any{"limit": w.r.IntN(40), "offset": pick(w, []int{0, 0, 1, 20})}
	if w.chance(60) {
		q["filter"] = w.filter(2)
	}
	if w.chance(40) {
		q["sort"] = w.sort()
	}
	if w.chance(40) {
		q["fields"] = some(w, attributes, 1+w.r.IntN(3))
	}
	if w.chance(15) {
		q["ids"] = []int{w.id(uid), w.id(uid), w.id(uid)}
	}
	return w.send("POST", at+"/documents/fetch", q, false)
}

// tasks lists tasks by filters. How they were batched may differ, so that is not
// asked for.
func (w *World) tasks() Request {
	v := url.Values{"limit": {fmt.Sprint(1 + w.r.IntN(30))}}
	if w.chance(50) {
		v.Set("indexUids", strings.Join(some(w, names, 1+w.r.IntN(2)), ","))
	}
	if w.chance(40) {
		v.Set("statuses", strings.Join(some(w, []string{"succeeded", "failed", "canceled", "enqueued"}, 1+w.r.IntN(2)), ","))
	}
	if w.chance(40) {
		v.Set("types", strings.Join(some(w, []string{"documentAdditionOrUpdate", "documentDeletion", "settingsUpdate", "indexSwap", "documentEdition"}, 1+w.r.IntN(3)), ","))
	}
	if w.chance(20) {
		v.Set("reverse", "true")
	}
	if w.chance(20) {
		v.Set("from", fmt.Sprint(w.r.IntN(300)))
	}
	r := w.send("GET", "/tasks?"+v.Encode(), nil, false)
	r.Together = true // lists some that were sent together
	return r
}

// indexChange creates, deletes, swaps and renames indexes.
func (w *World) indexChange(uid string) Request {
	other := pick(w, names)
	switch w.r.IntN(8) {
	case 0, 1, 2:
		body := map[string]any{"uid": other}
		if w.chance(60) {
			body["primaryKey"] = pick(w, []string{"id", "id", "id", "code"})
		}
		w.at(other)
		return w.send("POST", "/indexes", body, true)
	case 3:
		if len(w.indexes) > 1 {
			delete(w.indexes, uid)
			maps.DeleteFunc(w.aliases, func(_, index string) bool { return index == uid })
			return w.send("DELETE", "/indexes/"+uid, nil, true)
		}
		fallthrough
	case 4:
		a, b := w.indexes[uid], w.indexes[other]
		if a != nil && b != nil {
			w.indexes[uid], w.indexes[other] = b, a
		}
		return w.send("POST", "/swap-indexes", []any{map[string]any{"indexes": []string{uid, other}}}, true)
	case 5:
		if a := w.indexes[uid]; a != nil && w.indexes[other] == nil {
			delete(w.indexes, uid)
			w.indexes[other] = a
			for name, index := range w.aliases {
				if index == uid {
					w.aliases[name] = other
				}
			}
		}
		if w.chance(50) {
			return w.send("POST", "/swap-indexes", []any{map[string]any{"indexes": []string{uid, other}, "rename": true}}, true)
		}
		return w.send("PATCH", "/indexes/"+uid, map[string]any{"uid": other}, true)
	case 6:
		return w.send("PATCH", "/indexes/"+uid, map[string]any{"primaryKey": pick(w, []string{"id", "code"})}, true)
	default:
		return w.send("GET", "/indexes/"+uid, nil, false)
	}
}
