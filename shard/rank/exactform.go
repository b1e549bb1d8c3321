package rank

import (
	"slices"

	"shoal/query"
	"shoal/shard/docset"
)

// exact returns the documents with the exact form of a node (spec ranking 5.7).
func (s *Scope) exact(ref query.Ref) (docset.Set, error) {
	t := &s.terms[ref.Term]
	switch {
	case !t.HasExact(ref.Sub):
		return docset.Set{}, nil
	case t.IsPhrase():
		return s.phrase(t.Phrase)
	case s.restricted:
		return s.phrase([]string{t.Text})
	}
	return s.word(t.Text, false)
}

// exactWord is a word of the query that must stand at a bucketed position.
type exactWord struct {
	word     string
	position uint16
}

// exactWords lists the words of the exact forms left in a graph with the place
// where each must stand, and the number of positions they span; none when the
// forms do not start with the first term or leave a hole.
func (s *Scope) exactWords(g *query.Graph) (words []exactWord, positions int) {
	var terms []*query.Term
	for i := 2; i < len(g.Nodes); i++ {
		if t := &s.terms[g.Nodes[i].Term]; t.HasExact(g.Nodes[i].Sub) {
			terms = append(terms, t)
		}
	}
	slices.SortStableFunc(terms, func(a, b *query.Term) int { return int(a.FirstID) - int(b.FirstID) })
	terms = slices.CompactFunc(terms, func(a, b *query.Term) bool { return a.FirstID == b.FirstID })
	for i, t := range terms {
		if int(t.FirstID) != i {
			return nil, 0
		}
		positions += int(t.Last) - int(t.First) + 1
		if !t.IsPhrase() {
			words = append(words, exactWord{t.Text, bucketed(t.First)})
			continue
		}
		for slot, w := range t.Phrase {
			if w != "" {
				words = append(words, exactWord{w, bucketed(t.First + uint16(slot))})
			}
		}
	}
	return words, positions
}

// exactness is the class of a document: 0 when the words stand at their places
// and fill a field, 1 when they do not fill it, 2 otherwise.
func (d *document) exactness(words []exactWord, positions int) int {
	var fields []uint16
	for i, w := range words {
		e, ok := d.tokens.Find(w.word)
		if !ok {
			return 2
		}
		placed := false
		d.left = e.AppendTo(d.left[:0])
		here := make([]uint16, 0, 8)
		for _, o := range d.left {
			placed = placed || bucketed(o.Position) == w.position
			if d.scope.searched(o.Field) && (len(here) == 0 || here[len(here)-1] != o.Field) {
				here = append(here, o.Field)
			}
		}
		if !placed {
			return 2
		}
		if i == 0 {
			fields = here
		} else {
			fields = slices.DeleteFunc(fields, func(f uint16) bool { return !slices.Contains(here, f) })
		}
	}
	if len(fields) == 0 {
		return 2
	}
	for _, f := range fields {
		if positions <= maxCounted && d.tokens.FieldTokens(f) == positions {
			return 0
		}
	}
	return 1
}

// maxCounted is the greatest number of words of a field that the index counts.
const maxCounted = 30
