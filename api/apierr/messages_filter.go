package apierr

import (
	"math"
	"strconv"
	"strings"
)

// The texts of the filter language (spec search-api 7.3 to 7.6). Package query/filter
// appends the position and chooses the code by the route. x is the offending fragment,
// already escaped for display.

const filterOperations = "`=`, `!=`, `>=`, `>`, `<=`, `<`, `IN`, `NOT IN`, `TO`, `EXISTS`, `NOT EXISTS`, `IS NULL`, `IS NOT NULL`, `IS EMPTY`, `IS NOT EMPTY`, `CONTAINS`, `NOT CONTAINS`, `STARTS WITH`, `NOT STARTS WITH`, `_geoRadius`, `_geoBoundingBox` or `_geoPolygon`"

// FilterTextOperation (S1, S2): an operation is missing.
func FilterTextOperation(x string) string {
	if strings.TrimSpace(x) == "" {
		return "Was expecting an operation " + filterOperations + " but instead got nothing."
	}
	return "Was expecting an operation " + filterOperations + " at `" + x + "`."
}

// FilterTextValue (S3 to S5): a value is missing. keyword tells that a reserved word stands
// in its place.
func FilterTextValue(x string, keyword bool) string {
	switch {
	case strings.TrimSpace(x) == "":
		return "Was expecting a value but instead got nothing."
	case keyword:
		return "Was expecting a value but instead got `" + x + "`, which is a reserved keyword. To use `" + x + "` as a field name or a value, surround it by quotes."
	}
	return "Was expecting a value but instead got `" + x + "`."
}

// FilterTextMalformed (S6).
func FilterTextMalformed(x string) string { return "Malformed value: `" + x + "`." }

// FilterTextDelimiter (S7).
func FilterTextDelimiter(x, delimiter string) string {
	return "Expression `" + x + "` is missing the following closing delimiter: `" + delimiter + "`."
}

// FilterTextEscape (S8).
func FilterTextEscape(x string) string {
	return "Found an invalid escaped sequence number: `" + x + "`."
}

// FilterTextTrailing (S9).
func FilterTextTrailing(x string) string {
	return "Found unexpected characters at the end of the filter: `" + x + "`. You probably forgot an `OR` or an `AND` rule."
}

// FilterTextInList (S13).
func FilterTextInList(x string) string {
	return "Expected only comma-separated field names inside `IN[..]` but instead found `" + x + "`."
}

// FilterTextForeign (S15).
func FilterTextForeign(x string) string {
	return "Was expecting a field name and an condition inside `_foreign(..)` filter but instead found `" + x + "`."
}

// Texts without parts.
const (
	FilterTextIncomplete      = "The filter is incomplete and requires Unknown additional bytes to be parsed."
	FilterTextInOpening       = "Expected `[` after `IN` keyword."
	FilterTextInClosing       = "Expected matching `]` after the list of field names given to `IN[`"
	FilterTextDepth           = "The filter exceeded the maximum depth limit. Try rewriting the filter so that it contains fewer nested conditions."
	FilterTextGeoRadius       = "The `_geoRadius` filter must be in the form: `_geoRadius(latitude, longitude, radius, optionalResolution)`."
	FilterTextGeoBox          = "The `_geoBoundingBox` filter expects two pairs of arguments: `_geoBoundingBox([latitude, longitude], [latitude, longitude])`."
	FilterTextGeoPolygon      = "The `_geoPolygon` filter doesn't match the expected format: `_geoPolygon([latitude, longitude], [latitude, longitude])`."
	FilterTextMisusedRadius   = "The `_geoRadius` filter is an operation and can't be used as a value."
	FilterTextMisusedBox      = "The `_geoBoundingBox` filter is an operation and can't be used as a value."
	FilterTextVectorOperation = "Was expecting an operation like `EXISTS` or `NOT EXISTS` after the vector filter."
	FilterTextVectorLeftover  = "The vector filter has leftover tokens."
	FilterTextVectorQuotes    = "The quotes in one of the values are inconsistent."
	FilterTextVectorNoName    = "Was expecting embedder name but found nothing."
	FilterTextVectorBadName   = "The vector filter's embedder name is invalid."
	FilterTextVectorNoPart    = "The vector filter is missing a fragment name."
	FilterTextVectorBadPart   = "The vector filter's fragment name is invalid."
	FilterTextVectorPoint     = "Was expecting one of `.fragments`, `.userProvided`, `.documentTemplate`, `.regenerate` or nothing, but instead found a point without a valid value."
	FilterTextVectorUnquoted  = "Was expecting this part to be unquoted."
	FilterTextNotFinite       = "Non finite floats are not supported"
	SameObjectTextOlder       = "`features.sameObject` can be used once all nodes of the cluster have been upgraded."
	ExpiryTextOlder           = "`expiryAttribute` can be used once all nodes of the cluster have been upgraded."
	FilterTextEmptyObject     = "Was expecting a condition inside of `{}` but instead found none."
	FilterTextForeignRefused  = "Filter condition `_foreign` is not supported for this endpoint."
	FilterTextNoForeignKeys   = "Index does not have foreign keys"
	FilterTextNestedForeign   = "Nested foreign filters are not supported"
	FilterTextForeignTooMany  = "Foreign filter is retrieving too many documents, foreign filters can't retrieve more than 1000 documents per index"
	FilterTextShardOperator   = " is not allowed for the special attribute `_shard`.\n  - Note: allowed operators: =, !=, IN. \n  - Note: other operators are not allowed for the special attribute `_shard`."
)

