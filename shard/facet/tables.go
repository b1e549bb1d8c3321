package facet

import (
	"shoal/shard/docset"
	"shoal/wire"
)

// countTables counts a facet by intersecting the sets of its values with the
// candidates. ok is false if there are so many values that reading the candidates'
// records is cheaper.
func countTables(ix Index, candidates docset.Set, ask wire.FacetAsk, limit int) (p wire.FacetPart, ok bool, err error) {
	c := tableCount{candidates: candidates, budget: 2 * candidates.Len()}
	if err := c.numbers(ix, ask, -1, &p); err != nil || c.budget < 0 {
		return p, false, err
	}
	if err := c.strings(ix, ask, limit, &p); err != nil || c.budget < 0 {
		return p, false, err
	}
	if ask.Order == wire.FacetText {
		SortNumbers(p.Numbers, ask.Order)
	}
	cut(&p, ask.Order, limit)
	return p, true, labelTop(ix, candidates, ask, limit, &p)
}

// tableCount gives up when its budget of values is used up. A value that candidates have adds
// gain to it.
type tableCount struct {
	candidates   docset.Set
	budget, gain int
}

// numbers counts the numbers until enough are found.
func (c *tableCount) numbers(ix Index, ask wire.FacetAsk, enough int, p *wire.FacetPart) error {
	return ix.Numbers(ask.Field, false, func(v float64, docs docset.Set) bool {
		if c.budget--; c.budget < 0 {
			return false
		}
		n := docs.AndLen(c.candidates)
		if n == 0 {
			return true
		}
		if !p.HasNumbers {
			p.HasNumbers, p.Min = true, v
		}
		p.Max = v
		c.budget += c.gain
		p.Numbers = append(p.Numbers, wire.FacetNumber{Value: v, Count: uint64(n)})
		return len(p.Numbers) != enough
	})
}

func (c *tableCount) strings(ix Index, ask wire.FacetAsk, limit int, p *wire.FacetPart) error {
	enough := limit
	if ask.Order == wire.FacetCount || ask.Order == wire.FacetValue && (p.HasNumbers || limit == 0) {
		enough = -1
	}
	if enough == 0 {
		return nil
	}
	return ix.Strings(ask.Field, false, func(form string, docs docset.Set) bool {
		if c.budget--; c.budget < 0 {
			return false
		}
		n := docs.AndLen(c.candidates)
		if n > 0 {
			c.budget += c.gain
			p.Strings = append(p.Strings, wire.FacetString{Form: form, Count: uint64(n)})
		}
		return len(p.Strings) != enough
	})
}

// labelTop labels the strings that will be shown.
func labelTop(ix Index, candidates docset.Set, ask wire.FacetAsk, limit int, p *wire.FacetPart) error {
	for _, s := range shown(ask, limit, p) {
		l, err := label(ix, candidates, false, ask.Field, s.Form)
		if err != nil {
			return err
		}
		s.Labelled, s.First, s.Label = l.Found, l.First, l.Text
	}
	return nil
}

// label finds the spelling of a form in its lowest document, among the candidates or
// all.
func label(ix Index, candidates docset.Set, whole bool, fid uint16, form string) (wire.FacetLabel, error) {
	docs, err := ix.String(fid, form)
	if err != nil {
		return wire.FacetLabel{}, err
	}
	if !whole {
		docs = docs.And(candidates)
	}
	first, ok := ix.Order().Min(docs)
	if !ok {
		return wire.FacetLabel{}, nil
	}
	l := wire.FacetLabel{Found: true, First: ix.Order().Ordinal(first)}
	l.Text, err = spelling(ix, fid, form, first)
	return l, err
}

// spelling returns the spelling of a facet form in a document.
func spelling(ix Index, fid uint16, form string, ord uint32) (string, error) {
	v, ok, err := ix.Values(ord)
	if err != nil || !ok {
		return form, err
	}
	if f, ok := v.Field(fid); ok {
		for stored, original := range f.Strings() {
			if string(stored) == form {
				return string(original), nil
			}
		}
	}
	return form, nil
}
