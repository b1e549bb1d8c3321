package filter

import (
	"encoding/json"
	"slices"
	"sort"
	"strings"

	"shoal/api/apierr"
	"shoal/api/settings"
)

// Gates are the experimental features that filters use.
type Gates struct {
	ContainsFilter, ForeignKeys, Network, Multimodal bool
}

// CheckGates refuses operators of features that are off, in the order of spec
// search-api 7.4.
func (f *Filter) CheckGates(g Gates) *FilterError {
	if f == nil {
		return nil
	}
	var contain, foreign, shard, vectors *FilterToken
	f.Walk(func(n *Node) bool {
		switch n.Op {
		case FilterContains:
			keepFirst(&contain, &n.Keyword)
		case FilterVectors:
			keepFirst(&vectors, &n.Field)
		default:
			if n.OnShard() {
				keepFirst(&shard, &n.Field)
			}
		}
		return true
	})
	if list := f.Foreign(); len(list) > 0 {
		foreign = &list[len(list)-1].Field
	}
	for _, gate := range []struct {
		token   *FilterToken
		open    bool
		doing   string
		feature string
		page    int
	}{
		{contain, g.ContainsFilter, "Using `CONTAINS` in a filter", "contains filter", 763},
		{foreign, g.ForeignKeys, "using a foreign filter", "foreign_keys", 873},
		{shard, g.Network, "using a shard filter", "network", 805},
		{vectors, g.Multimodal, "using a vector filter", "multimodal", 846},
	} {
		if gate.token != nil && !gate.open {
			err := gate.token.fault(apierr.FilterTextGate(gate.doing, gate.feature, gate.page))
			err.Code = &apierr.CodeFeatureNotEnabled
			return err
		}
	}
	return nil
}

func keepFirst(kept **FilterToken, t *FilterToken) {
	if *kept == nil {
		*kept = t
	}
}

// Foreign lists the outermost `_foreign` conditions in order of writing.
func (f *Filter) Foreign() []*Node {
	if f == nil {
		return nil
	}
	return foreignOf(f.Root, nil)
}

func foreignOf(n *Node, list []*Node) []*Node {
	if n.Op == FilterForeign {
		return append(list, n)
	}
	for _, kid := range n.Kids {
		list = foreignOf(kid, list)
	}
	return list
}

// RefuseForeign is the error of routes that do not support `_foreign` (M11); nil
// without one.
func (f *Filter) RefuseForeign() *FilterError {
	list := f.Foreign()
	if len(list) == 0 {
		return nil
	}
	return list[len(list)-1].Field.fault(apierr.FilterTextForeignRefused)
}

// CheckFilterable refuses attributes that the settings do not make filterable:
// every field of the tree is tested and the last offending one reported (M1, M2).
// It depends on the settings only.
func (f *Filter) CheckFilterable(s *settings.Settings) *FilterError {
	if f == nil {
		return nil
	}
	return (&filterableCheck{settings: s, rules: NewFilterable(s)}).last(f.Root, false)
}

// filterableCheck looks for fields that may not be filtered by.
type filterableCheck struct {
	settings *settings.Settings
	rules    *Filterable
}

// last refuses the last field that may not be filtered by; inObject tells that n stands in
// braces. What stands inside a `_foreign` concerns another index.
func (c *filterableCheck) last(n *Node, inObject bool) *FilterError {
	switch n.Op {
	case FilterAnd, FilterOr, FilterNot, FilterObject:
		for i := len(n.Kids) - 1; i >= 0; i-- {
			if fault := c.last(n.Kids[i], inObject || n.Op == FilterObject); fault != nil {
				return fault
			}
		}
		if n.Op == FilterObject {
			return c.sameObject(&n.Field)
		}
		return nil
	case FilterVectors, FilterGeoRadius, FilterGeoBox, FilterGeoPolygon:
		return nil
	}
	rule, _ := c.rules.Rule(n.Field.Value)
	switch {
	case Filters(rule) && inObject:
		return c.sameObject(&n.Field)
	case Filters(rule) || n.Field.Value == "_vectors" || n.OnShard():
		return nil
	}
	return n.Field.fault(apierr.FilterTextNotFilterable(n.Field.Value, FilterablePatterns(c.settings)))
}

// sameObject refuses a field whose rule does not have it indexed by objects.
func (c *filterableCheck) sameObject(field *FilterToken) *FilterError {
	if rule, _ := c.rules.Rule(field.Value); rule != nil && rule.SameObject {
		return nil
	}
	declared := rulePatterns(c.settings, func(r *settings.FilterableRule) bool { return r.SameObject })
	return field.fault(apierr.FilterTextNotSameObject(field.Value, declared))
}

// FilterablePatterns lists the patterns of the rules that enable filtering,
// sorted, without duplicates.
func FilterablePatterns(s *settings.Settings) []string {
	return rulePatterns(s, Filters)
}

