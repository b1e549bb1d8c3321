package rank

import (
	"shoal/query"
	"shoal/shard/docset"
	"shoal/shard/record"
)

// places tell for the documents of a top where the words of one node stand, as
// columns tell it: least weight and set of places, 255 and 0 when nowhere.
type places struct {
	weight []uint8
	at     []uint32
}

// gallop is the factor of sizes from which on a column is searched for, instead
// of walked beside the documents.
const gallop = 16

// join adds what a column says about the documents.
func (p *places) join(ords []uint32, c *column) {
	if len(c.ords)*gallop < len(ords) {
		for k, ord := range c.ords {
			if i, ok := searchOrdinal(ords, ord); ok {
				p.add(i, c.weight[k], c.places[k])
			}
		}
		return
	}
	if len(ords)*gallop < len(c.ords) {
		for i, ord := range ords {
			if k, ok := searchOrdinal(c.ords, ord); ok {
				p.add(i, c.weight[k], c.places[k])
			}
		}
		return
	}
	k := 0
	for i, ord := range ords {
		for k < len(c.ords) && c.ords[k] < ord {
			k++
		}
		if k == len(c.ords) {
			return
		}
		if c.ords[k] == ord {
			p.add(i, c.weight[k], c.places[k])
		}
	}
}

func (p *places) add(i int, weight uint8, at uint32) {
	p.weight[i] = min(p.weight[i], weight)
	p.at[i] |= at
}

func searchOrdinal(ords []uint32, ord uint32) (int, bool) {
	lo, hi := 0, len(ords)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if ords[mid] < ord {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo, lo < len(ords) && ords[lo] == ord
}

// places finds the places of every node from columns, and from the records of
// documents that may hold a phrase of a node. It returns nil when reading all
// records costs less.
func (t *top) places(set docset.Set) ([]places, error) {
	if !t.placed() || len(t.ords) < ColumnMin {
		return nil, nil
	}
	keys := make([][]columnKey, len(t.refs))
	phrases := make([]docset.Set, len(t.refs))
	reads := 0
	for k, ref := range t.refs {
		var ok bool
		var err error
		if keys[k], ok = t.s.columnKeys(ref); !ok {
			return nil, nil
		}
		if phrases[k], err = t.phrased(ref, set); err != nil {
			return nil, err
		}
		if reads += phrases[k].Len(); reads > len(t.ords)/2 {
			return nil, nil
		}
	}
	out := make([]places, len(t.refs))
	for k := range out {
		ok, err := t.gather(&out[k], keys[k], set)
		if err != nil || !ok {
			return nil, err
		}
		if err := t.readPhrases(&out[k], k, phrases[k]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// gather joins the columns of one node; ok is false when one is too dear to make.
func (t *top) gather(p *places, keys []columnKey, set docset.Set) (ok bool, err error) {
	p.weight, p.at = make([]uint8, len(t.ords)), make([]uint32, len(t.ords))
	for i := range p.weight {
		p.weight[i] = 255
	}
	for _, key := range keys {
		if !key.prefix && len(keys) > 1 {
			docs, err := t.s.word(key.text, false)
			if err != nil {
				return false, err
			}
			if !docs.Intersects(set) {
				continue
			}
		}
		c, err := t.s.column(key, len(t.ords))
		if err != nil || c == nil {
			return false, err
		}
		p.join(t.ords, c)
	}
	return true, nil
}

// phrased returns the documents of a set that have all words of some phrase of a
// node.
func (t *top) phrased(ref query.Ref, set docset.Set) (out docset.Set, err error) {
	t.s.terms[ref.Term].Phrases(ref.Sub, func(words []string) {
		docs := set
		for _, w := range words {
			if w == "" || err != nil {
				continue
			}
			var have docset.Set
			have, err = t.s.word(w, false)
			docs = docs.And(have)
		}
		out = out.Or(docs)
	})
	return out, err
}

// readPhrases adds the places of the phrases of a node.
func (t *top) readPhrases(p *places, node int, docs docset.Set) error {
	if docs.Empty() {
		return nil
	}
	d := document{session: t.s}
	term, sub := t.terms[node], t.refs[node].Sub
	return t.s.eachRecord(docs, func(ord uint32, tokens record.Tokens) bool {
		d.tokens = tokens
		i, _ := searchOrdinal(t.ords, ord)
		term.Phrases(sub, func(words []string) {
			if !d.holdsPhrase(words) {
				return
			}
			for _, w := range words {
				if w == "" {
					continue
				}
				if e, ok := tokens.Find(w); ok {
					weight, at, _ := t.s.schema.placesOf(e)
					p.add(i, weight, at)
				}
				return
			}
		})
		return true
	})
}

// fromPlaces adds the costs of a rule for one node.
func (t *top) fromPlaces(rule, node int, p *places) {
	size := uint32(t.terms[node].Size())
	costs := newPositionCosts(t.terms[node])
	rank := t.rules[rule].Kind == query.AttributeRank
	for i, at := range p.at {
		switch {
		case at == 0 || p.weight[i] == 255:
			t.drop(i)
		case rank:
			t.add(rule, i, uint32(p.weight[i])*size)
		default:
			t.add(rule, i, costs.of(at))
		}
	}
}
