// Package api is the public contract: the JSON types of every route, the table
// of settings, the table of error codes and one constructor per error message.
//
// It imports nothing of ours. What is here is frozen by compatibility with the
// Meilisearch HTTP API v1.50: names, key orders and texts may not drift. Every
// other package speaks these types; httpfront decodes and encodes them.
//
// Vocabulary: a Code names an error class, an Error is one answer to a client,
// Settings are the effective settings of an index (defaults filled in).
package api