func rulePatterns(s *settings.Settings, keep func(*settings.FilterableRule) bool) []string {
	var list []string
	for i := range s.Filterable {
		if rule := &s.Filterable[i]; keep(rule) {
			list = append(list, rule.Patterns...)
		}
	}
	sort.Strings(list)
	return slices.Compact(list)
}

// CheckOperator refuses an operator that the rule of a known field does not
// enable (M12). It is an error of evaluation: a condition that is never reached
// does not raise it.
func (n *Node) CheckOperator(s *Filterable) *apierr.Error {
	rule, number := s.Rule(n.Field.Value)
	if rule == nil {
		return nil
	}
	operator, needs := n.Op.operator(), ""
	switch n.Op {
	case FilterEqual, FilterNotEqual, FilterIn:
		if rule.Equality || n.Op == FilterIn && len(n.Values) == 0 {
			return nil
		}
		if n.Op == FilterIn {
			operator = "="
		}
		needs = "equality"
	case FilterLess, FilterLessEqual, FilterGreater, FilterGreaterEqual, FilterBetween:
		if rule.Comparison {
			return nil
		}
		needs = "comparison"
	case FilterExists, FilterNull, FilterEmpty:
		if Filters(rule) {
			return nil
		}
		needs = "the appropriate filter operators"
	default:
		return nil
	}
	return apierr.FilterOperatorNotAllowed(operator, n.Field.Value, allowedOperators(rule), needs, number)
}

func allowedOperators(rule *settings.FilterableRule) string {
	list := []string{"OR, AND, NOT"}
	if rule.Equality {
		list = append(list, "=, !=, IN")
	}
	if rule.Comparison {
		list = append(list, "<, >, <=, >=, TO")
	}
	return strings.Join(append(list, "IS EMPTY, IS NULL, EXISTS"), ", ")
}

// GeoFilterable tells whether `_geo` may be filtered by: it must be listed as a
// plain name. GeoJSONFilterable is the same for `_geojson`.
func GeoFilterable(s *settings.Settings) bool { return listedPlainly(s, "_geo") }

// GeoJSONFilterable see GeoFilterable.
func GeoJSONFilterable(s *settings.Settings) bool { return listedPlainly(s, "_geojson") }

// ByPlace tells whether documents are found or sorted by `_geo`.
func ByPlace(s *settings.Settings) bool {
	return GeoFilterable(s) || slices.Contains(s.Sortable, "_geo")
}

func listedPlainly(s *settings.Settings, name string) bool {
	for i := range s.Filterable {
		if rule := &s.Filterable[i]; rule.Plain && rule.Patterns[0] == name {
			return true
		}
	}
	return false
}

// GeoNotFilterable is the error of a geo condition on an index whose settings
// enable none of the fields it works on; nil when one is enabled.
func (n *Node) GeoNotFilterable(s *settings.Settings) *FilterError {
	field := "_geo/_geojson"
	switch {
	case GeoJSONFilterable(s):
		return nil
	case n.Op == FilterGeoPolygon:
		field = "_geojson"
	case GeoFilterable(s):
		return nil
	}
	return n.Values[0].fault(apierr.FilterTextNotFilterable(field, FilterablePatterns(s)))
}

// CheckEmbedder tests the names of a vector condition (M7 to M10). fragments
// returns the fragment names of an embedder, sorted.
func (n *Node) CheckEmbedder(embedders []string, fragments func(embedder string) []string) *FilterError {
	if !n.Vector.Named {
		return nil
	}
	name := n.Vector.Embedder
	if !slices.Contains(embedders, name.Value) {
		return name.fault(apierr.FilterTextEmbedder(name.Value, embedders, nearest(name.Value, embedders)))
	}
	if n.Vector.Kind != VectorFragment {
		return nil
	}
	part, known := n.Vector.Fragment, fragments(name.Value)
	if !slices.Contains(known, part.Value) {
		return part.fault(apierr.FilterTextFragment(part.Value, name.Value, known, nearest(part.Value, known)))
	}
	return nil
}

// EmbedderNames lists the configured embedders, sorted.
func EmbedderNames(s *settings.Settings) []string {
	names := make([]string, 0, len(s.Embedders))
	for name := range s.Embedders {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// EmbedderFragments lists the indexing fragments of an embedder, sorted.
func EmbedderFragments(s *settings.Settings, embedder string) []string {
	var config struct {
		IndexingFragments map[string]json.RawMessage `json:"indexingFragments"`
	}
	if json.Unmarshal(s.Embedders[embedder], &config) != nil {
		return nil // not an object: nothing configured
	}
	names := make([]string, 0, len(config.IndexingFragments))
	for name := range config.IndexingFragments {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// GatesOf returns the gates that the experimental features f open.
func GatesOf(f settings.Features) Gates {
	return Gates{ContainsFilter: f.ContainsFilter, ForeignKeys: f.ForeignKeys, Network: f.Network, Multimodal: f.Multimodal}
}
