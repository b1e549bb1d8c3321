package filter

import (
	"strings"

	"shoal/api/settings"
)

// PatternMatch tells how a pattern relates to a field.
type PatternMatch uint8

// Relations of a pattern to a field.
const (
	// PatternNone: nothing in common.
	PatternNone PatternMatch = iota
	// PatternParent: the field is an ancestor of what the pattern names (field
	// `a`, pattern `a.b`).
	PatternParent
	// PatternWhole: the pattern matches the field.
	PatternWhole
)

// Below tells whether a field is the given name or nested below it.
func Below(field, name string) bool {
	return strings.HasPrefix(field, name) && (len(field) == len(name) || field[len(name)] == '.')
}

// MatchPattern matches a field against one pattern: `*`, `x*`, `*x`, `*x*` or an
// exact name (spec ranking 1.10). There is no implicit nesting.
func MatchPattern(pattern, field string) PatternMatch {
	matched := false
	switch {
	case pattern == "*":
		return PatternWhole
	case len(pattern) > 1 && pattern[0] == '*' && pattern[len(pattern)-1] == '*':
		matched = strings.Contains(field, pattern[1:len(pattern)-1])
	case strings.HasPrefix(pattern, "*"):
		matched = strings.HasSuffix(field, pattern[1:])
	case strings.HasSuffix(pattern, "*"):
		matched = strings.HasPrefix(field, pattern[:len(pattern)-1])
	default:
		matched = pattern == field
	}
	switch {
	case matched:
		return PatternWhole
	case Below(pattern, field):
		return PatternParent
	}
	return PatternNone
}

// MatchName matches a field against a plain attribute name, which covers itself
// and everything below it.
func MatchName(name, field string) PatternMatch {
	switch {
	case Below(field, name):
		return PatternWhole
	case Below(name, field):
		return PatternParent
	}
	return PatternNone
}

// MatchRule matches a field against a rule of filterableAttributes.
func MatchRule(rule *settings.FilterableRule, field string) PatternMatch {
	if rule.Plain {
		return MatchName(rule.Patterns[0], field)
	}
	best := PatternNone
	for _, p := range rule.Patterns {
		if m := MatchPattern(p, field); m > best {
			best = m
		}
	}
	return best
}

// Filters tells whether a rule enables filtering of any kind.
func Filters(rule *settings.FilterableRule) bool {
	return rule != nil && (rule.Equality || rule.Comparison)
}

// RankingField recognises a custom ranking rule `field:asc` or `field:desc`.
func RankingField(rule string) (field string, descending, ok bool) {
	if name, found := strings.CutSuffix(rule, ":asc"); found {
		return name, false, true
	}
	if name, found := strings.CutSuffix(rule, ":desc"); found {
		return name, true, true
	}
	return "", false, false
}
