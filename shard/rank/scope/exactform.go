package scope

import (
	"slices"

	"shoal/query"
	"shoal/shard/docset"
	"shoal/shard/rank/columns"
)

// Exact returns the documents with the exact form of a node (spec ranking 5.7).
func (s *Scope) Exact(ref query.Ref) (docset.Set, error) {
	t := &s.Terms[ref.Term]
	switch {
	case !t.HasExact(ref.Sub):
		return docset.Set{}, nil
	case t.IsPhrase():
		return s.phrase(t.Phrase)
	case s.Restricted:
		return s.phrase([]string{t.Text})
	}
	return s.Word(t.Text, false)
}

// ExactWord is a query word that must occur at a bucketed position.
type ExactWord struct {
	Word     string
	Position uint16
}

// ExactWords lists the words of the exact forms in a graph with their required
// positions, and the number of positions that they span. It returns none if the forms
// do not start with the first term or leave a gap.
func (s *Scope) ExactWords(g *query.Graph) (words []ExactWord, positions int) {
	var terms []*query.Term
	for i := 2; i < len(g.Nodes); i++ {
		if t := &s.Terms[g.Nodes[i].Term]; t.HasExact(g.Nodes[i].Sub) {
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
			words = append(words, ExactWord{t.Text, columns.Bucketed(t.First)})
			continue
		}
		for slot, w := range t.Phrase {
			if w != "" {
				words = append(words, ExactWord{w, columns.Bucketed(t.First + uint16(slot))})
			}
		}
	}
	return words, positions
}

// Exactness returns the class of a document: 0 if the words are at their positions and
// fill a field, 1 if they do not fill it, 2 otherwise.
func (d *Document) Exactness(words []ExactWord, positions int) int {
	var fields []uint16
	for i, w := range words {
		e, ok := d.Tokens.Find(w.Word)
		if !ok {
			return 2
		}
		placed := false
		d.left = e.AppendTo(d.left[:0])
		here := make([]uint16, 0, 8)
		for _, o := range d.left {
			placed = placed || columns.Bucketed(o.Position) == w.Position
			if d.Scope.Searched(o.Field) && (len(here) == 0 || here[len(here)-1] != o.Field) {
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
		if positions <= MaxCounted && d.Tokens.FieldTokens(f) == positions {
			return 0
		}
	}
	return 1
}

// MaxCounted is the largest number of words in a field that the index counts.
const MaxCounted = 30
