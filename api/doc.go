// Package api is the public contract: the JSON types of every route, the table
// of settings, the table of error codes and one constructor per error message.
//
// It imports nothing of ours. What is here is frozen by compatibility with the
// Meilisearch HTTP API v1.50: names, key orders and texts may not drift. Every
// other package speaks these types; httpfront decodes and encodes them.
//
// A body enters as text through ParseJSON (whose errors are worded and placed as
// the reference's) and an Object table into a struct; an answer leaves through
// the AppendJSON of its type. A setting is one row of settingsTable: its routes,
// bodies, task details, answers and application follow from the row. Documents
// are not decoded here but streamed, by the subpackage payload.
//
// Vocabulary: a Code names an error class, an Error is one answer to a client; a
// Value is parsed JSON, a Loc its place and the code of errors there, a Decoder
// reads one kind of value, a Row one member of an object. Settings are the
// effective settings of an index (defaults filled in), a SettingsPatch is a
// change of some.
//
// The package starts no goroutines and keeps no state.
package api
