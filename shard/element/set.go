package element

import "shoal/shard/docset"

// Set is a set of objects of documents: the documents by the place of the object. No set
// of documents in it is empty. Immutable; nil is empty.
type Set map[string]docset.Set

// And returns the objects that are in both.
func (s Set) And(t Set) Set {
	if len(s) > len(t) {
		s, t = t, s
	}
	out := make(Set, len(s))
	for place, docs := range s {
		if docs = docs.And(t[place]); !docs.Empty() {
			out[place] = docs
		}
	}
	return out
}

// AndDocs returns And(t).Docs() at less cost.
func (s Set) AndDocs(t Set) docset.Set {
	if len(s) > len(t) {
		s, t = t, s
	}
	var out docset.Accumulator
	for place, docs := range s {
		if others, ok := t[place]; ok {
			out.AddAnd(docs, others)
		}
	}
	return out.Set()
}

// AndNot returns the objects of s that are not in t.
func (s Set) AndNot(t Set) Set {
	out := make(Set, len(s))
	for place, docs := range s {
		if gone, ok := t[place]; ok {
			docs = docs.AndNot(gone)
		}
		if !docs.Empty() {
			out[place] = docs
		}
	}
	return out
}

// Union returns the objects that are in some of the sets.
func Union(sets ...Set) Set {
	switch len(sets) {
	case 0:
		return nil
	case 1:
		return sets[0]
	}
	lists := map[string][]docset.Set{}
	for _, s := range sets {
		for place, docs := range s {
			lists[place] = append(lists[place], docs)
		}
	}
	return unite(lists)
}

func unite(lists map[string][]docset.Set) Set {
	out := make(Set, len(lists))
	for place, list := range lists {
		out[place] = docset.Union(list...)
	}
	return out
}

// Around returns the objects at names of a depth around those of the set.
func (s Set) Around(depth uint32) Set {
	lists := map[string][]docset.Set{}
	for place, docs := range s {
		if at, ok := Level([]byte(place), depth); ok {
			lists[string(at)] = append(lists[string(at)], docs)
		}
	}
	return unite(lists)
}

// Docs returns the documents that have an object in the set.
func (s Set) Docs() docset.Set {
	list := make([]docset.Set, 0, len(s))
	for _, docs := range s {
		list = append(list, docs)
	}
	return docset.Union(list...)
}

// MemBytes estimates the memory that the set holds.
func (s Set) MemBytes() int {
	n := 64
	for place, docs := range s {
		n += len(place) + 64 + docs.MemBytes()
	}
	return n
}

// Collector unites posting lists by their places. The zero value is ready. For one goroutine.
type Collector struct {
	places map[string]*docset.Accumulator
}

// At returns where the documents of a place go.
func (c *Collector) At(place []byte) *docset.Accumulator {
	a := c.places[string(place)]
	if a == nil {
		if c.places == nil {
			c.places = map[string]*docset.Accumulator{}
		}
		a = new(docset.Accumulator)
		c.places[string(place)] = a
	}
	return a
}

// Set returns what was collected. The Collector is empty afterwards.
func (c *Collector) Set() Set {
	out := make(Set, len(c.places))
	for place, a := range c.places {
		if docs := a.Set(); !docs.Empty() {
			out[place] = docs
		}
	}
	c.places = nil
	return out
}
