package apierr

import (
	"strconv"

	"shoal/api/jsonvalue"
)

// PrimaryKeyNoCandidate: no top-level name of the first document ends with "id".
func PrimaryKeyNoCandidate() *Error {
	return New(CodeIndexPrimaryKeyNoCandidateFound, "The primary key inference failed as the engine did not find any field ending with `id` in its name. Please specify the primary key manually using the `primaryKey` query parameter.")
}

// PrimaryKeyManyCandidates names the first two of n candidates in byte order.
func PrimaryKeyManyCandidates(n int, first, second string) *Error {
	return New(CodeIndexPrimaryKeyMultipleCandidatesFound, "The primary key inference failed as the engine found "+strconv.Itoa(n)+
		" fields ending with `id` in their names: '"+first+"' and '"+second+"'. Please specify the primary key manually using the `primaryKey` query parameter.")
}

// PrimaryKeyAlreadyExists: the index keeps its primary key.
func PrimaryKeyAlreadyExists(key string) *Error {
	return New(CodeIndexPrimaryKeyAlreadyExists, "Index already has a primary key: `"+key+"`.")
}

// MissingDocumentID: document (compact JSON) lacks the primary key.
func MissingDocumentID(key, document string) *Error {
	return New(CodeMissingDocumentID, "Document doesn't have a `"+key+"` attribute: `"+document+"`.")
}

// TooManyDocumentIDs: a dotted primary key matches several values of the document.
func TooManyDocumentIDs(key, document string) *Error {
	return New(CodeInvalidDocumentID, "Document have too many matching `"+key+"` attribute: `"+document+"`.")
}

// InvalidDocumentIDText is the text about a malformed id. value is JSON.
func InvalidDocumentIDText(value string) string {
	return "Document identifier `" + value + "` is invalid. A document identifier can be of type integer or string, only composed of alphanumeric characters (a-z A-Z 0-9), hyphens (-) and underscores (_), and can not be more than 511 bytes."
}

// InvalidDocumentID: a document's id is malformed. value is JSON.
func InvalidDocumentID(value string) *Error {
	return New(CodeInvalidDocumentID, InvalidDocumentIDText(value))
}

// TooManyFields: an index may not have more than 65,535 distinct fields.
func TooManyFields() *Error {
	return New(CodeMaxFieldsLimitExceeded, "A document cannot contain more than 65,535 fields.")
}

// FieldNamesTooLong: the dotted name of a nested field is longer than path bytes, or all
// names of an upload together are longer than all bytes.
func FieldNamesTooLong(path, all int) *Error {
	return New(CodeMaxFieldsLimitExceeded, "The name of a nested field, with the names above it, cannot contain more than "+strconv.Itoa(path)+
		" bytes, and the names of all fields of an upload no more than "+strconv.Itoa(all)+" bytes.")
}

// DocumentsPayloadTooLarge: the upload exceeds the limit in bytes.
func DocumentsPayloadTooLarge(limit int64) *Error {
	return New(CodePayloadTooLarge, "The provided payload reached the size limit. The maximum accepted payload size is "+jsonvalue.HumanSize(limit)+".")
}

// IncompletePayload: the transfer broke off, or its compressed data is corrupt.
func IncompletePayload() *Error {
	return New(CodeBadRequest, "The provided payload is incomplete and cannot be parsed")
}
