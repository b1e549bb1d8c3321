package settings

import (
	"slices"

	"shoal/api/apierr"
	"shoal/api/decode"
)

// displayedAttributes are the attributes that documents show.
var displayedAttributes = row[[]string]{
	Name: "displayedAttributes", Path: "displayed-attributes", Verb: "PUT", Code: apierr.Declare("invalid_settings_displayed_attributes"),
	decode: decode.Strings,
	write:  decode.WriteStrings,
	reset:  `["*"]`,
	show:   func(dst []byte, s *Settings) []byte { return showWildcard(dst, s.DisplayedAttributes) },
	apply: func(s *Settings, f decode.Field[[]string], _ *Env) *apierr.Error {
		s.DisplayedAttributes = wildcard(f)
		return nil
	},
}.setting()

// searchableAttributes are the attributes that are searched, the most important first.
var searchableAttributes = row[[]string]{
	Name: "searchableAttributes", Path: "searchable-attributes", Verb: "PUT", Code: apierr.Declare("invalid_settings_searchable_attributes"),
	decode: decode.Strings,
	write:  decode.WriteStrings,
	reset:  `["*"]`,
	show:   func(dst []byte, s *Settings) []byte { return showWildcard(dst, s.SearchableAttributes) },
	apply: func(s *Settings, f decode.Field[[]string], _ *Env) *apierr.Error {
		s.SearchableAttributes = wildcard(f)
		return nil
	},
	effect: func(old, new *Settings) rewrites { return rewrites{text: SearchesOthers(old, new)} },
}.setting()

// sortableAttributes are the attributes that can be sorted by.
var sortableAttributes = row[[]string]{
	Name: "sortableAttributes", Path: "sortable-attributes", Verb: "PUT", Code: apierr.Declare("invalid_settings_sortable_attributes"),
	decode:  decode.StringSet,
	write:   decode.WriteStrings,
	slot:    func(s *Settings) *[]string { return &s.Sortable },
	rebuilt: rewrites{facet: true},
}.setting()

// SearchesOthers tells whether a change alters the set of searched attributes.
func SearchesOthers(old, new *Settings) bool {
	return !sameNames(old.SearchableAttributes, new.SearchableAttributes)
}

// sameNames compares lists as sets. nil (the default of some lists) differs from empty.
func sameNames(a, b []string) bool {
	if (a == nil) != (b == nil) || len(a) != len(b) {
		return false
	}
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// wildcard returns the list in force: nil for the default, also if a "*" stands anywhere in
// the list. Task details show the list as it was sent.
func wildcard(f decode.Field[[]string]) []string {
	if !f.IsSet() || slices.Contains(f.Value, "*") {
		return nil
	}
	return withoutRepeats(f.Value)
}

// withoutRepeats keeps the first of equal names. The result is never nil.
func withoutRepeats(list []string) []string {
	out := make([]string, 0, len(list))
	seen := make(map[string]struct{}, len(list))
	for _, name := range list {
		if _, again := seen[name]; !again {
			seen[name] = struct{}{}
			out = append(out, name)
		}
	}
	return out
}

func showWildcard(dst []byte, list []string) []byte {
	if list == nil {
		return append(dst, `["*"]`...)
	}
	return decode.WriteStrings(dst, list, true)
}
