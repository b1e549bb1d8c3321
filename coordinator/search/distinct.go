package search

import (
	"slices"

	"shoal/coordinator/driver"
)

// DistinctKeys drops documents that share a value with one kept before.
type DistinctKeys map[string]struct{}

// Keep records the keys of a document and tells whether all of them are new.
func (d DistinctKeys) Keep(keys []string) bool {
	if d.has(keys) {
		return false
	}
	for _, k := range keys {
		d[k] = struct{}{}
	}
	return true
}

// has tells whether one of the keys is that of a document kept before.
func (d DistinctKeys) has(keys []string) bool {
	return slices.ContainsFunc(keys, func(k string) bool { _, seen := d[k]; return seen })
}

// DocumentOf identifies the document of a hit within its index.
func DocumentOf(h *driver.Hit) uint64 { return uint64(h.Source)<<32 | uint64(h.Ordinal) }
