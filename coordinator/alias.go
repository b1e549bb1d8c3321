package coordinator

import (
	"shoal/api/apierr"
	"shoal/wire"
)

// Named returns the index that a client means by a name: the one with this uid, or the one that
// the alias of this name points to. It is for requests that read or write what an index holds.
// Requests that make, rename, swap or delete indexes name the index itself (docs/adr/0017).
func Named(c Catalog, name string) (*wire.Index, bool) {
	if x, ok := c.Index(name); ok {
		return x, true
	}
	if a, ok := c.Alias(name); ok {
		return c.Index(a.Index)
	}
	return nil, false
}

// MissingIndex is the error for a name that is not the uid of an index.
func MissingIndex(c Catalog, name string) *apierr.Error {
	if a, ok := c.Alias(name); ok {
		return apierr.IndexIsAlias(name, a.Index)
	}
	return apierr.IndexNotFound(name)
}
