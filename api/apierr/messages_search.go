package apierr

import "strconv"

// SearchOnNotSearchable refuses an entry of `attributesToSearchOn` (spec search-api 3.6).
// shown are the displayed searchable attributes; hidden tells that there are others. The
// caller names the index before it.
func SearchOnNotSearchable(attribute string, shown []string, hidden bool) *Error {
	return New(CodeInvalidSearchAttributesToSearchOn,
		"Attribute `"+attribute+"` is not searchable. Available searchable attributes are: "+maskedList(shown, hidden)+".")
}

// MediaAndVector: a search has both, which is forbidden (spec search-api 3.4).
func MediaAndVector() *Error {
	return New(CodeInvalidSearchMediaAndVector, "Invalid request: both `media` and `vector` parameters are present.")
}

// MissingHybrid: a search has a vector or a media but names no embedder for it.
func MissingHybrid() *Error {
	return New(CodeMissingSearchHybrid, "Invalid request: missing `hybrid` parameter when `vector` or `media` are present.")
}

// EmbedderNotFound: no embedder has that name. code depends on the route.
func EmbedderNotFound(code Code, name string) *Error {
	return New(code, "Cannot find embedder with name `"+name+"`.")
}

// VectorDimensions: the length of a vector differs from the embedder's dimensions.
func VectorDimensions(expected, found int) *Error {
	return New(CodeInvalidVectorDimensions, "Invalid vector dimensions: expected: `"+strconv.Itoa(expected)+"`, found: `"+strconv.Itoa(found)+"`.")
}
