package scope

import (
	"shoal/query/rule"
	"shoal/wire"
)

// SortValue returns the value that a document is sorted by under a rule.
func (s *Scope) SortValue(ord uint32, rule rule.Rule) (wire.SortValue, error) {
	field, known := s.Schema.FieldID(rule.Field)
	if !known {
		return wire.SortValue{Kind: wire.SortNone}, nil
	}
	return s.FieldValue(ord, field, rule.Desc)
}

// FieldValue returns the value that a document is sorted by: its best number, or else
// its best string.
func (s *Scope) FieldValue(ord uint32, field uint16, desc bool) (wire.SortValue, error) {
	none := wire.SortValue{Kind: wire.SortNone}
	v, ok, err := s.Index.Values(ord)
	if err != nil || !ok {
		return none, err
	}
	f, ok := v.Field(field)
	if !ok {
		return none, nil
	}
	if n := f.NumberCount(); n > 0 {
		if desc {
			return wire.SortValue{Number: f.Number(n - 1)}, nil
		}
		return wire.SortValue{Number: f.Number(0)}, nil
	}
	var best []byte
	for form := range f.Strings() {
		best = form
		if !desc {
			break
		}
	}
	if best == nil {
		return none, nil
	}
	return wire.SortValue{Kind: wire.SortString, Text: string(best)}, nil
}
