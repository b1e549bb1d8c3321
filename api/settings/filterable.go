package settings

import (
	"slices"

	"shoal/api/apierr"
	"shoal/api/decode"
	"shoal/api/jsonvalue"
)

// filterableAttributes are rules that say which attributes can be filtered by, and how.
var filterableAttributes = row[[]FilterableRule]{
	Name: "filterableAttributes", Path: "filterable-attributes", Verb: "PUT", Code: apierr.Declare("invalid_settings_filterable_attributes"),
	decode:  decode.List(filterableRule),
	write:   writeFilterable,
	slot:    func(s *Settings) *[]FilterableRule { return &s.Filterable },
	rebuilt: rewrites{facet: true},
}.setting()

// FilterableRule is one entry of filterableAttributes. A plain string entry is the rule
// {Patterns: [name], FacetSearch, Equality, Comparison: true} with Plain set, so that
// clients see the string again.
type FilterableRule struct {
	Patterns    []string `json:"patterns"`
	FacetSearch bool     `json:"facetSearch"`
	Equality    bool     `json:"equality"`
	Comparison  bool     `json:"comparison"`
	Plain       bool     `json:"plain,omitempty"`
	// SameObject: filters may ask for several conditions on one object of an array.
	SameObject bool `json:"sameObject,omitempty"`
}

var filterObject = decode.NewObject(
	decode.Plain("equality", apierr.Code{}, decode.Bool, func(r *FilterableRule) *bool { return &r.Equality }),
	decode.Plain("comparison", apierr.Code{}, decode.Bool, func(r *FilterableRule) *bool { return &r.Comparison }),
)

var featuresObject = decode.NewObject(
	decode.Plain("facetSearch", apierr.Code{}, decode.Bool, func(r *FilterableRule) *bool { return &r.FacetSearch }),
	decode.Custom("filter", apierr.Code{}, func(r *FilterableRule, at *decode.Loc, v *jsonvalue.Value) *apierr.Error {
		return filterObject.Decode(at, v, r)
	}),
	decode.Plain("sameObject", apierr.Code{}, decode.Bool, func(r *FilterableRule) *bool { return &r.SameObject }).Unlisted(),
)

var filterableObject = decode.NewObject(
	decode.Plain("attributePatterns", apierr.Code{}, decode.Strings, func(r *FilterableRule) *[]string { return &r.Patterns }).Required(apierr.Code{}),
	decode.Custom("features", apierr.Code{}, func(r *FilterableRule, at *decode.Loc, v *jsonvalue.Value) *apierr.Error {
		return featuresObject.Decode(at, v, r)
	}),
)

// filterableRule decodes a name, or an object of patterns and features.
func filterableRule(at *decode.Loc, v *jsonvalue.Value) (FilterableRule, *apierr.Error) {
	if v.Kind() == jsonvalue.KindObject {
		rule := FilterableRule{Equality: true}
		err := filterableObject.Decode(at, v, &rule)
		return rule, err
	}
	name, err := decode.String(at, v)
	return FilterableRule{Patterns: []string{name}, FacetSearch: true, Equality: true, Comparison: true, Plain: true}, err
}

func writeFilterable(dst []byte, rules []FilterableRule, _ bool) []byte {
	return jsonvalue.AppendList(dst, rules, func(r *FilterableRule, dst []byte) []byte {
		if r.Plain && len(r.Patterns) == 1 {
			return jsonvalue.AppendString(dst, r.Patterns[0])
		}
		dst = decode.WriteStrings(append(dst, `{"attributePatterns":`...), r.Patterns, true)
		dst = decode.WriteBool(append(dst, `,"features":{"facetSearch":`...), r.FacetSearch, true)
		dst = decode.WriteBool(append(dst, `,"filter":{"equality":`...), r.Equality, true)
		dst = decode.WriteBool(append(dst, `,"comparison":`...), r.Comparison, true)
		dst = append(dst, '}')
		if r.SameObject { // clients of API 1.50 do not know the member
			dst = decode.WriteBool(append(dst, `,"sameObject":`...), true, true)
		}
		return append(dst, "}}"...)
	})
}

// BySameObject tells whether the patch has attributes indexed by the objects of arrays,
// which programs before wire.SameObjectSince do not know.
func (p *Patch) BySameObject() bool {
	return slices.ContainsFunc(of[[]FilterableRule](p, filterableAttributes).Or(nil), bySameObject)
}

// BySameObject is that of a patch, for settings in force.
func (s *Settings) BySameObject() bool { return slices.ContainsFunc(s.Filterable, bySameObject) }

func bySameObject(r FilterableRule) bool { return r.SameObject }

// RefuseSameObject is the error of settings that have objects indexed in a cluster in which
// some program does not know of it.
func RefuseSameObject() *apierr.Error {
	return apierr.New(filterableAttributes.Code, apierr.SameObjectTextOlder)
}
