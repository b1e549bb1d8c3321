package topk

import (
	"context"
	"fmt"
	"slices"

	"shoal/shard/docset"
	"shoal/shard/rank/scope"
	"shoal/wire"
)

// CheckOrder compares two ways of examining documents: by word order and by record. It
// checks the positions of a step's nodes, the classes of the rule exact attribute and
// the exact forms, for all documents whose word order may be followed. It returns for
// how many the order was sufficient and for how many not. It reads all these records;
// for tests.
func CheckOrder(ctx context.Context, s *scope.Scope, step *wire.TopStep, set docset.Set) (told, untold int, err error) {
	t, err := newTop(ctx, s, step, s.Index.Columns().Sound())
	if err != nil || !t.placed {
		return 0, 0, err
	}
	_, followed, err := t.divisible(set)
	if err != nil {
		return 0, 0, err
	}
	t.exact.words, t.exact.positions = s.ExactWords(t.g)
	if err := t.prepare(); err != nil {
		return 0, 0, err
	}
	records := scope.Extractor{Features: t.extract.Features, Doc: t.extract.Doc, Nodes: slices.Clone(t.extract.Nodes)}
	for ord := range followed.All() {
		if !t.follow(ord) {
			if t.err != nil {
				return told, untold, t.err
			}
			untold++
			continue
		}
		told, t.followed = told+1, true
		tokens, ok, err := s.Tokens().Read(ord)
		if err != nil || !ok {
			return told, untold, fmt.Errorf("document %d has no record: %w", ord, err)
		}
		records.Doc.Tokens = tokens
		if err := t.checkExact(&records.Doc, ord); err != nil {
			return told, untold, err
		}
		for k := range t.refs {
			got, want := &t.extract.Nodes[k], &records.Nodes[k]
			records.Collect(want, ord)
			if !slices.Equal(got.Words, want.Words) || !slices.Equal(got.Ahead, want.Ahead) || !slices.Equal(got.Ends, want.Ends) || !slices.Equal(got.Heads, want.Heads) {
				return told, untold, fmt.Errorf("document %d, %q: words at %v, ahead %v, ends %v, heads %v, want %v, %v, %v, %v",
					ord, t.terms[k].Text, got.Words, got.Ahead, got.Ends, got.Heads, want.Words, want.Ahead, want.Ends, want.Heads)
			}
			exact := t.exactDocs(k)
			if t.err != nil {
				return told, untold, t.err
			}
			if has := t.hasExact(k, ord); has != exact.Contains(ord) {
				return told, untold, fmt.Errorf("document %d has the word %q: %v, want %v", ord, t.terms[k].Text, has, !has)
			}
		}
	}
	return told, untold, nil
}

// checkExact is CheckOrder for the rule exact attribute, for a document that was
// followed and whose record was read.
func (t *top) checkExact(d *scope.Document, ord uint32) error {
	if len(t.exactNodes) == 0 {
		return nil // the step does not have the rule
	}
	got, ok := t.exactness()
	if !ok {
		return nil
	}
	if want := d.Exactness(t.exact.words, t.exact.positions); int(got) != want {
		return fmt.Errorf("document %d, %v: class %d by exact attribute, want %d", ord, t.exact.words, got, want)
	}
	return nil
}
