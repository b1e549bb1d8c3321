package apierr

import (
	"sort"
	"strings"
)

// SortTextSyntax: an element of sort without `:asc` or `:desc` (spec search-api 8).
func SortTextSyntax(element string) string {
	return "Invalid syntax for the sort parameter: expected expression ending by `:asc` or `:desc`, found `" + element + "`."
}

// SortTextRandomSeed is ours: the seed of `_random` is not a valid number.
func SortTextRandomSeed(element string) string {
	return "Invalid syntax for the sort parameter: `_random(SEED)` takes a whole number from 0 to 4294967295, found `" + element + "`."
}

// Texts about `_random`, which are ours. It sorts only searches, not listings of documents,
// and only once no node has an older program.
const (
	SortTextRandomSearch = "`_random(SEED)` can only be used to sort searches."
	SortTextRandomOlder  = "`_random(SEED)` can be used once all nodes of the cluster have been upgraded."
)

// SortTextGeoSyntax: a malformed `_geoPoint`.
func SortTextGeoSyntax(member string) string {
	return "Invalid syntax for the geo parameter: expected expression formated like `_geoPoint(latitude, longitude)` and ending by `:asc` or `:desc`, found `" + member + "`."
}

// SortTextReserved: a geographic keyword cannot be sorted by. hint adds what to use
// instead.
func SortTextReserved(name string, hint bool) string {
	text := "`" + name + "` is a reserved keyword and thus can't be used as a sort expression."
	if hint {
		text += " Use the _geoPoint(latitude, longitude) built-in rule to sort on _geo field coordinates."
	}
	return text
}

// SortTextNoRule: the ranking rules lack `sort`.
const SortTextNoRule = "You must specify where `sort` is listed in the rankingRules setting to use the sort parameter at search time."

// SortTextNotSortable lists the sortable attributes that may be shown. hidden tells that
// there are others.
func SortTextNotSortable(field string, shown []string, hidden bool) string {
	if len(shown) == 0 {
		return "Attribute `" + field + "` is not sortable. This index does not have configured sortable attributes."
	}
	return "Attribute `" + field + "` is not sortable. Available sortable attributes are: " + maskedList(shown, hidden) + "."
}

// maskedList renders names, sorted, inside one pair of backticks. A marker stands for
// hidden names.
func maskedList(names []string, hidden bool) string {
	sorted := append([]string(nil), names...)
	sort.Strings(sorted)
	text := "`" + strings.Join(sorted, ", ")
	if hidden {
		text += ", <..hidden-attributes>"
	}
	return text + "`"
}
