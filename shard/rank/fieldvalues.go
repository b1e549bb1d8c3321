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
// JSON: strings in facet form (empty ones count), booleans and numbers, arrays
// flattened (spec ranking 6.2).
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

// valuesAt calls f for the leaf values at a dotted path; a key may contain dots
// itself, and arrays on the way are passed through.
func valuesAt(v any, path string, f func(any)) {
	switch v := v.(type) {
	case map[string]any:
		for key, inner := range v {
			if key == path {
				leaves(inner, f)
			} else if rest, ok := strings.CutPrefix(path, key+"."); ok {
				valuesAt(inner, rest, f)
			}
		}
	case []any:
		for _, inner := range v {
			valuesAt(inner, path, f)
		}
	}
}

func leaves(v any, f func(any)) {
	if list, ok := v.([]any); ok {
		for _, inner := range list {
			leaves(inner, f)
		}
		return
	}
	f(v)
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
