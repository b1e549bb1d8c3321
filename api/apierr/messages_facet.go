package apierr

import "strconv"

// FacetNotFilterable refuses an entry of `facets` (spec search-api 9.1). patterns are the
// patterns of the rules that enable filtering, sorted.
func FacetNotFilterable(entry string, patterns []string) *Error {
	return New(CodeInvalidSearchFacets, "Invalid facet distribution: Pattern `"+entry+"` is not filterable. "+available("filterable", patterns, false))
}

// FacetRuleNotFiltering refuses an entry of `facets` whose rule does not enable filtering.
func FacetRuleNotFiltering(entry string, rule int) *Error {
	return New(CodeInvalidSearchFacets, "Invalid facet distribution: Attribute `"+entry+"` matched "+
		lacking(rule, "filtering", "modifying the features.filter object", "`"+entry+"` with appropriate filter features"))
}

// DistinctNotFilterable refuses the distinct attribute of a search (spec search-api 9.3).
// patterns are the displayed patterns; hidden tells that there are others.
func DistinctNotFilterable(field string, patterns []string, hidden bool) *Error {
	return New(CodeInvalidSearchDistinct, "Attribute `"+field+"` is not filterable and thus, cannot be used as distinct attribute. "+
		available("filterable", patterns, hidden))
}

// DistinctRuleNotFiltering refuses a distinct attribute whose rule does not enable
// filtering.
func DistinctRuleNotFiltering(field string, rule int) *Error {
	return New(CodeInvalidSearchDistinct, "Attribute `"+field+
		"` is not filterable and thus, cannot be used as distinct attribute. Note: this attribute matches "+
		lacking(rule, "filtering", "adding appropriate filter features.", field+" with filter features"))
}

// FacetSearchDisabled: the setting `facetSearch` is off (spec search-api 10).
func FacetSearchDisabled() *Error {
	return New(CodeFacetSearchDisabled, "The facet search is disabled for this index")
}

// FacetNotSearchable refuses the facet of a facet search. patterns and hidden are as in
// DistinctNotFilterable.
func FacetNotSearchable(facet string, patterns []string, hidden bool) *Error {
	return New(CodeInvalidFacetSearchFacetName, "Attribute `"+facet+"` is not facet-searchable. "+available("facet-searchable", patterns, hidden)+
		" To make it facet-searchable add it to the `filterableAttributes` index settings.")
}

// FacetRuleNotSearchable refuses a facet whose rule does not enable facetSearch.
func FacetRuleNotSearchable(facet string, rule int) *Error {
	return New(CodeInvalidFacetSearchFacetName, "Attribute `"+facet+"` is not facet-searchable. Note: this attribute matches "+
		lacking(rule, "facetSearch", "adding `\"facetSearch\": true` to the rule.", facet+" with facetSearch: true"))
}

// available lists the patterns of the attributes that are usable, as in "filterable".
func available(usable string, patterns []string, hidden bool) string {
	if len(patterns) == 0 {
		return "This index does not have configured " + usable + " attributes."
	}
	return "Available " + usable + " attributes patterns are: " + maskedList(patterns, hidden) + "."
}

// lacking says that a rule of filterableAttributes does not enable a feature, and hints at how
// to enable it: in this rule, or by another one before it.
func lacking(rule int, feature, here, other string) string {
	n := "rule #" + strconv.Itoa(rule)
	return n + " in filterableAttributes, but this rule does not enable " + feature + ".\nHint: enable " + feature + " in " + n + " by " + here +
		"\nHint: prepend another rule matching " + other + " before " + n
}
