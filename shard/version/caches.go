package version

import (
	"shoal/shard/docset"
	"shoal/shard/facet"
	"shoal/shard/rank/columns"
	"shoal/shard/rank/scope"
	"sync/atomic"
)

// Caches keeps what was worked out for one space of ordinals: here, for one version
// of a shard. The Views of a version share it.
type Caches struct {
	memo    scope.Memo
	columns atomic.Pointer[columns.Columns]
	// searched tells that some search looked for columns.
	searched atomic.Bool
	facets   facet.Columns
	ranges   rangeCache
	schema   atomic.Pointer[schemaOf]
}

// Bounds are the bytes that one version keeps at most of results that cost much: of
// ranking (package rank), of facets (package facet), of ranges of facet values. What is
// 0 takes the package's own bound.
type Bounds struct{ Ranking, Facets, Ranges int }

func (c *Caches) bound(b Bounds) {
	c.memo.Bound(b.Ranking)
	c.facets.Bound(b.Facets)
	c.ranges.max = b.Ranges
}

// Kept tells what the version keeps of such results, in bytes.
func (c *Version) Kept() Bounds {
	return Bounds{Ranking: c.caches.memo.Bytes(), Facets: c.caches.facets.Bytes(), Ranges: c.caches.ranges.held()}
}

// Columns tell where frequent words stand, as far as they are known by now.
func (v *View) Columns() *columns.Columns {
	if !v.caches.searched.Load() {
		v.caches.searched.Store(true)
	}
	return v.caches.columns.Load()
}

// SetColumns tells what is known of frequent words by now. release is called with the
// last reference to the version. Calls follow one another, and the caller knows that a
// reference is held.
func (c *Version) SetColumns(known *columns.Columns, release func() error) {
	c.held = append(c.held, release)
	c.caches.columns.Store(known)
}

// Searched tells whether some search looked for columns.
func (c *Version) Searched() bool { return c.caches.searched.Load() }

// FacetColumns keeps facets of this version that are counted often.
func (v *View) FacetColumns() *facet.Columns { return &v.caches.facets }

// Memo keeps costly results for this version of the shard.
func (v *View) Memo() *scope.Memo { return &v.caches.memo }

// inherit takes over what an older version of the same line had worked out and what
// does not concern the documents that changed.
func (c *Caches) inherit(old *Caches, changed docset.Set) { c.memo.Inherit(&old.memo, changed) }
