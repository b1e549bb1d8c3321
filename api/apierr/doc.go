// Package apierr defines what clients are told when a request is refused or fails: the
// table of error codes and one constructor per message.
//
// A constructor takes the facts of a refusal and returns an Error, which reaches the HTTP
// front unchanged, across nodes too. Names, types, statuses and texts are frozen by
// compatibility with the reference. Only this package and api/decode write messages, each
// once.
//
// It imports api/jsonvalue only. Errors are immutable.
package apierr
