package apierr

import "strconv"

// AliasNotFound: no alias of that name.
func AliasNotFound(name string) *Error {
	return New(CodeAliasNotFound, "Alias `"+name+"` not found.")
}

// AliasNameTaken: an alias with the name of an index.
func AliasNameTaken(name string) *Error {
	return New(CodeIndexAlreadyExists, "Index `"+name+"` already exists: an alias needs a name that no index has.")
}

// NameOfAlias: an index is created with, or renamed to, the name of an alias.
func NameOfAlias(name, index string) *Error {
	return New(CodeIndexAlreadyExists, "`"+name+"` is an alias of the index `"+index+"`: remove the alias first, or take another name.")
}

// IndexIsAlias: a request that needs the uid of an index got an alias.
func IndexIsAlias(name, index string) *Error {
	return New(CodeIndexNotFound, "Index `"+name+"` not found: it is an alias of the index `"+index+"`, whose uid is needed here.")
}

// AliasPointsElsewhere: an alias is turned from an index to which it does not point. now is the
// index to which it points, "" if there is no such alias.
func AliasPointsElsewhere(name, from, now string) *Error {
	if now == "" {
		return New(CodeAliasPointsElsewhere, "Alias `"+name+"` does not exist, so it does not point to the index `"+from+"`.")
	}
	return New(CodeAliasPointsElsewhere, "Alias `"+name+"` points to the index `"+now+"`, not to `"+from+"`.")
}

// TooManyAliases: the cluster has as many aliases as it may have.
func TooManyAliases(most int) *Error {
	return New(CodeTooManyAliases, "A cluster has at most "+strconv.Itoa(most)+" aliases: remove some first.")
}

// AliasesNeedUpgrade: a node runs an older program.
func AliasesNeedUpgrade() *Error {
	return New(CodeBadRequest, "Aliases can be used once all nodes of the cluster have been upgraded.")
}
