package topk

import (
	"shoal/shard/docset"
	"shoal/shard/rank/columns"
	"shoal/shard/rank/scope"
	"shoal/shard/record"
)

// exactCells divides documents by the rule exact attribute: 2 for documents that
// lack a word of the query at its place, or have them in different fields; of the
// others 0 for those with a field that has all words and no more, else 1.
type exactCells struct {
	words     []scope.ExactWord
	positions int
	// set are the documents that may be asked about; docs those of each word,
	// spreads the columns of the words, unknown the documents that records tell about.
	set     docset.Set
	ready   bool
	docs    []docset.Set
	unknown docset.Set
	spreads []*columns.Spread
}

// begin turns to other documents.
func (e *exactCells) begin(set docset.Set) {
	*e = exactCells{words: e.words, positions: e.positions, set: set}
}

// divideExact divides a cell by the rule.
func (t *top) divideExact(c cell, visit func(docset.Set, uint32) bool) bool {
	e := &t.exact
	if !e.ready {
		if t.err = t.openExact(); t.err != nil {
			return false
		}
	}
	have := c.docs
	for _, docs := range e.docs {
		have = have.And(docs)
	}
	if len(e.docs) == 0 {
		have = docset.Set{}
	}
	match, starts, err := t.exactClasses(have)
	if err != nil {
		t.err = err
		return false
	}
	return visit(match, 0) && visit(starts, 1) && visit(c.docs.AndNot(match).AndNot(starts), 2)
}

// openExact finds the documents of the words, and their columns.
func (t *top) openExact() error {
	e := &t.exact
	e.ready = true
	for _, w := range e.words {
		docs, err := t.s.Word(w.Word, false)
		if err != nil {
			return err
		}
		e.docs = append(e.docs, docs)
	}
	for _, w := range e.words {
		if t.s.Restricted || w.Position >= columns.NearPlaces {
			e.unknown = e.set
			return nil
		}
		sp, unknown, err := t.columns.Spread(t.s, []columns.Key{{Text: w.Word}}, e.set)
		if err != nil {
			return err
		}
		e.spreads, e.unknown = append(e.spreads, sp), e.unknown.Or(unknown)
	}
	return nil
}

// exactClasses returns those of some documents with all words that cost 0 and 1.
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
		others := together(int(columns.OtherFields))
		read, placed = read.Or(others), placed.AndNot(others)
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
