package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"strings"
)

// request is something that a client sends and that becomes a task.
type request struct {
	kind         string // of the task
	method, path string
	body         any
	// mark is sent along and comes back with the task; "" for kinds that carry none.
	mark string
	// index is what the task says of itself, "" for none.
	index string
	// clears: it removes all documents of the index.
	clears bool
	// outcome says how the task must end, "" for success or the code of its error, and what
	// it changes if it succeeds.
	outcome func(w *world) (code string, change func())
}

const (
	missing   = "index_not_found"
	existing  = "index_already_exists"
	noFilter  = "invalid_document_filter"
	anyOutput = "*" // it may succeed or fail
)

var names = []string{"a", "b", "c", "d"}

// writer makes the requests of one client. Its order follows from the seed.
type writer struct {
	r    *rand.Rand
	name string
	n    int
}

func newWriter(seed uint64, name string, stream uint64) *writer {
	return &writer{r: rand.New(rand.NewPCG(seed, stream)), name: name}
}

func (g *writer) tag() string { return fmt.Sprintf("t%d", g.r.IntN(8)) }

// marked gives a request its mark.
func (g *writer) marked(q *request) *request {
	g.n++
	q.mark = fmt.Sprintf("%s-%d", g.name, g.n)
	sign := "?"
	if strings.Contains(q.path, "?") {
		sign = "&"
	}
	q.path += sign + url.Values{"customMetadata": {q.mark}}.Encode()
	return q
}

// documents makes a request that adds, changes or deletes documents.
func (g *writer) documents() *request {
	name := names[g.r.IntN(len(names))]
	switch d := g.r.IntN(100); {
	case d < 45:
		return g.addition(name, false)
	case d < 65:
		return g.addition(name, true)
	case d < 75:
		return g.deletion(name)
	case d < 80:
		return g.deletionOfOne(name)
	case d < 87:
		return g.deletionByFilter(name)
	case d < 98:
		return g.edition(name)
	default:
		return g.onIndex(&request{kind: "documentDeletion", method: "DELETE", path: "/documents", clears: true}, name, func(x *index) { clear(x.docs) })
	}
}

// addition adds or merges documents, now and then more than ride in the log.
func (g *writer) addition(name string, merge bool) *request {
	n := 1 + g.r.IntN(12)
	if g.r.IntN(12) == 0 {
		n = 250
	}
	q := &request{kind: "documentAdditionOrUpdate", method: "POST", path: "/indexes/" + name + "/documents", index: name}
	if merge {
		q.method = "PUT"
	}
	g.marked(q)
	docs := make([]document, n)
	for i := range docs {
		docs[i] = document{"id": g.r.IntN(400), "last": q.mark, "at": i}
		if !merge {
			docs[i]["n"], docs[i]["tag"], docs[i]["text"] = 0, g.tag(), strings.Repeat("harbour lantern ", 1+g.r.IntN(5))
		} else if g.r.IntN(2) == 0 {
			docs[i]["tag"] = g.tag()
		}
	}
	q.body = ndjson(docs)
	q.outcome = func(w *world) (string, func()) {
		return "", func() {
			x := w.made(name)
			for _, d := range docs {
				x.put(d, merge)
			}
		}
	}
	return q
}

func ndjson(docs []document) []byte {
	var b []byte
	for _, d := range docs {
		line, err := json.Marshal(d)
		if err != nil {
			panic(fmt.Sprintf("a document of ours cannot be encoded: %v", err))
		}
		b = append(append(b, line...), '\n')
	}
	return b
}

// onIndex is a request that needs the index.
func (g *writer) onIndex(q *request, name string, change func(x *index)) *request {
	q.path, q.index = "/indexes/"+name+q.path, name
	q.outcome = func(w *world) (string, func()) {
		x := w.indexes[name]
		if x == nil {
			return missing, nil
		}
		return "", func() { change(x) }
	}
	return g.marked(q)
}

func (g *writer) deletion(name string) *request {
	ids := make([]int, 1+g.r.IntN(10))
	for i := range ids {
		ids[i] = g.r.IntN(400)
	}
	q := &request{kind: "documentDeletion", method: "POST", path: "/documents/delete-batch", body: ids}
	return g.onIndex(q, name, func(x *index) {
		for _, id := range ids {
			delete(x.docs, id)
		}
	})
}

func (g *writer) deletionOfOne(name string) *request {
	id := g.r.IntN(400)
	q := &request{kind: "documentDeletion", method: "DELETE", path: fmt.Sprintf("/documents/%d", id)}
	return g.onIndex(q, name, func(x *index) { delete(x.docs, id) })
}

// filtered is a request that needs the index, and that its tags may be filtered.
func (g *writer) filtered(q *request, name string, change func(x *index)) *request {
	g.onIndex(q, name, change)
	found := q.outcome
	q.outcome = func(w *world) (string, func()) {
		if x := w.indexes[name]; x != nil && len(x.filterable) == 0 {
			return noFilter, nil
		}
		return found(w)
	}
	return q
}

