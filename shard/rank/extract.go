package rank

import (
	"slices"

	"shoal/query"
	"shoal/query/rule"
	"shoal/shard/docset"
	"shoal/shard/record"
)

// extractor reads the features of documents. For one goroutine.
type extractor struct {
	t     *table
	doc   document
	nodes []nodePlaces
}

// nodePlaces are the places of one node's derivations in one document.
type nodePlaces struct {
	ref query.Ref
	// typos are the typo words of the node that occur anywhere, with their
	// documents.
	typos []typoWord
	// words are the places of single words; they may stand before or after their
	// neighbour. ahead are places that only count behind their left neighbour:
	// words of the cached prefix and first words of phrases. ends are last words of
	// phrases. heads are the first words of phrases that may follow a hole.
	words, ahead, ends, heads []record.Occurrence
}

type typoWord struct {
	word string
	docs docset.Set
}

// prepare collects what is the same for all documents.
func (x *extractor) prepare(n *nodePlaces, ref query.Ref) error {
	n.ref = ref
	for _, group := range [2]query.Subset{query.One, query.Two} {
		if ref.Sub&group == 0 {
			continue
		}
		sets, err := x.t.s.typoSets(ref.Term, group)
		if err != nil {
			return err
		}
		for i, w := range typoList(&x.t.s.terms[ref.Term], group) {
			docs := sets[i]
			if x.t.s.schema.anyExact { // places do not care whether they are exact
				if docs, err = x.t.s.word(w, false); err != nil {
					return err
				}
			}
			if !docs.Empty() {
				n.typos = append(n.typos, typoWord{w, docs})
			}
		}
	}
	return nil
}

// read fills one row of the table from the document's record.
func (x *extractor) read(row int, ord uint32) {
	t := x.t
	for i := range x.nodes {
		n := &x.nodes[i]
		x.collect(n, ord)
		at := row*len(t.refs) + i
		t.weight[at], t.distance[at] = x.best(n)
	}
	for i, p := range t.pairs {
		t.near[row*len(t.pairs)+i] = x.near(&x.nodes[p[0]], &x.nodes[p[1]])
	}
}

// collect gathers the places of a node in the current record.
func (x *extractor) collect(n *nodePlaces, ord uint32) {
	t, sub := &x.t.s.terms[n.ref.Term], n.ref.Sub
	n.words, n.ahead, n.ends, n.heads = n.words[:0], n.ahead[:0], n.ends[:0], n.heads[:0]
	sorted := true
	if sub&(query.Zero|query.ExactForm) != 0 && !t.IsPhrase() {
		if t.Known {
			n.words = x.doc.places(n.words, t.Text)
		}
		if cached := t.UsesCache(sub); cached || len(t.Extensions) > 0 {
			x.doc.extensions(t, sub, func(_ []byte, e record.Entry) bool {
				if cached {
					n.ahead = e.AppendTo(n.ahead)
				} else {
					n.words, sorted = e.AppendTo(n.words), false
				}
				return true
			})
			slices.SortFunc(n.ahead, compareOccurrences)
		}
	}
	for i := range n.typos {
		if n.typos[i].docs.Contains(ord) {
			n.words, sorted = x.doc.places(n.words, n.typos[i].word), false
		}
	}
	if !sorted {
		slices.SortFunc(n.words, compareOccurrences)
	}
	phrases := false
	t.Phrases(sub, func(words []string) {
		if x.doc.holdsPhrase(words) {
			phrases = true
			x.phrase(n, words)
		}
	})
	if phrases {
		slices.SortFunc(n.ahead, compareOccurrences)
		slices.SortFunc(n.ends, compareOccurrences)
	}
}

// phrase adds the ends of a phrase that the document holds.
func (x *extractor) phrase(n *nodePlaces, words []string) {
	for i, w := range words {
		if w == "" {
			continue
		}
		if i == 0 {
			n.ahead = x.doc.places(n.ahead, w)
		}
		n.heads = x.doc.places(n.heads, w)
		break
	}
	if last := words[len(words)-1]; last != "" {
		n.ends = x.doc.places(n.ends, last)
	}
}

func compareOccurrences(a, b record.Occurrence) int {
	if a.Field != b.Field {
		return int(a.Field) - int(b.Field)
	}
	return int(a.Position) - int(b.Position)
}

// best returns the least weight of a searched field the node stands in, times
// the size of its term, and the least distance of its bucketed positions from
// its place in the query, in any field (spec ranking 5.6).
func (x *extractor) best(n *nodePlaces) (weight, distance uint32) {
	s := x.t.s
	t := &s.terms[n.ref.Term]
	weight, distance = absent, absent
	lastField, first := -1, int(t.First)
	for _, list := range [3][]record.Occurrence{n.words, n.ahead, n.heads} {
		for _, o := range list {
			if int(o.Field) != lastField {
				lastField = int(o.Field)
				if w, ok := s.schema.fieldWeight(o.Field); ok && (s.fields == nil || s.searched(o.Field)) {
					weight = min(weight, w*uint32(t.Size()))
				}
			}
			d := int(bucketed(o.Position)) - first
			distance = min(distance, uint32(max(d, -d)))
		}
	}
	return weight, distance
}

// near is the cost of the best proximity of two neighbouring nodes in the current
// record.
func (x *extractor) near(left, right *nodePlaces) uint8 {
	if x.t.s.schema.byAttribute {
		return x.attributeNear(left, right)
	}
	return near(left, right)
}

// near is the cost of the best proximity of two neighbouring nodes: the distance
// forward less one, or the distance backward, which phrases and cached prefixes
// do not have (spec ranking 5.5).
func near(left, right *nodePlaces) uint8 {
	best := rule.FarProximity
	for _, l := range [2][]record.Occurrence{left.words, left.ends} {
		for _, r := range [2][]record.Occurrence{right.words, right.ahead} {
			if len(l) == 0 || len(r) == 0 {
				continue
			}
			if d := forward(l, r); d > 0 && d-1 < best {
				if best = d - 1; best == 0 {
					return 0
				}
			}
		}
	}
	if best > 1 && len(left.words) > 0 && len(right.words) > 0 {
		if d := forward(right.words, left.words); d > 0 && d < best {
			best = d
		}
	}
	return uint8(best)
}

// attributeNear is near for byAttribute: 0 when both stand in one searched field.
func (x *extractor) attributeNear(left, right *nodePlaces) uint8 {
	for _, l := range [2][]record.Occurrence{left.words, left.ends} {
		for _, r := range [2][]record.Occurrence{right.words, right.ahead} {
			if x.t.s.shareField(l, r) {
				return 0
			}
		}
	}
	return rule.FarProximity
}
