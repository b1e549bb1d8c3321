package scope

import (
	"slices"

	"shoal/query"
	"shoal/query/rule"
	"shoal/shard/docset"
	"shoal/shard/rank/columns"
	"shoal/shard/record"
)

// Extractor reads the features of documents. For one goroutine.
type Extractor struct {
	Features *Features
	Doc      Document
	Nodes    []NodePlaces
}

// NodePlaces are the occurrences of one node's derivations in one document.
type NodePlaces struct {
	ref query.Ref
	// typos are the typo words of the node that occur in any document, with their
	// documents.
	typos []TypoWord
	// Words are occurrences of single words, which may come before or after their
	// neighbour. Ahead are occurrences that count only after their left neighbour:
	// words of the cached prefix and first words of phrases. Ends are last words of
	// phrases. Heads are the first words of phrases, including those after a gap.
	Words, Ahead, Ends, Heads []record.Occurrence
	// Own are the occurrences of the term's own word, if columns with word order supply
	// them. Collect does not change them.
	Own []record.Occurrence
}

// TypoWord is a typo of a term with its documents.
type TypoWord struct {
	Word string
	Docs docset.Set
}

// Prepare collects what is equal for all documents.
func (x *Extractor) Prepare(n *NodePlaces, ref query.Ref) error {
	n.ref = ref
	for _, group := range [2]query.Subset{query.One, query.Two} {
		if ref.Sub&group == 0 {
			continue
		}
		sets, err := x.Features.Scope.typoSets(ref.Term, group)
		if err != nil {
			return err
		}
		for i, w := range TypoList(&x.Features.Scope.Terms[ref.Term], group) {
			docs := sets[i]
			if x.Features.Scope.Schema.AnyExact { // positions count in exact fields, too
				if docs, err = x.Features.Scope.Word(w, false); err != nil {
					return err
				}
			}
			if !docs.Empty() {
				n.typos = append(n.typos, TypoWord{w, docs})
			}
		}
	}
	return nil
}

// read fills one row of the table from the document's record.
func (x *Extractor) read(row int, ord uint32) {
	t := x.Features
	for i := range x.Nodes {
		n := &x.Nodes[i]
		x.Collect(n, ord)
		at := row*len(t.Refs) + i
		t.Weight[at], t.Distance[at] = x.Best(n)
	}
	for i, p := range t.Pairs {
		t.Near[row*len(t.Pairs)+i] = x.Near(&x.Nodes[p[0]], &x.Nodes[p[1]])
	}
}

// Collect gathers the occurrences of a node in the current record.
func (x *Extractor) Collect(n *NodePlaces, ord uint32) {
	t, sub := &x.Features.Scope.Terms[n.ref.Term], n.ref.Sub
	n.Words, n.Ahead, n.Ends, n.Heads = n.Words[:0], n.Ahead[:0], n.Ends[:0], n.Heads[:0]
	sorted := true
	if sub&(query.Zero|query.ExactForm) != 0 && !t.IsPhrase() {
		if t.Known {
			n.Words = x.Doc.Places(n.Words, t.Text)
		}
		if cached := t.UsesCache(sub); cached || len(t.Extensions) > 0 {
			x.Doc.Extensions(t, sub, func(_ []byte, e record.Entry) bool {
				if cached {
					n.Ahead = e.AppendTo(n.Ahead)
				} else {
					n.Words, sorted = e.AppendTo(n.Words), false
				}
				return true
			})
			slices.SortFunc(n.Ahead, CompareOccurrences)
		}
	}
	for i := range n.typos {
		if n.typos[i].Docs.Contains(ord) {
			n.Words, sorted = x.Doc.Places(n.Words, n.typos[i].Word), false
		}
	}
	if !sorted {
		slices.SortFunc(n.Words, CompareOccurrences)
	}
	phrases := false
	t.Phrases(sub, func(words []string) {
		if x.Doc.holdsPhrase(words) {
			phrases = true
			n.AddPhrase(words, func(buf []record.Occurrence, slot int) []record.Occurrence { return x.Doc.Places(buf, words[slot]) })
		}
	})
	if phrases {
		n.SortPhrases()
	}
}

// AddPhrase adds the ends of a phrase that the document contains. places appends the
// occurrences of the word in a slot.
func (n *NodePlaces) AddPhrase(words []string, places func(buf []record.Occurrence, slot int) []record.Occurrence) {
	for i, w := range words {
		if w == "" {
			continue
		}
		if i == 0 {
			n.Ahead = places(n.Ahead, i)
		}
		n.Heads = places(n.Heads, i)
		break
	}
	if last := len(words) - 1; words[last] != "" {
		n.Ends = places(n.Ends, last)
	}
}

// SortPhrases must follow the last AddPhrase of a document.
func (n *NodePlaces) SortPhrases() {
	slices.SortFunc(n.Ahead, CompareOccurrences)
	slices.SortFunc(n.Ends, CompareOccurrences)
}

// CompareOccurrences orders occurrences by field and position.
func CompareOccurrences(a, b record.Occurrence) int {
	if a.Field != b.Field {
		return int(a.Field) - int(b.Field)
	}
	return int(a.Position) - int(b.Position)
}

// Best returns the least weight of a searched field in which the node occurs, times the
// size of its term, and the least distance between its bucketed positions and its place
// in the query, in any field (spec ranking 5.6).
func (x *Extractor) Best(n *NodePlaces) (weight, distance uint32) {
	s := x.Features.Scope
	t := &s.Terms[n.ref.Term]
	weight, distance = columns.Absent, columns.Absent
	lastField, first := -1, int(t.First)
	for _, list := range [3][]record.Occurrence{n.Words, n.Ahead, n.Heads} {
		for _, o := range list {
			if int(o.Field) != lastField {
				lastField = int(o.Field)
				if w, ok := s.Schema.FieldWeight(o.Field); ok && (s.fields == nil || s.Searched(o.Field)) {
					weight = min(weight, w*uint32(t.Size()))
				}
			}
			d := int(columns.Bucketed(o.Position)) - first
			distance = min(distance, uint32(max(d, -d)))
		}
	}
	return weight, distance
}

// Near returns the cost of the best proximity of two neighbouring nodes in the current
// record.
func (x *Extractor) Near(left, right *NodePlaces) uint8 {
	if x.Features.Scope.Schema.byAttribute {
		return x.attributeNear(left, right)
	}
	return near(left, right)
}

// near returns the cost of the best proximity of two neighbouring nodes: the forward
// distance minus one, or the backward distance, which phrases and cached prefixes do
// not have (spec ranking 5.5).
func near(left, right *NodePlaces) uint8 {
	best := rule.FarProximity
	for _, l := range [2][]record.Occurrence{left.Words, left.Ends} {
		for _, r := range [2][]record.Occurrence{right.Words, right.Ahead} {
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
	if best > 1 && len(left.Words) > 0 && len(right.Words) > 0 {
		if d := forward(right.Words, left.Words); d > 0 && d < best {
			best = d
		}
	}
	return uint8(best)
}

// attributeNear is near for byAttribute: 0 if both occur in one searched field.
func (x *Extractor) attributeNear(left, right *NodePlaces) uint8 {
	for _, l := range [2][]record.Occurrence{left.Words, left.Ends} {
		for _, r := range [2][]record.Occurrence{right.Words, right.Ahead} {
			if x.Features.Scope.ShareField(l, r) {
				return 0
			}
		}
	}
	return rule.FarProximity
}
