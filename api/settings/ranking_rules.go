package settings

import (
	"slices"
	"strconv"
	"strings"

	"shoal/api/apierr"
	"shoal/api/decode"
	"shoal/api/jsonvalue"
)

// codeRankingRules is also the code of rules that exclude each other.
var codeRankingRules = apierr.Declare("invalid_settings_ranking_rules")

// rankingRules order the hits, the most important rule first.
var rankingRules = row[[]string]{
	Name: "rankingRules", Path: "ranking-rules", Verb: "PUT", Code: codeRankingRules,
	decode: decode.List(rankingRule),
	write:  decode.WriteStrings,
	slot:   func(s *Settings) *[]string { return &s.RankingRules },
	check:  func(rules []string, _ Templates) *apierr.Error { return mixedRankingRules(codeRankingRules, rules) },
	effect: func(old, new *Settings) rewrites {
		return rewrites{facet: !slices.Equal(customAttributes(old.RankingRules), customAttributes(new.RankingRules))}
	},
}.setting()

// BuiltinRankingRules are the rules that are not "attribute:asc" or ":desc".
var BuiltinRankingRules = []string{"words", "typo", "proximity", "attribute", "attributeRank", "wordPosition", "sort", "exactness"}

// SplitCustomRule separates "price:desc" into its attribute and direction. ok is false for
// builtin rules.
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

// maxQueryRules bounds the ranking rules of one search.
const maxQueryRules = 32

// DecodeQueryRankingRules reads the ranking rules of one search, which have the form of
// those of the settings.
func DecodeQueryRankingRules(at *decode.Loc, v *jsonvalue.Value) ([]string, *apierr.Error) {
	rules, err := decode.List(rankingRule)(at, v)
	if err == nil && len(rules) > maxQueryRules {
		return nil, at.Invalid("expected at most " + strconv.Itoa(maxQueryRules) + " ranking rules, but found " + strconv.Itoa(len(rules)))
	}
	if err == nil {
		err = mixedRankingRules(apierr.CodeInvalidSearchRankingRules, rules)
	}
	return rules, err
}

// mixedRankingRules refuses attribute beside attributeRank or wordPosition, into which it
// splits.
func mixedRankingRules(code apierr.Code, rules []string) *apierr.Error {
	if slices.Contains(rules, "attribute") && (slices.Contains(rules, "attributeRank") || slices.Contains(rules, "wordPosition")) {
		return apierr.New(code, "Mixed usage of the attribute, attributeRank, and wordPosition ranking rules. You must either use the attribute ranking rule alone or the attributeRank and wordPosition ranking rules.")
	}
	return nil
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
