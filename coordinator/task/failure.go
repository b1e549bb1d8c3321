package task

import (
	"errors"
	"strings"

	"shoal/api/apierr"
	"shoal/wire"
)

// The errors of tasks (spec write-api 15, tasks-auth-ops-api 4.8) that only this package makes.

// DuplicateSwap names indexes that one swap request lists several times, sorted.
func DuplicateSwap(uids []string) *apierr.Error {
	verb := " was"
	if len(uids) > 1 {
		verb = " were"
	}
	return apierr.New(apierr.CodeInvalidSwapDuplicateIndexFound,
		"Indexes must be declared only once during a swap. "+ticked(uids)+verb+" specified several times.")
}

// RenameTaken: a swap renames onto names that exist.
func RenameTaken(from, onto []string) *apierr.Error {
	if len(onto) == 1 {
		return apierr.New(apierr.CodeIndexAlreadyExists, "Cannot rename `"+from[0]+"` to `"+onto[0]+
			"` as the index already exists. Hint: You can remove `"+onto[0]+"` first and then do your remove.")
	}
	return apierr.New(apierr.CodeIndexAlreadyExists,
		"The following indexes are being renamed but cannot because their new name conflicts with an already existing index: "+
			ticked(onto)+". Renaming doesn't overwrite the other index name.")
}

// Failure returns the stored form of an error.
func Failure(code apierr.Code, message string) *wire.Failure {
	return &wire.Failure{Code: code.Name, Message: message}
}

// FailureOf returns the stored form of a client error.
func FailureOf(err *apierr.Error) *wire.Failure { return Failure(err.Code, err.Message) }

// AsFailure returns the stored form of any error: a client error as it is, other errors as
// Internal does.
func AsFailure(err error) *wire.Failure {
	var client *apierr.Error
	if errors.As(err, &client) {
		return FailureOf(client)
	}
	return Internal(err)
}

// Internal returns the stored form of an error that should not happen. A fault of the system,
// such as a full disk, keeps the code by which operators know it.
func Internal(err error) *wire.Failure {
	if fault, ok := apierr.SystemFault("", err); ok {
		return FailureOf(fault)
	}
	return Failure(apierr.CodeInternal, err.Error())
}

// NotFound: the index of the task does not exist.
func NotFound(uid string) *wire.Failure { return FailureOf(apierr.IndexNotFound(uid)) }

// ticked lists names in backticks.
func ticked(names []string) string { return "`" + strings.Join(names, "`, `") + "`" }
