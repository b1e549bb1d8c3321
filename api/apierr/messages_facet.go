package apierr

import "strconv"

// FacetNotFilterable refuses an entry of `facets` (spec search-api 9.1). patterns are the
// patterns of the rules that enable filtering, sorted.
func FacetNotFilterable(entry string, patterns []string) *Error {
	text := "Invalid facet distribution: Pattern `" + entry + "` is not filterable. "
	if len(patterns) == 0 {
		text += "This index does not have configured filterable attributes."
	} else {
		text += "Available filterable attributes patterns are: " + maskedList(patterns, false) + "."
	}
	return New(CodeInvalidSearchFacets, text)
}

// FacetRuleNotFiltering refuses an entry of `facets` whose rule does not enable filtering.
func FacetRuleNotFiltering(entry string, rule int) *Error {
	n := strconv.Itoa(rule)
	return New(CodeInvalidSearchFacets, "Invalid facet distribution: Attribute `"+entry+"` matched rule #"+n+
		" in filterableAttributes, but this rule does not enable filtering.\nHint: enable filtering in rule #"+n+
		" by modifying the features.filter object\nHint: prepend another rule matching `"+entry+
		"` with appropriate filter features before rule #"+n)
}

// DistinctNotFilterable refuses the distinct attribute of a search (spec search-api 9.3).
// patterns are the displayed patterns; hidden tells that there are others.
func DistinctNotFilterable(field string, patterns []string, hidden bool) *Error {
	text := "Attribute `" + field + "` is not filterable and thus, cannot be used as distinct attribute. "
	if len(patterns) == 0 {
		text += "This index does not have configured filterable attributes."
	} else {
		text += "Available filterable attributes patterns are: " + maskedList(patterns, hidden) + "."
	}
	return New(CodeInvalidSearchDistinct, text)
}

// DistinctRuleNotFiltering refuses a distinct attribute whose rule does not enable
// filtering.
func DistinctRuleNotFiltering(field string, rule int) *Error {
	n := strconv.Itoa(rule)
	return New(CodeInvalidSearchDistinct, "Attribute `"+field+
		"` is not filterable and thus, cannot be used as distinct attribute. Note: this attribute matches rule #"+n+
		" in filterableAttributes, but this rule does not enable filtering.\nHint: enable filtering in rule #"+n+
		" by adding appropriate filter features.\nHint: prepend another rule matching "+field+
		" with filter features before rule #"+n)
}

// FacetSearchDisabled: the setting `facetSearch` is off (spec search-api 10).
func FacetSearchDisabled() *Error {
	return New(CodeFacetSearchDisabled, "The facet search is disabled for this index")
}

// FacetNotSearchable refuses the facet of a facet search. patterns and hidden are as in
// DistinctNotFilterable.
func FacetNotSearchable(facet string, patterns []string, hidden bool) *Error {
	text := "Attribute `" + facet + "` is not facet-searchable. "
	if len(patterns) == 0 {
		text += "This index does not have configured facet-searchable attributes."
	} else {
		text += "Available facet-searchable attributes patterns are: " + maskedList(patterns, hidden) + "."
	}
	return New(CodeInvalidFacetSearchFacetName, text+" To make it facet-searchable add it to the `filterableAttributes` index settings.")
}

// FacetRuleNotSearchable refuses a facet whose rule does not enable facetSearch.
func FacetRuleNotSearchable(facet string, rule int) *Error {
	n := strconv.Itoa(rule)
	return New(CodeInvalidFacetSearchFacetName, "Attribute `"+facet+
		"` is not facet-searchable. Note: this attribute matches rule #"+n+
		" in filterableAttributes, but this rule does not enable facetSearch.\nHint: enable facetSearch in rule #"+n+
		" by adding `\"facetSearch\": true` to the rule.\nHint: prepend another rule matching "+facet+
		" with facetSearch: true before rule #"+n)
}
