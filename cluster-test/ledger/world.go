package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// document is one as clients see it.
type document map[string]any

// index is what an index must hold.
type index struct {
	docs       map[int]document // never changed in place
	filterable []string
	stopWords  []string
}

// world is what must be there after the tasks so far.
type world struct {
	indexes map[string]*index
	rules   map[string]string // descriptions
}

func newWorld() *world { return &world{indexes: map[string]*index{}, rules: map[string]string{}} }

func (w *world) clone() *world {
	out := &world{indexes: map[string]*index{}, rules: maps.Clone(w.rules)}
	for name, x := range w.indexes {
		c := *x
		c.docs = maps.Clone(x.docs)
		out.indexes[name] = &c
	}
	return out
}

// made returns an index, which is made if it is missing.
func (w *world) made(name string) *index {
	x := w.indexes[name]
	if x == nil {
		x = &index{docs: map[int]document{}}
		w.indexes[name] = x
	}
	return x
}

// tagged are the ids of documents with a tag.
func (x *index) tagged(tag string) []int {
	var ids []int
	for id, d := range x.docs {
		if d["tag"] == tag {
			ids = append(ids, id)
		}
	}
	return ids
}

// put replaces a document, or merges into it.
func (x *index) put(d document, merge bool) {
	id := d["id"].(int)
	if old, ok := x.docs[id]; ok && merge {
		both := maps.Clone(old)
		maps.Copy(both, d)
		d = both
	}
	x.docs[id] = d
}

// lines are the documents of an index in one form: sorted members, sorted lines.
func lines[D any](docs []D) ([]string, error) {
	out := make([]string, 0, len(docs))
	for _, d := range docs {
		b, err := json.Marshal(d)
		if err != nil {
			return nil, err
		}
		out = append(out, string(b))
	}
	slices.Sort(out)
	return out, nil
}

// differ says where two lists of lines differ first; "" when they do not.
func differ(got, want []string) string {
	have, need := map[string]bool{}, map[string]bool{}
	for _, l := range got {
		have[l] = true
	}
	for _, l := range want {
		need[l] = true
	}
	for _, l := range want {
		if !have[l] {
			return fmt.Sprintf("it has %d instead of %d, and not %s", len(got), len(want), l)
		}
	}
	for _, l := range got {
		if !need[l] {
			return fmt.Sprintf("it has %d instead of %d, and %s", len(got), len(want), l)
		}
	}
	if len(got) != len(want) {
		return fmt.Sprintf("it has %d instead of %d", len(got), len(want))
	}
	return ""
}
