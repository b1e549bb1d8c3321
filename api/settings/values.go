package settings

import (
	"slices"
	"strings"

	"shoal/api/apierr"
	"shoal/api/decode"
	"shoal/api/jsonvalue"
)

// Decoders of the settings' values (spec write-api 12.4).

// wildcardList is a list of names; one "*" anywhere means the default.
func wildcardList(at *decode.Loc, v *jsonvalue.Value) (decode.Field[[]string], *apierr.Error) {
	list, err := decode.Strings(at, v)
	if err != nil {
		return decode.Field[[]string]{}, err
	}
	if slices.Contains(list, "*") {
		return decode.Null[[]string](), nil
	}
	return decode.Set(list), nil
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

var filterObject = decode.NewObject(
	decode.Plain("equality", apierr.Code{}, decode.Bool, func(r *FilterableRule) *bool { return &r.Equality }),
	decode.Plain("comparison", apierr.Code{}, decode.Bool, func(r *FilterableRule) *bool { return &r.Comparison }),
)

var featuresObject = decode.NewObject(
	decode.Plain("facetSearch", apierr.Code{}, decode.Bool, func(r *FilterableRule) *bool { return &r.FacetSearch }),
	decode.Custom("filter", apierr.Code{}, func(r *FilterableRule, at *decode.Loc, v *jsonvalue.Value) *apierr.Error {
		return filterObject.Decode(at, v, r)
	}),
)

var filterableObject = decode.NewObject(
	decode.Plain("attributePatterns", apierr.Code{}, decode.Strings, func(r *FilterableRule) *[]string { return &r.Patterns }).Required(apierr.Code{}),
	decode.Custom("features", apierr.Code{}, func(r *FilterableRule, at *decode.Loc, v *jsonvalue.Value) *apierr.Error {
		return featuresObject.Decode(at, v, r)
	}),
)

// filterableRule is a name, or an object of patterns and features.
func filterableRule(at *decode.Loc, v *jsonvalue.Value) (FilterableRule, *apierr.Error) {
	if v.Kind() == jsonvalue.KindObject {
		rule := FilterableRule{Equality: true}
		err := filterableObject.Decode(at, v, &rule)
		return rule, err
	}
	name, err := decode.String(at, v)
	return FilterableRule{Patterns: []string{name}, FacetSearch: true, Equality: true, Comparison: true, Plain: true}, err
}

// BuiltinRankingRules are the rules that are not "attribute:asc" or ":desc".
var BuiltinRankingRules = []string{"words", "typo", "proximity", "attribute", "attributeRank", "wordPosition", "sort", "exactness"}

// SplitCustomRule separates "price:desc" into its attribute and direction; ok is
// false for builtin rules.
func SplitCustomRule(rule string) (attribute string, descending, ok bool) {
	i := strings.LastIndexByte(rule, ':')
	if i < 0 {
		return "", false, false
	}
	switch rule[i+1:] {
	case "asc":
		return rule[:i], false, true
	case "desc":
		return rule[:i], true, true
	}
	return "", false, false
}

func rankingRule(at *decode.Loc, v *jsonvalue.Value) (string, *apierr.Error) {
	rule, err := decode.String(at, v)
	if err != nil {
		return "", err
	}
	if slices.Contains(BuiltinRankingRules, rule) {
		return rule, nil
	}
	attribute, _, ok := SplitCustomRule(rule)
	if !ok {
		return "", at.Invalid("`" + rule + "` ranking rule is invalid. Valid ranking rules are words, typo, sort, proximity, attribute, exactness and custom ranking rules.")
	}
	if text := reservedRule(attribute); text != "" {
		return "", at.Invalid(text)
	}
	return rule, nil
}

// reservedRule refuses the names of geographic functions as ranking rules.
func reservedRule(attribute string) string {
	const cannot = "` is a reserved keyword and thus can't be used as a ranking rule"
	switch {
	case attribute == "_geoPoint" || strings.HasPrefix(attribute, "_geoPoint(") && strings.HasSuffix(attribute, ")"):
		return "`_geoPoint" + cannot + ". `_geoPoint` can only be used for sorting at search time"
	case attribute == "_geoRadius" || strings.HasPrefix(attribute, "_geoRadius("):
		return "`_geoRadius" + cannot + ". `_geoRadius` can only be used for filtering at search time"
	case attribute == "_geoBoundingBox" || strings.HasPrefix(attribute, "_geoBoundingBox("):
		return "`_geoBoundingBox" + cannot + ". `_geoBoundingBox` can only be used for filtering at search time"
	case attribute == "_geo" || attribute == "_geojson" || attribute == "_geoDistance" || attribute == "_geoPolygon",
		strings.HasPrefix(attribute, "_geo("), strings.HasPrefix(attribute, "_geoDistance("):
		return "`" + attribute + cannot
	}
	return ""
}

// mixedRankingRules: attribute excludes its two halves.
func mixedRankingRules(rules []string) *apierr.Error {
	if slices.Contains(rules, "attribute") && (slices.Contains(rules, "attributeRank") || slices.Contains(rules, "wordPosition")) {
		return apierr.New(apierr.CodeInvalidSettingsRankingRules, "Mixed usage of the attribute, attributeRank, and wordPosition ranking rules. You must either use the attribute ranking rule alone or the attributeRank and wordPosition ranking rules.")
	}
	return nil
}

// synonymMap keeps the members sorted by name.
func synonymMap(at *decode.Loc, v *jsonvalue.Value) ([]decode.Entry[[]string], *apierr.Error) {
	list, err := decode.Map(decode.Strings)(at, v)
	return decode.SortEntries(list), err
}

// foreignKeys checks the shape and keeps the value.
func foreignKeys(at *decode.Loc, v *jsonvalue.Value) (jsonvalue.Value, *apierr.Error) {
	_, err := decode.List(foreignKeyObject.As(func() [2]string { return [2]string{} }))(at, v)
	return *v, err
}

var foreignKeyObject = decode.NewObject(
	decode.Plain("foreignIndexUid", apierr.Code{}, decode.String, func(k *[2]string) *string { return &k[0] }).Required(apierr.Code{}),
	decode.Plain("fieldName", apierr.Code{}, decode.String, func(k *[2]string) *string { return &k[1] }).Required(apierr.Code{}),
)

var localizedObject = decode.NewObject(
	decode.Plain("attributePatterns", apierr.Code{}, decode.Strings, func(l *LocalizedAttribute) *[]string { return &l.AttributePatterns }).Required(apierr.Code{}),
	decode.Plain("locales", apierr.Code{}, decode.List(decode.OneOf(Locales...)), func(l *LocalizedAttribute) *[]string { return &l.Locales }).Required(apierr.Code{}),
)
