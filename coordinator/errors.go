package coordinator

import (
	"strings"

	"shoal/api"
)

// The errors of tasks (spec write-api 15, tasks-auth-ops-api 4.8) that no other
// package makes.

// duplicateSwap names indexes that one swap request lists several times, sorted.
func duplicateSwap(uids []string) *api.Error {
	verb := " was"
	if len(uids) > 1 {
		verb = " were"
	}
	return api.NewError(api.CodeInvalidSwapDuplicateIndexFound,
		"Indexes must be declared only once during a swap. "+ticked(uids)+verb+" specified several times.")
}

// renameTaken: a swap renames onto names that exist.
func renameTaken(from, onto []string) *api.Error {
	if len(onto) == 1 {
		return api.NewError(api.CodeIndexAlreadyExists, "Cannot rename `"+from[0]+"` to `"+onto[0]+
			"` as the index already exists. Hint: You can remove `"+onto[0]+"` first and then do your remove.")
	}
	return api.NewError(api.CodeIndexAlreadyExists,
		"The following indexes are being renamed but cannot because their new name conflicts with an already existing index: "+
			ticked(onto)+". Renaming doesn't overwrite the other index name.")
}

// keyExists: another primary key than the index's was named.
func keyExists(key string) *api.Error {
	return api.NewError(api.CodeIndexPrimaryKeyAlreadyExists, "Index already has a primary key: `"+key+"`.")
}

// ticked lists names in backticks.
func ticked(names []string) string { return "`" + strings.Join(names, "`, `") + "`" }
