// Package apierr is what clients are told when something is refused or fails: the
// table of error codes and one constructor per message.
//
// In come the facts of a refusal, out comes an Error, which travels unchanged to
// the HTTP front, across nodes too. Names, types, statuses and texts are frozen by
// compatibility with the reference; nobody outside of this package and of
// api/decode writes a message twice.
//
// It imports api/jsonvalue only. Errors are immutable.
package apierr
