// Package payload reads the documents of an upload: JSON (one object or an array
// of objects), NDJSON and CSV, element by element from a stream, with the error
// texts and positions of the reference (spec write-api 6.4, 6.5).
//
// A stream enters at Read and leaves as one Document per element, handed to a
// callback; memory is bounded by the largest single document. Number literals
// are never rewritten. Identity helps the caller find document ids and primary
// keys (spec write-api 6.7, 6.8).
//
// Vocabulary: raw is JSON text exactly as sent; a member is one top-level name
// with its raw value; a fault is a flaw inside a value that the reference
// notices only when it indexes the document.
//
// The package starts no goroutines; a reader belongs to its caller. It imports only api.
package payload
