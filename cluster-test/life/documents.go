package life

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"slices"
	"strings"

	clustertest "shoal/cluster-test"
)

// attributes of the documents, and some that none has.
var attributes = []string{"id", "title", "overview", "genre", "tags", "year", "price", "mixed", "nested", "nested.deep", "nested.list", "_geo", "code", "missing"}

// words have neighbours at one and two typos, prefixes of each other, compounds,
// other scripts and numbers.
var words = strings.Fields(`harbour harbor harbours lantern lanterns latern meadow meadows shadow granite granit violin violins violet comet
comets comit orchard orchards ferry fairy ferrous copper coppers cooper willow willows pillow thunder under thunderstorm storm stormy
atlas bridge bridges bridged canyon canyons ember embers member falcon falcons glacier glaciers island islands iceland juniper kettle
kettles settle marble marbles needle needles noodle oyster oysters pepper peppers paper quarry ribbon ribbons robin silver sliver summer
sumer simmer winter winters water waters the a of in and to café cafe naïve über uber Straße strasse 東京 京都 大阪 москва река ice cream icecream ice-cream
well-known 2001 2010 1984 201 42 x9 r2d2 star stars start starting starts starship ship ships shop shopping sun sunflower flower flowers
flour moon moonlight light lights lighthouse house houses horse horses blue bluebird bird birds black blackbird board boards aboard night
nights knight`)

var genres = []string{"Drama", "drama", "Comedy", "Sci-Fi", "sci fi", "Action", "Été", "Noir", "", "Western"}

// sentence joins random words; frequent ones come first.
func (w *World) sentence(n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteString(pick(w, []string{" ", " ", " ", " ", ", ", ". ", "-", "'"}))
		}
		b.WriteString(w.word())
	}
	return b.String()
}

func (w *World) word() string {
	if w.chance(50) {
		return words[w.r.IntN(12)]
	}
	return pick(w, words)
}

// document makes one; its members come and go.
func (w *World) document(id int) map[string]any {
	d := map[string]any{"id": id, "title": w.sentence(1 + w.r.IntN(5)), "year": 1980 + w.r.IntN(40)}
	if w.chance(80) {
		d["overview"] = w.sentence(5 + w.r.IntN(40))
	}
	if w.chance(80) {
		d["genre"] = pick(w, genres)
	}
	if w.chance(60) {
		tags := make([]any, w.r.IntN(4))
		for i := range tags {
			tags[i] = w.word()
		}
		d["tags"] = tags
	}
	if w.chance(60) {
		d["price"] = float64(w.r.IntN(4000)) / 8
	}
	if w.chance(40) {
		d["mixed"] = pick(w, []any{nil, "seven", "7", 7, -0.5, true, []any{1, "1", "one"}, []any{}, map[string]any{}, "", 1e15})
	}
	if w.chance(40) {
		d["nested"] = map[string]any{"deep": w.word(), "list": []any{map[string]any{"n": w.r.IntN(5)}, map[string]any{"n": w.word()}}}
	}
	if w.chance(50) {
		d["_geo"] = map[string]any{"lat": float64(w.r.IntN(1400)-700) / 10, "lng": float64(w.r.IntN(3400)-1700) / 10}
	}
	if w.chance(30) {
		d["code"] = fmt.Sprintf("c%d", w.r.IntN(300))
	}
	if w.Additions && w.chance(60) {
		d["nested"] = map[string]any{"deep": w.word(), "list": w.objects(2)}
	}
	d["_vectors"] = w.vectors()
	return d
}

// objects makes a list of objects, or one without a list, with lists in them.
func (w *World) objects(depth int) any {
	list := make([]any, w.r.IntN(4))
	for i := range list {
		o := map[string]any{"n": pick(w, []any{w.r.IntN(4), w.r.IntN(4), w.word(), nil, []any{}})}
		if w.chance(70) {
			o["s"] = pick(w, []string{"small", "Large", "large", ""})
		}
		if depth > 0 && w.chance(40) {
			o["list"] = w.objects(depth - 1)
		}
		list[i] = o
	}
	if len(list) == 1 && w.chance(50) {
		return list[0]
	}
	return list
}

// partial is a document with a few members, to be merged.
func (w *World) partial(id int) map[string]any {
	full := w.document(id)
	d := map[string]any{"id": id, "_vectors": full["_vectors"]}
	for _, a := range some(w, attributes, 1+w.r.IntN(4)) {
		if v, ok := full[a]; ok {
			d[a] = v
		}
	}
	if w.chance(10) {
		d["extra_"+w.word()] = w.word()
	}
	return d
}

// id names a document, mostly one that exists, never one to avoid.
func (w *World) id(uid string) int {
	for {
		if id := w.anyID(uid); !w.avoid[id] {
			return id
		}
	}
}

func (w *World) anyID(uid string) int {
	if p := w.indexes[uid]; p != nil && len(p.ids) > 0 && w.chance(80) {
		known := make([]int, 0, len(p.ids))
		for id := range p.ids {
			known = append(known, id)
		}
		slices.Sort(known)
		return pick(w, known)
	}
	return w.r.IntN(1200)
}

