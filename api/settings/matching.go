package settings

import (
	"shoal/api/apierr"
	"shoal/api/decode"
)

// distinctAttribute keeps at most one hit for each value of an attribute.
var distinctAttribute = row[string]{
	Name: "distinctAttribute", Path: "distinct-attribute", Verb: "PUT", Code: apierr.Declare("invalid_settings_distinct_attribute"),
	decode:  decode.String,
	write:   decode.WriteString,
	pointer: func(s *Settings) **string { return &s.DistinctAttribute },
	rebuilt: rewrites{facet: true},
}.setting()

// proximityPrecision says how precisely distances between words are measured.
var proximityPrecision = row[string]{
	Name: "proximityPrecision", Path: "proximity-precision", Verb: "PUT", Code: apierr.Declare("invalid_settings_proximity_precision"),
	decode:  decode.OneOf("byWord", "byAttribute"),
	write:   decode.WriteString,
	slot:    func(s *Settings) *string { return &s.ProximityPrecision },
	rebuilt: rewrites{text: true},
}.setting()

// prefixSearch says whether the beginning of a word matches it.
var prefixSearch = row[string]{
	Name: "prefixSearch", Path: "prefix-search", Verb: "PUT", Code: apierr.Declare("invalid_settings_prefix_search"),
	decode:  decode.OneOf("indexingTime", "disabled"),
	write:   decode.WriteString,
	slot:    func(s *Settings) *string { return &s.PrefixSearch },
	rebuilt: rewrites{text: true},
}.setting()
