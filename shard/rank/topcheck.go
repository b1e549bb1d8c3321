package rank

import (
	"context"
	"fmt"
	"slices"

	"shoal/shard/docset"
	"shoal/wire"
)

// checkOrder compares what the words of documents in their order tell of a step's
// nodes with what the records tell, for all documents whose order may tell. It returns
// how many the order told about, and about how many it did not. It reads all these
// records: tests ask it whether both ways to read a document agree.
func checkOrder(ctx context.Context, s *Scope, step *wire.TopStep, set docset.Set) (told, untold int, err error) {
	t, err := newTop(ctx, s, step, s.ix.Columns().Sound())
	if err != nil || !t.placed {
		return 0, 0, err
	}
	_, followed, err := t.divisible(set)
	if err != nil {
		return 0, 0, err
	}
	if err := t.prepare(); err != nil {
		return 0, 0, err
	}
	records := extractor{t: t.extract.t, doc: t.extract.doc, nodes: slices.Clone(t.extract.nodes)}
	for ord := range followed.All() {
		if !t.follow(ord) {
			if t.err != nil {
				return told, untold, t.err
			}
			untold++
			continue
		}
		told++
		tokens, ok, err := s.tokens().Read(ord)
		if err != nil || !ok {
			return told, untold, fmt.Errorf("document %d has no record: %w", ord, err)
		}
		records.doc.tokens = tokens
		for k := range t.refs {
			got, want := &t.extract.nodes[k], &records.nodes[k]
			records.collect(want, ord)
			if !slices.Equal(got.words, want.words) || !slices.Equal(got.ahead, want.ahead) || len(want.ends)+len(want.heads) > 0 {
				return told, untold, fmt.Errorf("document %d, %q: words at %v and %v, want %v and %v",
					ord, t.terms[k].Text, got.words, got.ahead, want.words, want.ahead)
			}
		}
	}
	return told, untold, nil
}