// addition adds, replaces or merges documents, now and then wrong ones. Among
// requests that go together all are right: wrong ones fail alone or with their
// batch, and leave other ordinals behind.
func (w *World) addition(uid string, together bool) Request {
	p := w.at(uid)
	n := 1 + w.r.IntN(4)
	if w.chance(25) {
		n = 10 + w.r.IntN(120)
	}
	docs := make([]any, n)
	method := pick(w, []string{"POST", "POST", "PUT"})
	for i := range docs {
		id := w.id(uid)
		if method == "PUT" && w.chance(80) {
			docs[i] = w.partial(id)
		} else {
			docs[i] = w.document(id)
		}
		p.ids[id] = true
	}
	path := "/indexes/" + uid + "/documents"
	if !together {
		if w.chance(15) { // keeps the vectors there are, or fails
			delete(docs[0].(map[string]any), "_vectors")
		}
		switch w.r.IntN(30) {
		case 0:
			docs[w.r.IntN(n)] = map[string]any{"id": "not a valid id!", "title": w.word()}
		case 1:
			docs[w.r.IntN(n)] = map[string]any{"title": "no id at all"}
		case 2:
			docs[w.r.IntN(n)] = map[string]any{"id": w.id(uid), "_geo": "nowhere"}
		case 3:
			path += "?primaryKey=" + pick(w, []string{"id", "code"})
		case 4:
			path += "?skipCreation=true"
		case 5, 6:
			return w.table(method, path, docs)
		}
	}
	if w.chance(50) {
		return w.send(method, path, docs, true)
	}
	var b []byte
	for _, d := range docs {
		b = append(append(b, encode(d)...), '\n')
	}
	return Request{Method: method, Path: path, Body: b, Write: true}
}

// table makes CSV of documents, with some members and now and then something wrong
// in it.
func (w *World) table(method, path string, docs []any) Request {
	var b bytes.Buffer
	out := csv.NewWriter(&b)
	if w.chance(20) {
		out.Comma = ';'
		path += "?csvDelimiter=;"
	}
	columns := append([]string{"id"}, some(w, []string{"title", "overview", "genre", "year", "price", "code", "mixed", "flag"}, 1+w.r.IntN(5))...)
	header := make([]string, len(columns))
	for i, name := range columns {
		header[i] = name
		switch name {
		case "id", "year", "price":
			header[i] += pick(w, []string{":number", ":number", ":string", ""})
		case "flag":
			header[i] += ":boolean"
		}
	}
	rows := [][]string{header}
	for i, d := range docs {
		d := d.(map[string]any)
		d["flag"] = i%2 == 0
		row := make([]string, len(columns))
		for i, name := range columns {
			if v, ok := d[name]; ok && v != nil {
				row[i] = fmt.Sprint(v)
			}
		}
		rows = append(rows, row)
	}
	if w.chance(10) {
		rows[w.r.IntN(len(rows))][w.r.IntN(len(columns))] = "wrong"
	}
	// A bytes.Buffer does not fail, and commas and semicolons are fine separators.
	_ = out.WriteAll(rows)
	return Request{Method: method, Path: path, Body: clustertest.CSV(b.Bytes()), Write: true}
}

// burst sends several writes before it waits. They may become one batch or
// several, so only what comes out alike belongs in here: additions, then
// deletions of what was there before. What is deleted in the batch that adds it
// would leave its ordinal free or not.
func (w *World) burst(uid string) []Request {
	var deletions []Request
	avoid := map[int]bool{}
	for range w.r.IntN(4) {
		r, ids := w.byIDs(uid)
		r.Together = true
		deletions = append(deletions, r)
		for _, id := range ids {
			avoid[id] = true
		}
	}
	var out []Request
	w.avoid = avoid
	for range 2 + w.r.IntN(5) {
		out = append(out, w.addition(uid, true))
	}
	w.avoid = nil
	return append(out, deletions...)
}

// byIDs deletes some documents by their ids, which it returns.
func (w *World) byIDs(uid string) (Request, []int) {
	ids := make([]int, 1+w.r.IntN(20))
	for i := range ids {
		id := w.id(uid)
		ids[i] = id
		if p := w.indexes[uid]; p != nil {
			delete(p.ids, id)
		}
	}
	return w.send("POST", "/indexes/"+uid+"/documents/delete-batch", ids, true), ids
}

// deletion removes documents in one of the ways there are.
func (w *World) deletion(uid string) Request {
	at := "/indexes/" + uid + "/documents"
	switch w.r.IntN(12) {
	case 0, 1, 2:
		r, _ := w.byIDs(uid)
		return r
	case 3, 4:
		id := w.id(uid)
		if p := w.indexes[uid]; p != nil {
			delete(p.ids, id)
		}
		return w.send("DELETE", fmt.Sprintf("%s/%d", at, id), nil, true)
	case 5:
		if w.chance(50) {
			return w.edit(uid)
		}
		if p := w.indexes[uid]; p != nil {
			clear(p.ids)
		}
		return w.send("DELETE", at, nil, true)
	case 6, 7, 8:
		return w.edit(uid)
	default:
		// Few documents: a filter that hits most of them would end the variety.
		return w.send("POST", at+"/delete", map[string]any{"filter": "(" + w.filter(w.r.IntN(3)) + ") AND " + fmt.Sprintf("year = %d", 1980+w.r.IntN(40))}, true)
	}
}
