package settings

import (
	"encoding/json"
	"maps"
	"slices"
)

// Effect tells which groups of an index's tables a change of settings
// rewrites (spec write-api 12.7): words and positions, facets and geographic
// structures, vectors. An index without documents needs none of it.
func Effect(old, new *Settings) (text, facet, vector bool) {
	localized := !slices.EqualFunc(old.LocalizedAttributes, new.LocalizedAttributes, func(a, b LocalizedAttribute) bool {
		return slices.Equal(a.AttributePatterns, b.AttributePatterns) && slices.Equal(a.Locales, b.Locales)
	})
	searchable := !sameNames(old.SearchableAttributes, new.SearchableAttributes)
	text = localized || searchable ||
		!slices.Equal(old.StopWords, new.StopWords) ||
		!slices.Equal(old.SeparatorTokens, new.SeparatorTokens) ||
		!slices.Equal(old.NonSeparatorTokens, new.NonSeparatorTokens) ||
		!slices.Equal(old.Dictionary, new.Dictionary) ||
		old.ProximityPrecision != new.ProximityPrecision ||
		old.PrefixSearch != new.PrefixSearch ||
		old.TypoTolerance.DisableOnNumbers != new.TypoTolerance.DisableOnNumbers ||
		!slices.Equal(old.TypoTolerance.DisableOnAttributes, new.TypoTolerance.DisableOnAttributes)
	facet = localized ||
		!slices.EqualFunc(old.Filterable, new.Filterable, sameRule) ||
		!slices.Equal(old.Sortable, new.Sortable) ||
		!slices.Equal(customAttributes(old.RankingRules), customAttributes(new.RankingRules)) ||
		old.FacetSearch != new.FacetSearch ||
		!samePointer(old.DistinctAttribute, new.DistinctAttribute)
	vector = vectorsChange(old.Embedders, new.Embedders, searchable)
	return text, facet, vector
}

func sameRule(a, b FilterableRule) bool {
	return slices.Equal(a.Patterns, b.Patterns) && a.FacetSearch == b.FacetSearch && a.Equality == b.Equality &&
		a.Comparison == b.Comparison && a.Plain == b.Plain
}

// sameNames compares as sets; nil (the default of some lists) differs from empty.
func sameNames(a, b []string) bool {
	if (a == nil) != (b == nil) || len(a) != len(b) {
		return false
	}
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// customAttributes are the attributes of "attr:asc" and "attr:desc", sorted.
func customAttributes(rules []string) []string {
	var out []string
	for _, r := range rules {
		if attribute, _, ok := SplitCustomRule(r); ok {
			out = append(out, attribute)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func samePointer(a, b *string) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

// vectorsChange tells whether stored vectors change: embedders come or go, their
// texts or models change (spec write-api 13.6).
func vectorsChange(old, new map[string]json.RawMessage, searchable bool) bool {
	if !slices.Equal(slices.Sorted(maps.Keys(old)), slices.Sorted(maps.Keys(new))) {
		return true
	}
	for name, raw := range new {
		a, errA := storedEmbedder(old[name])
		b, errB := storedEmbedder(raw)
		if errA != nil || errB != nil {
			return true // rebuilding is always right
		}
		for f := range embFields {
			switch f {
			case embAPIKey, embHeaders, embDistribution, embSearchEmbedder:
				continue
			}
			if fieldText(a, f) != fieldText(b, f) {
				return true
			}
		}
		if searchable && b.value(embTemplate) != nil {
			return true
		}
	}
	return false
}

func fieldText(e *EmbedderPatch, f embedderField) string {
	if v := e.value(f); v != nil {
		return v.JSON()
	}
	return ""
}
