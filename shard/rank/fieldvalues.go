package rank

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"shoal/query"
	"shoal/wire"
)

// fieldValues reads the values that documents have at a path of their stored
// JSON: strings in facet form (empty ones count), booleans and numbers, also as
// elements of an array, but not of an array in an array (spec ranking 6.2).
func (s *Session) fieldValues(step *wire.FieldValuesStep) (*wire.FieldValuesReply, error) {
	r := &wire.FieldValuesReply{Keys: make([][]string, len(step.Ordinals))}
	for i, ord := range step.Ordinals {
		doc, ok, err := s.ix.Document(ord)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		var v any
		dec := json.NewDecoder(bytes.NewReader(doc))
		dec.UseNumber()
		if err := dec.Decode(&v); err != nil {
			return nil, err
		}
		valuesAt(v, step.Path, func(v any) {
			if key, ok := valueKey(v); ok {
				r.Keys[i] = append(r.Keys[i], key)
			}
		})
	}
	return r, nil
}

// valuesAt calls f for the values at a dotted path; a key may contain dots itself,
// and objects in an array on the way are passed through.
func valuesAt(v any, path string, f func(any)) {
	object, ok := v.(map[string]any)
	if !ok {
		return
	}
	for key, inner := range object {
		if key == path {
			eachOf(inner, f)
		} else if rest, ok := strings.CutPrefix(path, key+"."); ok {
			eachOf(inner, func(v any) { valuesAt(v, rest, f) })
		}
	}
}

// eachOf calls f for the elements of an array, or for what is none.
func eachOf(v any, f func(any)) {
	list, ok := v.([]any)
	if !ok {
		f(v)
		return
	}
	for _, inner := range list {
		f(inner)
	}
}

// valueKey is a text that is equal for equal values only.
func valueKey(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return "s" + query.StoredFacetForm(v), true
	case bool:
		return "b" + strconv.FormatBool(v), true
	case json.Number:
		if x, err := v.Float64(); err == nil {
			return "n" + strconv.FormatFloat(x, 'g', -1, 64), true
		}
		return "n" + v.String(), true
	}
	return "", false
}
