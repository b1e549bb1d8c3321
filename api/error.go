package api

// Code is one row of the table of error codes: its public name, its type
// ("invalid_request", "internal", "auth" or "system") and the HTTP status of an
// answer that carries it.
type Code struct {
	Name   string
	Type   string
	Status int
}

// Link is the documentation link shown beside the code.
func (c Code) Link() string { return "https://docs.meilisearch.com/errors#" + c.Name }

// Error is an answer to a client: a code and the exact message. It is built
// where the fact is known, by a constructor of this package, and travels
// unchanged (across nodes too) to the HTTP front. Errors are immutable.
type Error struct {
	Code    Code
	Message string
}

// NewError builds an Error from a code and a finished message. Prefer the
// constructors of messages.go, which own the templates.
func NewError(code Code, message string) *Error { return &Error{Code: code, Message: message} }

// Error returns the message.
func (e *Error) Error() string { return e.Message }
