package apierr

import "strconv"

// SearchOnNotSearchable refuses an entry of `attributesToSearchOn` (spec
// search-api 3.6). shown are the searchable attributes that are displayed; hidden
// tells that there are others. The caller adds the prefix of the index.
func SearchOnNotSearchable(attribute string, shown []string, hidden bool) *Error {
	return New(CodeInvalidSearchAttributesToSearchOn,
		"Attribute `"+attribute+"` is not searchable. Available searchable attributes are: "+maskedList(shown, hidden)+".")
}

// MediaAndVector: a search may not have both (spec search-api 3.4).
func MediaAndVector() *Error {
	return New(CodeInvalidSearchMediaAndVector, "Invalid request: both `media` and `vector` parameters are present.")
}

// MissingHybrid: a vector or a media without an embedder to use it with.
func MissingHybrid() *Error {
	return New(CodeMissingSearchHybrid, "Invalid request: missing `hybrid` parameter when `vector` or `media` are present.")
}

// EmbedderNotFound: no embedder of that name; code is that of the route.
func EmbedderNotFound(code Code, name string) *Error {
	return New(code, "Cannot find embedder with name `"+name+"`.")
}

// VectorDimensions: a vector of another length than the embedder's.
func VectorDimensions(expected, found int) *Error {
	return New(CodeInvalidVectorDimensions, "Invalid vector dimensions: expected: `"+strconv.Itoa(expected)+"`, found: `"+strconv.Itoa(found)+"`.")
}