// FilterTextGeoRadiusCount (S17).
func FilterTextGeoRadiusCount(n int) string {
	return "Was expecting 3 or 4 arguments for `_geoRadius`, but instead found " + strconv.Itoa(n) + "."
}

// FilterTextGeoPolygonCount (S20).
func FilterTextGeoPolygonCount(n int) string {
	return "The `_geoPolygon` filter expects at least 3 points but only " + strconv.Itoa(n) + " were specified"
}

// FilterTextGeoPair (S21).
func FilterTextGeoPair(n int) string {
	return "Was expecting 2 coordinates but instead found " + strconv.Itoa(n) + "."
}

// FilterTextReservedGeo (S22).
func FilterTextReservedGeo(word string) string {
	return "`" + word + "` is a reserved keyword and thus can't be used as a filter expression. Use the `_geoRadius(latitude, longitude, distance)` or `_geoBoundingBox([latitude, longitude], [latitude, longitude])` built-in rules to filter on `_geo` coordinates."
}

// FilterTextVectorSuffix (S34, S35). suggestion may be empty.
func FilterTextVectorSuffix(found, suggestion string) string {
	return "Was expecting one of `fragments`, `userProvided`, `documentTemplate`, `regenerate` or nothing, but instead found `" + found + "`." + suggested(suggestion)
}

// FilterTextVectorTwoKinds (S36).
func FilterTextVectorTwoKinds(first, second string) string {
	return "Vector filter can only accept one of `fragments`, `userProvided`, `documentTemplate` or `regenerate`, but found both `" + first + "` and `" + second + "`."
}

// FilterTextGate refuses an experimental operator (7.4). doing starts the sentence.
func FilterTextGate(doing, feature string, discussion int) string {
	return FeatureNotEnabled(doing, feature, discussion).Message
}

// FilterTextNotFilterable (M1, M2). patterns are sorted and free of duplicates.
func FilterTextNotFilterable(field string, patterns []string) string {
	if len(patterns) == 0 {
		return "Attribute `" + field + "` is not filterable. This index does not have configured filterable attributes."
	}
	return "Attribute `" + field + "` is not filterable. Available filterable attribute patterns are: " + QuotedList(patterns) + "."
}

// FilterTextNotSameObject: braces on an attribute that is not indexed by objects. patterns
// are those that are, sorted and free of duplicates.
func FilterTextNotSameObject(field string, patterns []string) string {
	text := "Attribute `" + field + "` does not allow conditions on the same object, in `{}`. "
	if len(patterns) == 0 {
		return text + "Set `features.sameObject` in its rule of `filterableAttributes`."
	}
	return text + "Attribute patterns that allow them are: " + QuotedList(patterns) + "."
}

// FilterTextInObject: a condition on whole documents stands in braces.
func FilterTextInObject(name string) string {
	return "`" + name + "` can't be used inside of `{}`, which select one object. Put it outside."
}

