package version

import (
	"sync/atomic"

	"shoal/shard/docset"
	"shoal/shard/facet"
	"shoal/shard/rank/columns"
	"shoal/shard/rank/scope"
)

// Caches holds results derived for one space of rows: one version of a shard, or
// versions of several. All readers of the space share it.
type Caches struct {
	memo   scope.Memo
	facets facet.Columns
	ranges rangeCache
	schema atomic.Pointer[schemaOf]
}

// Bounds are the bytes that one version caches of costly results: of ranking (package
// rank), of facets (package facet), and of ranges of facet values. 0 means the default
// of the package.
type Bounds struct{ Ranking, Facets, Ranges int }

func (c *Caches) bound(b Bounds) {
	c.memo.Bound(b.Ranking)
	c.facets.Bound(b.Facets)
	c.ranges.max = b.Ranges
}

// Kept returns the cached bytes of such results.
func (s *Space) Kept() Bounds {
	return Bounds{Ranking: s.caches.memo.Bytes(), Facets: s.caches.facets.Bytes(), Ranges: s.caches.ranges.held()}
}

// Columns returns the positions of frequent words known so far.
func (c *Version) Columns() *columns.Columns {
	if !c.searched.Load() {
		c.searched.Store(true)
	}
	return c.columns.Load()
}

// SetColumns sets the known positions of frequent words. release is called when the
// version is closed. Calls must not overlap, and the caller must hold a reference.
func (c *Version) SetColumns(known *columns.Columns, release func() error) {
	c.held = append(c.held, release)
	c.columns.Store(known)
	if f := c.fresh.Load(); f != nil && f.docs.And(c.live).AndNot(known.Covered()).Empty() {
		c.fresh.Store(nil)
		c.shared.fresh.forget(c)
	}
}

// Searched reports whether a search requested columns.
func (c *Version) Searched() bool { return c.searched.Load() }

// inherit takes over results of an older version of the same line that do not concern
// the changed documents.
func (c *Caches) inherit(old *Caches, changed docset.Set) { c.memo.Inherit(&old.memo, changed) }
