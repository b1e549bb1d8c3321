package build

import (
	"errors"

	"shoal/api/apierr"
	"shoal/api/jsonvalue"
	"shoal/wire"
)

// buildFailure is an error that every shard would report alike. It ends the batch or
// one task of it, and is not a fault of this node.
type buildFailure struct{ wire.BuildError }

func (f *buildFailure) Error() string { return f.Failure.Message }

// failing turns a client's error into a buildFailure with its place. Other errors pass
// through.
func failing(err error, task uint32, position uint64) error {
	var known *buildFailure
	if err == nil || errors.As(err, &known) {
		return err
	}
	var client *apierr.Error
	var syntax *jsonvalue.SyntaxError
	f := &buildFailure{wire.BuildError{Task: task, Position: position}}
	switch {
	case errors.As(err, &client):
		f.Failure, f.Place = wire.Failure{Message: client.Message, Code: client.Code.Name}, client.Place
	case errors.As(err, &syntax):
		f.Failure = wire.Failure{Message: "internal: " + syntax.Error() + ".", Code: apierr.CodeInternal.Name}
	default:
		return err
	}
	f.FailsTask = f.Failure.Code == apierr.CodeMissingDocumentID.Name || f.Failure.Code == apierr.CodeInvalidDocumentID.Name
	return f
}

// prefixed adds the index to the message of an error that fails the whole batch (spec
// write-api 1.5).
func (f *buildFailure) prefixed(uid string) *wire.BuildError {
	e := f.BuildError
	if !e.FailsTask {
		e.Failure.Message = "Index `" + uid + "`: " + e.Failure.Message
	}
	return &e
}