// FilterTextObjectNames: the path of braces is too long.
func FilterTextObjectNames(most int) string {
	return "The path of `{}` may have at most " + strconv.Itoa(most) + " names."
}

// FilterTextReservedObject: braces on an attribute with a meaning of its own.
func FilterTextReservedObject(name string) string {
	return "`" + name + "` is reserved and can't be filtered by in `{}`."
}

// GeoTextLatitude (M3).
func GeoTextLatitude(v float64) string {
	return "Bad latitude `" + DisplayFloat(v) + "`. Latitude must be contained between -90 and 90 degrees."
}

// GeoTextLongitude (M4) suggests the equivalent longitude within range.
func GeoTextLongitude(v float64) string {
	w := math.Mod(v+180, 360)
	if w < 0 {
		w += 360
	}
	return "Bad longitude `" + DisplayFloat(v) + "`. Longitude must be contained between -180 and 180 degrees. Hint: try using `" + DisplayFloat(w-180) + "` instead."
}

// GeoTextResolution (M5).
func GeoTextResolution(n uint64) string {
	return "Invalid resolution `" + strconv.FormatUint(n, 10) + "`. Resolution must be between 3 and 1000."
}

// GeoTextTopBelowBottom (M6).
func GeoTextTopBelowBottom(top, bottom float64) string {
	return "The top latitude `" + DisplayFloat(top) + "` is below the bottom latitude `" + DisplayFloat(bottom) + "`."
}

// FilterTextEmbedder (M7, M8). known is sorted.
func FilterTextEmbedder(name string, known []string, suggestion string) string {
	text := "The embedder `" + name + "` does not exist. "
	if len(known) == 0 {
		return text + "This index does not have any configured embedders."
	}
	return text + "Available embedders are: " + QuotedList(known) + "." + suggested(suggestion)
}

// FilterTextFragment (M9, M10). known is sorted.
func FilterTextFragment(fragment, embedder string, known []string, suggestion string) string {
	text := "The fragment `" + fragment + "` does not exist on embedder `" + embedder + "`. "
	if len(known) == 0 {
		return text + "This embedder does not have any configured fragments."
	}
	return text + "Available fragments on this embedder are: " + QuotedList(known) + "." + suggested(suggestion)
}

func suggested(suggestion string) string {
	if suggestion == "" {
		return ""
	}
	return " Did you mean `" + suggestion + "`?"
}

// FilterOperatorNotAllowed (M12) refuses an operator that the rule of the field does not
// enable. Its code is the same on every route. needs names what to enable ("equality",
// "comparison" or "the appropriate filter operators").
func FilterOperatorNotAllowed(operator, field, allowed, needs string, rule int) *Error {
	n := strconv.Itoa(rule)
	return New(CodeInvalidSearchFilter, "Filter operator `"+operator+"` is not allowed for the attribute `"+field+
		"`.\n  - Note: allowed operators: "+allowed+
		".\n  - Note: field `"+field+"` matched rule #"+n+" in `filterableAttributes`\n  - Hint: enable "+needs+
		" in rule #"+n+" by modifying the features.filter object\n  - Hint: prepend another rule matching `"+field+
		"` with appropriate filter features before rule #"+n)
}

// FilterTextType refuses a filter of the wrong JSON type (7.1). expected is "String,
// Array", "String, [String]" or "String".
func FilterTextType(expected, json string) string {
	return "Invalid syntax for the filter parameter: `expected " + expected + ", found: " + json + "`."
}

// DisplayFloat renders a double as messages and score details do: the shortest
// decimal that reads back equal, never with an exponent, no trailing ".0".
func DisplayFloat(v float64) string {
	switch {
	case math.IsNaN(v):
		return "NaN"
	case math.IsInf(v, 1):
		return "inf"
	case math.IsInf(v, -1):
		return "-inf"
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// FilterTextForeignConditions: a filter has too many `_foreign` conditions.
func FilterTextForeignConditions(most int) string {
	return "The filter has more than " + strconv.Itoa(most) + " `_foreign` conditions."
}

// FilterTextWeight: a filter is larger than a request may send.
func FilterTextWeight(most int) string {
	return "The filter is too large: it may have " + strconv.Itoa(most) + " values, where a condition counts as two and a coordinate of a shape as five."
}
