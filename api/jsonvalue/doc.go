// Package jsonvalue reads and writes JSON as clients see it.
//
// Parse and ParseWithin read a body, ParseQuery a query string. They return a Value, or an
// error whose text and position are the reference's. An ObjectWriter and the Append
// functions write an answer straight into a buffer, byte for byte as the reference does:
// members appear in the order of the calls, and numbers and dates have the reference's
// form.
//
// The parser is our own because the reference's messages name the line, the column and what
// was expected there, and because documents keep their numbers as written. The package
// imports nothing of ours, starts no goroutines and keeps no state. Values may be read
// concurrently.
package jsonvalue
