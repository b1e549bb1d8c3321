// Package jsonvalue is JSON as clients see it: text to values and back.
//
// In comes the text of a body (Parse, ParseWithin) or a query string (ParseQuery),
// out comes a Value, or an error whose words and place are the reference's. The
// other way an ObjectWriter and the Append functions write an answer straight into
// a buffer, byte for byte as the reference does: the order of members is that of
// the calls, numbers and dates have its forms.
//
// The parser is ours because the reference's messages name the line, the column
// and what was expected there, and because documents keep their numbers as
// written. The package imports nothing of ours, starts no goroutines and keeps no
// state; values may be read concurrently.
package jsonvalue
