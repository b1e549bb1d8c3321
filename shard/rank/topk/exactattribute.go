package topk

import (
	"slices"

	"shoal/query"
	"shoal/shard/docset"
	"shoal/shard/rank/columns"
	"shoal/shard/rank/scope"
	"shoal/shard/record"
)

// exactCells divides documents by the rule exact attribute. The cost is 2 for documents
// that lack a query word at its place or have the words in different fields, 0 for the
// others with a field of exactly these words, else 1.
type exactCells struct {
	words     []scope.ExactWord
	positions int
	// set are the documents in question and have those with all words. spreads are the
	// columns of the words. The records of unknown must be read.
	set     docset.Set
	ready   bool
	have    docset.Set
	unknown docset.Set
	spreads []*columns.Spread
}

// begin resets to other documents.
func (e *exactCells) begin(set docset.Set) {
	*e = exactCells{words: e.words, positions: e.positions, set: set}
}

// divideExact divides a cell by the rule.
func (t *top) divideExact(_ int, c cell, visit visit) bool {
	e := &t.exact
	if !e.ready {
		if t.err = t.openExact(); t.err != nil {
			return false
		}
	}
	match, starts, err := t.exactClasses(c.docs.And(e.have))
	if err != nil {
		t.err = err
		return false
	}
	return visit(match, 0) && visit(starts, 1) && visit(c.docs.AndNot(match).AndNot(starts), 2)
}

// openExact finds the documents of the words and their columns.
func (t *top) openExact() error {
	e := &t.exact
	e.ready = true
	if len(e.words) > 0 {
		e.have = e.set
	}
	for _, w := range e.words {
		docs, err := t.s.Word(w.Word, false)
		if err != nil {
			return err
		}
		if e.have = e.have.And(docs); e.have.Empty() {
			return nil
		}
	}
	for _, w := range e.words {
		if w.Position >= columns.NearPlaces {
			e.unknown = e.have
			return nil
		}
		sp, unknown, err := t.columns.Spread(t.s, []columns.Key{{Text: w.Word}}, e.have, t.ahead)
		if err != nil {
			return err
		}
		e.spreads, e.unknown = append(e.spreads, sp), e.unknown.Or(unknown)
	}
	return nil
}

// exactClasses returns the documents of cost 0 and 1. All of docs have all words.
func (t *top) exactClasses(docs docset.Set) (match, starts docset.Set, err error) {
	e := &t.exact
	if docs.Empty() {
		return match, starts, nil
	}
	read := docs.And(e.unknown)
	placed := docs.AndNot(read)
	together := func(fid int) docset.Set {
		in := placed
		for _, sp := range e.spreads {
			in = in.And(sp.InField(fid))
		}
		return in
	}
	if !placed.Empty() {
		for i, sp := range e.spreads {
			placed = placed.And(sp.AtPlace(int(t.exact.words[i].Position)))
		}
		if t.others {
			others := together(int(columns.OtherFields))
			read, placed = read.Or(others), placed.AndNot(others)
		}
		for fid := range min(len(t.s.Schema.Weight), int(columns.OtherFields)) {
			if placed.Empty() {
				break
			}
			if !t.s.Searched(uint16(fid)) {
				continue
			}
			in := together(fid)
			if in.Empty() {
				continue
			}
			starts = starts.Or(in)
			if e.positions > scope.MaxCounted {
				continue
			}
			counted, err := t.s.Index.FieldCount(uint16(fid), e.positions)
			if err != nil {
				return match, starts, err
			}
			match = match.Or(in.And(counted))
		}
	}
	var some, whole docset.Builder
	d := scope.Document{Scope: t.s}
	err = t.s.EachRecord(read, func(ord uint32, tokens record.Tokens) bool {
		d.Tokens = tokens
		switch d.Exactness(e.words, e.positions) {
		case 0:
			whole.Add(ord)
		case 1:
			some.Add(ord)
		}
		return true
	})
	match = match.Or(whole.Set())
	return match, starts.Or(some.Set()).AndNot(match), err
}

// prepareExactAttribute finds the nodes of the words.
func (t *top) prepareExactAttribute() error {
	for _, w := range t.exact.words {
		t.exactNodes = append(t.exactNodes, slices.IndexFunc(t.refs, func(ref query.Ref) bool {
			term := &t.s.Terms[ref.Term]
			return !term.IsPhrase() && term.Text == w.Word && columns.Bucketed(term.First) == w.Position && term.HasExact(ref.Sub)
		}))
	}
	return nil
}

// misplaced reports that some word of the rule exact attribute is not at its place,
// according to the occurrences of its node.
func (t *top) misplaced() bool {
	if !t.placed {
		return false // occurrences were not looked up
	}
	for i, k := range t.exactNodes {
		if k < 0 {
			continue
		}
		at := t.exact.words[i].Position
		if !slices.ContainsFunc(t.extract.Nodes[k].Words, func(o record.Occurrence) bool { return columns.Bucketed(o.Position) == at }) {
			return true
		}
	}
	return false
}

// exactAttributeCost returns the cost of the rule exact attribute.
func (t *top) exactAttributeCost(_ int, ord uint32) (cost uint32, ok bool) {
	if len(t.exact.words) == 0 || t.misplaced() {
		return 2, true
	}
	if t.followed {
		if cost, ok := t.exactness(); ok {
			return cost, true
		}
	}
	if !t.open(ord) {
		return 0, false
	}
	return uint32(t.extract.Doc.Exactness(t.exact.words, t.exact.positions)), true
}

// exactness is Document.Exactness of the document that was followed. ok is false if its
// record must be read.
func (t *top) exactness() (cost uint32, ok bool) {
	t.fields = t.fields[:0]
	for i, k := range t.exactNodes {
		if k < 0 {
			return 0, false
		}
		own := t.extract.Nodes[k].Own
		if i == 0 {
			t.fields = t.appendFields(t.fields, own)
		} else {
			t.fields = slices.DeleteFunc(t.fields, func(f uint16) bool {
				return !slices.ContainsFunc(own, func(o record.Occurrence) bool { return o.Field == f })
			})
		}
		at := t.exact.words[i].Position
		if len(t.fields) == 0 || !slices.ContainsFunc(own, func(o record.Occurrence) bool { return columns.Bucketed(o.Position) == at }) {
			return 2, true
		}
	}
	if t.exact.positions > scope.MaxCounted {
		return 1, true
	}
	for _, f := range t.fields {
		if wordsIn(t.wordOrder, f, t.exact.positions+1) == t.exact.positions {
			return 0, true
		}
	}
	return 1, true
}

// appendFields appends the searched fields of ascending occurrences.
func (t *top) appendFields(fields []uint16, at []record.Occurrence) []uint16 {
	for _, o := range at {
		if n := len(fields); (n == 0 || fields[n-1] != o.Field) && t.s.Searched(o.Field) {
			fields = append(fields, o.Field)
		}
	}
	return fields
}
