package settings

import (
	"shoal/api/apierr"
	"shoal/api/decode"
	"shoal/api/jsonvalue"
)

// distinctAttribute keeps at most one hit for each value of an attribute.
var distinctAttribute = row[string]{
	Name: "distinctAttribute", Path: "distinct-attribute", Verb: "PUT", Code: apierr.Declare("invalid_settings_distinct_attribute"),
	decode: decode.String,
	write:  decode.WriteString,
	show:   showDistinct,
	apply: func(s *Settings, f decode.Field[string], _ *Env) *apierr.Error {
		s.DistinctAttribute = nil
		if f.IsSet() {
			name := f.Value
			s.DistinctAttribute = &name
		}
		return nil
	},
	effect: func(old, new *Settings) rewrites {
		return rewrites{facet: !samePointer(old.DistinctAttribute, new.DistinctAttribute)}
	},
}.setting()

// proximityPrecision says how precisely distances between words are measured.
var proximityPrecision = row[string]{
	Name: "proximityPrecision", Path: "proximity-precision", Verb: "PUT", Code: apierr.Declare("invalid_settings_proximity_precision"),
	decode: decode.OneOf("byWord", "byAttribute"),
	write:  decode.WriteString,
	show:   func(dst []byte, s *Settings) []byte { return jsonvalue.AppendString(dst, s.ProximityPrecision) },
	apply: func(s *Settings, f decode.Field[string], _ *Env) *apierr.Error {
		s.ProximityPrecision = f.Or("byWord")
		return nil
	},
	effect: func(old, new *Settings) rewrites {
		return rewrites{text: old.ProximityPrecision != new.ProximityPrecision}
	},
}.setting()

// prefixSearch says whether the beginning of a word matches it.
var prefixSearch = row[string]{
	Name: "prefixSearch", Path: "prefix-search", Verb: "PUT", Code: apierr.Declare("invalid_settings_prefix_search"),
	decode: decode.OneOf("indexingTime", "disabled"),
	write:  decode.WriteString,
	show:   func(dst []byte, s *Settings) []byte { return jsonvalue.AppendString(dst, s.PrefixSearch) },
	apply: func(s *Settings, f decode.Field[string], _ *Env) *apierr.Error {
		s.PrefixSearch = f.Or("indexingTime")
		return nil
	},
	effect: func(old, new *Settings) rewrites { return rewrites{text: old.PrefixSearch != new.PrefixSearch} },
}.setting()

func showDistinct(dst []byte, s *Settings) []byte {
	if s.DistinctAttribute == nil {
		return append(dst, "null"...)
	}
	return jsonvalue.AppendString(dst, *s.DistinctAttribute)
}

func samePointer(a, b *string) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}
