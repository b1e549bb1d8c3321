package apierr

import "shoal/api/jsonvalue"

// Code is one row of the table of error codes: its public name, its type
// ("invalid_request", "internal", "auth" or "system") and its HTTP status.
type Code struct {
	Name   string
	Type   string
	Status int
}

// Link is the documentation link shown beside the code.
func (c Code) Link() string { return "https://docs.meilisearch.com/errors#" + c.Name }

// Error is an error for a client: a code and the exact message. A constructor of this
// package builds it where the fact is known. It reaches the HTTP front unchanged, across
// nodes too. Errors are immutable.
type Error struct {
	Code    Code
	Message string
	// Place orders errors that several shards of an index find in one request. It is the
	// number of the refused condition of a filter, from 1 in the order of writing, or 0 if
	// only one error is possible. Clients do not see it.
	Place int
}

// New builds an Error from a code and a finished message. Prefer the constructors of
// messages.go, which own the texts.
func New(code Code, message string) *Error { return &Error{Code: code, Message: message} }

// At returns a copy of the error with a place.
func (e *Error) At(place int) *Error {
	placed := *e
	placed.Place = place
	return &placed
}

// Before tells whether a single shard with all documents would report e rather than o:
// errors of a filter come in the order of its conditions, then all others.
func (e *Error) Before(o *Error) bool { return PlaceBefore(e.Place, o.Place) }

// PlaceBefore orders places as Error.Before does.
func PlaceBefore(a, b int) bool { return a != 0 && (b == 0 || a < b) }

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// AppendJSON appends the error envelope (spec write-api 1.4).
func (e *Error) AppendJSON(dst []byte) []byte {
	o := jsonvalue.ObjectWriter{Buf: dst}
	o.Text("message", e.Message)
	o.Text("code", e.Code.Name)
	o.Text("type", e.Code.Type)
	o.Text("link", e.Code.Link())
	return o.End()
}