func (g *writer) deletionByFilter(name string) *request {
	tag := g.tag()
	q := &request{kind: "documentDeletion", method: "POST", path: "/documents/delete", body: map[string]any{"filter": "tag = " + tag}}
	return g.filtered(q, name, func(x *index) {
		for _, id := range x.tagged(tag) {
			delete(x.docs, id)
		}
	})
}

// edition counts in documents: one that is carried out twice shows.
func (g *writer) edition(name string) *request {
	tag := g.tag()
	q := &request{kind: "documentEdition", method: "POST", path: "/documents/edit", body: map[string]any{
		"filter":   "tag = " + tag,
		"function": `if "n" in doc { doc.n += 1 } else { doc.n = 1 }`,
	}}
	return g.filtered(q, name, func(x *index) {
		for _, id := range x.tagged(tag) {
			n, _ := x.docs[id]["n"].(int)
			x.put(document{"id": id, "n": n + 1}, true)
		}
	})
}

// administration makes a request that is not about documents.
func (g *writer) administration() *request {
	name, other := names[g.r.IntN(len(names))], names[g.r.IntN(len(names))]
	switch d := g.r.IntN(100); {
	case d < 35:
		return g.settings(name)
	case d < 50:
		return g.creation(name)
	case d < 60:
		return g.removal(name)
	case d < 70 && name != other:
		return g.swap(name, other)
	case d < 80 && name != other:
		return g.renaming(name, other)
	case d < 95:
		return g.rule()
	default:
		q := &request{kind: "indexCompaction", method: "POST", path: "/compact"}
		g.onIndex(q, name, func(*index) {})
		q.path, q.mark = "/indexes/"+name+"/compact", "" // it takes no mark
		return q
	}
}

func (g *writer) settings(name string) *request {
	g.n++
	words := []string{fmt.Sprintf("%s%d", g.name, g.n)}
	filterable := []string{"tag"}
	if g.r.IntN(6) == 0 {
		filterable = []string{}
	}
	return &request{
		kind: "settingsUpdate", method: "PATCH", path: "/indexes/" + name + "/settings", index: name,
		body: map[string]any{"stopWords": words, "filterableAttributes": filterable},
		outcome: func(w *world) (string, func()) {
			return "", func() {
				x := w.made(name)
				x.stopWords, x.filterable = words, filterable
			}
		},
	}
}

func (g *writer) creation(name string) *request {
	return &request{
		kind: "indexCreation", method: "POST", path: "/indexes", index: name, body: map[string]any{"uid": name, "primaryKey": "id"},
		outcome: func(w *world) (string, func()) {
			if w.indexes[name] != nil {
				return existing, nil
			}
			return "", func() { w.made(name) }
		},
	}
}

func (g *writer) removal(name string) *request {
	return &request{
		kind: "indexDeletion", method: "DELETE", path: "/indexes/" + name, index: name,
		outcome: func(w *world) (string, func()) {
			if w.indexes[name] == nil {
				return missing, nil
			}
			return "", func() { delete(w.indexes, name) }
		},
	}
}

func (g *writer) swap(a, b string) *request {
	return &request{
		kind: "indexSwap", method: "POST", path: "/swap-indexes", body: []any{map[string]any{"indexes": []string{a, b}}},
		outcome: func(w *world) (string, func()) {
			if w.indexes[a] == nil || w.indexes[b] == nil {
				return missing, nil
			}
			return "", func() { w.indexes[a], w.indexes[b] = w.indexes[b], w.indexes[a] }
		},
	}
}

func (g *writer) renaming(from, to string) *request {
	return &request{
		kind: "indexUpdate", method: "PATCH", path: "/indexes/" + from, index: from, body: map[string]any{"uid": to},
		outcome: func(w *world) (string, func()) {
			switch {
			case w.indexes[from] == nil:
				return missing, nil
			case w.indexes[to] != nil:
				return existing, nil
			}
			return "", func() {
				w.indexes[to] = w.indexes[from]
				delete(w.indexes, from)
			}
		},
	}
}

// rule writes a dynamic rule, or removes one.
func (g *writer) rule() *request {
	uid := fmt.Sprintf("rule%d", g.r.IntN(4))
	q := g.marked(&request{kind: "dsrUpdate", path: "/dynamic-search-rules/" + uid})
	if g.r.IntN(4) == 0 {
		q.method = "DELETE"
		q.outcome = func(w *world) (string, func()) {
			if _, ok := w.rules[uid]; !ok {
				return anyOutput, func() {}
			}
			return "", func() { delete(w.rules, uid) }
		}
		return q
	}
	text := q.mark
	q.method = "PATCH"
	q.body = map[string]any{
		"description": text, "conditions": map[string]any{"query": map[string]any{"words": "river"}},
		"actions": []any{map[string]any{"selector": map[string]any{"indexUid": "a", "id": "42"}, "action": map[string]any{"type": "pin", "position": 0}}},
	}
	q.outcome = func(w *world) (string, func()) {
		return "", func() { w.rules[uid] = text }
	}
	return q
}

// plain is a request whose task changes nothing that the model knows.
func plain(kind, method, path string) *request {
	return &request{kind: kind, method: method, path: path, outcome: func(*world) (string, func()) { return "", func() {} }}
}
